package policy

import (
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Evaluate reports whether an agent may commit an action; when not, the violation says
// why. The action is the clamped one. Audit reads its arguments only, so that the same
// evidence gives the same violation; it never panics, whatever the action.
func (m Policy) Evaluate(a world.Action, e Evidence) (Violation, bool) {
	if _, plain := a.(world.Wait); plain {
		return Violation{}, true
	}
	q, ok := m.inquire(a, &e)
	if !ok {
		return q.unavailable(), false
	}
	if f, ok := q.lawful(); !ok {
		return f, false
	}
	if !e.untrusted() {
		return Violation{}, true
	}
	return q.own()
}

func (q *inquiry) unavailable() Violation {
	f := Violation{Rule: RuleUnavailable, Trust: trace.TrustRules}
	if q.deed.spec != nil {
		f.Action = q.deed.spec.Name
	}
	return f
}

// lawful holds the action, and the standing order around it, against the clauses.
func (q *inquiry) lawful() (Violation, bool) {
	if q.e.off(LayerMandate) {
		return Violation{}, true
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
	d.args[world.SlotAmount].number = o.MaxTicks
	return d
}

// within holds one deed against the clauses; a standing order only against those that
// name it. An allow counts when it describes the deed and lifts whatever forbids it;
// of several the most generous one bounds the amount, and is what a refusal tells of.
func (q *inquiry) within(d *deed, named bool) (Violation, bool) {
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
		if !limited || d.args[world.SlotAmount].param == nil || d.args[world.SlotAmount].number <= n {
			return Violation{}, true
		}
		if n > most {
			best, most, rule = c, n, r
		}
	}
	switch {
	case best != nil:
		return exceeded(d, rule, most), false
	case forbidden:
		return Violation{Rule: RuleForbidden, Action: d.spec.Name, Trust: trace.TrustRules}, false
	}
	return Violation{}, true
}

// about reports whether a clause is about a deed here.
func (q *inquiry) about(c *clause, d *deed, named bool) bool {
	return c.describes(d, q.place) && (!named || c.Action == d.spec.Name)
}

// effective reports whether an allow describes a deed, its receiver included, and is
// narrower than every forbid that does.
func (q *inquiry) effective(c *clause, d *deed, named bool) bool {
	if !c.allows() || !q.about(c, d, named) || c.toAsker() && !q.asking(c, d.args[world.SlotTo].text) {
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

// exceeded is the violation by an amount beyond a limit.
func exceeded(d *deed, rule Rule, most int64) Violation {
	n := d.args[world.SlotAmount].number
	f := Violation{Rule: rule, Action: d.spec.Name, Argument: world.SlotAmount.String(), Trust: trace.TrustRules, Requested: &n, Maximum: &most}
	f.Unit = d.args[world.SlotAmount].param.Unit
	if d.spec.Name == (world.ExecuteUntil{}).ActionName() {
		f.Argument = ArgumentOrder
	}
	return f
}

// own decides, with untrusted texts in view, whether the action is the agent's own
// or one that its authors may ask for.
func (q *inquiry) own() (Violation, bool) {
	// Waiting needs nobody's leave, so that only the order around it is in question.
	if q.deed.spec.Name == (world.Wait{}).ActionName() && q.orderAsked() {
		return Violation{}, true
	}
	planned, covered := q.planned()
	if covered {
		return Violation{}, true
	}
	asked, covered := q.asked()
	if covered {
		return Violation{}, true
	}
	if q.e.off(LayerPlan) {
		return q.trusted()
	}
	// The amount that a clause allows says more than that nothing was planned.
	if asked.Rule != "" && planned.Rule == RuleNotPlanned {
		return asked, false
	}
	return planned, false
}

// trusted demands own trust of every argument; it is what is left of the checks
// without a plan to hold the action against.
func (q *inquiry) trusted() (Violation, bool) {
	if q.e.off(LayerTrust) {
		return Violation{}, true
	}
	for s := range world.SlotCount {
		if q.deed.args[s].param != nil && q.trust(s) < trace.TrustSelfObservation {
			return q.violationOn(RuleArgumentUntrusted, s), false
		}
	}
	return Violation{}, true
}

// violationOn is a violation by one argument.
func (q *inquiry) violationOn(rule Rule, s world.Slot) Violation {
	f := Violation{
		Rule: rule, Action: q.deed.spec.Name, Argument: s.String(), Trust: q.least(), Authors: q.authors(s),
	}
	if arg := &q.deed.args[s]; arg.isNumber() {
		n := arg.number
		f.Requested, f.Unit = &n, arg.param.Unit
	}
	return f
}
