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
