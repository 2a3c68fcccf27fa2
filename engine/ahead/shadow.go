package ahead

import (
	"cmp"
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
	// Cost is what the answer to a request of agent n costs, or what was reserved for one that was lost and may have
	// been billed.
	Cost func(n int, r llmclient.Request, a llmclient.Answer) price.Money
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
// turn waits for an answer does what is guessed of it, and is not asked in later ticks.
//
// Invariants:
//  1. ticks are in order and follow the base without a gap. Nobody is lost in the first, so once its turns
//     are decided it is the tick as the run plays it.
//  2. A turn is a function of its agent's state, what the agent sees and the answers. So a turn whose agent
//     did, met and sees the same as before is kept, with how far it came.
//  3. A tick is built again only when one more answer in the tick before is known. Agents, views and requests
//     are made only when a turn needs them.
type shadow struct {
	base  Base
	ticks []*foreseen
	// age is how late other places are seen.
	age int64
	// pasts counts what became of agents, so that each past has a number.
	pasts uint64
}

// foreseen is one tick of a shadow.
type foreseen struct {
	tick int64
	// world is the world after Advance, as agents see it, and views what tells two views apart, by agent.
	world *world.World
	views []uint64
	// lives are by agent.
	lives []life
	// before is the tick that this one follows, and progressBefore how far its turns had come then.
	before         *foreseen
	progressBefore int
	// anyLost says that an agent is lost. after is the digest of the world after the tick, empty as long as
	// a turn of it is open.
	anyLost bool
	after   string
	// unknown are those whose turns are open in earlier ticks, and chances what is likely to be seen of them, by place.
	unknown []*peers
	chances map[string]int64
}

// life is an agent in a tick.
type life struct {
	// past is a number for all that became of the agent before, and state what that made of it. Lives of one
	// agent with the same past have the same state. became is what the tick before did.
	past   uint64
	state  *state
	became became
	// lost is the tick in which a turn of it is open, if that is an earlier one: what it does since is guessed.
	// 0 is none.
	lost int64
	// place is where it is, empty while it travels.
	place string
	// turn is nil for an agent that does not decide.
	turn *turn
	// outlook is that of the turn, if weighed is set.
	outlook outlook
	weighed bool
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
		l.place = f.world.PlaceOf(i)
		l.state = &state{}
		if i < len(b.Agents) {
			l.state.agent = b.Agents[i]
		}
		if len(news[i]) > 0 {
			l.state = &state{before: l.state, became: became{passed: news[i]}}
		}
	}
	s.age = b.View(f.world, 0).Rules().SightAgeTicks
	s.ticks = []*foreseen{f}
	s.fill(f, nil)
}

// pass drops the first tick, which the run has played.
func (s *shadow) pass() {
	s.ticks = s.ticks[1:]
	first := s.ticks[0]
	first.before = nil // so that nothing holds what is over
	for n := range first.lives {
		s.agent(n, first.lives[n].state)
		first.lives[n].became = became{}
	}
}

// calls are what is known of calls.
type calls interface {
	// known returns the answer to a call, if it may be used.
	known(CallID) (llmclient.Answer, bool)
	// asked reports whether a call was asked ahead that may be the one of a step.
	asked(trace.CallKey) bool
}

// foresee brings the shadow up to date with the calls, to a depth of so many ticks past the first.
func (s *shadow) foresee(depth int, c calls) {
	before := s.ticks
	for at := 0; at < len(s.ticks); at++ {
		f := s.ticks[at]
		s.proceedAll(f, c, at == 0)
		var old *foreseen
		if at+1 < len(before) {
			old = before[at+1]
		}
		s.ticks = slices.Clip(s.ticks[:at+1])
		switch {
		case at >= depth || f.tick >= s.base.Last || f.allLost():
		case old != nil && old.before == f && old.progressBefore == f.progress():
			s.ticks = append(s.ticks, old)
		default:
			s.ticks = append(s.ticks, s.follow(f, old))
		}
	}
}

// allLost reports whether no agent is known past the tick.
func (f *foreseen) allLost() bool {
	return !slices.ContainsFunc(f.lives, func(l life) bool { return l.known() })
}

// progress is how far the turns have come: it counts answers and decisions.
func (f *foreseen) progress() (count int) {
	for n := range f.lives {
		t := f.lives[n].turn
		if t == nil {
			continue
		}
		count += len(t.answered)
		if t.decision != nil {
			count++
		}
	}
	return count
}

// whole reports whether no turn of the tick is open.
func (f *foreseen) whole() bool {
	return !slices.ContainsFunc(f.lives, func(l life) bool { return l.turn != nil && l.turn.decision == nil })
}

// waits reports whether a turn of the tick waits for an answer.
func (f *foreseen) waits() bool {
	return slices.ContainsFunc(f.lives, func(l life) bool { return l.turn != nil && l.turn.ask != nil })
}

// known says that what the agent does in the tick is known.
func (l *life) known() bool { return l.lost == 0 && (l.turn == nil || l.turn.decision != nil) }

// follow returns the tick after f. old is that tick as it was foreseen before, nil if it was not.
func (s *shadow) follow(f, old *foreseen) *foreseen {
	next := &foreseen{tick: f.tick + 1, world: f.world.Fork(), lives: make([]life, len(f.lives)),
		before: f, progressBefore: f.progress(), chances: map[string]int64{}}
	w := next.world
	var intents []world.Intent
	for n := range f.lives {
		if t := f.lives[n].turn; t != nil && t.decision != nil {
			intents = append(intents, t.decision.Intent(n))
		}
	}
	guessed, open := s.guess(f)
	intents = append(intents, guessed...)
	next.unknown = slices.Concat(f.unknown, open)
	applied := newsOf(w, w.Apply(intents))
	if !f.anyLost && f.whole() {
		f.after = w.Digest().String()
	}
	outcomes := make([]world.Outcome, len(f.lives))
	for _, in := range intents {
		outcomes[in.Agent], _ = w.LastOutcome(in.Agent)
	}
	passed := newsOf(w, w.Advance())
	for n := range f.lives {
		now, l := &next.lives[n], &f.lives[n]
		now.place = w.PlaceOf(n)
		if !l.known() {
			now.lost = cmp.Or(l.lost, f.tick)
			next.anyLost = true
			continue
		}
		var was *life
		if old != nil && old.lives[n].lost == 0 {
			was = &old.lives[n]
		}
		s.become(now, l, was, became{
			past: l.past, tick: f.tick, turn: l.turn, outcome: outcomes[n], applied: applied[n], passed: passed[n]})
	}
	s.fill(next, old)
	return next
}

// become brings an agent past a tick, in which b became of it. was is the agent as it was foreseen before, nil if it
// was not.
func (s *shadow) become(now, l, was *life, b became) {
	switch {
	case b.nothing():
		now.past = l.past
		now.state = l.state
	case was != nil && was.became.equal(&b):
		now.past = was.past
		now.state = was.state
		now.became = was.became
	default:
		s.pasts++
		now.past = s.pasts
		now.became = b
		now.state = &state{before: l.state, became: b}
	}
}

// fill opens the turns of a tick, or takes them over from how it was foreseen before.
func (s *shadow) fill(f, old *foreseen) {
	f.views = f.world.ViewHashes()
	for _, n := range f.world.Due() {
		s.open(f, old, n, false)
	}
	for _, n := range f.world.Continuing() {
		s.open(f, old, n, true)
	}
}

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
