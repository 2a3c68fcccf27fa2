package engine_test

import (
	"context"
	"strings"
	"testing"

	"example.com/agentworld/engine"
)

// foundry is a world with a chain of its own: gears of plates, frames of both, in two kinds of factory.
const foundry = `id = "foundry"
products = ["plate", "gear", "frame"]

[[places]]
id = "yard"
offset_pct = { x = 0, y = 0, z = 0 }
material = "metal"
emission = 25
compound_g = 400_000

[[factory_kinds]]
id = "foundry"
cost = { electricity = 8, hardware = 3 }
ticks = 2

[[recipes]]
id = "press"
factory_kind = "factory.foundry"
inputs = { electricity = 3, hardware = 1 }
outputs = { plate = 2 }
ticks = 1

[[recipes]]
id = "cut"
factory_kind = "factory.foundry"
inputs = { electricity = 2, plate = 1 }
outputs = { gear = 1 }
ticks = 1

[[recipes]]
id = "frame"
factory_kind = "factory.assembler.mk1"
inputs = { electricity = 4, plate = 1, gear = 2 }
outputs = { frame = 1 }
ticks = 2

[agents]
count = 1
spawn = ["yard"]
stock = [{ electricity = 60, hardware = 8 }]

[[goals]]
id = "frames"
agent = "*"
text = "GOAL"
metric = "product:frame"
at_least = 2
`

// TestTheEmbeddedModelPlaysOwnRecipes: what a scenario adds to the industry reaches the model by the prompt
// alone, in both languages, and is played: a chain of recipes in two kinds of factory. The run replays.
func TestTheEmbeddedModelPlaysOwnRecipes(t *testing.T) {
	for language, goal := range map[string]string{"en": "Have two frames.", "zh": "拥有 2 个 frame。"} {
		o := options(t, "minimal", 70)
		o.Scenario, o.ScenarioTOML, o.Language = "foundry", strings.Replace(foundry, "GOAL", goal, 1), language
		run(t, o)
		report := fold(t, o.RunDir)
		if report.GoalsMet != 1 {
			t.Errorf("%s: %+v", language, report.Goals)
		}
		if _, err := engine.Replay(context.Background(), o.RunDir, engine.ReplayOptions{}); err != nil {
			t.Errorf("%s: the replay: %v", language, err)
		}
	}
}
