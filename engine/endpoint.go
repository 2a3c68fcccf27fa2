package engine

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// endpoint is one way to a model with all agents that take it: the same model, at the
// same place, with the same key. What ends it ends it for all of them.
type endpoint struct {
	model, baseURL, keyEnv string
	state                  endpointState
	// unreached says that it had not answered when the tick began.
	unreached bool
	// failedTurns counts turns in a row that ended without any model answer.
	failedTurns int
	// stopped says that its agents take no more turns.
	stopped bool
}

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

// endpoints are those of a run. The first is the run's own.
type endpoints struct {
	all []*endpoint
	// lastFailure is how the last turn ended that got no answer, nil before.
	lastFailure *llmclient.Failure
	// special are the agents that do not use the first.
	special map[string]*endpoint
}

func newEndpoints(s trace.Settings, w *world.World) endpoints {
	e := endpoints{all: []*endpoint{{model: s.Model, baseURL: s.BaseURL}}, special: map[string]*endpoint{}}
	for _, a := range s.AgentModels {
		want := &endpoint{model: a.Model, baseURL: a.BaseURL, keyEnv: a.KeyEnv}
		if want.model == "" {
			want.model = s.Model
		}
		if want.baseURL == "" {
			want.baseURL = s.BaseURL
		}
		at := slices.IndexFunc(e.all, want.same)
		if at < 0 {
			at = len(e.all)
			e.all = append(e.all, want)
		}
		e.special[a.Agent] = e.all[at]
	}
	if len(e.special) == w.Agents() {
		// Nobody is left to take it; a run must not go on for its sake.
		e.all[0].stopped = !slices.ContainsFunc(s.AgentModels, func(a trace.AgentModel) bool { return e.special[a.Agent] == e.all[0] })
	}
	return e
}

func (p *endpoint) same(q *endpoint) bool {
	return p.model == q.model && p.baseURL == q.baseURL && p.keyEnv == q.keyEnv
}

// of returns the endpoint of an agent.
func (e endpoints) of(agent string) *endpoint {
	if p, ok := e.special[agent]; ok {
		return p
	}
	return e.all[0]
}

// begin notes at the start of a tick what counts as a first call in it, so that this
// does not depend on which answer of the tick came first.
func (e endpoints) begin() {
	for _, p := range e.all {
		p.unreached = !p.state.answered.Load()
	}
}

// left counts the endpoints whose agents still take turns.
func (e endpoints) left() (n int) {
	for _, p := range e.all {
		if !p.stopped {
			n++
		}
	}
	return n
}

// replied reports whether any model ever answered.
func (e endpoints) replied() bool {
	return slices.ContainsFunc(e.all, func(p *endpoint) bool { return p.state.replied.Load() })
}

// endpoint returns the endpoint of agent n.
func (r *runner) endpoint(n int) *endpoint { return r.endpoints.of(r.world.AgentID(n)) }

// fatal reports whether f means that no later call to the endpoint can succeed.
func (p *endpoint) fatal(f *llmclient.Failure) bool {
	return f != nil && f.Kind.Fatal(p.unreached)
}

// active are those of the agents whose endpoint was not given up.
func (r *runner) active(agents []int) []int {
	if len(r.endpoints.all) == 1 {
		return agents
	}
	return slices.DeleteFunc(agents, func(n int) bool { return r.endpoint(n).stopped })
}

// deciding is how many agents have an endpoint that was not given up.
func (r *runner) deciding() int {
	n := 0
	for agent := range r.world.Agents() {
		if !r.endpoint(agent).stopped {
			n++
		}
	}
	return n
}

// endsRun reports whether a failure of agent n leaves nobody to go on with. With
// other endpoints left the turns under way are let finish: which of them were would
// depend on arrival.
func (r *runner) endsRun(n int, f *llmclient.Failure) bool {
	return r.endpoint(n).fatal(f) && r.endpoints.left() == 1
}

// refusing are the endpoints that a failure of the tick ends, with that failure.
func (r *runner) refusing(turns []deliberated) map[*endpoint]*llmclient.Failure {
	found := map[*endpoint]*llmclient.Failure{}
	for _, t := range turns {
		if p := r.endpoint(t.agent); found[p] == nil && p.fatal(t.failure) {
			found[p] = t.failure
		}
	}
	return found
}

// giveUp stops the endpoints that this tick ended: by a refusal that no later call can
// mend, or because too many turns in a row got no answer. It returns the records that
// say so, or, when nobody is left, what ends the run.
func (r *runner) giveUp(tick int64, turns []deliberated) ([]trace.Record, *stop) {
	ended := r.refusing(turns)
	var down *stop
	for _, t := range turns {
		p := r.endpoint(t.agent)
		if r.countTurn(p, t) < failedTurnsMax || p.stopped || ended[p] != nil {
			continue
		}
		ended[p] = t.failure
		reason := fmt.Sprintf("provider_down: %d turns in a row got no answer, the last with %s", p.failedTurns, failureText(t.failure))
		down = &stop{status: trace.RunProviderFailed, reason: reason, applied: true, failure: t.failure}
	}
	for p := range ended {
		p.stopped = true
	}
	switch {
	case r.endpoints.left() > 0:
	case tick <= r.past.followed:
		// The run went on all the same: somebody resumed it.
		for p := range ended {
			p.stopped, p.failedTurns = false, 0
		}
		return nil, nil
	default:
		return nil, down
	}
	return r.stopRecords(tick, ended), nil
}

// countTurn counts a turn that got no answer at all, and forgets those before one
// that did. A standing order's turn needed none, and one that a cap refused says
// nothing about the provider.
func (r *runner) countTurn(p *endpoint, t deliberated) int {
	switch {
	case t.decision.DecidedBy == trace.ByStanding, t.failure != nil && (t.failure.Kind == llmclient.ErrCap || t.failure.Kind == llmclient.ErrAbandoned):
	case strings.HasPrefix(string(t.decision.WaitReason), trace.WaitModelPrefix):
		p.failedTurns++
		r.endpoints.lastFailure = t.failure
	default:
		p.failedTurns = 0
	}
	return p.failedTurns
}

// stopRecords tell of every agent that takes no more turns why.
func (r *runner) stopRecords(tick int64, ended map[*endpoint]*llmclient.Failure) []trace.Record {
	var records []trace.Record
	if len(ended) == 0 {
		return nil
	}
	for n := range r.world.Agents() {
		if f := ended[r.endpoint(n)]; f != nil {
			records = append(records, trace.Step{
				Tick: tick, AgentID: r.world.AgentID(n), Kind: trace.StepAgentStopped, Status: trace.StatusError, Code: string(f.Kind),
			})
		}
	}
	return records
}
