package engine

import "example.com/agentworld/trace"

// held is what a trace that is being continued holds of the tick that did not complete.
// The run derives that again, and none of it may be written twice.
type held struct {
	recording *recording
	// tick is the tick that did not complete.
	tick int64
	// calls are its exchanges that are used again, switches how many of its prompt
	// switches, forks and changes of caps are still to be derived.
	calls    map[trace.CallKey]bool
	switches int
}

// call reports whether the trace holds an exchange.
func (h *held) call(key trace.CallKey) bool { return h != nil && h.calls[key] }

// record reports whether the trace holds a record that was just derived.
func (h *held) record(r trace.Record) bool {
	if h == nil || r.RecordTick() != h.tick {
		return false
	}
	switch r.(type) {
	case trace.Switch, trace.Fork, trace.CapChange:
		h.switches--
		return h.switches >= 0
	}
	return false
}
