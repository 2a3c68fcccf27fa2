package engine

import (
	"fmt"

	"example.com/agentworld/engine/budget"
	"example.com/agentworld/trace"
)

// checkCaps reports caps that no turn fits in. begun says that the run has spent something
// already: what a cap of the run or of an agent leaves then is for the budget to tell, and
// a cap too small for a turn ends the run like any other that was reached.
func checkCaps(s trace.Settings, begun bool) error {
	least := int64(leastCalls(behaviorConfig(s).WithDefaults(), trace.StageLean))
	for _, c := range []struct {
		scope budget.Scope
		limit trace.Limit
	}{{budget.Run, s.Caps.Run}, {budget.Agent, s.Caps.Agent}, {budget.Tick, s.Caps.Tick}} {
		if reached := begun && c.scope != budget.Tick; c.limit.Calls > 0 && c.limit.Calls < least && !reached {
			return fmt.Errorf("cap on calls of the %s, %d: a decision takes at least %d with the %s protocol", c.scope, c.limit.Calls, least, s.Protocol)
		}
	}
	return nil
}

// CheckFirstTick is [Check], and reports a cap that none of the turns of the first tick fits in: the
// run would end before its first call. It says what the smallest of them needs.
func CheckFirstTick(s trace.Settings) error {
	r, err := prepare(Options{Settings: s})
	if err != nil || !r.spending.capped() {
		return err
	}
	r.world.Advance()
	if err := r.switchPrompts(r.world.Tick()); err != nil {
		return err
	}
	due := r.world.Due()
	for _, n := range due {
		r.mind(n)
	}
	purses := r.allowDecisions(due, r.turns(due)).purses()
	why := budget.Exhausted(purses, r.world.Agents())
	if why == nil {
		return nil
	}
	why = budget.Smallest(purses, why)
	return fmt.Errorf("%s: no turn fits; the smallest one of the first tick, of %s, needs %s, for its shortest path with answers of full length",
		why.CapText(), why.Agent, why.NeedText())
}
