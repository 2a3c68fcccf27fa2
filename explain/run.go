package explain

import (
	"io"
	"iter"
	"slices"

	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// Run is a recorded run that is read. The directory of a run is one.
type Run interface {
	// Open opens the trace at its first line.
	Open() (io.ReadCloser, error)
	// OpenFrom opens the trace where a tick of its index begins.
	OpenFrom(x *state.Index, tick int64) (io.ReadCloser, error)
}

// open opens a run where a tick begins. Without an index that is its first line.
func open(of Run, x *state.Index, tick int64) (io.ReadCloser, error) {
	if x == nil {
		return of.Open()
	}
	return of.OpenFrom(x, tick)
}

// Records iterates over the records of some types, or of all if none is given, from the beginning of a
// tick on. Without an index it begins at the first line. It stops after the first error, which says
// where the trace cannot be read.
func Records(of Run, x *state.Index, from int64, types ...trace.Type) iter.Seq2[trace.Record, error] {
	return func(yield func(trace.Record, error) bool) {
		f, err := open(of, x, from)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		for record, err := range trace.NewReader(f).Records(types...) {
			if !yield(record, err) {
				return
			}
		}
	}
}

// AgentIDs are the ids of the agents of a run, in its order.
func AgentIDs(h trace.Header) []string {
	ids := make([]string, len(h.Agents))
	for i, a := range h.Agents {
		ids[i] = a.ID
	}
	return ids
}

// CheckAgent returns a [*NoAgentError] if a run does not have an agent.
func CheckAgent(h trace.Header, agent string) error {
	if ids := AgentIDs(h); !slices.Contains(ids, agent) {
		return &NoAgentError{Agent: agent, Agents: ids}
	}
	return nil
}
