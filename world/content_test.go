package world

import (
	"slices"
	"testing"
)

// forge is a world with a product of its own, made of the built-in data in a kind of its own.
func forge(t *testing.T) *World {
	t.Helper()
	s := mustScenario(t, "minimal").WithAgents(2)
	s.Terms = true
	s.Products = []string{"ingot", "blade"}
	s.FactoryKinds = []FactoryKind{{Name: "factory.forge", Cost: []Amount{{Hardware, 1}, {"ingot", 1}}, Ticks: 1}}
	s.Recipes = []Recipe{{
		ID: "recipe.blade", Alias: "recipe.blade", FactoryKind: "factory.forge", Ticks: 1,
		Inputs: []Amount{{Electricity, 2}, {Compound, 100}, {"ingot", 2}}, Outputs: []Amount{{Data, 1}, {"blade", 3}},
	}}
	s.Agents.Stock = [][]Amount{{{Electricity, 60}, {Compound, 1000}, {Hardware, 2}, {"ingot", 7}}}
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestOwnIndustryIsPlayed: a factory is paid with an own product, its recipe takes and yields what it says, own
// products are given and traded, and the ledger, the digest and forks hold them.
func TestOwnIndustryIsPlayed(t *testing.T) {
	w := forge(t)
	steps := []Action{
		BuildFactory{"factory.forge"}, Wait{}, ScheduleRecipe{"agent-1-f1", "recipe.blade", 2}, Wait{}, Wait{},
		Transfer{"agent-2", "blade", 4}, Offer{ToAnyone, "blade", 1, "ingot", 2, 5, ""}, Wait{},
	}
	var fork *World
	for tick, do := range steps {
		w.Advance()
		if order := w.View(0).Check(do); order.Status == CheckRejected {
			t.Fatalf("tick %d: %s is refused: %+v", w.Tick(), EncodeAction(do), order.Rejection)
		}
		w.Apply([]Intent{{Agent: 0, Action: do}, {Agent: 1, Action: Wait{}}})
		if w.Digest() != w.RecomputeDigest() {
			t.Fatalf("tick %d: the digest is not that of the state", w.Tick())
		}
		if sums := sumsByResource(w); !slices.Equal(sums, make([]int64, len(sums))) {
			t.Fatalf("tick %d: the balances sum to %v", w.Tick(), sums)
		}
		if tick == 2 {
			fork = w.Fork()
		}
	}
	for _, want := range []Amount{{"ingot", 2}, {"blade", 1}, {Hardware, 1}, {Data, 2}, {Compound, 800}} {
		if got := w.Stock(0); !slices.Contains(got, want) {
			t.Errorf("agent-1 has %v, want %v", got, want)
		}
	}
	if got := w.Self(1).Products; !slices.Equal(got, []Amount{{"ingot", 7}, {"blade", 4}}) {
		t.Errorf("agent-2 has %v", got)
	}
	for _, do := range steps[3:] {
		fork.Advance()
		fork.Apply([]Intent{{Agent: 0, Action: do}, {Agent: 1, Action: Wait{}}})
	}
	if fork.Digest() != w.Digest() {
		t.Error("a fork that goes on the same way ends in another state")
	}
}

// sumsByResource are the sums of all stored balances by resource.
func sumsByResource(w *World) []int64 {
	sums := make([]int64, w.ledger.resources)
	for a := range w.ledger.names {
		for r, n := range w.ledger.all(account(a)) {
			sums[r] += n
		}
	}
	return sums
}

// TestOwnIndustryShows: what is affordable, short and unknown is told by name, and what nobody could ever make
// is needless.
func TestOwnIndustryShows(t *testing.T) {
	w := forge(t)
	w.Advance()
	v := w.View(0)
	var built []string
	for _, a := range v.Observe().Can {
		if a.Action == "build_factory" {
			for _, o := range a.Options {
				built = append(built, o.Target)
			}
		}
	}
	if !slices.Contains(built, "factory.forge") {
		t.Errorf("can build %v", built)
	}
	for action, want := range map[Action]string{
		Transfer{"agent-2", "blade", 1}: "blade", ScheduleRecipe{"agent-1-f1", "recipe.blade", 1}: "",
		Transfer{"agent-2", "sword", 1}: "", BuildFactory{"factory.mill"}: "",
	} {
		check := v.Check(action)
		if check.Status != CheckRejected || check.Rejection.Resource != want {
			t.Errorf("%s: %+v", EncodeAction(action), check)
		}
	}
	needless := w.Needless(w.law.Rules)
	if slices.Contains(needless, "recipe.blade") || slices.Contains(needless, "factory.forge") {
		t.Errorf("needless are %v", needless)
	}
	s := w.scenario
	s.Agents.Stock = [][]Amount{{{Electricity, 60}}}
	poor, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	needless = poor.Needless(s.Rules)
	if !slices.Contains(needless, "recipe.blade") || !slices.Contains(needless, "factory.forge") {
		t.Errorf("without any ingot needless are %v", needless)
	}
}
