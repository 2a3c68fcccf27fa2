package ahead

import (
	"reflect"

	"example.com/agentworld/behavior"
	"example.com/agentworld/world"
)

// became is what a tick did to an agent: its turn, how that ended, and the events that concern it, of the tick itself
// and of the passing to the next one.
type became struct {
	// past is that of the agent before the tick.
	past    uint64
	tick    int64
	turn    *turn
	outcome world.Outcome
	applied []world.Event
	passed  []world.Event
}

// nothing reports whether the agent is as it was.
func (b *became) nothing() bool { return b.turn == nil && len(b.applied)+len(b.passed) == 0 }

// equal reports whether the same became of an agent.
func (b *became) equal(o *became) bool {
	return b.past == o.past && b.tick == o.tick && b.turn == o.turn && len(b.applied) == len(o.applied) &&
		len(b.passed) == len(o.passed) && reflect.DeepEqual(b.outcome, o.outcome) &&
		reflect.DeepEqual(b.applied, o.applied) && reflect.DeepEqual(b.passed, o.passed)
}

// state is an agent as a tick finds it. It is made of the state before when a turn first needs it, since most
// predictions change before anybody is asked for them.
type state struct {
	// agent is nil for one that never decided. With before it is not made yet.
	agent  *behavior.Agent
	before *state
	became became
}

// agent is agent n in a state.
func (s *shadow) agent(n int, st *state) *behavior.Agent {
	if st.before == nil {
		return st.agent
	}
	b := &st.became
	before := s.agent(n, st.before)
	now := s.witnessed(before, before, n, b.applied)
	if b.turn != nil {
		switch now {
		case nil:
			now = s.base.New(n)
		case before:
			now = before.Fork()
		}
		d := *b.turn.decision
		if len(d.Otherwise) > 0 {
			d = d.Tried(b.outcome.RefusedBefore)
		}
		now.Learn(b.tick, d, b.outcome)
	}
	st.agent = s.witnessed(now, before, n, b.passed)
	st.before = nil
	st.became = became{}
	return st.agent
}

// witnessed is the agent after some events. shared is what must not be changed: if the agent is that, it is copied.
func (s *shadow) witnessed(m, shared *behavior.Agent, n int, events []world.Event) *behavior.Agent {
	for _, e := range events {
		switch {
		case m == nil && e.Kind != world.EventActionApplied:
			continue
		case m == nil:
			m = s.base.New(n)
		case m == shared:
			m = m.Fork()
		}
		m.Witness(e)
	}
	return m
}
