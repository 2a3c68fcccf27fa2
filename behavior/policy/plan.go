package policy

import (
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// planned looks for a planned action that covers the action. The violation is that of the
// planned action that comes closest.
func (q *inquiry) planned() (Violation, bool) {
	var closest Violation
	reached := -1
	for i := range q.e.Plan {
		p := &q.e.Plan[i]
		if p.Action != q.deed.spec.Name {
			continue
		}
		s, f, ok := q.covers(p)
		if ok {
			// All arguments fit: what remains is how often.
			if f, ok = q.ordered(p); ok {
				return Violation{}, true
			}
			s = world.SlotCount
		}
		if int(s) > reached {
			closest, reached = f, int(s)
		}
	}
	if reached < 0 {
		return Violation{Rule: RuleNotPlanned, Action: q.deed.spec.Name, Trust: q.least(), Authors: q.everyone()}, false
	}
	return closest, false
}

// covers holds the arguments against a planned action in the order of slots and tells the
// first that fails.
func (q *inquiry) covers(p *PlannedAction) (world.Slot, Violation, bool) {
	for s := range world.SlotCount {
		if q.deed.args[s].param == nil {
			continue
		}
		given, equal := q.gives(p, s)
		switch {
		case given && !equal:
			f := q.violationOn(RuleArgumentNotPlanned, s)
			f.Maximum = p.number(s)
			return s, f, false
		case !given && !q.e.off(LayerTrust) && !q.open(s):
			return s, q.violationOn(RuleArgumentUntrusted, s), false
		}
	}
	return world.SlotCount, Violation{}, true
}

// number is the number that a planned action gives for a slot, nil when it is open or none.
func (i *PlannedAction) number(s world.Slot) *int64 {
	switch s {
	case world.SlotAmount:
		return i.Amount
	case world.SlotPrice:
		return i.Price
	}
	return nil
}

// gives reports whether a planned action gives an argument, and whether it gives this value.
// Numbers are equal also when clamping the planned one leads to the action's.
func (q *inquiry) gives(p *PlannedAction, s world.Slot) (given, equal bool) {
	arg := &q.deed.args[s]
	word := ""
	switch s {
	case world.SlotAmount, world.SlotPrice:
		n := p.number(s)
		return n != nil, n != nil && (*n == arg.number || q.clamped(p, s) == arg.number)
	case world.SlotTo:
		word = p.To
	case world.SlotID:
		word = p.ID
	case world.SlotWhat:
		word = p.What
	case world.SlotText:
		word = p.Text
		return word != "", word == arg.text
	}
	return word != "", strings.EqualFold(word, arg.text)
}

// clamped is what becomes of the planned number when the action is clamped with it.
func (q *inquiry) clamped(p *PlannedAction, s world.Slot) int64 {
	// Clamping needs the whole action: how much is feasible depends on what and to whom.
	feasible, _ := q.e.View.Clamp(withNumbers(q.action, p.Amount, p.Price))
	d, ok := deedOf(feasible)
	if !ok {
		return *p.number(s)
	}
	return d.args[s].number
}

// ordered holds the standing order around the action, if any, against a planned action that
// covers the action, and against the clauses about orders.
func (q *inquiry) ordered(p *PlannedAction) (Violation, bool) {
	if q.order == nil || q.orderAsked() {
		return Violation{}, true
	}
	ignores := func(event string) bool { return !slices.Contains(p.Ignore, event) }
	if p.MaxTicks > 0 && q.order.MaxTicks <= p.MaxTicks && !slices.ContainsFunc(q.order.Ignore, ignores) {
		return Violation{}, true
	}
	n, most := q.order.MaxTicks, p.MaxTicks
	return Violation{
		Rule: RuleOrderNotPlanned, Action: q.deed.spec.Name, Argument: ArgumentOrder, Trust: q.least(),
		Requested: &n, Maximum: &most, Unit: world.Ticks, Authors: q.everyone(),
	}, false
}
