package world

import (
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestCheckAgreesWithApply compares the dry run of an action with what happens
// when the agent does it alone.
func TestCheckAgreesWithApply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newHostileWorld(t)
		for range rapid.IntRange(0, 15).Draw(t, "ticks") {
			w.Advance()
			w.Apply(intentsOf(t, w))
		}
		w.Advance()
		due := w.Due()
		if len(due) == 0 {
			return
		}
		n := rapid.SampledFrom(due).Draw(t, "agent")
		a := drawAction(t)
		if rapid.Bool().Draw(t, "clamped") {
			a, _ = w.View(n).Clamp(a)
		}
		check := w.View(n).Check(a)
		w.Apply([]Intent{{Agent: n, Action: a}})
		compareOutcome(t, w, n, a, check)
	})
}

func compareOutcome(t *rapid.T, w *World, n int, a Action, check Check) {
	got, ok := w.LastOutcome(n)
	if !ok {
		t.Fatalf("no outcome for %s", EncodeAction(a))
	}
	switch check.Status {
	case CheckAccepted:
		if !got.Accepted {
			t.Fatalf("%s: check accepted, apply said %+v", EncodeAction(a), *got.Rejection)
		}
		if diff := cmp.Diff(nonNil(check.Changes), nonNil(got.Changes)); diff != "" {
			t.Fatalf("%s: changes differ (-check +apply):\n%s", EncodeAction(a), diff)
		}
	case CheckRejected:
		if diff := cmp.Diff(check.Rejection, got.Rejection); diff != "" {
			t.Fatalf("%s: rejections differ (-check +apply):\n%s", EncodeAction(a), diff)
		}
	case CheckUnknown:
		if !got.Accepted && (got.Rejection.Requested != nil || got.Rejection.Available != nil || got.Rejection.Maximum != nil) {
			t.Fatalf("%s: what cannot be known was rejected with numbers: %+v", EncodeAction(a), *got.Rejection)
		}
	}
}

func nonNil(list []Amount) []Amount { return append([]Amount{}, list...) }

// TestClampIsSafe checks that clamping changes amounts only, is idempotent, never
// turns an acceptable action into a refused one, and records what it did.
func TestClampIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newHostileWorld(t)
		for range rapid.IntRange(0, 10).Draw(t, "ticks") {
			w.Advance()
			w.Apply(intentsOf(t, w))
		}
		v := w.View(rapid.IntRange(0, w.Agents()-1).Draw(t, "agent"))
		a := drawAction(t)
		before := EncodeAction(a)
		clamped, adjusted := v.Clamp(a)
		if string(before) != string(EncodeAction(a)) {
			t.Fatalf("clamp changed its argument %s", before)
		}
		if reflect.DeepEqual(a, clamped) != (len(adjusted) == 0) {
			t.Fatalf("clamp of %s gave %s and recorded %v", before, EncodeAction(clamped), adjusted)
		}
		again, more := v.Clamp(clamped)
		if len(more) != 0 || !reflect.DeepEqual(again, clamped) {
			t.Fatalf("clamp is not idempotent on %s: %v", EncodeAction(clamped), more)
		}
		if v.Check(a).Status == CheckAccepted && v.Check(clamped).Status != CheckAccepted {
			t.Fatalf("clamp spoiled %s into %s", before, EncodeAction(clamped))
		}
		sameButAmounts(t, a, clamped)
	})
}

// sameButAmounts compares all that clamping must leave alone.
func sameButAmounts(t *rapid.T, a, b Action) {
	if a.ActionName() != b.ActionName() {
		t.Fatalf("clamp changed %s into %s", a.ActionName(), b.ActionName())
	}
	args, clamped := ActionArgs(a), ActionArgs(b)
	for name, v := range args {
		if v.Text != clamped[name].Text {
			t.Fatalf("clamp changed %s of %s", name, EncodeAction(a))
		}
	}
	for _, name := range []string{"amount", "price", "give_amount", "want_amount"} {
		if n, ok := args[name]; ok && n.Int < 1 && clamped[name].Int != n.Int {
			t.Fatalf("clamp changed the %s of %s", name, EncodeAction(a))
		}
	}
	if order, ok := a.(ExecuteUntil); ok {
		if diff := cmp.Diff(order.Until, b.(ExecuteUntil).Until); diff != "" {
			t.Fatalf("clamp changed conditions:\n%s", diff)
		}
		sameButAmounts(t, order.Do, b.(ExecuteUntil).Do)
	}
}

// TestAffordancesHold takes every affordance at its word: its bounds are accepted,
// clamping from both extremes lands inside, and what is not possible is refused
// for the stated reason.
func TestAffordancesHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newHostileWorld(t)
		for range rapid.IntRange(0, 15).Draw(t, "ticks") {
			w.Advance()
			w.Apply(intentsOf(t, w))
		}
		v := w.View(rapid.IntRange(0, w.Agents()-1).Draw(t, "agent"))
		for _, can := range v.Observe().Can {
			holdTo(t, v, can)
		}
	})
}

func holdTo(t *rapid.T, v View, can Affordance) {
	for _, a := range instances(can) {
		check := v.Check(a)
		if can.OK && check.Status != CheckAccepted {
			t.Fatalf("%+v promises %s, but %+v", can, EncodeAction(a), check.Rejection)
		}
		if !can.OK && check.Status == CheckAccepted {
			t.Fatalf("%+v denies %s, but it is accepted", can, EncodeAction(a))
		}
	}
}

// instances are the actions at the bounds of an affordance, or typical ones when
// it says no.
func instances(can Affordance) []Action {
	amounts := []int64{can.Min, can.Max}
	if !can.OK {
		amounts = []int64{1, 1000}
	}
	var list []Action
	for _, n := range amounts {
		switch can.Action {
		case "harvest_radiation":
			list = append(list, Harvest{n})
		case "mine_compound":
			list = append(list, Mine{n})
		case "refine_compound":
			list = append(list, Refine{n})
		case "wait_ticks":
			list = append(list, WaitTicks{n})
		case "send_message":
			list = append(list, SendMessage{"nobody", "hello"})
		case "post_note":
			list = append(list, PostNote{"hello"})
		case "buy_power":
			list = append(list, BuyPower{lots(n), max(1, can.Price)})
		case "sell_power":
			list = append(list, SellPower{lots(n), max(1, can.Price)})
		}
	}
	for _, o := range can.Options {
		switch can.Action {
		case "move_agent":
			list = append(list, Move{o.Target})
		case "build_factory":
			list = append(list, BuildFactory{o.Target})
		case "place_power_order":
			price := int64(1)
			if o.Target == SideSell {
				price = PowerPriceMax
			}
			list = append(list, PlaceOrder{o.Target, PowerLot, price}, PlaceOrder{o.Target, o.Max, price})
		case "cancel_power_order":
			list = append(list, CancelOrder{o.Target})
		case "offer":
			want := Data
			if o.Target == Data {
				want = Hardware
			}
			list = append(list, Offer{ToAnyone, o.Target, 1, want, 1, 4, ""}, Offer{ToAnyone, o.Target, o.Max, want, 7, 1, ""})
		case "accept_offer":
			list = append(list, AcceptOffer{o.Target})
		case "decline":
			list = append(list, Decline{o.Target})
		case "cancel_offer":
			list = append(list, CancelOffer{o.Target})
		case "schedule_recipe":
			list = append(list, ScheduleRecipe{o.Target, o.Item, 1}, ScheduleRecipe{o.Target, o.Item, o.Max})
		}
	}
	return list
}

// TestClampReachesTheBounds pins the largest and least feasible amounts.
func TestClampReachesTheBounds(t *testing.T) {
	w := mustWorld(t, "llm_bootstrap", 1)
	w.Advance()
	w.Apply([]Intent{{Agent: 0, Action: Mine{5000}}})
	w.Advance()
	v := w.View(0)
	for _, tc := range []struct {
		in, want Action
		bound    string
	}{
		{Harvest{math.MaxInt64}, Harvest{46}, boundPlace},
		{Harvest{-5}, Harvest{1}, boundRule},
		{Mine{math.MaxInt64}, Mine{5000}, boundRule},
		{Mine{math.MinInt64}, Mine{1}, boundRule},
		{Refine{math.MaxInt64}, Refine{5000}, boundStock},
		{Refine{4999}, Refine{4000}, BoundMultiple},
		{Refine{999}, Refine{1000}, boundRule},
		{WaitTicks{1000}, WaitTicks{64}, boundRule},
		{Transfer{"agent-2", Data, 13}, Transfer{"agent-2", Data, 12}, boundStock},
		{Transfer{"agent-2", Data, -13}, Transfer{"agent-2", Data, -13}, ""},
		{Transfer{"agent-2", Hardware, 13}, Transfer{"agent-2", Hardware, 13}, ""},
		{ScheduleRecipe{"agent-1-f1", "recipe.none", 99}, ScheduleRecipe{"agent-1-f1", "recipe.none", 32}, boundRule},
	} {
		got, adjusted := v.Clamp(tc.in)
		if got != tc.want {
			t.Errorf("Clamp(%s) = %s, want %s", EncodeAction(tc.in), EncodeAction(got), EncodeAction(tc.want))
		}
		bound := ""
		if len(adjusted) > 0 {
			bound = adjusted[0].Bound
		}
		if bound != tc.bound {
			t.Errorf("Clamp(%s) names the bound %q, want %q", EncodeAction(tc.in), bound, tc.bound)
		}
	}
}

// EmbeddedScenario is package scenario's Embedded.
var EmbeddedScenario func(name string) (Scenario, []byte, bool)

func mustScenario(t testing.TB, name string) Scenario {
	t.Helper()
	s, _, ok := EmbeddedScenario(name)
	if !ok {
		t.Fatalf("there is no scenario %s", name)
	}
	return s
}

func mustWorld(t testing.TB, name string, seed uint64) *World {
	t.Helper()
	w, err := New(mustScenario(t, name), seed)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// RecomputeDigest is the digest from scratch; it always equals Digest.
// It costs a hash per record of the world.
func (w *World) RecomputeDigest() Digest {
	var sum lanes
	for kind := recordHeader; kind < recordKinds; kind++ {
		for n := range w.records(kind) {
			for i, h := range hashRecord(w.appendRecord(nil, kind, int32(n))) {
				sum[i] += h
			}
		}
	}
	return sum.digest()
}
