package policy

import (
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

// counts reports whether an operation counts towards the total of a rule: what the rule describes, and
// of a rule about offers or about accepting them each trade of the same goods, made in either way.
func (r *rule) counts(op *Operation) bool {
	if r.describes(op) || !isTrade(r.Action) || !isTrade(op.spec.Name) {
		return r.describes(op)
	}
	either := *r
	either.Action = op.spec.Name
	return either.describes(op)
}

// isTrade reports whether an action offers a trade to others, or accepts one.
func isTrade(action string) bool {
	return action == (world.Offer{}).ActionName() || action == (world.AcceptOffer{}).ActionName()
}

// lifts reports whether an allow is narrower than a forbid, see [Policy].
func (r *rule) lifts(forbid *rule) bool { return r.Lifts(forbid.PolicyRule) }

// rateMet reports whether a trade brings at least what the rule wants for what it gives.
func (r *rule) rateMet(op *Operation) bool {
	return r.RateMet(op.amount, op.got)
}
