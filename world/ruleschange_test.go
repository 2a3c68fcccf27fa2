package world

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestRulesChangeInRandomWorlds changes a random rule between ticks of random worlds
// and demands what holds in every world: balances that sum to zero, a digest that
// equals its recomputation, and the same run from the same inputs.
func TestRulesChangeInRandomWorlds(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many worlds")
	}
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
			name := names[below(mix(seed, one.tick, 0, 3000), int64(len(names)))]
			next, err := one.law.Rules.With(name, below(mix(seed, one.tick, 0, 3001), 12))
			if err != nil {
				continue // a value outside the rule's range
			}
			before, held := one.Digest(), one.Balances()
			errOne, errTwo := one.SetRules(next), two.SetRules(next)
			if fmt.Sprint(errOne) != fmt.Sprint(errTwo) {
				t.Fatalf("seed=%d tick %d: %v and %v", seed, one.Tick(), errOne, errTwo)
			}
			settled := slices.Contains(settledRules, name)
			if one.Digest() != before && !settled || one.Digest() != one.RecomputeDigest() {
				t.Fatalf("seed=%d tick %d: a change of %s changes the present state", seed, one.Tick(), name)
			}
			if got := one.Balances(); settled && !slices.Equal(got, held) {
				t.Fatalf("seed=%d tick %d: a change of %s changes what is held:\n%v\n%v", seed, one.Tick(), name, held, got)
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
	changeable, rules := ChangeableRules(), w.scenario.Rules
	for _, f := range rules.fields() {
		value := *f.value + 1
		if *f.value == f.max {
			value = *f.value - 1
		}
		next, err := rules.With(f.name, value)
		switch {
		case slices.Contains(changeable, f.name):
			if err != nil {
				t.Errorf("%s: %v", f.name, err)
			}
			if got := rules.Changed(next); len(got) != 1 || got[0] != (RuleChange{f.name, *f.value, value}) {
				t.Errorf("%s: changes %+v", f.name, got)
			}
			if err := w.SetRules(next); err != nil || w.View(0).Rules() != next || w.scenario.Rules != next {
				t.Errorf("%s: %v", f.name, err)
			}
			if err := w.SetRules(rules); err != nil {
				t.Errorf("%s back: %v", f.name, err)
			}
		case err == nil || !strings.Contains(err.Error(), "rules."+f.name+" cannot change during a run: "+fixedRules[f.name]):
			t.Errorf("%s: %v, want why it cannot change", f.name, err)
		}
	}
	other := rules
	other.RadiationFloor++
	if err := w.SetRules(other); err == nil || w.law.RadiationFloor != rules.RadiationFloor {
		t.Errorf("another radiation: %v, floor %d", err, w.law.RadiationFloor)
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
	next, err := w.scenario.Rules.With("build_hardware", 9)
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

// TestHeatUnderAnotherFactor: rules whose table lacks the heat of an agent are refused; the
// error names the agent.
func TestHeatUnderAnotherFactor(t *testing.T) {
	s := mustScenario(t, "llm_bootstrap")
	s.Rules = DefaultRules()
	s.Rules.HeatFactor = 10
	hot := s.Rules
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.agents[2].heat = hot.HeatMost()
	next, err := hot.With("heat_factor", 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.SetRules(next); err == nil || !strings.Contains(err.Error(), "the heat of agent-3 is 1499, under it at most 999") {
		t.Errorf("heat beyond the table: %v", err)
	}
}

// TestSettlingForOtherRulesChangesNothing: if a rule changes and changes back between two
// ticks, every agent sees and holds the same as without the changes.
func TestSettlingForOtherRulesChangesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many worlds")
	}
	for seed := range uint64(8) {
		s := swarmScenario(t, seed)
		plain, err := New(s, seed)
		if err != nil {
			t.Fatal(err)
		}
		touched, _ := New(s, seed)
		for range 40 {
			for _, name := range []string{"idle_draw", "dissipation"} {
				before := touched.law.Rules
				next, err := before.With(name, 7)
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(touched.SetRules(next), touched.SetRules(before)); err != nil {
					t.Fatal(err)
				}
			}
			plain.Advance()
			touched.Advance()
			if !slices.Equal(plain.Due(), touched.Due()) || !slices.Equal(plain.Balances(), touched.Balances()) {
				t.Fatalf("seed=%d tick %d: due %v and %v, balances\n%v\n%v", seed, plain.Tick(), plain.Due(), touched.Due(), plain.Balances(), touched.Balances())
			}
			for n := range plain.Agents() {
				if a, b := plain.View(n).Observe(), touched.View(n).Observe(); !reflect.DeepEqual(a, b) {
					t.Fatalf("seed=%d tick %d: agent %d sees\n%+v\nand would have seen\n%+v", seed, plain.Tick(), n, b, a)
				}
			}
			intents := (&swarmRun{plain, seed}).intents()
			plain.Apply(intents)
			touched.Apply(intents)
		}
	}
}

// TestIdleDrawFromATickOn: what was used before stays used, and from the next tick on
// the new draw counts, to the shutdown and back.
func TestIdleDrawFromATickOn(t *testing.T) {
	s := mustScenario(t, "minimal") // 40 electricity, 1 a tick
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	pass := func(ticks int) (events []Event) {
		for range ticks {
			events = append(events, w.Advance()...)
			events = append(events, w.Apply(nil)...)
		}
		return events
	}
	charge := func() int64 { return w.View(0).Observe().Self.Electricity }
	pass(6)
	if charge() != 34 {
		t.Fatalf("%d electricity after 6 ticks, want 34", charge())
	}
	next, err := w.scenario.Rules.With("idle_draw", 5)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.SetRules(next); err != nil || charge() != 34 {
		t.Fatalf("%v, %d electricity between ticks, want 34", err, charge())
	}
	var told []string
	for _, e := range pass(7) {
		if e.Kind == EventPowerState || e.Kind == EventPowerSettled && len(told) == 0 {
			told = append(told, fmt.Sprintf("%d %s %s", e.Tick, e.Kind, e.Detail))
		}
	}
	want := []string{"7 power_settled ", "9 power_state low", "12 power_state critical", "13 power_state shutdown"}
	if !slices.Equal(told, want) || charge() != 0 {
		t.Errorf("told %q, want %q; %d electricity, want none", told, want, charge())
	}
}

// TestABatteryThatIsTooSmall: a capacity below what an agent holds is refused, and the error
// names the agent. A larger one and one that is just large enough are accepted.
func TestABatteryThatIsTooSmall(t *testing.T) {
	w, err := New(mustScenario(t, "minimal"), 1)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	w.Apply(nil)
	for value, want := range map[int64]string{38: "rules.power_capacity cannot be 38 now: agent-1 holds 39 electricity", 39: "", 500: ""} {
		next, err := w.scenario.Rules.With("power_capacity", value)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.SetRules(next); want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("capacity %d: %v, want %q", value, err, want)
		}
	}
}
