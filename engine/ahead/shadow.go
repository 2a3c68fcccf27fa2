package ahead

import (
	"cmp"
	"encoding/json"
	"hash/fnv"
	"slices"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Base is a run after a whole tick. Worlds and agents are copies, which nothing else uses.
type Base struct {
	World *world.World
	// Agents are by number. An agent that never decided may be nil.
	Agents []*behavior.Agent
	// New makes an agent that never decided.
	New func(n int) *behavior.Agent
	// View is what agent n sees in a world.
	View func(w *world.World, n int) world.View
	// Asked reports whether a model answers for agent n, Active whether anything does.
	Asked, Active func(n int) bool
	// Request is a request of agent n as it is sent.
	Request func(n int, ask behavior.Ask) llmclient.Request
	// Cost is what an answer to agent n costs.
	Cost func(n int, u llmclient.Usage) price.Money
	// Modules are those that turns call.
	Modules *modules.Registry
	// Last is the last tick that can be foreseen: the run's last, or the one after which something is
	// decided that no shadow knows.
	Last int64
}

// CallID identifies a request within a run, with what it asks.
type CallID struct {
	trace.CallKey
	// Hash is that of the request.
	Hash string
}

// shadow is the ticks that follow a base, as far as the answers that are known decide them. An agent whose
// turn waits for an answer does nothing, and is not followed into later ticks.
//
// Invariants:
//  1. ticks are in order and follow the base without a gap. Nobody is lost in the first, so once its turns
//     are decided it is the tick as the run plays it.
//  2. A turn is a function of its agent's state, what the agent sees and the answers. So a turn whose agent
//     did, met and sees the same as before is kept, with how far it came.
type shadow struct {
	base  Base
	ticks []*foreseen
	// serial numbers the turns.
	serial uint64
}

// foreseen is one tick of a shadow.
type foreseen struct {
	tick int64
	// world is the world after Advance, as agents see it.
	world *world.World
	// lives are by agent.
	lives []life
	// anyLost says that an agent is lost. after is the digest of the world after the tick, empty as long as
	// a turn of it is open.
	anyLost bool
	after   string
	// open counts those who are lost by the place at which they are seen. expecting are the places to which
	// some of them may come.
	open      map[string]int
	expecting map[string]bool
}

// life is an agent in a tick.
type life struct {
	// state is the agent before its turn, nil if it never decided. past identifies all that became of it.
	state *behavior.Agent
	past  uint64
	// lost is the tick in which a turn of it is open, if that is an earlier one: nothing is known of it
	// since. 0 is none.
	lost int64
	// turn is nil for an agent that does not decide.
	turn *turn
}

// turn is what an agent decides in a tick.
type turn struct {
	serial uint64
	seen   uint64
	// deliberation is nil for an order that continues.
	deliberation *behavior.Turn
	// answered are the requests that were answered, in order.
	answered []CallID
	// ask is the request that the turn waits for, nil if it is decided or waits for something else.
	ask *request
	// decision is nil as long as the turn is open.
	decision *behavior.Decision
	// place is where the agent is, and came says that it was not there before. around are the agents in view.
	place  string
	came   bool
	around []neighbour
}

// request is a request that a turn waits for.
type request struct {
	id   CallID
	ask  behavior.Ask
	sent llmclient.Request
}

// begin lets the shadow begin with another base.
func (s *shadow) begin(b Base) {
	s.base = b
	s.ticks = nil
	if b.World.Tick() >= b.Last {
		return
	}
	n := b.World.Agents()
	f := &foreseen{tick: b.World.Tick() + 1, world: b.World, lives: make([]life, n)}
	news := newsOf(f.world, f.world.Advance())
	for i := range n {
		l := &f.lives[i]
		if i < len(b.Agents) {
			l.state = b.Agents[i]
		}
		l.state = s.witnessed(l.state, i, news[i])
	}
	s.ticks = []*foreseen{f}
	s.fill(f, nil)
}

// foresee brings the shadow up to date with the answers, to a depth of so many ticks past the first.
func (s *shadow) foresee(depth int, answers answers) {
	for at := 0; at < len(s.ticks); at++ {
		f := s.ticks[at]
		s.proceedAll(f, answers)
		var old *foreseen
		if at+1 < len(s.ticks) {
			old = s.ticks[at+1]
		}
		s.ticks = s.ticks[:at+1]
		if at < depth && f.tick < s.base.Last && !f.allLost() {
			s.ticks = append(s.ticks, s.follow(f, old))
			s.doubt()
		}
	}
}

// allLost reports whether no agent is known past the tick.
func (f *foreseen) allLost() bool {
	return !slices.ContainsFunc(f.lives, func(l life) bool { return l.known() })
}

// decided reports whether no turn of the tick is open.
func (f *foreseen) decided() bool {
	return !slices.ContainsFunc(f.lives, func(l life) bool { return l.turn != nil && l.turn.decision == nil })
}

// known says that what the agent does in the tick is known.
func (l life) known() bool { return l.lost == 0 && (l.turn == nil || l.turn.decision != nil) }

// follow returns the tick after f. old is that tick as it was foreseen before, nil if it was not.
func (s *shadow) follow(f, old *foreseen) *foreseen {
	next := &foreseen{tick: f.tick + 1, world: f.world.Fork(), lives: make([]life, len(f.lives))}
	w := next.world
	var intents []world.Intent
	for n, l := range f.lives {
		if l.turn != nil && l.turn.decision != nil {
			intents = append(intents, l.turn.decision.Intent(n))
		}
	}
	applied := newsOf(w, w.Apply(intents))
	if !f.anyLost && f.decided() {
		f.after = w.Digest().String()
	}
	outcomes := make([]world.Outcome, len(f.lives))
	for _, in := range intents {
		outcomes[in.Agent], _ = w.LastOutcome(in.Agent)
	}
	passed := newsOf(w, w.Advance())
	for n, l := range f.lives {
		now := &next.lives[n]
		if !l.known() {
			now.lost = cmp.Or(l.lost, f.tick)
			next.anyLost = true
			continue
		}
		now.past = l.past
		if l.turn != nil {
			now.past = identify(l.past, l.turn.serial, outcomes[n])
		}
		if len(applied[n])+len(passed[n]) > 0 {
			now.past = identify(now.past, applied[n], passed[n])
		}
		if old != nil && old.lives[n].lost == 0 && old.lives[n].past == now.past {
			now.state = old.lives[n].state
			continue
		}
		now.state = s.witnessed(l.state, n, applied[n])
		if l.turn != nil {
			if now.state == l.state {
				now.state = l.state.Fork()
			}
			d := *l.turn.decision
			if len(d.Otherwise) > 0 {
				d = d.Tried(outcomes[n].RefusedBefore)
			}
			now.state.Learn(f.tick, d, outcomes[n])
		}
		if now.state == l.state {
			now.state = s.witnessed(now.state, n, passed[n])
			continue
		}
		for _, e := range passed[n] { // it is a copy already
			now.state.Witness(e)
		}
	}
	s.fill(next, old)
	return next
}

// witnessed is the agent after some events: a copy, or the agent itself where there are none.
func (s *shadow) witnessed(m *behavior.Agent, n int, events []world.Event) *behavior.Agent {
	var next *behavior.Agent
	for _, e := range events {
		if m == nil && e.Kind != world.EventActionApplied {
			continue
		}
		if next == nil {
			if m == nil {
				next = s.base.New(n)
			} else {
				next = m.Fork()
			}
		}
		next.Witness(e)
	}
	if next == nil {
		return m
	}
	return next
}

// fill begins the turns of a tick, or takes them over from how it was foreseen before.
func (s *shadow) fill(f, old *foreseen) {
	for _, n := range f.world.Due() {
		s.open(f, old, n, false)
	}
	for _, n := range f.world.Continuing() {
		s.open(f, old, n, true)
	}
}

// open gives an agent its turn. continues says that an order of it continues.
func (s *shadow) open(f, old *foreseen, n int, continues bool) {
	l := &f.lives[n]
	if l.lost > 0 || !s.base.Active(n) {
		return
	}
	if l.state == nil {
		l.state = s.base.New(n)
	}
	view := s.base.View(f.world, n)
	o := view.Observe()
	seen := identify(0, o)
	if old != nil {
		before := old.lives[n].turn
		if before != nil && old.lives[n].lost == 0 && old.lives[n].past == l.past && before.seen == seen {
			l.state = old.lives[n].state
			l.turn = before
			return
		}
	}
	s.serial++
	l.turn = &turn{serial: s.serial, seen: seen, place: o.Self.Place, around: around(view, f.world, &o)}
	switch {
	case continues:
		d, _ := l.state.Continue(view)
		l.turn.decision = &d
	case s.base.Asked(n):
		l.turn.deliberation = l.state.Begin(view)
	}
}

// proceedAll carries the turns of a tick as far as the answers reach.
func (s *shadow) proceedAll(f *foreseen, answers answers) {
	for n, l := range f.lives {
		if l.turn != nil && l.turn.decision == nil {
			s.proceed(n, l.turn, answers)
		}
	}
}

// waits reports whether a turn of the tick waits for an answer.
func (f *foreseen) waits() bool {
	return slices.ContainsFunc(f.lives, func(l life) bool { return l.turn != nil && l.turn.ask != nil })
}

// proceed carries a turn as far as the answers reach.
func (s *shadow) proceed(n int, t *turn, answers answers) {
	for t.deliberation != nil && t.decision == nil {
		if t.ask != nil {
			answer, known := answers(t.ask.id)
			if !known {
				return
			}
			t.answered = append(t.answered, t.ask.id)
			t.ask = nil
			t.deliberation.Answer(answer)
		}
		switch step := t.deliberation.Next().(type) {
		case behavior.Ask:
			sent := s.base.Request(n, step)
			view := t.deliberation.Env().View
			t.ask = &request{ask: step, sent: sent, id: CallID{
				CallKey: trace.CallKey{Tick: view.Tick(), Agent: view.AgentID(), Step: step.Number}, Hash: sent.Hash()}}
		case behavior.Call:
			t.deliberation.Result(s.base.Modules.Call(t.deliberation.Env(), step.CallID, step.Tool, step.Arguments))
		case behavior.Decision:
			t.decision = &step
		default: // a tool of the user's is called by turns that commit alone
			t.deliberation = nil
		}
	}
}

// answers returns the answer to a request, if it is known.
type answers func(CallID) (llmclient.Answer, bool)

// newsOf are the events that concern each agent, by number.
func newsOf(w *world.World, events []world.Event) [][]world.Event {
	list := make([][]world.Event, w.Agents())
	for _, e := range events {
		for _, id := range e.Concerns() {
			if n, known := w.AgentNumber(id); known {
				list[n] = append(list[n], e)
			}
		}
	}
	return list
}

// identify is a number for what came before and all values, which differs where they do.
func identify(before uint64, values ...any) uint64 {
	h := fnv.New64a()
	e := json.NewEncoder(h)
	values = append(values, before)
	for _, v := range values {
		if err := e.Encode(v); err != nil {
			panic("ahead: a value of the world has no JSON: " + err.Error())
		}
	}
	return h.Sum64()
}
