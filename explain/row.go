package explain

import (
	"encoding/json"
	"iter"
	"slices"

	"example.com/agentworld/run/playback"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Row is one agent in one tick of a run: its state at the end of the tick, and what it did.
type Row struct {
	Tick  int64  `json:"tick"`
	Agent string `json:"-"`
	// State is what the agent was doing.
	State RowState `json:"state"`
	// Place is empty during a journey, whose end is then GoingTo.
	Place       string `json:"place"`
	GoingTo     string `json:"going_to,omitempty"`
	PowerState  string `json:"power_state"`
	Electricity int64  `json:"electricity"`
	// Capacity is the most electricity that the agent can hold.
	Capacity int64 `json:"-"`
	Heat     int64 `json:"heat"`
	// Stock is what the agent holds besides electricity, without zero amounts.
	Stock []world.Amount `json:"stock"`
	// Decision is the agent's decision of the tick, nil if it made none. The next four are of it.
	Decision  *trace.Decision `json:"-"`
	DecidedBy trace.DecidedBy `json:"decided_by,omitempty"`
	Executed  json.RawMessage `json:"executed"`
	Outcome   json.RawMessage `json:"outcome"`
	Why       string          `json:"why,omitempty"`
	// Events are those of the tick that concern the agent, in the world's order.
	Events []world.Event `json:"events"`
}

// RowState says what an agent did with a tick.
type RowState string

// The states of a row. The last four are agents without a decision.
const (
	// RowDecided: its turn ended in a decision, RowContinued: a standing order continued.
	RowDecided   RowState = "decided"
	RowContinued RowState = "continued"
	// RowTravelling, RowWaiting, RowShutdown: on a journey, in a wait of several ticks, without
	// power.
	RowTravelling RowState = "travelling"
	RowWaiting    RowState = "waiting"
	RowShutdown   RowState = "shutdown"
	// RowStopped: its endpoint was given up, so no one decided for it.
	RowStopped RowState = "stopped"
)

// Table makes the rows of a run from its records, by playing its world again. It holds the world and
// the records of one tick. [TableOf] makes one, for one reading.
type Table struct {
	of     Run
	agent  string
	header trace.Header
	played *playback.Playback
	// goingTo is the destination of each agent's newest journey, by number.
	goingTo []string
}

// TableOf returns the table of a run, of one agent or of all if agent is empty.
func TableOf(of Run, agent string) *Table { return &Table{of: of, agent: agent} }

// Header is that of the run, once a row was read.
func (t *Table) Header() trace.Header { return t.header }

// tableTypes are the records that a [Table] is made of.
var tableTypes = []trace.Type{
	trace.TypeHeader, trace.TypeFork, trace.TypeControl, trace.TypeResume, trace.TypeDecision, trace.TypeEvent,
	trace.TypeTickEnd,
}

// Rows iterates over the rows of each whole tick, in the order of the run's agents. An error ends it: a
// [*NoAgentError], one that wraps [playback.ErrDiffers], or what says where the trace cannot be read.
func (t *Table) Rows() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		var in Tick
		for record, err := range Records(t.of, nil, 0, tableTypes...) {
			whole := false
			if err == nil {
				whole, err = t.Add(record)
			}
			if err != nil {
				yield(Row{}, err)
				return
			}
			in.Add(record)
			if !whole {
				continue
			}
			for r := range t.Played(&in) {
				if !yield(r, nil) {
					return
				}
			}
			in = Tick{} // rows may be kept
		}
	}
}

// Add plays the next record of the run, for a reader that needs more of the records than [Table.Rows] gives; whole
// says that it ended a tick. The errors are those of Rows, and nothing may be added after one.
func (t *Table) Add(record trace.Record) (whole bool, err error) {
	h, begins := record.(trace.Header)
	switch {
	case begins && t.agent != "":
		t.header, err = h, CheckAgent(h, t.agent)
	case begins:
		t.header = h
	case t.played == nil:
		return false, trace.ErrNoHeader
	default:
		return t.played.Add(record)
	}
	if err == nil {
		t.played, err = playback.Begin(h)
	}
	if err == nil {
		t.goingTo = make([]string, t.played.World().Agents())
	}
	return false, err
}

// Played iterates over the rows of the tick that was played last, whose records are in.
func (t *Table) Played(in *Tick) iter.Seq[Row] {
	w := t.played.World()
	decided := make(map[string]*trace.Decision, len(in.Decisions))
	for i := range in.Decisions {
		decided[in.Decisions[i].AgentID] = &in.Decisions[i]
	}
	concerning := map[string][]world.Event{}
	for _, e := range in.Events {
		for _, agent := range e.Concerns() {
			concerning[agent] = append(concerning[agent], e)
		}
	}
	due := w.Due()
	return func(yield func(Row) bool) {
		for n := range w.Agents() {
			id := w.AgentID(n)
			if to, ok := journey(decided[id]); ok {
				t.goingTo[n] = to
			}
			if t.agent != "" && t.agent != id {
				continue
			}
			_, isDue := slices.BinarySearch(due, n)
			if !yield(t.row(n, isDue, decided[id], concerning[id])) {
				return
			}
		}
	}
}

// journey is the destination of a decision to move, if the world accepted it.
func journey(d *trace.Decision) (to string, ok bool) {
	if d == nil {
		return "", false
	}
	a, err := world.DecodeAction(d.Executed)
	if ruling, _ := d.Ruling(); err != nil || !ruling.Accepted {
		return "", false
	}
	if order, is := a.(world.ExecuteUntil); is {
		a = order.Do
	}
	move, ok := a.(world.Move)
	return move.To, ok
}

// row is an agent, which may be due, at the end of the tick that was played.
func (t *Table) row(n int, due bool, d *trace.Decision, events []world.Event) Row {
	w := t.played.World()
	self := w.Self(n)
	r := Row{
		Tick: w.Tick(), Agent: self.ID, Place: self.Place, PowerState: self.PowerState, Electricity: self.Electricity,
		Capacity: self.PowerCapacity, Heat: self.Heat, Decision: d,
		Stock: []world.Amount{}, Events: append([]world.Event{}, events...),
	}
	for _, a := range w.Stock(n) {
		if a.Resource != world.Electricity {
			r.Stock = append(r.Stock, a)
		}
	}
	if self.Place == "" {
		r.GoingTo = t.goingTo[n]
	}
	if d != nil {
		r.DecidedBy = d.DecidedBy
		r.Executed = d.Executed
		r.Outcome = d.Outcome
		r.Why = d.Why
	}
	switch {
	case d != nil && d.DecidedBy == trace.ByStanding:
		r.State = RowContinued
	case d != nil:
		r.State = RowDecided
	case due:
		r.State = RowStopped
	case r.PowerState == "shutdown":
		r.State = RowShutdown
	case r.Place == "":
		r.State = RowTravelling
	default:
		r.State = RowWaiting
	}
	return r
}
