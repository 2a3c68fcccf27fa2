package explain

import (
	"iter"

	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Tick is what the records of one tick say, each kind in the order of the trace. If a resume derived
// the tick again, only the last derivation counts; calls are not repeated. The zero value is a tick
// without records.
type Tick struct {
	// Tick is its number, 0 without a record.
	Tick int64
	// Digest is that of the world after the tick, empty if the tick is not whole.
	Digest    string
	Calls     []trace.ModelCall
	Tools     []trace.ToolCall
	Refusals  []trace.Refusal
	Decisions []trace.Decision
	Steps     []trace.Step
	Events    []world.Event
	Forks     []trace.Fork
	// Controls are what an operator did before the tick, Caps are those that hold from the tick on because
	// a resume or an operator changed them.
	Controls []trace.Control
	Caps     []trace.CapChange
}

// tickTypes are the records that a [Tick] is made of.
var tickTypes = []trace.Type{
	trace.TypeModelCall, trace.TypeToolCall,
	trace.TypeRefusal, trace.TypeDecision, trace.TypeStep, trace.TypeEvent, trace.TypeFork,
	trace.TypeControl, trace.TypeCapChange, trace.TypeResume, trace.TypeTickEnd,
}

// Add takes the next record of the tick. A record that belongs to no tick changes nothing.
func (t *Tick) Add(record trace.Record) {
	switch r := record.(type) {
	case trace.ModelCall:
		t.Calls = append(t.Calls, r)
	case trace.ToolCall:
		t.Tools = append(t.Tools, r)
	case trace.Refusal:
		t.Refusals = append(t.Refusals, r)
	case trace.Decision:
		t.Decisions = append(t.Decisions, r)
	case trace.Step:
		t.Steps = append(t.Steps, r)
	case trace.Event:
		t.Events = append(t.Events, r.Event)
	case trace.Fork:
		t.Forks = append(t.Forks, r)
	case trace.CapChange:
		t.Caps = append(t.Caps, r)
	case trace.Control:
		t.Controls = append(t.Controls, r)
		if r.Caps != nil {
			t.Caps = append(t.Caps, trace.CapChange{Tick: r.Tick, Caps: *r.Caps})
		}
	case trace.TickEnd:
		t.Digest = r.Digest
	case trace.Resume: // the world's part of the tick is derived again
		t.Decisions = nil
		t.Events = nil
		t.Refusals = nil
		t.Steps = nil
		return
	default:
		return
	}
	t.Tick = trace.TickOf(record)
}

// counts are those of the tick, of the agents that are wanted. Degraded decisions are among the decided
// ones.
func (t *Tick) counts(wanted func(agent string) bool) (n state.Counts) {
	for _, c := range t.Calls {
		if !wanted(c.AgentID) {
			continue
		}
		n.Calls++
		if c.Answer.Failure != nil {
			n.Failed++
		}
	}
	for _, r := range t.Refusals {
		if wanted(r.AgentID) {
			n.Refused++
		}
	}
	for _, d := range t.Decisions {
		if wanted(d.AgentID) {
			n.Decide(d)
		}
	}
	return n
}

// Ticks iterates over the ticks of a run from one to another, with their records of some types, or all of
// them if none is given. The last one is not whole if the trace
// ends within it. Without an index the trace is read from its first line.
func Ticks(of Run, x *state.Index, from, to int64, types ...trace.Type) iter.Seq2[Tick, error] {
	if len(types) > 0 {
		types = append([]trace.Type{trace.TypeResume, trace.TypeTickEnd}, types...)
	} else {
		types = tickTypes
	}
	return func(yield func(Tick, error) bool) {
		var t Tick
		for record, err := range Records(of, x, from, types...) {
			if err != nil {
				yield(t, err)
				return
			}
			_, resumed := record.(trace.Resume)
			if n := trace.TickOf(record); !resumed && t.Tick > 0 && n != t.Tick {
				if t.Tick >= from && !yield(t, nil) {
					return
				}
				t = Tick{}
			}
			t.Add(record)
			if t.Tick > to {
				return
			}
			if t.Digest == "" {
				continue
			}
			if t.Tick >= from && !yield(t, nil) || t.Tick >= to {
				return
			}
			t = Tick{}
		}
		if t.Tick >= from {
			yield(t, nil)
		}
	}
}
