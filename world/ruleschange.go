package world

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// fixedRules are the rules that hold for the whole life of a world, each with what
// of its state would become wrong. All others only shape what is yet to come.
var fixedRules = map[string]string{
	"power_capacity":        "what agents hold is bounded by it",
	"idle_draw":             "charges are stored as of an agent's last action and computed from there",
	"ambient_floor":         "charges are stored as of an agent's last action and computed from there",
	"low_percent":           "the next change of every agent's power state is planned",
	"critical_percent":      "the next change of every agent's power state is planned",
	"restart_percent":       "the next change of every agent's power state is planned",
	"heat_capacity":         "heat is stored as of an agent's last harvest and computed from there",
	"dissipation":           "heat is stored as of an agent's last harvest and computed from there",
	"radiation_floor":       "the radiation of every place is computed when the world is made",
	"radiation_floor_cap":   "the radiation of every place is computed when the world is made",
	"radiation_decay_ppb":   "the radiation of every place is computed when the world is made",
	"inbox_max":             "messages are kept up to it",
	"notes_max":             "notes are kept up to it",
	"plant_rate":            "what plants hold is stored as of the last trade and computed from there",
	"plant_cap":             "what plants hold is stored as of the last trade and computed from there",
	"plant_quote_span":      "prices that were told are still on their way",
	"refine_g_per_hardware": "tool schemas state it",
}

// ChangeableRules names the rules that [World.SetRules] can change, in their order.
func ChangeableRules() []string {
	var names []string
	for _, f := range DefaultRules().ranges() {
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
		return r, fmt.Errorf("rules.%s cannot change during a run: %s; those that can: %s", name, why, strings.Join(ChangeableRules(), ", "))
	}
	if !slices.Contains(ChangeableRules(), name) {
		return r, fmt.Errorf("there is no rule %q; those that can change: %s", name, strings.Join(ChangeableRules(), ", "))
	}
	fields, err := json.Marshal(map[string]int64{name: value})
	if err == nil {
		err = json.Unmarshal(fields, &r)
	}
	if err != nil {
		panic("world: a rule is no field of the rules: " + err.Error())
	}
	return r, r.check()
}

// RuleChange is one rule that differs between two sets of rules.
type RuleChange struct {
	Name     string
	From, To int64
}

// Changed lists the rules in which next differs from r, in their order.
func (r Rules) Changed(next Rules) []RuleChange {
	var list []RuleChange
	to := next.ranges()
	for i, f := range r.ranges() {
		if f.value != to[i].value {
			list = append(list, RuleChange{f.name, f.value, to[i].value})
		}
	}
	return list
}

// SetRules puts other rules into force from the next tick on. It is called between
// ticks, after Apply. Everything that happened stays as it is: journeys and messages
// under way keep their length and price, jobs theirs.
//
// The error names a rule that cannot change, or what the world holds that the new
// rules have no place for; the world is then as before.
func (w *World) SetRules(next Rules) error {
	if err := next.check(); err != nil {
		return err
	}
	changes := w.law.Changed(next)
	for _, c := range changes {
		if why := fixedRules[c.Name]; why != "" {
			return fmt.Errorf("rules.%s cannot change during a run: %s", c.Name, why)
		}
		if err := w.allows(c, next); err != nil {
			return err
		}
	}
	if len(changes) == 0 {
		return nil
	}
	w.law, w.scenario.Rules = newLaw(next), next
	return nil
}

// allows looks at what is stored under the old rules.
func (w *World) allows(c RuleChange, next Rules) error {
	switch c.Name {
	case "build_electricity", "build_hardware", "plant_electricity", "plant_hardware":
		// What a factory costs is held in escrow until it is finished, and taken then.
		for i := range w.factories {
			if f := &w.factories[i]; !f.ready {
				return fmt.Errorf("rules.%s cannot change now: %s of %s is under construction until tick %d", c.Name, f.id, w.agents[f.owner].id, f.stepAt)
			}
		}
	case "heat_factor":
		for i := range w.agents {
			if a := &w.agents[i]; a.heat > next.heatMax() {
				return fmt.Errorf("rules.heat_factor cannot be %d now: the heat of %s is %d, under it at most %d", c.To, a.id, a.heat, next.heatMax())
			}
		}
	}
	return nil
}
