package export

import (
	"errors"
	"fmt"
	"slices"

	"example.com/agentworld/explain"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/report"
	"example.com/agentworld/run/playback"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Recording is a run that is exported.
type Recording struct {
	// Trace is read, once for all tables, and twice for conversations.
	Trace explain.Run
	// Of begins every row. Its scenario and seed are those of the run, whatever is given here.
	Of
	// Repeat is that of the cell of a batch, 0 outside of one.
	Repeat int64
	// Agent leaves only rows about it, and about the whole run; empty is all of them.
	Agent string
}

// ReplayError says from which tick on the table of states has no rows. All other tables are whole.
type ReplayError struct {
	Tick int64
	// Err wraps [playback.ErrDiffers].
	Err error
}

// Error names the tick.
func (e *ReplayError) Error() string { return fmt.Sprintf("states from tick %d on: %v", e.Tick, e.Err) }

// Unwrap returns the cause.
func (e *ReplayError) Unwrap() error { return e.Err }

// Rows calls row for each row of some tables, in the order of the trace, and returns the row of the run itself, which
// it does not pass on: the caller may know more that is missing. Of the last tick, if it is not whole, the tables have
// calls, steps and decisions, which were paid for, and no events.
//
// The error is one of row, a [*ReplayError], an [*explain.NoAgentError], or says where the trace cannot be read. The
// row of the run then says how far it could be.
func (rec Recording) Rows(tables []Table, row func(Row) error) (RunRow, error) {
	w := rec.walk(tables, row)
	err := w.read()
	return w.run, err
}

// walk begins to go through the records of the run.
func (rec Recording) walk(tables []Table, row func(Row) error) *walk {
	w := &walk{Recording: rec, wanted: map[string]bool{}, emit: row, letters: map[string]trace.AuthorityBy{}}
	for _, t := range tables {
		w.wanted[t.Name] = true
	}
	w.run = RunRow{Of: rec.Of, Repeat: rec.Repeat, Status: trace.RunUnfinished}
	return w
}

// read goes to the end of the trace.
func (w *walk) read() error {
	for record, err := range explain.Records(w.Trace, nil, 0, rowTypes...) {
		if err == nil {
			err = w.add(record)
		}
		if err != nil {
			return err
		}
	}
	return w.close()
}

// Resources are those of a run's world that have a column in the table of states: all but electricity. They are the
// built-in ones if this version cannot play the world.
func Resources(h trace.Header) []string {
	names := world.Resources()
	if p, err := playback.Begin(h); err == nil {
		names = p.World().Resources()
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == world.Electricity })
}

// rowTypes are the records that rows are made of.
var rowTypes = []trace.Type{
	trace.TypeHeader, trace.TypeFork, trace.TypeControl, trace.TypeResume, trace.TypeModelCall, trace.TypeToolCall,
	trace.TypeRefusal, trace.TypeStep, trace.TypeDecision, trace.TypeEvent, trace.TypeTickEnd, trace.TypeRunEnd,
}

// walk goes through the records of a run.
type walk struct {
	Recording
	wanted map[string]bool
	emit   func(Row) error
	run    RunRow
	header trace.Header
	prices map[string]price.Price
	tools  []trace.Tool
	// in are the records of the open tick.
	in explain.Tick
	// scorer is nil without a task, begunWith the score before the first tick, score that after the last whole one.
	scorer           *world.Scorer
	begunWith, score int64
	// whole is called after each whole tick; nil for nothing.
	whole func(*walk) error
	// states plays the world again, nil if that is not wanted or cannot go on, for which replay says why.
	states *explain.Table
	replay *ReplayError
	// letters are the messages that are under way, with what allowed each.
	letters map[string]trace.AuthorityBy
	// met are the goals that were met, in their order.
	met []GoalRow
	end *trace.RunEnd
}

func (w *walk) add(record trace.Record) error {
	if w.header.Format == 0 {
		h, begins := record.(trace.Header)
		if !begins {
			return trace.ErrNoHeader
		}
		return w.begin(h)
	}
	w.end = nil
	whole := false
	switch r := record.(type) {
	case trace.Header:
		return nil // the first one holds
	case trace.Fork:
		w.hold(r.Settings)
	case trace.Resume:
		w.run.TicksRequested = max(w.run.TicksRequested, r.TicksRequested)
	case trace.RunEnd:
		w.end = &r
		return nil
	case trace.TickEnd:
		whole = true
	}
	w.in.Add(record)
	if w.states != nil {
		_, err := w.states.Add(record)
		if errors.Is(err, playback.ErrDiffers) {
			w.replay, w.states = &ReplayError{w.run.Ticks + 1, err}, nil
			err = nil
		}
		if err != nil {
			return err
		}
	}
	if !whole {
		return nil
	}
	err := errors.Join(w.turns(), w.happened(record.(trace.TickEnd)))
	if err == nil && w.whole != nil {
		err = w.whole(w)
	}
	w.in = explain.Tick{}
	return err
}

// begin takes the header.
func (w *walk) begin(h trace.Header) error {
	if w.Agent != "" {
		if err := explain.CheckAgent(h, w.Agent); err != nil {
			return err
		}
	}
	w.header = h
	w.Scenario = h.Settings.Scenario
	w.Seed = h.Settings.Seed
	now := h.Latest()
	w.run.Of = w.Of
	w.run.Model = now.Model
	w.run.ModelSource = now.ModelSource
	w.run.Agents = int64(len(h.Agents))
	w.run.TicksRequested = h.Settings.Ticks
	w.prices = map[string]price.Price{}
	w.hold(h.Settings)
	w.scorer = report.Scorer(h)
	if w.scorer != nil {
		w.run.TaskTicks = new(w.scorer.Ticks())
		w.begunWith = w.scorer.Score(0)
		w.score = w.begunWith
		w.run.Score = new(w.score)
	}
	if !w.wanted[StatesTable] {
		return nil
	}
	w.states = explain.TableOf(w.Trace, w.Agent)
	_, err := w.states.Add(h)
	if errors.Is(err, playback.ErrDiffers) {
		w.replay, w.states = &ReplayError{1, err}, nil
		return nil
	}
	return err
}

// hold applies the prices and tools of some settings from now on.
func (w *walk) hold(s trace.Settings) {
	for _, p := range s.Prices {
		w.prices[p.Model] = p
		w.run.Currency = p.Currency
	}
	w.tools = s.Tools
}

// close takes what is left at the end of the trace.
func (w *walk) close() error {
	if w.header.Format == 0 {
		return trace.ErrNoHeader
	}
	if err := errors.Join(w.turns(), w.goals()); err != nil {
		return err
	}
	switch {
	case w.end != nil:
		w.run.Status, w.run.Reason = w.end.RunStatus, w.end.Reason
	case w.in.Tick > w.run.Ticks:
		w.run.Missing = fmt.Sprintf("the trace ends inside tick %d, of which events and states are missing, and the end "+
			"of the run", w.in.Tick)
	default:
		w.run.Missing = fmt.Sprintf("the trace has no end of the run; its last whole tick is %d", w.run.Ticks)
	}
	if w.replay != nil {
		return w.replay
	}
	return nil
}

// row passes on a row that is wanted.
func (w *walk) row(r Row) error {
	about := r.agents()
	if !w.wanted[TableOf(r)] || w.Agent != "" && about != nil && !slices.Contains(about, w.Agent) {
		return nil
	}
	return w.emit(r)
}
