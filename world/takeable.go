package world

import (
	"math/bits"
	"slices"
)

// Lifts reports whether an allow is narrower than a forbid, so that it holds where both describe an
// action: it has more conditions, or as many and names an action where the forbid is about all.
func (c PolicyRule) Lifts(forbid PolicyRule) bool {
	own, other := c.conditions(), forbid.conditions()
	if more := bits.OnesCount(own) - bits.OnesCount(other); more != 0 {
		return more > 0
	}
	return own == other && forbid.Action == Anyone && c.Action != Anyone
}

// conditions is the set of conditions that narrow the rule: a bit each for agent, to, what and at.
func (c PolicyRule) conditions() (set uint) {
	for i, narrows := range [...]bool{c.Agent != Anyone, c.To != "" && c.To != Anyone, c.What != "", c.At != ""} {
		if narrows {
			set |= 1 << i
		}
	}
	return set
}

// RateMet reports whether a trade that gives an amount and brings got of [PolicyRule.Get] brings at
// least what the rule wants for it. It is false if one of them is negative.
func (c PolicyRule) RateMet(given, got int64) bool {
	return c.GetAtLeast == 0 || AtLeast(got, max(1, c.Per), c.GetAtLeast, given)
}

// AtLeast reports whether a*b >= c*d, exactly. It is false if one of them is negative.
func AtLeast(a, b, c, d int64) bool {
	if min(a, b, c, d) < 0 {
		return false
	}
	high, low := bits.Mul64(uint64(a), uint64(b))
	most, least := bits.Mul64(uint64(c), uint64(d))
	return high > most || high == most && low >= least
}

// takes reports whether the rules of agent n can ever let it accept an offer, however little of their
// totals is used. What no rule describes may be accepted. What an agent holds does not matter.
func (w *World) takes(n int32, t *terms) bool {
	own := agentID(int(n) % int(w.scenario.planned()))
	describes := func(c PolicyRule) bool {
		to := c.To == "" || c.To == Anyone || c.To == ToAsker || c.To == t.From
		return c.Binds(own) && (c.Action == (AcceptOffer{}).ActionName() || c.Action == Anyone) && to &&
			fits(c.What, t.Want) && fits(c.Get, t.Give) && fits(c.At, t.Place)
	}
	var allows, forbids []PolicyRule
	for _, c := range w.scenario.Policy {
		switch {
		case !describes(c):
		case c.Effect == EffectForbid:
			forbids = append(forbids, c)
		default:
			allows = append(allows, c)
		}
	}
	allows = slices.DeleteFunc(allows, func(c PolicyRule) bool {
		return slices.ContainsFunc(forbids, func(f PolicyRule) bool { return !c.Lifts(f) })
	})
	if len(allows) == 0 {
		return len(forbids) == 0
	}
	return slices.ContainsFunc(allows, func(c PolicyRule) bool {
		within := func(limit int64) bool { return limit == 0 || t.WantAmount <= limit }
		return within(c.Most) && within(c.Total) && within(c.TotalEach) && c.RateMet(t.WantAmount, t.GiveAmount)
	})
}

// fits reports whether a condition of a rule, empty for none, holds for a value.
func fits(condition, value string) bool { return condition == "" || condition == value }

// GivesTo lists what the rules of another agent let it give for an offer or a request of this one: action,
// goods, most and rate of those that name this agent or everybody, as the scenario has them. What is
// left of them, and who else is named, is not told.
func (v View) GivesTo(agent string) (list []PolicyRule) {
	k := v.known()
	n, exists := k.numbers[agent]
	if !exists {
		return nil
	}
	own, self := agentID(int(n)%int(k.planned)), k.seen.Self.ID
	for _, c := range k.policy {
		switch c.Action {
		case (Transfer{}).ActionName(), (Offer{}).ActionName(), (AcceptOffer{}).ActionName():
		default:
			continue
		}
		asks := slices.Contains(c.AskedBy, self) || slices.Contains(c.AskedBy, Anyone)
		to := c.To == "" || c.To == Anyone || c.To == ToAsker || c.To == self
		if c.Effect == EffectAllow && c.Binds(own) && asks && to {
			list = append(list, PolicyRule{Action: c.Action, What: c.What, Most: c.Most, Get: c.Get, GetAtLeast: c.GetAtLeast,
				Per: c.Per})
		}
	}
	return list
}
