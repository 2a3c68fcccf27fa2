package world

import "testing"

// distantTrader is a world in which agent-2 leaves a sell order, a buy order and a
// plant at p and goes 90 km away to q, from where p is neither visible nor charted.
func distantTrader(t *testing.T, seed uint64) *World {
	t.Helper()
	s := mustScenario(t, "minimal").WithAgents(2)
	p := s.Places[0]
	q := p
	p.ID, p.Position, p.Charted, p.Emission = "p", Position{}, false, 60
	q.ID, q.Position, q.Charted = "q", Position{X: 9_000_000}, true
	s.Goals, s.Places, s.VisibilityKM = nil, []Place{p, q}, 1
	s.Rules.MoveRangeKM, s.Rules.PowerCapacity = 20, 1000
	s.Agents = AgentPlan{Count: 2, Spawn: []string{"p"}, Stock: [][]Amount{{{Electricity, 700}, {Data, 80}, {Hardware, 20}}}}
	w, err := New(s, seed)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []Action{
		BuildFactory{FactoryKind: RadiationPlantMk1}, PlaceOrder{SideSell, 20, 5}, PlaceOrder{SideBuy, 20, 1}, Wait{}, Move{"q"},
	} {
		must(t, w, 1, a)
	}
	for w.agents[1].travelling() {
		w.Advance()
		w.Apply(nil)
	}
	return w
}

// TestTradesDoNotReachAcrossDistance: whatever is traded at a place, an owner
// elsewhere notices nothing until it comes back, and then gets everything.
func TestTradesDoNotReachAcrossDistance(t *testing.T) {
	trades := []Action{BuyPower{10, 200}, SellPower{10, 1}, BuyPower{30, 200}, BuyPower{10, 200}}
	for seed := uint64(1); seed <= 4; seed++ {
		quiet, busy := distantTrader(t, seed), distantTrader(t, seed)
		for i := range 60 {
			quiet.Advance()
			busy.Advance()
			if a, b := glimpse(quiet.View(1)), glimpse(busy.View(1)); a != b {
				t.Fatalf("seed %d: %d ticks after the first trade the owner sees\n%s\ninstead of\n%s", seed, i, b, a)
			}
			here := []Intent{{Agent: 0, Action: Wait{}}, {Agent: 1, Action: Harvest{5}}}
			quiet.Apply(here)
			if i < len(trades) {
				here[0].Action = trades[i]
			}
			busy.Apply(here)
			if o, _ := busy.LastOutcome(0); i < len(trades) && !o.Accepted {
				t.Fatalf("seed %d: %s is refused: %+v", seed, EncodeAction(trades[i]), *o.Rejection)
			}
		}
		requireCollects(t, busy)
	}
}

// requireCollects brings agent-2 back to p and checks that it collects everything.
func requireCollects(t *testing.T, w *World) {
	t.Helper()
	before := w.stockOf(&w.agents[1])[data]
	must(t, w, 1, Move{"p"})
	for w.agents[1].travelling() {
		w.Advance()
		w.Apply(nil)
	}
	if got := w.stockOf(&w.agents[1])[data]; got <= before {
		t.Errorf("the owner came back to %d data, it left with %d", got, before)
	}
	for _, k := range w.agents[1].orders {
		if o := &w.orders[k]; w.claims(&o.holding, o.escrow())[data] != 0 {
			t.Errorf("%s still holds data", o.id)
		}
	}
}
