package engine

import (
	"fmt"

	"agentworld/trace"
)

// held is what a trace holds that is being continued. The run derives all of it
// again, to get to where it stopped, and none of it may be written twice.
type held struct {
	recording *recording
	// last is the last whole tick.
	last int64
	// calls are the exchanges of the tick after last that are used again, switches
	// how many of its prompt switches and forks are still to be derived.
	calls    map[CallKey]bool
	switches int
}

// DifferenceError says that a run, derived again from its records, came out other
// than they say.
type DifferenceError struct {
	Tick int64
	// What differs.
	What string
}

// Error names the tick and what differs.
func (e *DifferenceError) Error() string { return fmt.Sprintf("tick %d: %s", e.Tick, e.What) }

// call reports whether the trace holds an exchange.
func (h *held) call(key CallKey) bool {
	return h != nil && (key.Tick <= h.last || h.calls[key])
}

// record reports whether the trace holds a record that was just derived. The error
// is a [*DifferenceError]: the end of a tick compares the whole of it.
func (h *held) record(r trace.Record) (bool, error) {
	if h == nil {
		return false, nil
	}
	switch r := r.(type) {
	case trace.RunEnd, trace.Resume:
		return false, nil
	case trace.TickEnd:
		if r.Tick <= h.last {
			return true, h.recording.compareTick(r)
		}
	case trace.Switch, trace.Fork:
		if r.RecordTick() == h.last+1 && h.switches > 0 {
			h.switches--
			return true, nil
		}
	}
	return r.RecordTick() <= h.last, nil
}
