package baseline

import (
	"strings"
	"testing"

	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// bartered is a scenario with rules of agent-1, each "give for get: gets per gives, total".
func bartered(rules ...world.PolicyRule) world.Scenario {
	s := world.Scenario{Terms: true}
	s.Agents.Count = 2
	for _, r := range rules {
		r.Agent, r.Effect, r.Window, r.AskedBy = "agent-1", world.EffectAllow, 40, []string{"agent-2"}
		s.Policy = append(s.Policy, r)
	}
	return s
}

// TestRoundTripsCountTheLoss: two rates whose product is below one, or three, let a partner take goods for nothing.
func TestRoundTripsCountTheLoss(t *testing.T) {
	rule := func(action, give, get string, gets, gives, total int64) world.PolicyRule {
		return world.PolicyRule{Action: action, What: give, Get: get, GetAtLeast: gets, Per: gives, Total: total}
	}
	for _, tt := range []struct {
		name  string
		rules []world.PolicyRule
		want  string
	}{
		{"half a loss", []world.PolicyRule{rule("accept_offer", "hardware", "data", 1, 1, 40), rule("offer", "data", "hardware", 1, 2, 60)},
			"trades: out of agent-1 whoever may ask can get for nothing, there and back, at most " +
				"20 hardware in 40 ticks (1 hardware for 1 data, 2 data for 1 hardware); " +
				"30 data in 40 ticks (2 data for 1 hardware, 1 hardware for 1 data)"},
		{"at par", []world.PolicyRule{rule("accept_offer", "hardware", "data", 2, 1, 40), rule("offer", "data", "hardware", 1, 2, 60)}, ""},
		{"one way", []world.PolicyRule{rule("accept_offer", "hardware", "data", 1, 1, 40), rule("offer", "hardware", "data", 1, 1, 40)}, ""},
		{"the lower of two rates", []world.PolicyRule{rule("accept_offer", "hardware", "data", 2, 1, 40), rule("offer", "hardware", "data", 1, 1, 10),
			rule("offer", "data", "hardware", 1, 2, 60)}, "20 hardware in 40 ticks"},
		{"by a third good", []world.PolicyRule{rule("offer", "hardware", "data", 1, 1, 40), rule("offer", "data", "compound", 1, 1, 40),
			rule("offer", "compound", "hardware", 3, 4, 40)}, "10 hardware in 40 ticks (1 hardware for 1 data, 1 data for 1 compound, 4 compound for 3 hardware)"},
		{"the market", []world.PolicyRule{rule("buy_power", "", "electricity", 10, 2, 20), rule("sell_power", "", "data", 1, 10, 90)},
			"9 data in 40 ticks (2 data for 10 electricity, 10 electricity for 1 data)"},
	} {
		for i, r := range tt.rules {
			if r.Action == "buy_power" || r.Action == "sell_power" {
				tt.rules[i].ByMessage = true
			}
		}
		got := strings.Join(RoundTrips(bartered(tt.rules...)), "\n")
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestEmbeddedTradesLoseNothing: no scenario of ours lets a partner trade there and back at a loss of the other.
func TestEmbeddedTradesLoseNothing(t *testing.T) {
	trades := 0
	for _, name := range scenario.Names() {
		s, _, known := scenario.Embedded(name)
		if !known {
			t.Fatalf("there is no scenario %s", name)
		}
		for _, c := range s.Policy {
			if c.GetAtLeast > 0 {
				trades++
			}
		}
		if lost := RoundTrips(s); len(lost) > 0 {
			t.Errorf("%s: %s", name, strings.Join(lost, "\n"))
		}
	}
	if trades < 20 {
		t.Errorf("only %d rules about trades were looked at", trades)
	}
}
