package world

import (
	"testing"

	"pgregory.net/rapid"
)

// TestOverviewShowsTheBooks compares the overview of random worlds with the ledger, and demands
// that looking changes nothing.
func TestOverviewShowsTheBooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newHostileWorld(t)
		inFlight, start := 0, map[string]int64{}
		for p := range w.Places() {
			start[p.ID] = p.CompoundG
		}
		hostileRun(t, w, func(events []Event) {
			before := w.RecomputeDigest()
			o := w.Overview()
			if w.RecomputeDigest() != before {
				t.Fatal("the overview changed the world")
			}
			for _, e := range events {
				switch e.Kind {
				case EventMessageDelivered:
					inFlight--
				case EventMessageSent:
					inFlight++
				}
			}
			if len(o.Messages) > inFlight { // those to unknown receivers are lost
				t.Fatalf("%d messages are on their way, %d were sent and not delivered", len(o.Messages), inFlight)
			}
			shown := map[string]int64{}
			for _, a := range o.Agents {
				if (a.Place == "") != (a.Journey != nil) {
					t.Fatalf("%s is at %q with journey %v", a.ID, a.Place, a.Journey)
				}
				shown[accountOf(a.ID)+" "+Compound], shown[accountOf(a.ID)+" "+Electricity] = a.CompoundG, a.Electricity
			}
			for id, g := range start {
				shown["site:"+id+" "+Compound] = g
			}
			for _, p := range o.Places {
				shown["site:"+p.ID+" "+Compound] = p.CompoundG
			}
			for _, r := range o.Orders {
				if r.Side == SideSell {
					shown["order:"+r.ID+" "+Electricity] = r.Amount
				}
			}
			for _, r := range o.Offers {
				shown["offer:"+r.ID+" "+r.Give] = r.GiveAmount
			}
			held := map[string]int64{}
			for _, b := range w.Balances() {
				held[b.Account+" "+b.Resource] = b.Amount
			}
			for what, n := range shown {
				if got := held[what]; got < n || got > n && what[:2] != "or" && what[:2] != "of" {
					t.Fatalf("%s: the overview shows %d, the ledger has %d", what, n, got)
				}
			}
		})
	})
}
