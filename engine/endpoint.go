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
	route
	// answered says that a model replied, usable that a turn accepted a call of a reply.
	answered, usable bool
	// proven says that it replied to a call of this process: a setting that was right for
	// the process before may be wrong now.
	proven bool
	// failedTurns counts turns in a row that ended without any model answer, refusedTurns
	// those of them in a row that ended in a way which is fatal at first.
	failedTurns, refusedTurns int
	// unused counts by kind the answers that no turn could use, until one is usable; there
	// were so many calls in so many ticks, the last of them lastTick. example is the first.
	unused                 map[string]int
	calls, ticks, lastTick int64
	example                string
	// stopped says that its agents take no more turns.
	stopped bool
}

// route is what makes an endpoint another one.
type route struct{ model, baseURL, keyEnv string }

// What an endpoint may do to be given up.
const (
	// How many turns in a row may end without a model answer, and be refused by an endpoint
	// that has answered before.
	failedTurnsMax, refusedTurnsMax = 10, 3
	// How long an endpoint has to give its first usable answer: until both are reached.
	unusedTicksMin, unusedCallsMin = 3, 6
)

// endpoints are those that the agents of a run take.
type endpoints struct {
	all     []*endpoint
	byAgent map[string]*endpoint
	// lastFailure is how the last turn ended that got no answer, nil before.
	lastFailure *llmclient.Failure
}

func newEndpoints(s trace.Settings, w *world.World) endpoints {
	e, own := endpoints{byAgent: map[string]*endpoint{}}, map[string]trace.AgentModel{}
	for _, a := range s.AgentModels {
		own[a.Agent] = a
	}
	for n := range w.Agents() {
		a := own[w.AgentID(n)]
		want := route{cmp.Or(a.Model, s.Model), cmp.Or(a.BaseURL, s.BaseURL), a.KeyEnv}
		at := slices.IndexFunc(e.all, func(p *endpoint) bool { return p.route == want })
		if at < 0 {
			at = len(e.all)
			e.all = append(e.all, &endpoint{route: want})
		}
		e.byAgent[w.AgentID(n)] = e.all[at]
	}
	return e
}

func (e endpoints) of(agent string) *endpoint { return e.byAgent[agent] }

// askAgain gives those that were given up another chance, as if nothing were known of them.
func (e endpoints) askAgain() {
	for _, p := range e.all {
		if p.stopped {
			*p = endpoint{route: p.route}
		}
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

func (r *runner) endpoint(n int) *endpoint { return r.endpoints.of(r.world.AgentID(n)) }

// active are those of the agents whose endpoint was not given up.
func (r *runner) active(agents []int) []int {
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

// giveUp takes the turns of a tick and stops the endpoints that they end. An endpoint
// ends by a refusal that no later call can fix, by too many turns in a row without an
// answer, or because no answer was usable. For each agent that takes no more turns,
// giveUp returns a record with the reason. If no agent is left, it returns what ends the
// run.
func (r *runner) giveUp(tick int64, turns []deliberated) (records []trace.Record, down *stop) {
	ended, refusing := map[*endpoint]*stop{}, r.refusing(turns)
	for _, t := range turns {
		p := r.endpoint(t.agent)
		if t.asked == 0 || p.stopped { // a standing order needs no answer, a cap says nothing about the provider
			continue
		}
		if s := p.take(tick, t); ended[p] == nil && s != nil {
			ended[p] = s
		}
		if p.failedTurns > 0 {
			r.endpoints.lastFailure = t.failure
		}
	}
	for _, p := range r.endpoints.all {
		if f := refusing[p]; f != nil {
			ended[p] = &stop{status: trace.RunProviderFailed, reason: f.Text(), failure: f}
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
		// The run continued anyway: it was resumed.
		for p := range ended {
			p.stopped, p.failedTurns, p.refusedTurns = false, 0, 0
			p.unused, p.calls, p.ticks, p.example = nil, 0, 0, ""
		}
		return nil, nil
	}
	for n := range r.world.Agents() {
		if s := ended[r.endpoint(n)]; s != nil {
			code := string(s.status)
			if s.failure != nil {
				code = string(s.failure.Kind)
			}
			records = append(records, trace.Step{
				Tick: tick, AgentID: r.world.AgentID(n), Kind: trace.StepAgentStopped, Status: trace.StatusError, Code: code,
				Detail: llmclient.Marshal(map[string]string{"reason": s.reason}),
			})
		}
	}
	return records, nil
}

// take counts a turn in which the endpoint was asked. It returns what gives the endpoint
// up: too many turns in a row without an answer. Nil is nothing.
func (p *endpoint) take(tick int64, t deliberated) *stop {
	if !t.replied && t.came == 0 && t.failure.Neutral() {
		return nil
	}
	p.answered, p.proven = p.answered || t.replied, p.proven || t.fresh
	p.usable = p.usable || slices.ContainsFunc(t.steps, used)
	if t.came > 0 && !p.usable {
		if p.lastTick != tick {
			p.ticks, p.lastTick = p.ticks+1, tick
		}
		p.calls, p.example = p.calls+t.came, cmp.Or(p.example, t.example)
		if p.unused == nil {
			p.unused = map[string]int{}
		}
		for _, s := range t.steps {
			if s.Kind == trace.StepParseError || s.Kind == trace.StepLengthened || s.Kind == trace.StepModuleCall || s.Kind == trace.StepModelError && t.failure.Came() {
				p.unused[s.Code]++
			}
		}
	}
	if t.replied || t.came > 0 && !p.usable || t.failure.Kind == llmclient.ErrMalformedCall {
		p.failedTurns, p.refusedTurns = 0, 0
		return nil
	}
	if p.failedTurns++; t.failure.Kind.Fatal() {
		p.refusedTurns++
	} else {
		p.refusedTurns = 0
	}
	how := fmt.Sprintf("%d turns in a row got no answer", p.failedTurns)
	switch {
	case p.refusedTurns >= refusedTurnsMax:
		how = fmt.Sprintf("%d turns in a row were refused", p.refusedTurns)
	case p.failedTurns < failedTurnsMax:
		return nil
	}
	return &stop{status: trace.RunProviderFailed, reason: "provider_down: " + how + ", the last with " + t.failure.Text(), failure: t.failure}
}

// used reports whether a step accepted a call of an answer. A call that the guard refuses
// was read, so it counts.
func used(s trace.Step) bool {
	switch s.Kind {
	case trace.StepPlan, trace.StepDraft, trace.StepModuleCall:
		return s.Status != trace.StatusError
	case trace.StepDecision:
		return s.Status == trace.StatusOK
	}
	return s.Kind == trace.StepGuard
}

// unusable is the stop of an endpoint without any usable answer: it says what was
// answered.
func (p *endpoint) unusable() *stop {
	kinds := slices.SortedFunc(maps.Keys(p.unused), func(a, b string) int {
		return cmp.Or(p.unused[b]-p.unused[a], cmp.Compare(a, b))
	})
	counts := make([]string, len(kinds))
	for i, k := range kinds {
		counts[i] = fmt.Sprintf("%s %d", k, p.unused[k])
	}
	return &stop{status: trace.RunNoUsableAnswers, unused: strings.Join(kinds[:min(1, len(kinds))], ""),
		reason: fmt.Sprintf("none of %d answers was usable (%s), such as: %s", p.calls, strings.Join(counts, ", "), p.example)}
}

// exampleOf shows an answer on one line. A text may be megabytes long, and is cut before it
// is looked through.
func exampleOf(a llmclient.Answer) (text string) {
	const charsMax = 160
	if a.Failure != nil {
		text = a.Failure.Message
	} else {
		for _, it := range a.Reply.Items {
			if said := it.Text[:min(len(it.Text), 8*charsMax)]; it.Kind == llmclient.KindFunctionCall {
				text += fmt.Sprintf("%s(%s) ", it.Name, said)
			} else if it.Kind == llmclient.KindMessage {
				text += said + it.Refusal + " "
			}
		}
	}
	if text = plaintext.Clip(plaintext.Line(text[:min(len(text), 8*charsMax)]), charsMax); text == "" && a.Reply != nil {
		u := a.Reply.Usage
		text = fmt.Sprintf("no text and no call, status %s %s, %d output tokens, %d of them reasoning", a.Reply.Status, a.Reply.IncompleteReason, u.Output, u.Reasoning)
	}
	return text
}
