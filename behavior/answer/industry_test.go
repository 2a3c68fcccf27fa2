package answer

import (
	"strings"
	"testing"

	"example.com/agentworld/world"
)

// TestNamesOfOwnIndustry: names that a scenario adds are read as the built-in ones are, whole or by their last
// part, and only in its world. What the world does not have is refused with all that it has.
func TestNamesOfOwnIndustry(t *testing.T) {
	s := world.Scenario{Rules: world.DefaultRules(), Products: []string{"iron_rod"}}
	s.FactoryKinds = []world.FactoryKind{{Name: "factory.mill", Ticks: 1}}
	s.Recipes = []world.Recipe{{ID: "recipe.iron_rod", Alias: "recipe.iron_rod", FactoryKind: "factory.mill", Ticks: 1}}
	own := s.Industry()
	for raw, want := range map[string]string{
		`{"action":"schedule_recipe","id":"f","what":"iron_rod","amount":1}`:        `"recipe_id":"recipe.iron_rod"`,
		`{"action":"schedule_recipe","id":"f","what":"recipe.iron_rod","amount":1}`: `"recipe_id":"recipe.iron_rod"`,
		`{"action":"build_factory","what":"Factory Mill"}`:                          `"factory_kind":"factory.mill"`,
		`{"action":"transfer_resource","to":"a","what":"iron rod","amount":1}`:      `"kind":"iron_rod"`,
		`{"action":"transfer_resource","to":"a","what":"chip","amount":1}`:          `"kind":"control_chip"`,
	} {
		action, _, fault := DecodeAction([]byte(raw), own)
		if fault != nil || !strings.Contains(string(world.EncodeAction(action)), want) {
			t.Errorf("%s: %v, %v", raw, action, fault)
		}
		_, _, fault = DecodeAction([]byte(raw), nil)
		if elsewhere := !strings.Contains(raw, "chip"); elsewhere && fault == nil {
			t.Errorf("%s is read where there is no such thing", raw)
		}
	}
	_, _, fault := DecodeAction([]byte(`{"action":"transfer_resource","to":"a","what":"gold","amount":1}`), own)
	if fault == nil || fault.Path != "what" || !strings.Contains(fault.Error(), "logistics_drone, iron_rod") {
		t.Errorf("gold: %v", fault)
	}
}
