package policy

import (
	"math"

	"example.com/agentworld/world"
)

// Fallback reports whether an action may be done without a decision, after a failed turn or what the
// world refused. It gives nothing away and has no further steps. Only the first action of the plan may
// move, spend, speak, sleep, or go on as a standing order; package behavior lets one of work follow what
// is refused.
func Fallback(a world.Action, plan []PlannedAction) bool {
	switch a.(type) {
	case world.Harvest, world.Mine, world.Refine, world.Wait:
		return true
	}
	op, ok := parse(a)
	return ok && len(world.Steps(a)) == 1 && !op.gives() && len(plan) > 0 && plan[0].includes(op.planned())
}

// WithGreatestAmount is an action whose plan left the amount open, with the greatest amount
// there is; clamping brings it to what is feasible.
func WithGreatestAmount(a world.Action) world.Action {
	if order, ok := a.(world.ExecuteUntil); ok {
		order.Do = WithGreatestAmount(order.Do)
		return order
	}
	return withNumber(a, world.SlotAmount, math.MaxInt64)
}
