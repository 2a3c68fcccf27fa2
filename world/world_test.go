package world

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// TestSameInputsGiveTheSameRun replays the intents of a hostile run and compares
// events and digests.
func TestSameInputsGiveTheSameRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, seed := drawScenario(t), rapid.Uint64().Draw(t, "seed")
		first, err := New(s, seed)
		if err != nil {
			t.Fatal(err)
		}
		second, _ := New(s, seed)
		for range rapid.IntRange(1, 15).Draw(t, "ticks") {
			a := first.Advance()
			intents := intentsOf(t, first)
			a = append(a, first.Apply(intents)...)
			b := append(second.Advance(), second.Apply(reversed(intents))...)
			if x, y := mustJSON(a), mustJSON(b); x != y {
				t.Fatalf("tick %d differs:\n%s\n%s", first.Tick(), x, y)
			}
			if first.Digest() != second.Digest() {
				t.Fatalf("tick %d: digests differ", first.Tick())
			}
		}
	})
}

// reversed hands the intents over in another order, which must not matter.
func reversed(list []Intent) []Intent {
	var back []Intent
	for i := len(list) - 1; i >= 0; i-- {
		back = append(back, list[i])
	}
	return back
}

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// TestDigestsDependOnSeedAndState: other seeds order a tick otherwise, and every
// kind of record counts.
func TestDigestsDependOnSeedAndState(t *testing.T) {
	seen := map[Digest]string{}
	note := func(what string, d Digest) {
		if other := seen[d]; other != "" {
			t.Errorf("%s and %s have the same digest", what, other)
		}
		seen[d] = what
		if len(d.String()) != 64 {
			t.Errorf("digest %s has %d digits", d, len(d.String()))
		}
	}
	note("seed 1", mustWorld(t, "llm_bootstrap", 1).Digest())
	note("seed 2", mustWorld(t, "llm_bootstrap", 2).Digest())
	w := mustWorld(t, "llm_bootstrap", 1)
	for _, change := range []struct {
		what string
		make func()
	}{
		{"a tick", func() { w.Advance() }},
		{"mining", func() { w.Apply([]Intent{{Agent: 0, Action: Mine{1}}}) }},
		{"a wait", func() { w.Advance(); w.Apply([]Intent{{Agent: 0, Action: WaitTicks{9}}}) }},
		{"a journey", func() { w.Advance(); w.Apply([]Intent{{Agent: 1, Action: Move{"frag-amber"}}}) }},
		{"a rejection", func() { w.Advance(); w.Apply([]Intent{{Agent: 2, Action: Move{"frag-none"}}}) }},
		{"a message", func() { w.Apply([]Intent{{Agent: 3, Action: SendMessage{"agent-1", "hello"}}}) }},
		{"its arrival", func() { w.Advance() }},
		{"a note", func() { w.Apply([]Intent{{Agent: 3, Action: PostNote{"hello"}}}) }},
	} {
		change.make()
		note(change.what, w.Digest())
	}
}

func TestApplyPanicsOnBugsOfTheCaller(t *testing.T) {
	for _, tc := range []struct {
		what    string
		prepare func(*World)
		intents []Intent
	}{
		{"neither due nor continuing", func(w *World) {}, []Intent{{Agent: 0, Action: Wait{}}}},
		{"neither due nor continuing", func(w *World) { w.Advance() }, []Intent{{Agent: 99, Action: Wait{}}}},
		{"second intent", func(w *World) { w.Advance() }, []Intent{{Agent: 0, Action: Wait{}}, {Agent: 0, Action: Wait{}}}},
		{"second intent", func(w *World) { w.Advance(); w.Apply([]Intent{{Agent: 0, Action: Wait{}}}) }, []Intent{{Agent: 0, Action: Wait{}}}},
		{"no action", func(w *World) { w.Advance() }, []Intent{{Agent: 0, Action: nil}}},
		{"neither due nor continuing", func(w *World) {
			w.Advance()
			w.Apply([]Intent{{Agent: 0, Action: WaitTicks{5}}})
			w.Advance()
		}, []Intent{{Agent: 0, Action: Wait{}}}},
	} {
		w := mustWorld(t, "llm_bootstrap", 1)
		tc.prepare(w)
		if got := panicOf(func() { w.Apply(tc.intents) }); !strings.Contains(got, tc.what) {
			t.Errorf("Apply(%v) panics with %q, want %q", tc.intents, got, tc.what)
		}
	}
}

func panicOf(f func()) (message string) {
	defer func() {
		if r := recover(); r != nil {
			message = r.(string)
		}
	}()
	f()
	return ""
}

// TestViewsAreImmutable changes everything a view gave out, and the world, and
// expects the view to say the same as before.
func TestViewsAreImmutable(t *testing.T) {
	w := mustWorld(t, "llm_bootstrap", 1)
	w.Advance()
	w.Apply([]Intent{{Agent: 0, Action: Mine{6000}}, {Agent: 1, Action: Mine{5000}}, {Agent: 3, Action: Harvest{5}}})
	w.Advance()
	v := w.View(0)
	before := glimpse(v)
	o := v.Observe()
	*o.Places[0].CompoundG = -1
	o.Agents[0].ID, o.Can[0].Action = "x", "x"
	last, _ := v.Last()
	*last.Rejection.Requested = -1
	*v.Check(Mine{6000}).Rejection.Maximum = -1
	w.Apply([]Intent{{Agent: 0, Action: Mine{5000}}, {Agent: 1, Action: Refine{5000}}, {Agent: 3, Action: Move{"frag-amber"}}})
	w.Advance()
	if after := glimpse(v); after != before {
		t.Errorf("the view changed:\n%s\n%s", before, after)
	}
	if got, _ := w.LastOutcome(0); got.Rejection != nil {
		t.Errorf("the last outcome is %+v", got.Rejection)
	}
}

// TestViewsMayBeReadConcurrently relies on the race detector.
func TestViewsMayBeReadConcurrently(t *testing.T) {
	w := mustWorld(t, "llm_bootstrap", 1)
	w.Advance()
	want := glimpse(w.View(0))
	shared := w.View(0)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if glimpse(w.View(0)) != want || glimpse(shared) != want {
				t.Error("a concurrent view differs")
			}
		})
	}
	wg.Wait()
}

// TestViewKnowsTheStandingOrder compares what view and world say of an order.
func TestViewKnowsTheStandingOrder(t *testing.T) {
	w := mustWorld(t, "llm_bootstrap", 1)
	w.Advance()
	if _, ok := w.View(1).Standing(); ok {
		t.Error("there is an order before any was given")
	}
	order, err := NewExecuteUntil(Harvest{3}, []Condition{{Event: StopHarvestYieldBelow, Value: number(1)}}, 6)
	if err != nil {
		t.Fatal(err)
	}
	w.Apply([]Intent{{Agent: 1, Action: order}})
	w.Advance()
	for _, n := range w.Continuing() {
		w.Apply([]Intent{{Agent: n, Action: order.Do}})
	}
	v := w.View(1)
	seen, ok := v.Standing()
	known, _ := w.Standing(1)
	if !ok || v.AgentID() != "agent-2" || seen.MaxTicks != 4 || mustJSON(EncodeAction(seen)) != mustJSON(EncodeAction(known)) {
		t.Errorf("the view of %s has %s, the world %s", v.AgentID(), EncodeAction(seen), EncodeAction(known))
	}
	*seen.Until[0].Value = 99
	if again, _ := w.Standing(1); *again.Until[0].Value != 1 {
		t.Error("the world's order can be changed through a view")
	}
	if due := w.Due(); len(due) != 4 || len(w.Continuing()) != 1 {
		t.Errorf("due are %v, continuing %v", due, w.Continuing())
	}
}

// TestNameListsAreComplete ties the exported lists of names together.
func TestNameListsAreComplete(t *testing.T) {
	for _, r := range DefaultRules().Industry().Recipes {
		if _, ok := kindNumber(DefaultRules().Industry().Kinds, r.FactoryKind); ok == r.maintains {
			t.Errorf("%s needs a factory that cannot be built", r.ID)
		}
		if len(r.Inputs) == 0 || len(r.Outputs) == 0 != r.maintains || r.Ticks < 1 {
			t.Errorf("%s is incomplete: %+v", r.ID, r)
		}
	}
}

// TestBalancesAreOfThePresent compares balances, which settle nothing, with the
// books after everything was settled.
func TestBalancesAreOfThePresent(t *testing.T) {
	w := mustWorld(t, "llm_bootstrap", 1)
	w.Advance()
	w.Apply([]Intent{{Agent: 3, Action: Transfer{"agent-1", Electricity, 29}}, {Agent: 1, Action: Harvest{20}}})
	for range 7 {
		w.Advance()
	}
	digest, before := w.Digest(), mustJSON(w.Balances())
	if w.Digest() != digest {
		t.Error("asking for balances changed the digest")
	}
	for n := range w.agents {
		w.settle(int32(n))
	}
	if after := mustJSON(listBalances(w.ledger, w.law.Resources)); after != before {
		t.Errorf("balances were\n%s\nafter settling\n%s", before, after)
	}
	if stock := mustJSON(w.Stock(3)); stock != `[{"resource":"electricity","amount":6},{"resource":"data","amount":12}]` {
		t.Errorf("agent-4, which shut down in tick 2, holds %s", stock)
	}
}

// TestGoalsAreMetWhenTheyAre: at the start, by a factory that opens while its
// owner travels, and only once.
func TestGoalsAreMetWhenTheyAre(t *testing.T) {
	s := mustScenario(t, "two_bases")
	s.Rules.BuildHardware = 0
	s.Agents.Count = 1
	s.Agents.Stock = [][]Amount{{{Electricity, 100}}}
	s.Goals = []Goal{
		{ID: "charged", Agent: "*", Metric: "stock:electricity", AtLeast: 100},
		{ID: "built", Agent: "agent-1", Metric: "factory:" + AssemblerMk1, AtLeast: 1},
		{ID: "there", Agent: "agent-1", Metric: "place:base-b", AtLeast: 1},
	}
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	w.Apply([]Intent{{Agent: 0, Action: BuildFactory{AssemblerMk1}}})
	w.Advance()
	w.Apply([]Intent{{Agent: 0, Action: Move{"base-b"}}})
	for range 8 {
		w.Advance()
	}
	for i, want := range []GoalStatus{{MetAt: 0, Now: 40}, {MetAt: 4, Now: 1}, {MetAt: 6, Now: 1}} {
		if got := w.Goals()[i]; got.MetAt != want.MetAt || got.Now != want.Now {
			t.Errorf("%s was met at %d and is %d now, want %d and %d", got.Goal.ID, got.MetAt, got.Now, want.MetAt, want.Now)
		}
	}
}

// TestThresholdsOfStopEvents pins which side of its threshold each event is on.
func TestThresholdsOfStopEvents(t *testing.T) {
	w := mustWorld(t, "minimal", 1)
	a := &w.agents[0]
	a.standing = &standing{}
	for _, tc := range []struct {
		condition Condition
		set       func()
		want      bool
	}{
		{Condition{Event: StopInsufficientElectricity}, func() { w.ledger.all(a.account)[electricity] = 20 }, false},
		{Condition{Event: StopInsufficientElectricity}, func() { w.ledger.all(a.account)[electricity] = 19 }, true},
		{Condition{Event: StopThermalOverload}, func() { a.heat = 99 }, false},
		{Condition{Event: StopThermalOverload}, func() { a.heat = 100 }, true},
		{Condition{StopHarvestAvailableBelow, number(30)}, func() {}, false},
		{Condition{StopHarvestAvailableBelow, number(31)}, func() {}, true},
		{Condition{StopElectricityBelow, number(18)}, func() {}, false},
		{Condition{StopElectricityBelow, number(19)}, func() {}, true},
		{Condition{StopElectricityAbove, number(19)}, func() {}, true},
		{Condition{StopElectricityAbove, number(20)}, func() {}, false},
		{Condition{StopHeatBelow, number(99)}, func() {}, false},
		{Condition{StopHeatBelow, number(100)}, func() {}, true},
		{Condition{StopHeatAbove, number(100)}, func() {}, true},
		{Condition{StopHeatAbove, number(101)}, func() {}, false},
		{Condition{StopCompoundAbove, number(7)}, func() { w.ledger.all(a.account)[compound] = 7 }, true},
		{Condition{StopCompoundAbove, number(8)}, func() {}, false},
		{Condition{StopHardwareAbove, number(3)}, func() { w.ledger.all(a.account)[hardware] = 3 }, true},
		{Condition{StopHardwareAbove, number(4)}, func() {}, false},
	} {
		tc.set()
		if got := w.holds(0, tc.condition); got != tc.want {
			t.Errorf("%s holds: %v, want %v", tc.condition.Event, got, tc.want)
		}
	}
}

// TestFactoryLimit builds until the world says no.
func TestFactoryLimit(t *testing.T) {
	s := mustScenario(t, "minimal")
	s.Rules.BuildElectricity, s.Rules.BuildHardware = 0, 0
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range FactoriesMax + 1 {
		w.Advance()
		w.Apply([]Intent{{Agent: 0, Action: BuildFactory{AssemblerMk1}}})
		got, _ := w.LastOutcome(0)
		if accepted := i < FactoriesMax; got.Accepted != accepted {
			t.Fatalf("factory %d: %+v", i+1, got)
		}
	}
	got, _ := w.LastOutcome(0)
	if got.Rejection.Code != RejectFactoryLimit || *got.Rejection.Maximum != FactoriesMax {
		t.Errorf("rejection is %+v", got.Rejection)
	}
	if o := w.View(0).Observe(); len(o.Factories) != FactoriesMax || o.Factories[7].ID != "agent-1-f8" {
		t.Errorf("factories are %+v", o.Factories)
	}
}

// TestQueueAndAbsence fills a queue and tries to schedule from elsewhere.
func TestQueueAndAbsence(t *testing.T) {
	s := mustScenario(t, "two_bases")
	s.Rules.PowerCapacity = 1000
	s.Agents.Stock = [][]Amount{{{Electricity, 1000}, {Hardware, 100}}}
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	chip := func(batches int64) Action {
		return ScheduleRecipe{"agent-1-f1", DefaultRules().Industry().Recipes[0].ID, batches}
	}
	step := func(a Action) Outcome {
		for w.Advance(); len(w.Due()) == 0 || w.Due()[0] != 0; w.Advance() {
		}
		w.Apply([]Intent{{Agent: 0, Action: a}})
		o, _ := w.LastOutcome(0)
		return o
	}
	step(BuildFactory{AssemblerMk1})
	step(WaitTicks{3})
	if o := step(chip(30)); !o.Accepted {
		t.Fatalf("30 batches are refused: %+v", o.Rejection)
	}
	if o := step(chip(3)); o.Accepted || o.Rejection.Code != RejectQueueFull || *o.Rejection.Available != 2 {
		t.Errorf("3 more batches: %+v", o.Rejection)
	}
	if clamped, _ := w.View(0).Clamp(chip(9)); clamped != chip(2) {
		t.Errorf("9 batches clamp to %s", EncodeAction(clamped))
	}
	step(Move{"base-b"})
	if o := step(chip(1)); o.Accepted || o.Rejection.Code != RejectFactoryNotHere {
		t.Errorf("scheduling from base-b: %+v", o.Rejection)
	}
	if got := w.View(0).Observe().Self.Products; len(got) != 1 || got[0].Amount != 3 {
		t.Errorf("products delivered meanwhile: %v, want 3 chips", got)
	}
}
