package world

import (
	"math"
	"testing"
)

// bazaar is a world of agents on one place with the same stock.
func bazaar(t *testing.T, agents int, capacity int64, stock ...Amount) *World {
	t.Helper()
	s := mustScenario(t, "minimal").WithAgents(agents)
	s.Goals, s.Agents.Stock, s.Rules.PowerCapacity = nil, [][]Amount{stock}, capacity
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// does runs a tick in which one agent acts and returns the outcome.
func does(t *testing.T, w *World, n int, a Action) Outcome {
	t.Helper()
	w.Advance()
	w.Apply([]Intent{{Agent: n, Action: a}})
	o, _ := w.LastOutcome(n)
	return o
}

// must is does for an action that has to be accepted.
func must(t *testing.T, w *World, n int, a Action) Outcome {
	t.Helper()
	o := does(t, w, n, a)
	if !o.Accepted {
		t.Fatalf("tick %d: %s is refused: %+v", w.Tick(), EncodeAction(a), *o.Rejection)
	}
	return o
}

func wantCode(t *testing.T, o Outcome, want RejectionCode) {
	t.Helper()
	if o.Accepted || o.Rejection.Code != want {
		t.Errorf("%s gives %+v, want %s", EncodeAction(o.Action), o, want)
	}
}

// TestViewsClaimNoMoreThanTheyShow: a purchase that would go on beyond the shown
// prices is unknown, and then happens.
func TestViewsClaimNoMoreThanTheyShow(t *testing.T) {
	w := bazaar(t, 6, 100, Amount{Electricity, 60}, Amount{Data, 100})
	for n := range 5 {
		must(t, w, n, PlaceOrder{SideSell, 10, int64(n) + 1})
	}
	w.Advance()
	v := w.View(5)
	if m := v.Observe().Market; len(m.Asks) != 3 || m.AsksOmitted != 2 {
		t.Fatalf("the market shows %+v", m)
	}
	for _, tc := range []struct {
		action Action
		want   CheckStatus
	}{
		{BuyPower{30, 200}, CheckAccepted},
		{BuyPower{40, 3}, CheckAccepted},
		{BuyPower{40, 4}, CheckUnknown},
		{PlaceOrder{SideBuy, 40, 3}, CheckAccepted},
		{PlaceOrder{SideBuy, 40, 4}, CheckUnknown},
	} {
		if got := v.Check(tc.action).Status; got != tc.want {
			t.Errorf("check of %s = %s, want %s", EncodeAction(tc.action), got, tc.want)
		}
	}
	w.Apply([]Intent{{Agent: 5, Action: BuyPower{40, 4}}})
	if got, _ := w.LastOutcome(5); !got.Accepted || mustJSON(got.Changes) !=
		`[{"resource":"data","amount":-10},{"resource":"electricity","amount":40}]` {
		t.Errorf("the purchase gives %+v", got)
	}
}

// TestCompetitionForOneOffer: two buyers and the cancelling owner compete for one order in a
// tick. One succeeds; the others are refused as contended.
func TestCompetitionForOneOffer(t *testing.T) {
	w := bazaar(t, 3, 1000, Amount{Electricity, 500}, Amount{Data, 100})
	for range 20 {
		o := must(t, w, 0, PlaceOrder{SideSell, 10, 2})
		w.Advance()
		w.Apply([]Intent{{Agent: 0, Action: CancelOrder{o.Created}}, {Agent: 1, Action: BuyPower{10, 2}}, {Agent: 2, Action: BuyPower{10, 2}}})
		accepted := 0
		for n := range 3 {
			got, _ := w.LastOutcome(n)
			if got.Accepted {
				accepted++
			} else if got.Rejection.Code != RejectContended {
				t.Errorf("tick %d: agent %d gets %+v", w.Tick(), n, got.Rejection)
			}
		}
		if accepted != 1 {
			t.Errorf("tick %d: %d of three got the same lot", w.Tick(), accepted)
		}
	}
}

// TestFillsWakeSleepers: also one that goes to sleep in the tick of the fill.
func TestFillsWakeSleepers(t *testing.T) {
	w := bazaar(t, 2, 1000, Amount{Electricity, 500}, Amount{Data, 100})
	for range 8 {
		must(t, w, 0, PlaceOrder{SideBuy, 10, 2})
		w.Advance()
		w.Apply([]Intent{{Agent: 0, Action: WaitTicks{30}}, {Agent: 1, Action: SellPower{10, 2}}})
		w.Advance()
		if got := w.View(0).Observe().Woken; got != wokenOrderFilled || len(w.Due()) != 2 {
			t.Fatalf("tick %d: due are %v, agent-1 was woken by %q", w.Tick(), w.Due(), got)
		}
		w.Apply(nil)
	}
}

// TestShutDownOwnersTrade: their orders go on; what they buy waits in the order
// until they act again.
func TestShutDownOwnersTrade(t *testing.T) {
	w := bazaar(t, 2, 100, Amount{Electricity, 34}, Amount{Data, 20})
	must(t, w, 0, PlaceOrder{SideSell, 10, 5})
	must(t, w, 0, PlaceOrder{SideSell, 10, 6})
	must(t, w, 0, PlaceOrder{SideBuy, 10, 3})
	must(t, w, 0, PlaceOrder{SideSell, 10, 7})
	w.Advance()
	if !w.agents[0].shut {
		t.Fatalf("agent-1 has %v and is awake", w.Stock(0))
	}
	w.Apply([]Intent{{Agent: 1, Action: BuyPower{10, 5}}})
	must(t, w, 1, SellPower{10, 1})
	if got := listAmounts(w.Stock(0)); got != "electricity=1 data=22" {
		t.Errorf("agent-1 holds %s", got)
	}
	for w.agents[0].shut {
		w.Advance()
	}
	w.Apply([]Intent{{Agent: 0, Action: Wait{}}})
	if got := w.Stock(0)[0].Amount; got != 20 {
		t.Errorf("restarted at 10, agent-1 holds %d electricity, want 10 more", got)
	}
}

// TestOrdersAreLimited: four at a time, those included that hold a purchase.
func TestOrdersAreLimited(t *testing.T) {
	w := bazaar(t, 2, 100, Amount{Electricity, 100}, Amount{Data, 100})
	for range OrdersMax {
		must(t, w, 0, PlaceOrder{SideBuy, 10, 2})
	}
	wantCode(t, does(t, w, 0, PlaceOrder{SideBuy, 10, 2}), RejectOrderLimit)
	must(t, w, 1, SellPower{10, 2}) // more than fits the battery
	wantCode(t, does(t, w, 0, PlaceOrder{SideBuy, 10, 2}), RejectOrderLimit)
	must(t, w, 0, CancelOrder{"agent-1-o2"})
	if o := must(t, w, 0, PlaceOrder{SideBuy, 10, 2}); o.Created != "agent-1-o5" || len(w.agents[0].orders) != OrdersMax {
		t.Errorf("the new order is %q in %d records", o.Created, len(w.agents[0].orders))
	}
}

// TestAbsurdTermsAreRefused: nothing overflows, and what is not positive is never
// made a trade by clamping.
func TestAbsurdTermsAreRefused(t *testing.T) {
	w := bazaar(t, 1, 1000, Amount{Electricity, 900}, Amount{Data, amountMax})
	extremes := []int64{math.MinInt64, -10, 0, math.MaxInt64, PowerTradeMax + PowerLot}
	for _, amount := range append(extremes, PowerLot) {
		for _, price := range append(extremes, 1) {
			if amount == PowerLot && price == 1 {
				continue
			}
			for _, a := range []Action{
				BuyPower{amount, price}, SellPower{amount, price}, PlaceOrder{SideBuy, amount, price}, PlaceOrder{SideSell, amount, price},
			} {
				w.Advance()
				clamped, _ := w.View(0).Clamp(a)
				if w.View(0).Check(clamped).Status == CheckAccepted && (amount < 1 || price < 1) {
					t.Errorf("%s becomes %s", EncodeAction(a), EncodeAction(clamped))
				}
				w.Apply([]Intent{{Agent: 0, Action: a}})
				got, _ := w.LastOutcome(0)
				wantCode(t, got, RejectInvalidAmount)
			}
		}
	}
	wantCode(t, does(t, w, 0, PlaceOrder{SideBuy, 15, 1}), RejectInvalidAmount)
	clamped, adjusted := w.View(0).Clamp(PlaceOrder{SideSell, 15, 900})
	if want := (PlaceOrder{SideSell, 10, 900}); clamped != want || len(adjusted) != 1 {
		t.Errorf("a sale at 900 becomes %s", EncodeAction(clamped))
	}
	if clamped, _ = w.View(0).Clamp(PlaceOrder{SideBuy, 3, 900}); clamped != (PlaceOrder{SideBuy, 10, 200}) {
		t.Errorf("a purchase at 900 becomes %s", EncodeAction(clamped))
	}
}

// TestQuotesTravel: a trade at one base shows at the other after 3 ticks, and nothing
// there shows it before.
func TestQuotesTravel(t *testing.T) {
	quiet, busy := baseWorld(t), baseWorld(t)
	for range 6 {
		quiet.Advance()
		busy.Advance()
		a, b := mustJSON(quiet.View(1).Observe()), mustJSON(busy.View(1).Observe())
		if known := busy.Tick() >= 2+quoteDelay(4_000_000); known == (a == b) {
			t.Fatalf("tick %d: the distant agent sees\n%s\nwithout trade\n%s", busy.Tick(), b, a)
		}
		if busy.Tick() == 2 {
			busy.Apply([]Intent{{Agent: 0, Action: PlaceOrder{SideSell, 10, 7}}})
		}
	}
	if got := mustJSON(busy.View(1).Observe().Market); got != `{"elsewhere":[{"place":"base-a","bid":0,"ask":7,"tick":2}]}` {
		t.Errorf("agent-2 knows %s", got)
	}
	busy.Apply([]Intent{{Agent: 0, Action: CancelOrder{"agent-1-o1"}}})
	if got := busy.View(1).Observe().Market.Elsewhere[0]; got.Ask != 7 {
		t.Errorf("the cancel shows at once: %+v", got)
	}
}

// baseWorld has an agent at each of two bases 40 km apart.
func baseWorld(t *testing.T) *World {
	t.Helper()
	s := mustScenario(t, "two_bases")
	s.Agents.Spawn = []string{"base-a", "base-b"}
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestQuotesAreForgotten: a busy place keeps no more quotes than the agents farthest away
// need.
func TestQuotesAreForgotten(t *testing.T) {
	w := baseWorld(t)
	w.agents[0].settledAt = math.MaxInt32 // it never runs dry
	for range 40 {
		o := must(t, w, 0, PlaceOrder{SideBuy, 10, 1})
		must(t, w, 0, CancelOrder{o.Created})
	}
	if got, most := len(w.sites[0].quotes), int(w.geo.quoteDelayMax)+1; got > most {
		t.Errorf("%d quotes are kept, want at most %d", got, most)
	}
	if len(w.orders) != 1 {
		t.Errorf("forty orders one after the other take %d records", len(w.orders))
	}
}

// TestWornOutFactories: an assembler takes no more batches than it can make, and
// maintenance starts it again.
func TestWornOutFactories(t *testing.T) {
	s := mustScenario(t, "minimal")
	s.Goals = nil
	s.Rules.PowerCapacity = 10_000
	s.Agents.Stock = [][]Amount{{{Electricity, 10_000}, {Hardware, 1000}}}
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	chips := func(n int64) Action { return ScheduleRecipe{"agent-1-f1", DefaultRules().Industry().Recipes[0].ID, n} }
	must(t, w, 0, BuildFactory{AssemblerMk1})
	must(t, w, 0, WaitTicks{10})
	w.factories[0].wear = WearMax - 5*WearPerBatch
	w.Advance()
	w.Advance()
	must(t, w, 0, chips(3))
	o := does(t, w, 0, chips(3))
	wantCode(t, o, RejectWornOut)
	if *o.Rejection.Available != 2 {
		t.Errorf("2 batches are left, not %d", *o.Rejection.Available)
	}
	if clamped, adjusted := w.View(0).Clamp(chips(9)); clamped != chips(2) || adjusted[0].Bound != boundWear {
		t.Errorf("9 batches become %s", EncodeAction(clamped))
	}
	must(t, w, 0, chips(2))
	wantCode(t, does(t, w, 0, chips(1)), RejectWornOut)
	must(t, w, 0, ScheduleRecipe{"agent-1-f1", MaintenanceRecipe, 1})
	must(t, w, 0, chips(20))
	must(t, w, 0, WaitTicks{20})
	for range 20 {
		w.Advance()
	}
	if f := w.View(0).Observe().Factories[0]; f.Wear == 0 || f.Wear >= 20*WearPerBatch || f.Batches == 0 {
		t.Errorf("the factory is %+v", f)
	}
}

// TestWornOutPlants: a plant stops when it is worn out, and not before.
func TestWornOutPlants(t *testing.T) {
	w := bazaar(t, 1, 100, Amount{Electricity, 90}, Amount{Hardware, 20})
	must(t, w, 0, BuildFactory{RadiationPlantMk1})
	for range 3 {
		w.Advance()
	}
	w.factories[0].wear = WearMax - 4
	for range 10 {
		w.Advance()
	}
	if got := w.outputOf(&w.factories[0]); got != (output{4 * w.law.PlantRate, WearMax}) {
		t.Errorf("the plant is %+v", got)
	}
	must(t, w, 0, ScheduleRecipe{"agent-1-f1", MaintenanceRecipe, 1})
	w.Advance()
	w.Advance()
	if got := w.outputOf(&w.factories[0]); got != (output{5 * w.law.PlantRate, 1}) {
		t.Errorf("after maintenance the plant is %+v", got)
	}
}

// TestWhatComesBackIsNoContention: electricity that fills the battery as the tick
// begins is there from the start; a harvest then fails for lack of room and for no
// other reason.
func TestWhatComesBackIsNoContention(t *testing.T) {
	expired := bazaar(t, 1, 100, Amount{Electricity, 100})
	expired.law.OrderTicks = 4
	must(t, expired, 0, PlaceOrder{SideSell, 50, 5})
	must(t, expired, 0, Harvest{50})
	must(t, expired, 0, Harvest{50})
	expired.Advance()
	expired.Apply(nil)
	wantCode(t, does(t, expired, 0, Harvest{50}), RejectStorageFull)

	s := mustScenario(t, "two_bases")
	s.Agents.Stock = [][]Amount{{{Electricity, 100}, {Data, 10}}}
	arrived, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	must(t, arrived, 0, PlaceOrder{SideBuy, 60, 1})
	must(t, arrived, 0, Move{"base-b"})
	must(t, arrived, 1, SellPower{60, 1})
	for arrived.agents[0].travelling() {
		arrived.Advance()
	}
	for range 3 {
		must(t, arrived, 0, Harvest{50})
	}
	must(t, arrived, 0, Move{"base-a"})
	for arrived.agents[0].travelling() {
		arrived.Advance()
	}
	if got := arrived.Stock(0)[0].Amount; got != 100 {
		t.Fatalf("agent-1 arrives with %d, not full", got)
	}
	arrived.Apply([]Intent{{Agent: 0, Action: Harvest{50}}})
	got, _ := arrived.LastOutcome(0)
	wantCode(t, got, RejectStorageFull)
}
