package world

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestRulesChangeInRandomWorlds changes a random rule between ticks of random worlds
// and demands what holds in every world: balances that sum to zero, a digest that
// equals its recomputation, and the same run from the same inputs.
func TestRulesChangeInRandomWorlds(t *testing.T) {
	names := ChangeableRules()
	changed, refused := 0, 0
	for seed := range uint64(20) {
		s := swarmScenario(t, seed)
		one, err := New(s, seed)
		if err != nil {
			t.Fatal(err)
		}
		two, _ := New(s, seed)
		for range 60 {
			one.Advance()
			two.Advance()
			intents := (&swarmRun{one, seed}).intents()
			one.Apply(intents)
			two.Apply(reversed(intents))
			for r, n := range sumsOf(one) {
				if n != 0 {
					t.Fatalf("seed=%d tick %d: %s sums to %d", seed, one.Tick(), r, n)
				}
			}
			if d := one.Digest(); d != one.RecomputeDigest() || d != two.Digest() {
				t.Fatalf("seed=%d tick %d: digest %s, recomputed %s, second run %s", seed, one.Tick(), d, one.RecomputeDigest(), two.Digest())
			}
			next, err := one.law.Rules.With(names[below(mix(seed, one.tick, 0, 3000), int64(len(names)))], below(mix(seed, one.tick, 0, 3001), 12))
			if err != nil {
				continue // a value outside the rule's range
			}
			before := one.Digest()
			errOne, errTwo := one.SetRules(next), two.SetRules(next)
			if fmt.Sprint(errOne) != fmt.Sprint(errTwo) {
				t.Fatalf("seed=%d tick %d: %v and %v", seed, one.Tick(), errOne, errTwo)
			}
			if one.Digest() != before {
				t.Fatalf("seed=%d tick %d: a change of rules changes the present state", seed, one.Tick())
			}
			if errOne != nil {
				refused++
			} else {
				changed++
			}
		}
	}
	if changed < 200 || refused == 0 {
		t.Errorf("%d changes, %d refused: too few to mean anything", changed, refused)
	}
}

// TestRulesThatHoldForALife: each rule either can change or says why not.
func TestRulesThatHoldForALife(t *testing.T) {
	w, err := New(mustScenario(t, "llm_bootstrap"), 1)
	if err != nil {
		t.Fatal(err)
	}
	changeable, rules := ChangeableRules(), w.Scenario().Rules
	for _, f := range rules.ranges() {
		value := f.value + 1
		if f.value == f.max {
			value = f.value - 1
		}
		next, err := rules.With(f.name, value)
		switch {
		case slices.Contains(changeable, f.name):
			if err != nil {
				t.Errorf("%s: %v", f.name, err)
			}
			if got := rules.Changed(next); len(got) != 1 || got[0] != (RuleChange{f.name, f.value, value}) {
				t.Errorf("%s: changes %+v", f.name, got)
			}
			if err := w.SetRules(next); err != nil || w.View(0).Rules() != next || w.Scenario().Rules != next {
				t.Errorf("%s: %v", f.name, err)
			}
			if err := w.SetRules(rules); err != nil {
				t.Errorf("%s back: %v", f.name, err)
			}
		case err == nil || !strings.Contains(err.Error(), "rules."+f.name+" cannot change during a run: "+fixedRules[f.name]):
			t.Errorf("%s: %v, want why it cannot change", f.name, err)
		}
	}
	smaller := rules
	smaller.PowerCapacity--
	if err := w.SetRules(smaller); err == nil || w.law.PowerCapacity != rules.PowerCapacity {
		t.Errorf("a smaller battery: %v, capacity %d", err, w.law.PowerCapacity)
	}
	for name, value := range map[string]int64{"no_such_rule": 1, "move_range_km": 0, "mine_cost_per_kg": 5000, "": 1} {
		if _, err := rules.With(name, value); err == nil {
			t.Errorf("rule %q = %d is accepted", name, value)
		}
	}
	for name := range fixedRules {
		if slices.Contains(changeable, name) {
			t.Errorf("%s is fixed and changeable", name)
		}
	}
}

// TestPriceOfAFactoryUnderConstruction: what is in escrow is taken at the price that
// was paid.
func TestPriceOfAFactoryUnderConstruction(t *testing.T) {
	s := mustScenario(t, "llm_bootstrap")
	s.Agents.Stock = [][]Amount{{{Resource: "electricity", Amount: 60}, {Resource: "hardware", Amount: 20}}}
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	w.Apply([]Intent{{Agent: 0, Action: BuildFactory{AssemblerMk1}}})
	if o, _ := w.LastOutcome(0); !o.Accepted {
		t.Fatalf("no factory: %+v", o)
	}
	next, err := w.Scenario().Rules.With("build_hardware", 9)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.SetRules(next); err == nil || !strings.Contains(err.Error(), "under construction until tick ") {
		t.Errorf("the price of a factory changes under construction: %v", err)
	}
	for range next.BuildTicks {
		w.Advance()
		w.Apply(nil)
	}
	if err := w.SetRules(next); err != nil {
		t.Errorf("once it is finished: %v", err)
	}
}

// TestHeatUnderAnotherFactor: heat that the new rules have no table for is refused,
// with who has it.
func TestHeatUnderAnotherFactor(t *testing.T) {
	s := mustScenario(t, "llm_bootstrap")
	s.Rules = DefaultRules()
	s.Rules.HeatFactor = 10
	hot := s.Rules
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.agents[2].heat = hot.heatMax()
	next, err := hot.With("heat_factor", 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.SetRules(next); err == nil || !strings.Contains(err.Error(), "the heat of agent-3 is 1499, under it at most 999") {
		t.Errorf("heat beyond the table: %v", err)
	}
}
