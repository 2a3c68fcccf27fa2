package baseline

import (
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/world"
)

// workshop is a scenario with a chain of its own: plates and gears from a foundry, frames of both and of
// the data that chips bring.
const workshop = `id = "workshop"
products = ["plate", "gear", "frame"]

[[places]]
id = "yard"
offset_pct = { x = 0, y = 0, z = 0 }
material = "metal"
emission = 20
compound_g = 400_000

[[factory_kinds]]
id = "foundry"
cost = { electricity = 8, hardware = 3, control_chip = 1 }
ticks = 2

[[recipes]]
id = "plate"
factory_kind = "factory.foundry"
inputs = { electricity = 3, hardware = 1 }
outputs = { plate = 2 }
ticks = 1

[[recipes]]
id = "gear"
factory_kind = "factory.foundry"
inputs = { electricity = 2, plate = 1, compound = 200 }
outputs = { gear = 1 }
ticks = 1

[[recipes]]
id = "frame"
factory_kind = "factory.assembler.mk1"
inputs = { electricity = 4, plate = 1, gear = 2, data = 1 }
outputs = { frame = 1 }
ticks = 2

[agents]
count = 1
spawn = ["yard"]
stock = [{ electricity = 60 }]

[task]
family = "production"
ticks = 120
metric = "METRIC"

[[goals]]
id = "frames"
agent = "*"
text = "Have two frames."
metric = "product:frame"
at_least = 2
`

// TestScriptedPlaysAChainOfOwnRecipes: the scripted agents make what a chain of recipes in a file leads to,
// down to a factory that costs a product. Nobody exceeds the bound.
func TestScriptedPlaysAChainOfOwnRecipes(t *testing.T) {
	s := mustParse(t, workshop, "produced:frame")
	bound := BoundOf(s)
	_, scripted := mustPlay(s, s.Seed, s.Task.Ticks, Scripted)
	if scripted < 5 || scripted > bound.Score {
		t.Errorf("the scripted agents make %d frames, want 5 to %d (%s)", scripted, bound.Score, bound.Why)
	}
	for name, p := range map[string]Policy{"greedy": Greedy, "random": Random} {
		if _, score := mustPlay(s, s.Seed, s.Task.Ticks, p); score > bound.Score {
			t.Errorf("%s makes %d frames, more than the bound %d", name, score, bound.Score)
		}
	}
	if findings := Lint(s, s.Seed); len(findings) > 0 {
		t.Errorf("lint finds %v", findings)
	}
	t.Log(scripted, bound)
}

// TestBoundFollowsAChain: with matter for so many pieces alone, the bound is what it makes through the whole
// chain, and 0 where a part cannot be made.
func TestBoundFollowsAChain(t *testing.T) {
	for _, tc := range []struct {
		name, old, new string
		// gears are in the first stock.
		gears, want int64
	}{
		// A frame takes 3 plates, which are 1.5 hardware, 400 g for the gears, and a unit of data, which
		// comes with a chip of 2 hardware: 3.9 kg, beside the 5 kg of the assembler.
		{"scarce ground", "compound_g = 400_000", "compound_g = 17_500", 0, 3},
		{"a part nobody makes", `outputs = { gear = 1 }`, `outputs = { data = 1 }`, 0, 0},
		{"a part from the start", `outputs = { gear = 1 }`, `outputs = { data = 1 }`, 5, 2},
	} {
		s := mustParse(t, strings.Replace(workshop, tc.old, tc.new, 1), "produced:frame")
		s.Agents.Stock[0] = append(s.Agents.Stock[0], world.Amount{Resource: "gear", Amount: tc.gears})
		if got := BoundOf(s); got.Score != tc.want {
			t.Errorf("%s: the bound is %d, want %d: %s", tc.name, got.Score, tc.want, got.Why)
		}
	}
}

// TestLintNamesIdleIndustry: what nobody can build, run or make is a doubt with its name.
func TestLintNamesIdleIndustry(t *testing.T) {
	s := mustParse(t, strings.NewReplacer(
		`"frame"]`, `"frame", "spare", "relic"]`,
		"[[recipes]]\nid = \"plate\"", "[[factory_kinds]]\nid = \"idle\"\ncost = { hardware = 1 }\nticks = 1\n\n"+
			"[[recipes]]\nid = \"melt\"\nfactory_kind = \"factory.foundry\"\ninputs = { relic = 1 }\noutputs = { data = 2 }\nticks = 1\n\n"+
			"[[recipes]]\nid = \"plate\"",
	).Replace(workshop), "produced:frame")
	var told []string
	for _, f := range Lint(s, s.Seed) {
		told = append(told, f.String())
	}
	if want := []string{
		"doubt: factory kind factory.idle: nobody can ever build it or has a recipe for it",
		"doubt: recipe recipe.melt: nobody can ever run it: no such factory can be built or something that it takes cannot be had",
		"doubt: product spare: no recipe makes or takes it",
	}; !slices.Equal(told, want) {
		t.Errorf("lint says %q", told)
	}
}

// TestLintSaysWhoElseMeetsAGoal: one line for gifts and one for messages, none for an agent alone.
func TestLintSaysWhoElseMeetsAGoal(t *testing.T) {
	s := mustParse(t, workshop, "produced:frame")
	if lines := MetByOthers(s); len(lines) > 0 {
		t.Errorf("of an agent alone: %q", lines)
	}
	s.Agents.Count = 2
	s.Goals = append(s.Goals, world.Goal{ID: "heard", Metric: "event:message_delivered"}, world.Goal{ID: "own", Metric: "made:gear"})
	lines := MetByOthers(s)
	if len(lines) != 2 || !strings.Contains(lines[0], "by gifts: frames (product:frame);") ||
		!strings.Contains(lines[1], "by messages: heard (event:message_delivered);") {
		t.Errorf("lint says %q", lines)
	}
}
