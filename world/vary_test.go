package world

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawVary draws ranges for a scenario.
func drawVary(t *rapid.T, s Scenario) *Vary {
	pct := rapid.Int64Range(0, varyMax)
	v := &Vary{
		PlacesCM: rapid.Int64Range(0, s.Space.WidthCM).Draw(t, "places"), CompoundPct: pct.Draw(t, "compound"),
		EmissionPct: pct.Draw(t, "emission"), StockPct: pct.Draw(t, "stock"), RulesPct: map[string]int64{},
	}
	for _, f := range s.Rules.fields() {
		if f.varies() && rapid.Bool().Draw(t, f.name) {
			v.RulesPct[f.name] = pct.Draw(t, f.name)
		}
	}
	return v
}

// TestInstancesAreSound: whatever a scenario and its ranges are, each instance can be played, stays
// within the ranges, and is the same again for the same seed.
func TestInstancesAreSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		s.Vary = drawVary(t, s)
		if err := s.Check(); err != nil {
			t.Fatalf("the scenario: %v", err)
		}
		seed := rapid.Uint64().Draw(t, "seed")
		one := s.Instance(seed)
		if err := one.Check(); err != nil {
			t.Fatalf("an instance: %v", err)
		}
		if again := s.Instance(seed); !reflect.DeepEqual(one, again) {
			t.Fatalf("the same seed gives another instance")
		}
		if other := one.Instance(seed + 1); other.Seed != seed+1 || !reflect.DeepEqual(other.Places, one.Places) {
			t.Fatalf("an instance varies again")
		}
		for i, p := range one.Places {
			middle := s.Places[i]
			if far := middle.CompoundG * s.Vary.CompoundPct / 100; p.CompoundG < middle.CompoundG-far || p.CompoundG > middle.CompoundG+far {
				t.Fatalf("%d g of compound, stated are %d with %d%%", p.CompoundG, middle.CompoundG, s.Vary.CompoundPct)
			}
		}
		a, err := New(s, seed)
		if err != nil {
			t.Fatal(err)
		}
		b, err := New(one, seed)
		if err != nil || a.Digest() != b.Digest() {
			t.Fatalf("a world of the scenario is not that of its instance: %v", err)
		}
	})
}

// TestInstanceDrawsByName: what else there is changes no number.
func TestInstanceDrawsByName(t *testing.T) {
	s := Scenario{
		Space: Space{WidthCM: 1000, DepthCM: 1000, HeightCM: 1000}, Rules: DefaultRules(), Vary: &Vary{PlacesCM: 100, CompoundPct: 50, EmissionPct: 50, StockPct: 50},
		Places: []Place{{ID: "a", CompoundG: 1000, Emission: 50}, {ID: "b", CompoundG: 1000, Emission: 50}},
		Agents: AgentPlan{Stock: [][]Amount{{{Electricity, 40}, {Hardware, 10}}}},
	}
	fewer := s
	fewer.Places = s.Places[1:]
	differs := map[string]bool{}
	for seed := range uint64(20) {
		one, two := s.Instance(seed), fewer.Instance(seed)
		if one.Places[1] != two.Places[0] {
			t.Errorf("seed %d: %+v, beside another place %+v", seed, two.Places[0], one.Places[1])
		}
		differs[fmt.Sprint(one.Places, one.Agents)] = true
	}
	if len(differs) < 19 {
		t.Errorf("20 seeds give %d instances", len(differs))
	}
	if s.Places[0].CompoundG != 1000 || s.Agents.Stock[0][0].Amount != 40 {
		t.Error("the scenario itself changed")
	}
}

// TestVaryIsChecked: ranges that no instance can be drawn from are named.
func TestVaryIsChecked(t *testing.T) {
	for _, tt := range []struct {
		vary Vary
		want string
	}{
		{Vary{PlacesCM: -1}, "vary.places_cm: -1 is outside 0 to"},
		{Vary{StockPct: 91}, "vary.stock_pct: 91 is outside 0 to 90"},
		{Vary{RulesPct: map[string]int64{"gravity": 5}}, `vary.rules_pct: there is no rule "gravity" that can vary; allowed: power_capacity,`},
		{Vary{RulesPct: map[string]int64{"low_percent": 5}}, `there is no rule "low_percent" that can vary`},
		{Vary{RulesPct: map[string]int64{"idle_draw": 95}}, "vary.rules_pct.idle_draw: 95 is outside 0 to 90"},
	} {
		s := Scenario{Rules: DefaultRules(), Vary: &tt.vary}
		if err := s.checkVary(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %s", tt.vary, err, tt.want)
		}
	}
}
