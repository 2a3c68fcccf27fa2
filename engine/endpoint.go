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

// endpoint is who answers for agents: mostly one way to a model, with all agents that take it, the same
// model, at the same address, with the same key. What ends it ends it for all of them. All that is known of it
// follows from the answers of whole ticks in the order of agents, so that a replay finds the same.
type endpoint struct {
	route
	// seat plays the one agent of this endpoint, nil for a model. Nothing else is known of a seat.
	seat *trace.AgentSeat
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
	// undecided counts ticks in a row in which it answered and no decision was a model's, and how
	// their turns ended. orders are the agents whose standing order the engine took from a plan.
	undecided ticksUndecided
	orders    map[string]bool
	// stopped says that its agents take no more turns.
	stopped bool
	// ladder is what its answers show of its tool choices.
	ladder *llmclient.Ladder
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
	// How many ticks in a row with answers may be without a decision of a model after that.
	undecidedTicksMax = 10
)

// ticksUndecided are ticks in a row in which an endpoint answered and no decision was a model's.
type ticksUndecided struct {
	ticks int64
	// ends counts how the turns ended, example is the first answer.
	ends    map[string]int
	example string
}

// endpoints are those that the agents of a run take.
type endpoints struct {
	// all are those of models.
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
	seats := seatsOf(s.Seats, w)
	for n := range w.Agents() {
		if seat, seated := seats[w.AgentID(n)]; seated {
			e.byAgent[w.AgentID(n)] = &endpoint{route: route{model: seat.Who()}, seat: seat, ladder: &llmclient.Ladder{}}
			continue
		}
		a := own[w.AgentID(n)]
		want := route{cmp.Or(a.Model, s.Model), cmp.Or(a.BaseURL, s.BaseURL), a.KeyEnv}
		at := slices.IndexFunc(e.all, func(p *endpoint) bool { return p.route == want })
		if at < 0 {
			at = len(e.all)
			e.all = append(e.all, &endpoint{route: want, ladder: &llmclient.Ladder{}})
		}
		e.byAgent[w.AgentID(n)] = e.all[at]
	}
	return e
}

// seatsOf are the seats of a run by agent.
func seatsOf(list []trace.AgentSeat, w *world.World) map[string]*trace.AgentSeat {
	if len(list) == 0 {
		return nil
	}
	named := map[string]trace.AgentSeat{}
	for _, s := range list {
		named[s.Agent] = s
	}
	seats := map[string]*trace.AgentSeat{}
	for n := range w.Agents() {
		id := w.AgentID(n)
		s, known := named[id]
		if !known {
			s, known = named[trace.AnyAgent]
		}
		if known && s.Seat != trace.ModelSeat {
			s.Agent = id
			seats[id] = &s
		}
	}
	return seats
}

// after are the endpoints with what is known of those that were there before.
func (e endpoints) after(before endpoints) endpoints {
	for i, p := range e.all {
		at := slices.IndexFunc(before.all, func(q *endpoint) bool { return q.route == p.route })
		if at < 0 {
			continue
		}
		e.all[i] = before.all[at]
		for agent, of := range e.byAgent {
			if of == p {
				e.byAgent[agent] = e.all[i]
			}
		}
	}
	e.lastFailure = before.lastFailure
	return e
}

func (e endpoints) of(agent string) *endpoint { return e.byAgent[agent] }

// askAgain gives those that were given up another chance, as if nothing were known of them.
func (e endpoints) askAgain() {
	for _, p := range e.all {
		if p.stopped {
			*p = endpoint{route: p.route, ladder: &llmclient.Ladder{}}
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

// deciding is how many agents have a model that was not given up.
func (r *runner) deciding() int {
	n := 0
	for agent := range r.world.Agents() {
		if p := r.endpoint(agent); p.seat == nil && !p.stopped {
			n++
		}
	}
	return n
}

// refusing judges the endpoints that have not answered yet, or not to this process, whose key may be another.
// In the order of agents, the first turn with a reply or a fatal failure decides: the result has that failure,
// nil for a reply.
func (r *runner) refusing(turns []deliberation) map[*endpoint]*llmclient.Failure {
	found := map[*endpoint]*llmclient.Failure{}
	for _, t := range turns {
		p := r.endpoint(t.agent)
		if p.seat != nil {
			continue
		}
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

// giveUp takes the turns of a tick and stops the endpoints that they end. An endpoint ends by a refusal that
// no later call can fix, by too many turns in a row without an answer, or because no answer was usable. giveUp
// returns a record with the reason for each agent that takes no more turns. If no agent is left, it returns
// the stop of the run.
func (r *runner) giveUp(tick int64, turns []deliberation) (records []trace.Record, down *stop) {
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
	r.endpoints.judge(r.world, turns)
	for _, p := range r.endpoints.all {
		if f := refusing[p]; f != nil {
			ended[p] = &stop{status: trace.RunProviderFailed, reason: f.Text(), failure: f}
		}
		if !p.usable && !p.stopped && ended[p] == nil && p.ticks >= unusedTicksMin && p.calls >= unusedCallsMin {
			ended[p] = p.unusable()
		}
		if !p.stopped && ended[p] == nil && p.undecided.ticks >= undecidedTicksMax {
			ended[p] = p.nothingDecided()
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
			p.stopped = false
			p.failedTurns = 0
			p.refusedTurns = 0
			p.unused = nil
			p.calls = 0
			p.ticks = 0
			p.example = ""
			p.undecided = ticksUndecided{}
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

// climb takes what the answers of a tick show of the tool choices, in the order of agents.
func (r *runner) climb(turns []deliberation, reflections []reflected) {
	moved := map[*endpoint]bool{}
	take := func(agent int, shown []llmclient.Shown) {
		p := r.endpoint(agent)
		for _, s := range shown {
			if !moved[p] { // the answers after a step are to requests from before it
				moved[p] = p.ladder.Take(s)
			}
		}
	}
	for _, t := range turns {
		take(t.agent, t.shown)
	}
	for _, b := range reflections {
		take(b.agent, b.shown)
	}
}

// decides reports whether the endpoint gave a usable answer, and its last turns with answers a
// decision of a model.
func (p *endpoint) decides() bool { return p.usable && p.undecided.ticks == 0 }

// take counts a turn in which the endpoint was asked. It returns what gives the endpoint
// up: too many turns in a row without an answer. Nil is nothing.
func (p *endpoint) take(tick int64, t deliberation) *stop {
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
			if kind := unusedKind(s, t.failure); kind != "" {
				p.unused[kind]++
			}
		}
	}
	if t.replied || t.came > 0 && !p.usable || t.failure.Kind == llmclient.ErrMalformedCall {
		p.failedTurns, p.refusedTurns = 0, 0
		return nil
	}
	p.failedTurns++
	if t.failure.Kind.Fatal() {
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
	return &stop{status: trace.RunProviderFailed, reason: "provider_down: " + how + ", the last with " + t.failure.Text(),
		failure: t.failure}
}

// began notes whether what an agent does now was the engine's choice.
func (p *endpoint) began(agent string, byEngine bool) {
	if p.orders == nil {
		p.orders = map[string]bool{}
	}
	p.orders[agent] = byEngine
}

// nothingDecided is the stop of an endpoint that answers, and whose answers decide nothing.
func (p *endpoint) nothingDecided() *stop {
	ends, counts := mostFirst(p.undecided.ends)
	_, kind, parsed := strings.Cut(strings.Join(ends[:min(1, len(ends))], ""), ":")
	if !parsed {
		kind = strings.Join(ends[:min(1, len(ends))], "")
	}
	reason := fmt.Sprintf("no decision of a model in %d ticks in a row with answers: each turn ended in a wait that "+
		"nobody chose or in an action of its plan (%s), such as: %s", p.undecided.ticks, counts, p.undecided.example)
	return &stop{status: trace.RunNoUsableAnswers, unused: kind, reason: reason}
}

// mostFirst lists counts by name, the greatest first, and says them.
func mostFirst(counts map[string]int) (names []string, text string) {
	names = slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b))
	})
	said := make([]string, len(names))
	for i, name := range names {
		said[i] = fmt.Sprintf("%s %d", name, counts[name])
	}
	return names, strings.Join(said, ", ")
}

// unusable is the stop of an endpoint without any usable answer: it says what was
// answered.
func (p *endpoint) unusable() *stop {
	kinds, counts := mostFirst(p.unused)
	return &stop{status: trace.RunNoUsableAnswers, unused: strings.Join(kinds[:min(1, len(kinds))], ""),
		reason: fmt.Sprintf("none of %d answers was usable (%s), such as: %s", p.calls, counts, p.example)}
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
	text = plaintext.Clip(plaintext.Line(text[:min(len(text), 8*charsMax)]), charsMax)
	if text == "" && a.Reply != nil {
		u := a.Reply.Usage
		text = fmt.Sprintf("no text and no call, status %s %s, %d output tokens, %d of them reasoning", a.Reply.Status,
			a.Reply.IncompleteReason, u.Output, u.Reasoning)
	}
	return text
}
