package world

import (
	"fmt"
	"slices"
)

// fixedRules are the rules that hold for the whole life of a world, each with the state
// that a change would make wrong. All others only affect the future.
var fixedRules = map[string]string{
	"radiation_floor":       "the radiation of every place is computed when the world is made",
	"radiation_floor_cap":   "the radiation of every place is computed when the world is made",
	"radiation_decay_ppb":   "the radiation of every place is computed when the world is made",
	"sight_age_ticks":       "how places looked is kept up to it",
	"inbox_max":             "messages are kept up to it",
	"notes_max":             "notes are kept up to it",
	"plant_rate":            "what plants hold is stored as of the last trade and computed from there",
	"plant_cap":             "what plants hold is stored as of the last trade and computed from there",
	"plant_quote_span":      "prices that were told are still on their way",
	"refine_g_per_hardware": "tool schemas state it",
}

// settledRules are the rules that charge and heat are computed by since they were last
// settled. They can change because everything is settled under the old ones first.
var settledRules = []string{
	"power_capacity", "idle_draw", "ambient_floor", "low_percent", "critical_percent", "restart_percent", "heat_capacity",
	"dissipation",
}

// ChangeableRules names the rules that [World.SetRules] can change, in their order.
func ChangeableRules() []string {
	var names []string
	for _, f := range new(Rules).fields() {
		if fixedRules[f.name] == "" {
			names = append(names, f.name)
		}
	}
	return names
}

// With returns the rules with one of them changed, by its name in a scenario. The
// error says that the rule cannot change in a world and why, that there is none of
// that name, or which values it may have.
func (r Rules) With(name string, value int64) (Rules, error) {
	if why := fixedRules[name]; why != "" {
		return r, fmt.Errorf("rules.%s cannot change during a run: %s", name, why)
	}
	for _, f := range r.fields() {
		if f.name == name {
			*f.value = value
			return r, r.check()
		}
	}
	return r, fmt.Errorf("there is no rule %q", name)
}

// RuleChange is one rule that differs between two sets of rules.
type RuleChange struct {
	Name     string
	From, To int64
}

// Changed lists the rules in which next differs from r, in their order.
func (r Rules) Changed(next Rules) []RuleChange {
	var list []RuleChange
	to := next.fields()
	for i, f := range r.fields() {
		if *f.value != *to[i].value {
			list = append(list, RuleChange{f.name, *f.value, *to[i].value})
		}
	}
	return list
}

// SetRules replaces the rules from the next tick on. Call it between ticks, after Apply.
// Everything that happened stays as it is: journeys, messages and jobs under way keep their
// length and price. If a changed rule affects charge or heat, those of all agents are
// settled, and the next Advance returns the postings. Present balances stay the same. The
// digest changes, since it includes when they were settled.
//
// The error names a rule that cannot change, or what the world holds that the new rules do
// not allow; the world is then unchanged.
func (w *World) SetRules(next Rules) error {
	if err := next.check(); err != nil {
		return err
	}
	changes := w.law.Changed(next)
	for _, c := range changes {
		if why := fixedRules[c.Name]; why != "" {
			return fmt.Errorf("rules.%s cannot change during a run: %s", c.Name, why)
		}
		switch c.Name {
		case "build_electricity", "build_hardware", "plant_electricity", "plant_hardware":
			// What a factory costs is held in escrow until it is finished, and taken then.
			for i := range w.factories {
				if f := &w.factories[i]; !f.ready {
					return fmt.Errorf("rules.%s cannot change now: %s of %s is under construction until tick %d", c.Name, f.id,
						w.agents[f.owner].id, f.stepAt)
				}
			}
		case "heat_factor", "heat_capacity":
			for i := range w.agents {
				a := &w.agents[i]
				heat := a.heat // as stored, unless it is settled on the way
				if c.Name == "heat_capacity" {
					heat = w.heatOf(a)
				}
				if heat > next.HeatMost() {
					return fmt.Errorf("rules.%s cannot be %d now: the heat of %s is %d, under it at most %d", c.Name, c.To, a.id,
						heat, next.HeatMost())
				}
			}
		case "power_capacity":
			for i := range w.agents {
				if a := &w.agents[i]; w.electricityOf(a) > next.PowerCapacity {
					return fmt.Errorf("rules.power_capacity cannot be %d now: %s holds %d electricity", c.To, a.id, w.electricityOf(a))
				}
			}
		}
	}
	if len(changes) == 0 {
		return nil
	}
	settled := slices.ContainsFunc(changes, func(c RuleChange) bool { return slices.Contains(settledRules, c.Name) })
	if settled {
		for n := range w.agents {
			a := &w.agents[n]
			a.heat, a.heatAt = w.heatOf(a), w.tick
			w.settle(int32(n))
		}
		for i := range w.events {
			w.events[i].Tick = w.tick + 1 // this one is told already
		}
	}
	w.scenario.Rules = next
	w.law = newLaw(w.scenario.Industry())
	if settled {
		for n := range w.agents {
			w.planPower(int32(n))
		}
	}
	return nil
}
