package policy

import (
	"slices"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// BoundPlan is the bound of an adjustment that brings an action back to the plan.
const BoundPlan = "plan"

// FieldThen is the field of an adjustment that cuts the last steps off a chain.
const FieldThen = "then"

// trim changes an action that others may have led to. A standing order is shortened to what the
// plan or a rule allows; if neither allows an order, its action is done once. Terms and power
// orders are brought back to the price and the ticks of the planned ones.
func (q *evaluation) trim() (world.Action, []world.Adjustment) {
	if !q.influenced() {
		return q.action, nil
	}
	order, ok := q.action.(world.ExecuteUntil)
	if !ok {
		return q.trimTerms()
	}
	attempts, ignore := q.orderLimits()
	if q.orderWithin(attempts, ignore) {
		return q.action, nil
	}
	cut := world.Adjustment{Action: order.ActionName(), Field: "max_ticks", From: order.MaxTicks,
		To: min(order.MaxTicks, max(1, attempts)), Bound: BoundPlan}
	if attempts == 0 {
		once, more := q.p.evaluation(order.Do, q.e).trimTerms()
		return once, append([]world.Adjustment{cut}, more...)
	}
	order.MaxTicks, order.Ignore = cut.To,
		slices.DeleteFunc(slices.Clone(order.Ignore), func(event string) bool { return !slices.Contains(ignore, event) })
	if len(order.Ignore) == 0 {
		order.Ignore = nil
	}
	return order, []world.Adjustment{cut}
}

// orderLimits says how many attempts the standing order may have, 0 for none, and which events it
// may ignore, by the plan or a rule. What gives something away and is asked for is done once:
// later attempts would answer nothing.
func (q *evaluation) orderLimits() (attempts int64, ignore []string) {
	if q.answersTerms(&q.op) {
		return 0, nil
	}
	m := q.matchPlan()
	by, _ := q.askedFor()
	switch {
	case m.planned() && (by == nil || m.cost == 0 || q.e.off(trace.CheckDeviations)):
		return max(0, q.e.Plan[m.index].MaxTicks-q.e.taken(m.index)), q.e.Plan[m.index].Ignore
	case by == nil || q.op.gives():
		return 0, nil
	}
	return q.orderAskedFor(by), nil
}

// orderWithin reports whether the standing order keeps to both limits.
func (q *evaluation) orderWithin(attempts int64, ignore []string) bool {
	return q.op.order.MaxTicks <= attempts &&
		!slices.ContainsFunc(q.op.order.Ignore, func(event string) bool { return !slices.Contains(ignore, event) })
}

// trimTerms brings an offer, request or power order back to the price and the ticks of a planned
// one, if it asks for more or stays open for longer, and is as planned otherwise.
func (q *evaluation) trimTerms() (world.Action, []world.Adjustment) {
	if m := q.matchPlan(); m.planned() && m.cost == 0 {
		return q.action, nil
	}
	for i := range q.e.Plan {
		p := &q.e.Plan[i]
		if p.Action != q.op.spec.Name {
			continue
		}
		trimmed, cuts := q.action, []world.Adjustment(nil)
		set := func(s world.Slot, n int64) {
			if arg := &q.op.args[s]; arg.number != n {
				trimmed = withNumber(trimmed, s, n)
				cuts = append(cuts, world.Adjustment{Action: p.Action, Field: arg.param.Name, From: arg.number, To: n,
					Bound: BoundPlan})
			}
		}
		if open := q.op.args[world.SlotForTicks]; p.ForTicks != nil && open.param != nil && open.number > *p.ForTicks {
			set(world.SlotForTicks, max(*p.ForTicks, open.param.Min))
		}
		if given := q.op.args[world.SlotAmount].number; p.WantAmount != nil && p.Amount != nil && given == *p.Amount &&
			q.op.got > *p.WantAmount {
			set(world.SlotWantAmount, *p.WantAmount)
		}
		// A seller asks for more than planned by a higher price, a buyer by a lower one.
		if _, stays := q.action.(world.PlaceOrder); stays && p.Price != nil &&
			(q.op.what == world.SideSell) == (q.op.args[world.SlotPrice].number > *p.Price) {
			set(world.SlotPrice, *p.Price)
		}
		if then := q.p.evaluation(trimmed, q.e); then.checkable && len(cuts) > 0 {
			if ok, _, _ := then.fits(p); ok {
				return trimmed, cuts
			}
		}
	}
	return q.action, nil
}
