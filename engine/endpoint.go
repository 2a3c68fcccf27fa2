package engine

import (
	"sync/atomic"

	"agentworld/llmclient"
)

// endpointState remembers whether the endpoint ever answered. Before that, a name
// that does not resolve or a refused certificate is a wrong setting; afterwards
// it is an accident that may pass.
type endpointState struct {
	answered atomic.Bool
	// replied says that a model answered at least once.
	replied atomic.Bool
}

func (s *endpointState) note(a llmclient.Answer) {
	if a.Reply != nil {
		s.replied.Store(true)
	}
	if a.Reply != nil || a.Failure != nil && a.Failure.Status != 0 {
		s.answered.Store(true)
	}
}

// fatal reports whether f ends the run. What counts as a first call is decided at
// the start of a tick, so that it does not depend on which answer of the tick
// came first.
func (r *runner) fatal(f *llmclient.Failure) bool {
	return f != nil && (f.Kind.Fatal(r.unreached) || r.missEnds && f.Kind == llmclient.ErrNotRecorded)
}
