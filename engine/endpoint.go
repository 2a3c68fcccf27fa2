package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// endpoint is one way to a model with all agents that take it: the same model, at the
// same place, with the same key. What ends it ends it for all of them. All that is known of
// it follows from the answers of whole ticks, taken in the order of agents, so that a replay
// finds the same.
type endpoint struct {
	model, baseURL, keyEnv string
	// answered says that a model replied, usable that a turn took a call of a reply.
	answered, usable bool
	// proven says that it replied to a call of this process: a setting that was right for
	// the process before may be wrong now.
	proven bool
	// failedTurns counts turns in a row that ended without any model answer, refusedTurns
	// those of them in a row that ended in a way which is fatal at first.
	failedTurns, refusedTurns int
	// unused counts answers that no turn could use: by kind, and all of them in calls, given
	// in so many ticks. example is the first of them. They are kept until one is usable.
	unused       map[string]int
	calls, ticks int
	example      string
	// stopped says that its agents take no more turns.
	stopped bool
}

// What an endpoint may do to be given up.
const (
	// failedTurnsMax is how many turns in a row may end without a model answer.
	failedTurnsMax = 10
	// refusedTurnsMax is how many turns in a row may be refused by an endpoint that has
	// answered before.
	refusedTurnsMax = 3
	// unusedTicksMin and unusedCallsMin are how long an endpoint has to give its first
	// answer that is usable: until both are reached.
	unusedTicksMin, unusedCallsMin = 3, 6
	// exampleCharsMax bounds what is shown of an answer that was not usable.
	exampleCharsMax = 160
)

// endpoints are those of a run. The first is the run's own.
type endpoints struct {
	all []*endpoint
	// asked says that a model was asked in a whole tick.
	asked bool
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

// refusing are the endpoints whose first turn in the order of agents that got a reply or a
// fatal failure got the latter, with that failure, nil for those that replied. It is about
// endpoints that have not answered yet, and about those that have not answered to this
// process, whose key may be another.
func (r *runner) refusing(turns []deliberated) map[*endpoint]*llmclient.Failure {
	found := map[*endpoint]*llmclient.Failure{}
	for _, t := range turns {
		p := r.endpoint(t.agent)
		again := p.answered && !p.proven && r.Live() && r.world.Tick() > r.past.derived
		if _, known := found[p]; known || p.answered && !again {
			continue
		}
		switch {
		case t.fresh, t.replied && !again:
			found[p] = nil
		case t.failure != nil && t.failure.Kind.Fatal():
			found[p] = t.failure
		}
	}
	return found
}

// giveUp takes in the turns of a tick and stops the endpoints that they end: by a refusal
// that no later call can mend, because too many turns in a row got no answer, or because no
// answer was usable. It returns the records that tell of every agent that takes no more
// turns why, or, when nobody is left, what ends the run.
func (r *runner) giveUp(tick int64, turns []deliberated) (records []trace.Record, down *stop) {
	ended, called := map[*endpoint]*stop{}, map[*endpoint]bool{}
	refusing := r.refusing(turns)
	for _, t := range turns {
		p := r.endpoint(t.agent)
		if t.asked == 0 || p.stopped { // a standing order needs no answer, a cap says nothing about the provider
			continue
		}
		r.endpoints.asked = true
		p.answered, p.proven = p.answered || t.replied, p.proven || t.fresh
		for _, s := range t.steps {
			switch s.Kind {
			case trace.StepPlan, trace.StepDraft, trace.StepModuleCall:
				p.usable = p.usable || s.Status != trace.StatusError
			case trace.StepDecision:
				p.usable = p.usable || s.Status == trace.StatusOK
			case trace.StepGuard:
				p.usable = true // what is refused was read
			}
		}
		if t.came > 0 && !p.usable {
			if p.calls += t.came; !called[p] {
				called[p], p.ticks = true, p.ticks+1
			}
			p.example = cmp.Or(p.example, t.example)
			for _, s := range t.steps {
				if s.Kind == trace.StepParseError || s.Kind == trace.StepLengthened || s.Kind == trace.StepModelError && t.failure.Came() {
					if p.unused == nil {
						p.unused = map[string]int{}
					}
					p.unused[s.Code]++
				}
			}
		}
		f := t.failure
		switch {
		case t.replied, t.came > 0 && !p.usable:
			p.failedTurns, p.refusedTurns = 0, 0
			continue
		case f.Kind.Fatal():
			p.refusedTurns++
		default:
			p.refusedTurns = 0
		}
		p.failedTurns++
		r.endpoints.lastFailure = f
		if refused := p.refusedTurns >= refusedTurnsMax; ended[p] == nil && (refused || p.failedTurns >= failedTurnsMax) {
			how, n := "got no answer", p.failedTurns
			if refused {
				how, n = "were refused", p.refusedTurns
			}
			ended[p] = &stop{status: trace.RunProviderFailed, code: string(f.Kind), failure: f,
				reason: fmt.Sprintf("provider_down: %d turns in a row %s, the last with %s", n, how, failureText(f))}
		}
	}
	for _, p := range r.endpoints.all {
		if f := refusing[p]; f != nil {
			ended[p] = &stop{status: trace.RunProviderFailed, code: string(f.Kind), reason: failureText(f), failure: f}
		}
		if !p.usable && !p.stopped && ended[p] == nil && p.ticks >= unusedTicksMin && p.calls >= unusedCallsMin {
			ended[p] = p.unusable()
		}
		if s := ended[p]; s != nil {
			p.stopped, down = true, s
		}
	}
	if r.endpoints.left() == 0 && down != nil {
		down.applied = true
		if tick > r.past.followed {
			return nil, down
		}
		// The run went on all the same: somebody resumed it.
		for p := range ended {
			p.stopped, p.failedTurns, p.refusedTurns = false, 0, 0
			p.unused, p.calls, p.ticks, p.example = nil, 0, 0, ""
		}
		return nil, nil
	}
	for n := range r.world.Agents() {
		if s := ended[r.endpoint(n)]; s != nil {
			records = append(records, trace.Step{
				Tick: tick, AgentID: r.world.AgentID(n), Kind: trace.StepAgentStopped, Status: trace.StatusError, Code: s.code,
			})
		}
	}
	return records, nil
}

// unusable is the end by an endpoint without any usable answer: it says what came.
func (p *endpoint) unusable() *stop {
	kinds := slices.SortedFunc(maps.Keys(p.unused), func(a, b string) int {
		return cmp.Or(p.unused[b]-p.unused[a], cmp.Compare(a, b))
	})
	var counts []string
	for _, k := range kinds {
		counts = append(counts, fmt.Sprintf("%s %d", k, p.unused[k]))
	}
	s := &stop{status: trace.RunNoUsableAnswers, code: string(trace.RunNoUsableAnswers),
		reason: fmt.Sprintf("none of %d answers was usable (%s), such as: %s", p.calls, strings.Join(counts, ", "), cmp.Or(p.example, "nothing at all"))}
	if len(kinds) > 0 {
		s.unused = kinds[0]
	}
	return s
}

// exampleOf shows an answer on one line.
func exampleOf(a llmclient.Answer) string {
	text := ""
	if a.Failure != nil {
		text = a.Failure.Message
	} else {
		for _, it := range a.Reply.Items {
			if it.Kind == llmclient.KindFunctionCall {
				text += fmt.Sprintf("%s(%s) ", it.Name, it.Text)
			} else if it.Kind == llmclient.KindMessage {
				text += it.Text + it.Refusal + " "
			}
		}
		if strings.TrimSpace(text) == "" {
			u := a.Reply.Usage
			text = fmt.Sprintf("no text and no call, status %s %s, %d output tokens, %d of them reasoning", a.Reply.Status, a.Reply.IncompleteReason, u.Output, u.Reasoning)
		}
	}
	// A text may be megabytes long, and is cut before it is looked through.
	return plaintext.Clip(plaintext.Line(text[:min(len(text), 8*exampleCharsMax)]), exampleCharsMax)
}
