package mandate

import (
	"slices"
	"strings"

	"agentworld/memory"
	"agentworld/world"
)

// Audit reports whether an agent may commit an action; when not, the finding says
// why. The action is the clamped one. Audit reads its arguments only, so that the same
// evidence gives the same finding; it never panics, whatever the action.
func (m Mandate) Audit(a world.Action, e Evidence) (Finding, bool) {
	if _, plain := a.(world.Wait); plain {
		return Finding{}, true
	}
	q, ok := m.inquire(a, &e)
	if !ok {
		return q.unavailable(), false
	}
	if f, ok := q.lawful(); !ok {
		return f, false
	}
	if !e.untrusted() {
		return Finding{}, true
	}
	return q.own()
}

func (q *inquiry) unavailable() Finding {
	f := Finding{Rule: RuleUnavailable, Trust: memory.Rules}
	if q.deed.spec != nil {
		f.Action = q.deed.spec.Name
	}
	return f
}

// lawful holds the action, and the standing order around it, against the clauses.
func (q *inquiry) lawful() (Finding, bool) {
	if q.e.off(LayerMandate) {
		return Finding{}, true
	}
	if f, ok := q.within(&q.deed, false); !ok || q.order == nil {
		return f, ok
	}
	around := orderDeed(q.order)
	return q.within(&around, true)
}

// orderDeed is a standing order as an action of its own, its attempts being its
// amount.
func orderDeed(o *world.ExecuteUntil) deed {
	var d deed
	d.bind(o.ActionName())
	d.args[slotAmount].number = o.MaxTicks
	return d
}

// within holds one deed against the clauses; a standing order only against those that
// name it.
func (q *inquiry) within(d *deed, named bool) (Finding, bool) {
	forbidden := false
	for i := range q.m.clauses {
		c := &q.m.clauses[i]
		forbidden = forbidden || c.forbids() && q.about(c, d, named)
	}
	var best *clause
	most, rule := int64(-1), RuleAmount
	for i := range q.m.clauses {
		c := &q.m.clauses[i]
		// Whoever asked is only known to a clause that has to be relied on.
		if !q.effective(c, d, named) || c.toAsker() && !forbidden {
			continue
		}
		n, r, limited := c.limit(q.e.Spent.of(i))
		if !limited || d.args[slotAmount].param == nil || d.args[slotAmount].number <= n {
			return Finding{}, true
		}
		if n > most {
			best, most, rule = c, n, r
		}
	}
	switch {
	case best != nil:
		return exceeded(d, rule, most), false
	case forbidden:
		return Finding{Rule: RuleForbidden, Action: d.spec.Name, Trust: memory.Rules}, false
	}
	return Finding{}, true
}

// about reports whether a clause is about a deed here.
func (q *inquiry) about(c *clause, d *deed, named bool) bool {
	return c.describes(d, q.place) && (!named || c.Action == d.spec.Name)
}

// effective reports whether an allow describes a deed, its receiver included, and is
// narrower than every forbid that does.
func (q *inquiry) effective(c *clause, d *deed, named bool) bool {
	if !c.allows() || !q.about(c, d, named) || c.toAsker() && !q.asking(c, d.args[slotTo].text) {
		return false
	}
	for i := range q.m.clauses {
		f := &q.m.clauses[i]
		if f.forbids() && q.about(f, d, named) && !c.lifts(f) && !q.e.off(LayerMandate) {
			return false
		}
	}
	return true
}

// exceeded is the finding about an amount beyond a limit.
func exceeded(d *deed, rule Rule, most int64) Finding {
	n := d.args[slotAmount].number
	f := Finding{Rule: rule, Action: d.spec.Name, Argument: slotNames[slotAmount], Trust: memory.Rules, Requested: &n, Maximum: &most}
	f.Unit = d.args[slotAmount].param.Unit
	if d.spec.Name == (world.ExecuteUntil{}).ActionName() {
		f.Argument = ArgumentOrder
	}
	return f
}

// own decides, with untrusted texts in view, whether the action is the agent's own
// or one that its authors may ask for.
func (q *inquiry) own() (Finding, bool) {
	if q.deed.spec.Name == (world.Wait{}).ActionName() && q.orderAsked() {
		return Finding{}, true
	}
	planned, covered := q.planned()
	if covered {
		return Finding{}, true
	}
	asked, covered := q.asked()
	if covered {
		return Finding{}, true
	}
	if q.e.off(LayerPlan) {
		return q.trusted()
	}
	if asked.Rule != "" && planned.Rule == RuleNotPlanned {
		return asked, false
	}
	return planned, false
}

// trusted demands own trust of every argument; it is what is left of the checks
// without a plan to hold the action against.
func (q *inquiry) trusted() (Finding, bool) {
	if q.e.off(LayerTrust) {
		return Finding{}, true
	}
	for s := range slotCount {
		if q.deed.args[s].param != nil && q.trust(s) < memory.SelfObservation {
			return q.findingOn(RuleArgumentUntrusted, s), false
		}
	}
	return Finding{}, true
}

// findingOn is a finding about one argument.
func (q *inquiry) findingOn(rule Rule, s slot) Finding {
	f := Finding{
		Rule: rule, Action: q.deed.spec.Name, Argument: slotNames[s], Trust: q.least(), Authors: q.authors(s),
	}
	if arg := &q.deed.args[s]; arg.isNumber() {
		n := arg.number
		f.Requested, f.Unit = &n, arg.param.Unit
	}
	return f
}

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
			if f, ok = q.ordered(intent); ok {
				return Finding{}, true
			}
			s = slotCount
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
func (q *inquiry) covers(intent *Intent) (slot, Finding, bool) {
	for s := range slotCount {
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
	return slotCount, Finding{}, true
}

// number is the number that an intent gives for a slot, nil when it is open or none.
func (i *Intent) number(s slot) *int64 {
	switch s {
	case slotAmount:
		return i.Amount
	case slotPrice:
		return i.Price
	}
	return nil
}

// gives reports whether an intent gives an argument, and whether it gives this value.
// Numbers are equal also when clamping the intent's leads to the action's.
func (q *inquiry) gives(intent *Intent, s slot) (given, equal bool) {
	arg := &q.deed.args[s]
	word := ""
	switch s {
	case slotAmount, slotPrice:
		n := intent.number(s)
		return n != nil, n != nil && (*n == arg.number || q.clamped(intent, s) == arg.number)
	case slotTo:
		word = intent.To
	case slotID:
		word = intent.ID
	case slotWhat:
		word = intent.What
	case slotText:
		word = intent.Text
		return word != "", word == arg.text
	}
	return word != "", strings.EqualFold(word, arg.text)
}

// clamped is what becomes of the intent's number when the action is clamped with it.
func (q *inquiry) clamped(intent *Intent, s slot) int64 {
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
