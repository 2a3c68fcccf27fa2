package policy

import (
	"math/bits"
	"slices"

	"example.com/agentworld/world"
)

// clause is a rule with what checks ask of it.
type clause struct {
	world.Clause
	// conditions counts how many conditions narrow it.
	conditions int
	// anybody says that every agent may ask.
	anybody bool
}

// newClause reads a rule.
func newClause(c world.Clause) clause {
	c = c.WithDefaults()
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

// describes reports whether the rule is about a deed, its amount and who asked apart. Of an
// offer that is not in view nobody knows what it is about, so that every forbid is.
func (c *clause) describes(d *Deed) bool {
	return (c.Action == d.spec.Name || c.Action == world.Anyone) &&
		(c.To == "" || d.unknown || c.toAsker() && d.to != "" || c.To == d.to) &&
		(c.What == "" || c.What == d.what || d.unknown) &&
		(c.Get == "" || c.Get == d.get || d.unknown) && (c.At == "" || c.At == d.place)
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

// heeds reports whether the rule lets an agent ask.
func (c *clause) heeds(id string) bool { return c.anybody || slices.Contains(c.AskedBy, id) }

// pays reports whether a trade brings at least what the rule wants for what it gives.
func (c *clause) pays(d *Deed) bool {
	return c.GetAtLeast == 0 || atLeast(d.got, max(1, c.Per), c.GetAtLeast, d.amount)
}

// atLeast reports whether a*b >= c*d, exactly; no number may be negative, and one that is
// makes it false.
func atLeast(a, b, c, d int64) bool {
	if min(a, b, c, d) < 0 {
		return false
	}
	high, low := bits.Mul64(uint64(a), uint64(b))
	most, least := bits.Mul64(uint64(c), uint64(d))
	return high > most || high == most && low >= least
}
