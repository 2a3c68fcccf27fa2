package policy

import (
	"slices"

	"example.com/agentworld/world"
)

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
		n := q.order.MaxTicks
		best = Violation{
			Rule: RuleOrderNotPlanned, Action: q.deed.spec.Name, Argument: ArgumentOrder, Trust: q.least(),
			Requested: &n, Maximum: new(int64), Unit: world.Ticks, Authors: q.everyone(),
		}
	}
	return best, false
}

// heeded reports whether a clause names every author that an argument may come from,
// and every author that the model says it followed. To whoever asked means that
// the receiver is among the authors of each argument: others cannot ask in its name.
func (q *inquiry) heeded(c *clause) bool {
	if !q.e.off(LayerTrust) && !all(q.declared(), c.heeds) {
		return false
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
		if len(c.AskedBy) == 0 || !q.effective(c, &around, true) || !all(q.everyone(), c.heeds) {
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
