package policy

import (
	"math/bits"
	"slices"

	"example.com/agentworld/world"
)

// rule is a rule of the scenario, with its number among those of the agent, from 1.
type rule struct {
	world.PolicyRule
	number int
}

// newRule fills in what a rule leaves to its defaults. An empty To means any receiver.
func newRule(number int, c world.PolicyRule) rule {
	c = c.WithDefaults()
	if c.To == world.Anyone {
		c.To = ""
	}
	return rule{c, number}
}

func (r *rule) forbids() bool { return r.Effect == world.EffectForbid }
func (r *rule) allows() bool  { return r.Effect == world.EffectAllow }

// toAsker says that the receiver must be the agent that asks.
func (r *rule) toAsker() bool { return r.To == world.ToAsker }

func (r *rule) mayAsk(id string) bool { return slices.Contains(r.AskedBy, id) || r.anybodyMayAsk() }

func (r *rule) anybodyMayAsk() bool { return slices.Contains(r.AskedBy, world.Anyone) }

// describes reports whether the rule is about an operation. Amounts and askers do not matter.
// A standing order is described only by a rule that names execute_until. If the agent does not
// see the offer that the operation accepts, every forbid describes it.
func (r *rule) describes(op *Operation) bool {
	return (r.Action == op.spec.Name || r.Action == world.Anyone && op.spec.Name != ArgumentOrder) &&
		(r.To == "" || op.unknown || r.toAsker() && op.to != "" || r.To == op.to) &&
		(r.What == "" || r.What == op.what || op.unknown) &&
		(r.Get == "" || r.Get == op.get || op.unknown) && (r.At == "" || r.At == op.place)
}

// conditions is the set of conditions that narrow the rule: a bit each for agent, to, what and at.
func (r *rule) conditions() (set uint) {
	for i, narrows := range [...]bool{r.Agent != world.Anyone, r.To != "", r.What != "", r.At != ""} {
		if narrows {
			set |= 1 << i
		}
	}
	return set
}

// lifts reports whether an allow is narrower than a forbid, see [Policy].
func (r *rule) lifts(forbid *rule) bool {
	own, other := r.conditions(), forbid.conditions()
	if more := bits.OnesCount(own) - bits.OnesCount(other); more != 0 {
		return more > 0
	}
	return own == other && forbid.Action == world.Anyone && r.Action != world.Anyone
}

// rateMet reports whether a trade brings at least what the rule wants for what it gives.
func (r *rule) rateMet(op *Operation) bool {
	return r.GetAtLeast == 0 || atLeast(op.got, max(1, r.Per), r.GetAtLeast, op.amount)
}

// atLeast reports whether a*b >= c*d, exactly. It is false if one of them is negative.
func atLeast(a, b, c, d int64) bool {
	if min(a, b, c, d) < 0 {
		return false
	}
	high, low := bits.Mul64(uint64(a), uint64(b))
	most, least := bits.Mul64(uint64(c), uint64(d))
	return high > most || high == most && low >= least
}
