package report

import (
	"encoding/json"
	"slices"

	"example.com/agentworld/run/playback"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Row is one agent in one tick of a run: its state at the end of the tick, and what it did.
type Row struct {
	Tick int64
	// Self is the agent's state after the tick, Stock what it holds besides electricity, without
	// zero amounts. Self.Place is empty during a journey, whose end is then GoingTo.
	Self    world.Self
	Stock   []world.Amount
	GoingTo string
	// State is what the agent was doing.
	State RowState
	// Decision is the agent's decision of the tick, nil if it made none.
	Decision *trace.Decision
	// Events are those of the tick that concern the agent, in the world's order.
	Events []world.Event
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
// the records of one tick.
type Table struct {
	emit   func(Row) error
	played *playback.Playback
	wanted func(agent string) bool
	// goingTo is the destination of each agent's newest journey, by number.
	goingTo []string
	// decisions and events are those of the present tick.
	decisions []trace.Decision
	events    []world.Event
}

// NewTable returns a table that calls emit with the rows of the agents that wanted accepts (nil
// for all) after each whole tick, in the order of the run's agents. An error of emit ends it.
func NewTable(wanted func(agent string) bool, emit func(Row) error) *Table {
	return &Table{emit: emit, wanted: wanted}
}

// Add takes the next record of the run, the first of which is its header. The error wraps
// [playback.ErrDiffers], or is that of emit. No record may follow an error.
func (t *Table) Add(record trace.Record) (err error) {
	if h, ok := record.(trace.Header); ok {
		t.played, err = playback.Begin(h)
		if err == nil {
			t.goingTo = make([]string, t.played.World().Agents())
		}
		return err
	}
	whole, err := t.played.Add(record)
	switch r := record.(type) {
	case trace.Resume:
		t.decisions, t.events = nil, nil // of a tick that is played again
	case trace.Decision:
		t.decisions = append(t.decisions, r)
	case trace.Event:
		t.events = append(t.events, r.Event)
	}
	if !whole || err != nil {
		return err
	}
	err = t.rows()
	t.decisions, t.events = nil, nil // rows may be kept
	return err
}

// rows emits the rows of the tick that was played.
func (t *Table) rows() error {
	w := t.played.World()
	decided := make(map[string]*trace.Decision, len(t.decisions))
	for i := range t.decisions {
		decided[t.decisions[i].AgentID] = &t.decisions[i]
	}
	concerning := map[string][]world.Event{}
	for _, e := range t.events {
		for _, agent := range e.Concerns() {
			concerning[agent] = append(concerning[agent], e)
		}
	}
	due := w.Due()
	for n := range w.Agents() {
		id := w.AgentID(n)
		if to, ok := journey(decided[id]); ok {
			t.goingTo[n] = to
		}
		if t.wanted != nil && !t.wanted(id) {
			continue
		}
		_, isDue := slices.BinarySearch(due, n)
		if err := t.emit(t.row(n, isDue, decided[id], concerning[id])); err != nil {
			return err
		}
	}
	return nil
}

// journey is the destination of a decision to move, if the world accepted it.
func journey(d *trace.Decision) (to string, ok bool) {
	if d == nil {
		return "", false
	}
	var o outcome
	a, err := world.DecodeAction(d.Executed)
	if err != nil || json.Unmarshal(d.Outcome, &o) != nil || !o.Accepted {
		return "", false
	}
	if order, is := a.(world.ExecuteUntil); is {
		a = order.Do
	}
	move, ok := a.(world.Move)
	return move.To, ok
}

func (t *Table) row(n int, due bool, d *trace.Decision, events []world.Event) Row {
	w := t.played.World()
	r := Row{Tick: w.Tick(), Self: w.Self(n), Decision: d, Events: events}
	r.Stock = slices.DeleteFunc(w.Stock(n), func(a world.Amount) bool { return a.Resource == world.Electricity })
	if r.Self.Place == "" {
		r.GoingTo = t.goingTo[n]
	}
	switch {
	case d != nil && d.DecidedBy == trace.ByStanding:
		r.State = RowContinued
	case d != nil:
		r.State = RowDecided
	case due:
		r.State = RowStopped
	case r.Self.PowerState == "shutdown":
		r.State = RowShutdown
	case r.Self.Place == "":
		r.State = RowTravelling
	default:
		r.State = RowWaiting
	}
	return r
}
