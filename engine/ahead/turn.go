package ahead

import (
	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// turn is what an agent decides in a tick.
type turn struct {
	// continues says that an order of the agent continues, asks that a model is asked. Otherwise a seat decides.
	continues, asks bool
	// sees is the number of the agent's view, and view that view as soon as it was needed.
	sees uint64
	view world.View
	// around are the agents in view, if looked is set.
	around []neighbour
	looked bool
	// deliberation is nil until the turn begins, and for what no model decides.
	deliberation *behavior.Turn
	// answered are the requests that were answered, in order.
	answered []CallID
	// ask is the request that the turn waits for, nil if it is decided or waits for something else.
	ask *request
	// leaning is what the turn is likely to decide, if an answer told.
	leaning []world.Action
	// decision is nil as long as the turn is open.
	decision *behavior.Decision
}

// request is a request that a turn waits for.
type request struct {
	id   CallID
	ask  behavior.Ask
	sent llmclient.Request
}

// open gives an agent its turn, or the one that it had as the tick was foreseen before. continues says that an order
// of it continues.
func (s *shadow) open(f, old *foreseen, n int, continues bool) {
	l := &f.lives[n]
	if l.lost > 0 || !s.base.Active(n) {
		return
	}
	if old != nil && s.keeps(f, &old.lives[n], n, continues) {
		l.turn = old.lives[n].turn
		l.state = old.lives[n].state
		l.turn.sees = f.views[n]
		return
	}
	l.turn = &turn{continues: continues, asks: !continues && s.base.Asked(n), sees: f.views[n]}
	if continues {
		d, _ := s.decider(l, n).Continue(s.look(f, n))
		l.turn.decision = &d
	}
}

// keeps reports whether the turn of agent n is that of a life as it was foreseen before.
func (s *shadow) keeps(f *foreseen, was *life, n int, continues bool) bool {
	t := was.turn
	if t == nil || was.lost > 0 || was.past != f.lives[n].past || t.continues != continues {
		return false
	}
	return t.sees == f.views[n] || t.view != (world.View{}) && t.view.Equal(s.base.View(f.world, n))
}

// look is what agent n sees in its turn.
func (s *shadow) look(f *foreseen, n int) world.View {
	t := f.lives[n].turn
	if t.view == (world.View{}) {
		t.view = s.base.View(f.world, n)
	}
	return t.view
}

// decider is agent n, about to decide.
func (s *shadow) decider(l *life, n int) *behavior.Agent {
	m := s.agent(n, l.state)
	if m == nil {
		m = s.base.New(n)
		l.state.agent = m
	}
	return m
}

// proceedAll carries the turns of a tick as far as the answers reach. Turns that nobody was asked for begin only if
// begin is set.
func (s *shadow) proceedAll(f *foreseen, c calls, begin bool) {
	for n := range f.lives {
		t := f.lives[n].turn
		if t == nil || t.decision != nil {
			continue
		}
		if begin || t.deliberation != nil || c.asked(f.first(n)) {
			s.proceed(f, n, c)
		}
	}
}

// first is the key of the first request of agent n's turn.
func (f *foreseen) first(n int) trace.CallKey {
	return trace.CallKey{Tick: f.tick, Agent: f.world.AgentID(n), Step: 1}
}

// proceed begins a turn, and carries it as far as the answers reach.
func (s *shadow) proceed(f *foreseen, n int, c calls) {
	t := f.lives[n].turn
	if t.deliberation == nil && t.asks {
		t.deliberation = s.decider(&f.lives[n], n).Begin(s.look(f, n))
	}
	for t.deliberation != nil && t.decision == nil {
		if t.ask != nil {
			answer, known := c.known(t.ask.id)
			if !known {
				return
			}
			t.answered = append(t.answered, t.ask.id)
			t.ask = nil
			t.deliberation.Answer(answer)
		}
		switch step := t.deliberation.Next().(type) {
		case behavior.Ask:
			if len(t.answered) > 0 {
				t.leaning = t.deliberation.Leaning()
			}
			sent := s.base.Request(n, step)
			key := f.first(n)
			key.Step = step.Number
			t.ask = &request{ask: step, sent: sent, id: CallID{CallKey: key, Hash: sent.Hash()}}
		case behavior.Call:
			t.deliberation.Result(s.base.Modules.Call(t.deliberation.Env(), step.CallID, step.Tool, step.Arguments))
		case behavior.Decision:
			t.decision = &step
		default: // a tool of the user's is called by turns that commit alone
			t.deliberation = nil
			t.asks = false
		}
	}
}
