package policy

import (
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"slices"
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
		return Violation{Rule: RuleUnavailable, Trust: trace.TrustRules}, false
	}
	if !e.off(LayerMandate) {
		f, ok := q.within(&q.deed, false)
		if ok && q.order != nil {
			f, ok = q.within(orderDeed(q.order), true)
		}
		if !ok {
			return f, false
		}
	}
	if len(e.Untrusted) == 0 {
		return Violation{}, true
	}
	// From here on the action has to be the agent's own, or one that the authors in view
	// may ask for. Waiting needs nobody's leave, so that only the order around it is in
	// question.
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
	switch {
	case e.off(LayerPlan) && !e.off(LayerTrust):
		// Without a plan to hold the action against, every argument must be of own trust.
		for s := range world.SlotCount {
			if q.deed.args[s].param != nil && q.trust(s) < trace.TrustSelfObservation {
				return q.violationOn(RuleArgumentUntrusted, s), false
			}
		}
		return Violation{}, true
	case e.off(LayerPlan):
		return Violation{}, true
	case asked.Rule != "" && planned.Rule == RuleNotPlanned:
		// The amount that a clause allows says more than that nothing was planned.
		return asked, false
	}
	return planned, false
}

// orderDeed is a standing order as an action of its own, its attempts being its
// amount.
func orderDeed(o *world.ExecuteUntil) *deed {
	d := &deed{}
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
	amount := &d.args[world.SlotAmount]
	f := Violation{
		Rule: rule, Action: d.spec.Name, Argument: world.SlotAmount.String(), Trust: trace.TrustRules,
		Requested: new(amount.number), Maximum: &most, Unit: amount.param.Unit,
	}
	if d.spec.Name == (world.ExecuteUntil{}).ActionName() {
		f.Argument = ArgumentOrder
	}
	return f
}

// orderRefused is the violation by the attempts of the standing order around the action.
func (q *inquiry) orderRefused(most int64) Violation {
	return Violation{
		Rule: RuleOrderNotPlanned, Action: q.deed.spec.Name, Argument: ArgumentOrder, Trust: q.least(),
		Requested: new(q.order.MaxTicks), Maximum: &most, Unit: world.Ticks, Authors: q.everyone(),
	}
}

// violationOn is a violation by one argument.
func (q *inquiry) violationOn(rule Rule, s world.Slot) Violation {
	f := Violation{
		Rule: rule, Action: q.deed.spec.Name, Argument: s.String(), Trust: q.least(), Authors: q.authors(s),
	}
	if arg := &q.deed.args[s]; arg.isNumber() {
		f.Requested, f.Unit = new(arg.number), arg.param.Unit
	}
	return f
}

// asked looks for a clause by which the authors in view may bring the action about.
// Without one, the violation is empty, or that of the clause that fits all but the amount.
func (q *inquiry) asked() (Violation, bool) {
	var best Violation
	for i := range q.m.clauses {
		c := &q.m.clauses[i]
		if len(c.AskedBy) == 0 || !q.effective(c, &q.deed, false) || !q.heeded(c) {
			continue
		}
		if most, rule, limited := c.limit(q.e.Spent.of(i)); limited && q.deed.args[world.SlotAmount].number > most && !q.e.off(LayerMandate) {
			best = exceeded(&q.deed, rule, most)
			continue
		}
		if q.order == nil || q.orderAsked() {
			return Violation{}, true
		}
		best = q.orderRefused(0)
	}
	return best, false
}

// heeded reports whether a clause names every author that an argument may come from,
// and every author that the model says it followed. To whoever asked means that
// the receiver is among the authors of each argument: others cannot ask in its name.
func (q *inquiry) heeded(c *clause) bool {
	for _, cited := range q.e.Declared {
		if cited.Trust < trace.TrustSelfObservation && !c.heeds(cited.OriginAgent) && !q.e.off(LayerTrust) {
			return false
		}
	}
	if c.anybody && !c.toAsker() {
		return true
	}
	for s := range world.SlotCount {
		if q.deed.args[s].param == nil {
			continue
		}
		authors := q.authors(s)
		if !all(authors, c.heeds) || c.toAsker() && !slices.Contains(authors, q.deed.args[world.SlotTo].text) {
			return false
		}
	}
	return true
}

// orderAsked reports whether a clause about standing orders lets all authors in view
// ask for this one. What ends an order and how long it lasts may come from anywhere
// in their texts.
func (q *inquiry) orderAsked() bool {
	around := orderDeed(q.order)
	for i := range q.m.clauses {
		c := &q.m.clauses[i]
		if len(c.AskedBy) == 0 || !q.effective(c, around, true) || !all(q.everyone(), c.heeds) {
			continue
		}
		if most, _, limited := c.limit(q.e.Spent.of(i)); !limited || q.order.MaxTicks <= most || q.e.off(LayerMandate) {
			return true
		}
	}
	return false
}

// all reports whether every author is heeded. An author that is not known is heeded
// only by a clause that heeds everybody.
func all(authors []string, heeds func(string) bool) bool {
	return !slices.ContainsFunc(authors, func(id string) bool { return !heeds(id) })
}
