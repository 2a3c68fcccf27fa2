package policy

import (
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// planned looks for an intent that covers the action. The finding is about the
// intent that comes closest.
func (q *inquiry) planned() (Finding, bool) {
	var closest Finding
	reached := -1
	for i := range q.e.Intents {
		intent := &q.e.Intents[i]
		if intent.Action != q.deed.spec.Name {
			continue
		}
		s, f, ok := q.covers(intent)
		if ok {
			// All arguments fit: what remains is how often.
			if f, ok = q.ordered(intent); ok {
				return Finding{}, true
			}
			s = world.SlotCount
		}
		if int(s) > reached {
			closest, reached = f, int(s)
		}
	}
	if reached < 0 {
		return Finding{Rule: RuleNotPlanned, Action: q.deed.spec.Name, Trust: q.least(), Authors: q.everyone()}, false
	}
	return closest, false
}

// covers holds the arguments against an intent in the order of slots and tells the
// first that fails.
func (q *inquiry) covers(intent *Intent) (world.Slot, Finding, bool) {
	for s := range world.SlotCount {
		if q.deed.args[s].param == nil {
			continue
		}
		given, equal := q.gives(intent, s)
		switch {
		case given && !equal:
			f := q.findingOn(RuleArgumentNotPlanned, s)
			f.Maximum = intent.number(s)
			return s, f, false
		case !given && !q.e.off(LayerTrust) && !q.open(s):
			return s, q.findingOn(RuleArgumentUntrusted, s), false
		}
	}
	return world.SlotCount, Finding{}, true
}

// number is the number that an intent gives for a slot, nil when it is open or none.
func (i *Intent) number(s world.Slot) *int64 {
	switch s {
	case world.SlotAmount:
		return i.Amount
	case world.SlotPrice:
		return i.Price
	}
	return nil
}

// gives reports whether an intent gives an argument, and whether it gives this value.
// Numbers are equal also when clamping the intent's leads to the action's.
func (q *inquiry) gives(intent *Intent, s world.Slot) (given, equal bool) {
	arg := &q.deed.args[s]
	word := ""
	switch s {
	case world.SlotAmount, world.SlotPrice:
		n := intent.number(s)
		return n != nil, n != nil && (*n == arg.number || q.clamped(intent, s) == arg.number)
	case world.SlotTo:
		word = intent.To
	case world.SlotID:
		word = intent.ID
	case world.SlotWhat:
		word = intent.What
	case world.SlotText:
		word = intent.Text
		return word != "", word == arg.text
	}
	return word != "", strings.EqualFold(word, arg.text)
}

// clamped is what becomes of the intent's number when the action is clamped with it.
func (q *inquiry) clamped(intent *Intent, s world.Slot) int64 {
	// Clamping needs the whole action: how much is feasible depends on what and to whom.
	feasible, _ := q.e.View.Clamp(withNumbers(q.action, intent.Amount, intent.Price))
	d, ok := deedOf(feasible)
	if !ok {
		return *intent.number(s)
	}
	return d.args[s].number
}

// ordered holds the standing order around the action, if any, against an intent that
// covers the action, and against the clauses about orders.
func (q *inquiry) ordered(intent *Intent) (Finding, bool) {
	if q.order == nil || q.orderAsked() {
		return Finding{}, true
	}
	ignores := func(event string) bool { return !slices.Contains(intent.Ignore, event) }
	if intent.Until > 0 && q.order.MaxTicks <= intent.Until && !slices.ContainsFunc(q.order.Ignore, ignores) {
		return Finding{}, true
	}
	n, most := q.order.MaxTicks, intent.Until
	return Finding{
		Rule: RuleOrderNotPlanned, Action: q.deed.spec.Name, Argument: ArgumentOrder, Trust: q.least(),
		Requested: &n, Maximum: &most, Unit: world.Ticks, Authors: q.everyone(),
	}, false
}
