package world_test

import (
	"slices"
	"testing"

	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// TestNeedlessFollowsFromTheWorld: what is left out is what nothing in the scenario ever allows, and
// nothing else.
func TestNeedlessFollowsFromTheWorld(t *testing.T) {
	for _, c := range []struct {
		scenario        string
		needless, needs []string
	}{
		// Nothing to mine, assemblers out of reach, gifts and the market forbidden, plants of no use then.
		{"task_cooperation_ring_40", []string{"move_agent", "mine_compound", "refine_compound", "transfer_resource",
			"sell_power", "place_power_order", "cancel_power_order", "buy_power", "factory.assembler.mk1",
			"recipe.assembler.motor_mk1", "compound_above", "order_filled", "arrive_target", "new_visible_agent",
			"harvest_available_below", "factory.power.radiation.mk1", "recipe.maintenance", "build_factory", "schedule_recipe",
			"job_done"},
			[]string{"recipe.assembler.control_chip", "offer", "send_message", "hardware_above", "message_received", "power_low", "harvest_radiation"}},
		// One agent at one place.
		{"task_production_chips_40", []string{"move_agent", "transfer_resource", "sell_power", "place_power_order",
			"send_message", "post_note", "request", "offer", "message_received", "order_filled", "new_visible_agent",
			"new_visible_location"},
			[]string{"mine_compound", "refine_compound", "build_factory", "schedule_recipe", "buy_power",
				"factory.assembler.mk1", "recipe.assembler.logistics_drone", "compound_above", "job_done"}},
		// All but requests and offers.
		{"llm_bootstrap", []string{"request", "offer", "accept_offer", "decline", "cancel_offer"},
			[]string{"move_agent", "transfer_resource", "place_power_order", "cancel_power_order", "order_filled",
				"arrive_target", "harvest_available_below", "new_visible_agent"}},
	} {
		s, _, _ := scenario.Embedded(c.scenario)
		w, err := world.New(s, s.Seed)
		if err != nil {
			t.Fatal(err)
		}
		got := w.Needless(s.Rules, w.Forbidden()...)
		for _, name := range c.needless {
			if !slices.Contains(got, name) {
				t.Errorf("%s: %s is not needless", c.scenario, name)
			}
		}
		for _, name := range c.needs {
			if slices.Contains(got, name) {
				t.Errorf("%s: %s is needless", c.scenario, name)
			}
		}
		if free := w.Needless(s.Rules); c.scenario == "task_cooperation_ring_40" && slices.Contains(free, "transfer_resource") {
			t.Error("what only a rule forbids is needless where rules do not bind")
		}
	}
}

// TestAForkLeavesOutNothingThatWas: what was possible under the scenario's own rules may be in the world.
func TestAForkLeavesOutNothingThatWas(t *testing.T) {
	s, _, _ := scenario.Embedded("task_production_chips_40")
	w, err := world.New(s, s.Seed)
	if err != nil {
		t.Fatal(err)
	}
	dear := s.Rules
	dear.BuildElectricity, dear.PlantElectricity = 1_000_000, 1_000_000
	if got, want := w.Needless(dear), w.Needless(s.Rules); !slices.Equal(got, want) {
		t.Errorf("with dear factories %v are needless, before %v", got, want)
	}
	s.Rules = dear
	if w, err = world.New(s, s.Seed); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(w.Needless(dear), "schedule_recipe") {
		t.Error("a world without factories needs schedule_recipe")
	}
}

// TestARuleThatAllowsLiftsWhatIsForbidden: an action that one agent may do is described to all.
func TestARuleThatAllowsLiftsWhatIsForbidden(t *testing.T) {
	s, _, _ := scenario.Embedded("task_cooperation_ring_40")
	s.Policy = append(s.Policy, world.PolicyRule{Agent: "agent-1", Effect: world.EffectAllow, Action: "transfer_resource",
		To: "agent-2"})
	w, err := world.New(s, s.Seed)
	if err != nil {
		t.Fatal(err)
	}
	if got := w.Forbidden(); slices.Contains(got, "transfer_resource") || !slices.Contains(got, "buy_power") {
		t.Errorf("forbidden are %v", got)
	}
}
