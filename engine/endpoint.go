package engine

import (
	"cmp"
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
	// answered remembers whether it ever answered. Before that, a name that does not
	// resolve or a refused certificate is a wrong setting; afterwards it is an accident that
	// may pass. replied says that a model answered at least once.
	answered, replied atomic.Bool
	// unreached says that it had not answered when the tick began.
	unreached bool
	// failedTurns counts turns in a row that ended without any model answer.
	failedTurns int
	// stopped says that its agents take no more turns.
	stopped bool
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
		want := &endpoint{model: cmp.Or(a.Model, s.Model), baseURL: cmp.Or(a.BaseURL, s.BaseURL), keyEnv: a.KeyEnv}
		at := slices.IndexFunc(e.all, func(p *endpoint) bool {
			return p.model == want.model && p.baseURL == want.baseURL && p.keyEnv == want.keyEnv
		})
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

// of returns the endpoint of an agent.
func (e endpoints) of(agent string) *endpoint {
	if p, ok := e.special[agent]; ok {
		return p
	}
	return e.all[0]
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
// tell of every agent that takes no more turns why, or, when nobody is left, what ends the
// run.
func (r *runner) giveUp(tick int64, turns []deliberated) (records []trace.Record, down *stop) {
	ended := r.refusing(turns)
	for _, t := range turns {
		p := r.endpoint(t.agent)
		switch {
		case t.decision.DecidedBy == trace.ByStanding, t.failure != nil && (t.failure.Kind == llmclient.ErrCap || t.failure.Kind == llmclient.ErrAbandoned):
			// A standing order's turn needed no answer, and one that a cap refused says nothing
			// about the provider.
		case strings.HasPrefix(string(t.decision.WaitReason), trace.WaitModelPrefix):
			p.failedTurns++
			r.endpoints.lastFailure = t.failure
		default:
			p.failedTurns = 0
		}
		if p.failedTurns < failedTurnsMax || p.stopped || ended[p] != nil {
			continue
		}
		ended[p] = t.failure
		reason := fmt.Sprintf("provider_down: %d turns in a row got no answer, the last with %s", p.failedTurns, failureText(t.failure))
		down = &stop{status: trace.RunProviderFailed, reason: reason, applied: true, failure: t.failure}
	}
	for p := range ended {
		p.stopped = true
	}
	if r.endpoints.left() == 0 {
		if tick > r.past.followed {
			return nil, down
		}
		// The run went on all the same: somebody resumed it.
		for p := range ended {
			p.stopped, p.failedTurns = false, 0
		}
		return nil, nil
	}
	for n := range r.world.Agents() {
		if f := ended[r.endpoint(n)]; f != nil {
			records = append(records, trace.Step{
				Tick: tick, AgentID: r.world.AgentID(n), Kind: trace.StepAgentStopped, Status: trace.StatusError, Code: string(f.Kind),
			})
		}
	}
	return records, nil
}
