package engine

import (
	"cmp"
	"fmt"
	"slices"

	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
)

// changeCaps finds the caps that hold and, where the options want others, plans the
// change. The error says why there can be none.
func (s *Resumption) changeCaps() error {
	now := s.header.SettingsAt(s.tail.last)
	left := int64(0) // the last tick of another run, which this one is a fork of
	if n := len(s.header.Forks); n > 0 {
		left = s.header.Forks[n-1].AtTick
	}
	if s.tail.caps != nil && (left == 0 || s.tail.capsFrom > left) {
		now.Caps = *s.tail.caps
	}
	s.before = now.Caps
	if s.options.Caps == nil {
		return nil
	}
	now.Caps = s.options.Caps(s.before)
	if now.Caps == s.before {
		return nil
	}
	if err := cmp.Or(now.Validate(), checkCaps(now, s.tail.last > 0 || len(s.tail.calls) > 0)); err != nil {
		return fmt.Errorf("%w so: %w", ErrNotResumable, err)
	}
	if s.Complete() {
		return nil // there is nothing left that they could bound
	}
	return s.planChange(now)
}

// planChange notes the change to the caps of now, and what of the unfinished tick they
// find there. Whom a cap refused in it is decided once more.
func (s *Resumption) planChange(now trace.Settings) error {
	prices := pricesOf(now.Prices)
	if len(s.tail.changes) > 0 || len(answeredIn(s.tail.exchanges, prices)) == 0 {
		if err := s.checkRefused(); err != nil {
			return err
		}
	}
	s.change = &trace.CapChange{Tick: s.tail.last + 1, Caps: now.Caps, Answered: answeredIn(s.tail.exchanges, prices)}
	return nil
}

// checkRefused reports a refusal that an agent went on after, to look back. Without the
// refusal its later steps would be other ones than those that are answered.
func (s *Resumption) checkRefused() error {
	for _, refused := range s.tail.refused {
		for key := range s.tail.calls {
			if key.Agent == refused.Agent && key.Step > refused.Step {
				return fmt.Errorf("%w with other caps in the middle of tick %d, in which they changed before: %s went on there after a refusal; resume to the end of that tick first (--until-tick %d)",
					ErrNotResumable, refused.Tick, refused.Agent, refused.Tick)
			}
		}
	}
	return nil
}

// answeredIn sums up exchanges by agent, in the order of ids.
func answeredIn(calls []trace.ModelCall, prices prices) []trace.Answered {
	counted, steps := map[string]budget.Amount{}, map[string]int64{}
	for _, c := range calls {
		counted[c.AgentID] = counted[c.AgentID].Plus(budget.Counted(c, prices[c.Model]))
		steps[c.AgentID] = max(steps[c.AgentID], int64(c.Step))
	}
	var list []trace.Answered
	for agent, a := range counted {
		list = append(list, trace.Answered{AgentID: agent, Steps: steps[agent], Calls: a[budget.Calls], Tokens: a[budget.Tokens], Cost: price.Money(a[budget.Cost])})
	}
	slices.SortFunc(list, func(a, b trace.Answered) int { return cmp.Compare(a.AgentID, b.AgentID) })
	return list
}

// capChanges are the changes of caps in the tick that is taken up: earlier ones, and that
// of this resume.
func (s *Resumption) capChanges(tick int64) []trace.CapChange {
	if tick != s.tail.last+1 {
		return nil
	}
	changes := s.tail.changes
	if s.change != nil {
		changes = append(changes, *s.change)
	}
	return changes
}
