package policy

import (
	"slices"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// BoundPlan is the bound of an adjustment that brings an action back to the plan.
const BoundPlan = "plan"

// The fields of adjustments that bring an order back to the plan: its last steps are cut off, it has fewer
// attempts, or it ignores fewer events. From and To count them.
const (
	FieldThen     = "then"
	FieldMaxTicks = "max_ticks"
	FieldIgnore   = "ignore"
)

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
	ticks := min(order.MaxTicks, max(1, attempts))
	ignored := slices.DeleteFunc(slices.Clone(order.Ignore), func(event string) bool {
		return attempts == 0 || !slices.Contains(ignore, event)
	})
	cuts := cutOf(order, FieldMaxTicks, order.MaxTicks, ticks)
	cuts = append(cuts, cutOf(order, FieldIgnore, int64(len(order.Ignore)), int64(len(ignored)))...)
	if attempts == 0 {
		once, more := q.p.evaluation(order.Do, q.e).trimTerms()
		return once, append(cuts, more...)
	}
	order.MaxTicks = ticks
	order.Ignore = ignored
	if len(ignored) == 0 {
		order.Ignore = nil
	}
	return order, cuts
}

// cutOf records that a number of a standing order was brought back to the plan, if it was.
func cutOf(order world.ExecuteUntil, field string, from, to int64) []world.Adjustment {
	if from == to {
		return nil
	}
	return []world.Adjustment{{Action: order.ActionName(), Field: field, From: from, To: to, Bound: BoundPlan}}
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
