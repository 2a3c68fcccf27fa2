package policy

import (
	"slices"

	"example.com/agentworld/world"
)

// clause is a clause with what audits ask of it.
type clause struct {
	world.Clause
	// conditions counts how many conditions narrow it.
	conditions int
	// anybody says that everybody's texts may bring the action about.
	anybody bool
}

func newClause(c world.Clause) clause {
	if c.To == world.Anyone {
		c.To = ""
	}
	k := clause{Clause: c, anybody: slices.Contains(c.AskedBy, world.Anyone)}
	for _, narrowed := range []bool{c.Agent != world.Anyone, c.To != "", c.What != "", c.At != ""} {
		if narrowed {
			k.conditions++
		}
	}
	return k
}

// forbids and allows tell the effects apart.
func (c *clause) forbids() bool { return c.Effect == world.EffectForbid }
func (c *clause) allows() bool  { return c.Effect == world.EffectAllow }

// toAsker says that the receiver must be whoever asked.
func (c *clause) toAsker() bool { return c.To == world.ToAsker }

// describes reports whether the clause is about an action done at a place, its amount
// and who asked apart.
func (c *clause) describes(d *deed, place string) bool {
	return (c.Action == d.spec.Name || c.Action == world.Anyone) &&
		(c.To == "" || c.toAsker() && d.args[world.SlotTo].param != nil || c.To == d.args[world.SlotTo].text) &&
		(c.What == "" || c.What == d.args[world.SlotWhat].text) &&
		(c.At == "" || c.At == place)
}

// lifts reports whether an allow is narrower than a forbid.
func (c *clause) lifts(f *clause) bool {
	if c.conditions != f.conditions {
		return c.conditions > f.conditions
	}
	sameKinds := (c.Agent == world.Anyone) == (f.Agent == world.Anyone) && (c.To == "") == (f.To == "") &&
		(c.What == "") == (f.What == "") && (c.At == "") == (f.At == "")
	return sameKinds && f.Action == world.Anyone && c.Action != world.Anyone
}

// heeds reports whether the clause lets an author's texts bring the action about.
func (c *clause) heeds(author string) bool { return c.anybody || slices.Contains(c.AskedBy, author) }

// limit is the highest amount that a clause allows now and the rule that an amount
// beyond it breaks.
func (c *clause) limit(spent int64) (most int64, rule Rule, limited bool) {
	most, rule = c.Most, RuleAmount
	if left := max(0, c.Total-spent); c.Total > 0 && (c.Most == 0 || left < c.Most) {
		most, rule = left, RuleTotal
	}
	return most, rule, c.Most > 0 || c.Total > 0
}
