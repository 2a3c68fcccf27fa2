package policy

import (
	"math"

	"example.com/agentworld/world"
)

// Fallback reports whether an action may be done that nobody decided on: because the turn
// failed before its decision, or because the world refused what was decided. Such an
// action never gives anything away, and only the first action of the plan may move, spend,
// speak, sleep, or go on as a standing order.
func Fallback(a world.Action, plan []PlannedAction) bool {
	switch a.(type) {
	case world.Harvest, world.Mine, world.Refine, world.Wait:
		return true
	}
	d, ok := argued(a)
	return ok && !d.gives() && len(plan) > 0 && plan[0].holds(d.planned())
}

// holds reports whether an action is one that p plans: the same, of no more, and for no
// longer.
func (p PlannedAction) holds(given PlannedAction) bool {
	most := func(planned, given *int64) bool {
		return planned == nil || given != nil && *given <= *planned
	}
	return p.Action == given.Action && p.To == given.To && p.ID == given.ID && p.What == given.What && p.Want == given.Want && p.Text == given.Text &&
		most(p.Amount, given.Amount) && most(p.Price, given.Price) && most(p.WantAmount, given.WantAmount) && most(p.ForTicks, given.ForTicks) &&
		given.MaxTicks <= p.MaxTicks
}

// Greatest is an action of a plan that left its amount open, with the greatest amount
// there is; clamping brings it to what is feasible.
func Greatest(a world.Action) world.Action {
	most := int64(math.MaxInt64)
	if order, ok := a.(world.ExecuteUntil); ok {
		order.Do = withNumber(order.Do, world.SlotAmount, most)
		return order
	}
	return withNumber(a, world.SlotAmount, most)
}
