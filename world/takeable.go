package world

import "slices"

// takes reports whether the rules of agent n can ever let it accept an offer, however little of their
// totals is used. What no rule describes may be accepted. What an agent holds does not matter.
func (w *World) takes(n int32, t *terms) bool {
	own := agentID(int(n) % int(w.scenario.planned()))
	describes := func(c PolicyRule) bool {
		return c.Binds(own) && (c.Action == (AcceptOffer{}).ActionName() || c.Action == Anyone) && c.reaches(t.From) &&
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

// reaches reports whether an action that a rule describes may be directed to an agent that asks for it.
func (c PolicyRule) reaches(asker string) bool {
	return c.To == "" || c.To == Anyone || c.To == ToAsker || c.To == asker
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
		if c.Effect == EffectAllow && c.Binds(own) && asks && c.reaches(self) {
			list = append(list, PolicyRule{Action: c.Action, What: c.What, Most: c.Most, Get: c.Get, GetAtLeast: c.GetAtLeast,
				Per: c.Per})
		}
	}
	return list
}
