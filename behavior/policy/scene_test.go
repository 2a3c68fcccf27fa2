package policy

import (
	"encoding/json"
	"testing"

	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// fieldTOML is a small world: three agents at a radiating place with ore, a second
// place in sight, and a market.
const fieldTOML = `
id = "field"
terms = true
visibility_km = 40
[[places]]
id = "hub"
offset_pct = { x = -5, y = 0, z = 0 }
material = "composite"
radius_cm = 240
emission = 45
compound_g = 90_000
[[places]]
id = "rim"
offset_pct = { x = 5, y = 0, z = 0 }
material = "metal"
compound_g = 60_000
[agents]
count = 3
spawn = ["hub", "hub", "hub"]
stock = [{ electricity = 60, compound = 7_000, hardware = 9, data = 12 }]
`

// viewOf is what agent-1 sees in the first tick, or agent-n.
func viewOf(t testing.TB, n int) world.View {
	t.Helper()
	w := fieldWorld(t)
	w.Advance()
	return w.View(n - 1)
}

func fieldWorld(t testing.TB) *world.World {
	t.Helper()
	s, err := scenario.Parse("field.toml", []byte(fieldTOML))
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// planned reads planned actions as JSON.
func planned(t testing.TB, list ...string) []PlannedAction {
	t.Helper()
	plan := make([]PlannedAction, len(list))
	for i, text := range list {
		if err := json.Unmarshal([]byte(text), &plan[i]); err != nil {
			t.Fatal(text, err)
		}
	}
	return plan
}

// order repeats an action for at most n ticks.
func order(t testing.TB, do world.Action, n int64, ignore ...string) world.ExecuteUntil {
	t.Helper()
	o, err := world.NewExecuteUntil(do, []world.Condition{{Event: world.StopJobDone}}, n, ignore...)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func allow(action string, more ...func(*world.PolicyRule)) world.PolicyRule {
	return clauseOf(world.EffectAllow, action, more)
}

func forbid(action string, more ...func(*world.PolicyRule)) world.PolicyRule {
	return clauseOf(world.EffectForbid, action, more)
}

func clauseOf(effect, action string, more []func(*world.PolicyRule)) world.PolicyRule {
	c := world.PolicyRule{Agent: world.Anyone, Effect: effect, Action: action}
	for _, set := range more {
		set(&c)
	}
	return c
}

func to(id string) func(*world.PolicyRule)     { return func(c *world.PolicyRule) { c.To = id } }
func what(name string) func(*world.PolicyRule) { return func(c *world.PolicyRule) { c.What = name } }
func at(place string) func(*world.PolicyRule)  { return func(c *world.PolicyRule) { c.At = place } }
func most(n int64) func(*world.PolicyRule)     { return func(c *world.PolicyRule) { c.Most = n } }
func total(n int64) func(*world.PolicyRule)    { return func(c *world.PolicyRule) { c.Total = n } }
func agent(id string) func(*world.PolicyRule)  { return func(c *world.PolicyRule) { c.Agent = id } }

func askedBy(ids ...string) func(*world.PolicyRule) {
	return func(c *world.PolicyRule) { c.AskedBy = ids }
}
