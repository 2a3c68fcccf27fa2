package world

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// openOffers counts the open offers of agent n.
func openOffers(w *World, n int) (open int) {
	for _, k := range w.agents[n].offers {
		open += int(bit(w.offers[k].open))
	}
	return open
}

// checkTerms verifies offers and requests: escrow, limits, and that no receiver of a request
// owes more of it than its sender thinks.
func checkTerms(t *rapid.T, w *World) {
	for n := range w.agents {
		a := &w.agents[n]
		if got := len(a.offers); got > OffersMax+1 || openOffers(w, n) > OffersMax {
			t.Fatalf("tick %d: %s has %d offers in %d records", w.tick, a.id, openOffers(w, n), got)
		}
		open := map[string]int{}
		for _, k := range a.mail.sent {
			if k.open(w.tick) {
				open[k.To]++
			}
			if k.left < 0 || k.left > k.WantAmount || k.until > k.sentAt+TermsTicksMax || k.from != int32(n) {
				t.Fatalf("tick %d: %s keeps %+v of %+v", w.tick, a.id, k, *k.terms)
			}
			if open[k.To] > RequestsMax {
				t.Fatalf("tick %d: %s has %d requests to %s", w.tick, a.id, open[k.To], k.To)
			}
		}
		for i, k := range a.mail.got {
			if k.To != a.id || k.left < 0 || i > 0 && inOrder(a.mail.got[i-1].terms, k.terms) >= 0 {
				t.Fatalf("tick %d: %s got %+v of %+v", w.tick, a.id, k, *k.terms)
			}
			sender := w.agents[k.from].mail.sent
			copied := slices.IndexFunc(sender, func(own known) bool { return own.terms == k.terms })
			if k.kind == KindRequest && k.open(w.tick) && (copied < 0 || sender[copied].left < k.left) {
				t.Fatalf("tick %d: %s owes %d of %s, its sender does not know", w.tick, a.id, k.left, k.ID)
			}
		}
	}
	filed := 0
	for p := range w.sites {
		filed += len(w.sites[p].offers)
		if !slices.IsSortedFunc(w.sites[p].offers, func(x, y int32) int { return inOrder(w.offers[x].terms, w.offers[y].terms) }) {
			t.Fatalf("tick %d: offers lie in disorder", w.tick)
		}
	}
	if filed != len(w.offers) {
		t.Fatalf("tick %d: %d offers are filed %d times", w.tick, len(w.offers), filed)
	}
	for i := range w.offers {
		o := &w.offers[i]
		held := w.ledger.stock(o.account)
		if o.open && (held != o.escrow() || o.terms.until <= w.tick) {
			t.Fatalf("tick %d: the open offer %s until %d holds %v", w.tick, o.id, o.terms.until, held)
		}
		// What a closed offer of somebody here holds is electricity without room.
		if electricityOnly := held; !o.open && w.at(o.owner, o.place) {
			electricityOnly[electricity] = 0
			if electricityOnly != (stock{}) {
				t.Fatalf("tick %d: %s is closed and holds %v, its owner is there", w.tick, o.id, held)
			}
		}
		if !slices.Contains(w.sites[o.place].offers, int32(i)) || w.ledger.names[o.account] != "offer:"+o.id {
			t.Fatalf("tick %d: %s is filed wrongly", w.tick, o.id)
		}
	}
}

// dealers is a world of agents at one place with the same stock in which requests and offers
// are enabled.
func dealers(t *testing.T, agents int, stock ...Amount) *World {
	t.Helper()
	s := mustScenario(t, "minimal").WithAgents(agents)
	s.Goals, s.Terms, s.Agents.Stock, s.Rules.PowerCapacity = nil, true, [][]Amount{stock}, 1000
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// distantDealers is one of agents that are given places p and q, 60 km from each other and
// out of sight.
func distantDealers(t *testing.T, seed uint64, spawn ...string) *World {
	t.Helper()
	s := mustScenario(t, "minimal").WithAgents(len(spawn))
	p := s.Places[0]
	q := p
	p.ID, p.Position, p.Emission = "p", Position{}, 60
	q.ID, q.Position, q.Charted = "q", Position{X: 6_000_000}, true
	s.Places, s.VisibilityKM, s.Terms = []Place{p, q}, 1, true
	s.Goals = []Goal{{ID: "g", Agent: "*", Metric: "stock:data", AtLeast: 95}, {ID: "h", Agent: "*", Metric: "stock:hardware", AtLeast: 25}}
	s.Rules.MoveRangeKM, s.Rules.PowerCapacity = 30, 1000
	s.Agents = AgentPlan{Count: int64(len(spawn)), Spawn: spawn, Stock: [][]Amount{{{Electricity, 700}, {Data, 80}, {Hardware, 20}}}}
	w, err := New(s, seed)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestTermsAreOffUnlessEnabled: then they are needless, in no view, and refused, in an order
// too.
func TestTermsAreOffUnlessEnabled(t *testing.T) {
	w := mustWorld(t, "two_bases", 1)
	typed := []Action{Request{"agent-2", Data, 1, 5}, Offer{ToAnyone, Electricity, 1, Data, 1, 5, ""}, AcceptOffer{"x"}, Decline{"x"}, CancelOffer{"x"}}
	var names []string
	for _, a := range typed {
		names = append(names, a.ActionName())
		w.Advance()
		for _, do := range []Action{a, ExecuteUntil{Do: a, Until: []Condition{{Event: StopJobDone}}, MaxTicks: 2}} {
			if got := w.View(0).Check(do); got.Rejection == nil || got.Rejection.Code != RejectTermsDisabled {
				t.Errorf("%s is %+v", EncodeAction(do), got)
			}
		}
		w.Apply([]Intent{{Agent: 0, Action: a}})
		o, _ := w.LastOutcome(0)
		wantCode(t, o, RejectTermsDisabled)
	}
	if got := w.Needless(w.scenario.Rules); !slices.Equal(got, names) {
		t.Errorf("needless are %v", got)
	}
	for _, can := range w.View(0).Observe().Can {
		if slices.Contains(names, can.Action) {
			t.Errorf("%s is listed", can.Action)
		}
	}
	on := dealers(t, 2)
	if got := on.Needless(on.scenario.Rules); slices.Contains(got, "offer") || len(on.View(0).Observe().Can) != len(actions) {
		t.Errorf("with terms needless are %v", got)
	}
	alone := dealers(t, 1)
	if got := alone.Needless(alone.scenario.Rules); !slices.Contains(got, "offer") {
		t.Errorf("with one agent needless are %v", got)
	}
}

// TestLoopholesOfOffers tries to get something for nothing.
func TestLoopholesOfOffers(t *testing.T) {
	hardwareFor := func(want string, n int64, ticks int64) Offer {
		return Offer{ToAnyone, Hardware, 2, want, n, ticks, ""}
	}
	t.Run("accept twice", func(t *testing.T) {
		for seed := range uint64(8) {
			w := dealers(t, 4, Amount{Electricity, 500}, Amount{Data, 9}, Amount{Hardware, 5})
			w.seed = seed
			id := must(t, w, 0, hardwareFor(Data, 3, 5)).Created
			w.Advance()
			w.Apply([]Intent{{Agent: 1, Action: AcceptOffer{id}}, {Agent: 2, Action: AcceptOffer{id}}, {Agent: 3, Action: AcceptOffer{id}}})
			accepted := 0
			for n := 1; n <= 3; n++ {
				if o, _ := w.LastOutcome(n); o.Accepted {
					accepted++
					wantCode(t, does(t, w, n, AcceptOffer{id}), RejectOfferNotFound)
				} else {
					wantCode(t, o, RejectContended)
				}
			}
			if got := listAmounts(w.Stock(0)); accepted != 1 || got[len(got)-len("hardware=3 data=12"):] != "hardware=3 data=12" {
				t.Errorf("seed %d: %d took it, the offerer has %s", seed, accepted, got)
			}
		}
	})
	t.Run("accept twice while its owner offers again", func(t *testing.T) {
		for seed := range uint64(24) {
			w := dealers(t, 3, Amount{Electricity, 500}, Amount{Data, 9}, Amount{Hardware, 5})
			w.seed = seed
			id := must(t, w, 0, hardwareFor(Data, 3, 5)).Created
			w.Advance()
			w.Apply([]Intent{{Agent: 0, Action: hardwareFor(Data, 1, 5)}, {Agent: 1, Action: AcceptOffer{id}}, {Agent: 2, Action: AcceptOffer{id}}})
			first, _ := w.LastOutcome(1)
			second, _ := w.LastOutcome(2)
			if first.Accepted == second.Accepted {
				t.Fatalf("seed %d: both are %v", seed, first.Accepted)
			}
			late := first
			if first.Accepted {
				late = second
			}
			wantCode(t, late, RejectContended)
		}
	})
	t.Run("cancel and accept at once", func(t *testing.T) {
		won := map[bool]int{}
		for seed := range uint64(12) {
			w := dealers(t, 2, Amount{Electricity, 500}, Amount{Data, 9}, Amount{Hardware, 5})
			w.seed = seed
			id := must(t, w, 0, hardwareFor(Data, 3, 5)).Created
			w.Advance()
			w.Apply([]Intent{{Agent: 0, Action: CancelOffer{id}}, {Agent: 1, Action: AcceptOffer{id}}})
			cancel, _ := w.LastOutcome(0)
			accept, _ := w.LastOutcome(1)
			late := accept
			if accept.Accepted {
				late = cancel
			}
			if cancel.Accepted == accept.Accepted {
				t.Fatalf("seed %d: cancel %v and accept %v", seed, cancel.Accepted, accept.Accepted)
			}
			wantCode(t, late, RejectContended)
			won[accept.Accepted]++
			wantCode(t, does(t, w, 0, CancelOffer{id}), RejectOfferNotFound)
			wantCode(t, does(t, w, 1, AcceptOffer{id}), RejectOfferNotFound)
		}
		if len(won) != 2 {
			t.Errorf("the same one was always first: %v", won)
		}
	})
	t.Run("accept when it expires", func(t *testing.T) {
		for wait := range 4 {
			w := dealers(t, 2, Amount{Electricity, 500}, Amount{Data, 9}, Amount{Hardware, 5})
			id := must(t, w, 0, hardwareFor(Data, 3, 3)).Created
			for range wait {
				w.Advance()
				w.Apply(nil)
			}
			check := w.Fork()
			check.Advance()
			said := check.View(1).Check(AcceptOffer{id})
			o := does(t, w, 1, AcceptOffer{id})
			if inTime := wait < 2; o.Accepted != inTime || (said.Status == CheckAccepted) != inTime {
				t.Errorf("%d ticks later it is %v, the dry run said %+v", wait+1, o.Accepted, said)
			} else if !inTime {
				wantCode(t, o, RejectOfferNotFound)
			}
			if got := w.stockOf(&w.agents[0]); got[hardware]+got[data] != []int64{15, 14}[bit(wait >= 2)] {
				t.Errorf("%d ticks later the offerer has %v", wait+1, got)
			}
		}
	})
	t.Run("before anybody could see it", func(t *testing.T) {
		for seed := range uint64(6) {
			w := dealers(t, 2, Amount{Electricity, 500}, Amount{Data, 9}, Amount{Hardware, 5})
			w.seed = seed
			w.Advance()
			w.Apply([]Intent{{Agent: 0, Action: hardwareFor(Data, 3, 5)}, {Agent: 1, Action: AcceptOffer{"offer-1-agent-1-1"}}})
			o, _ := w.LastOutcome(1)
			wantCode(t, o, RejectOfferNotFound)
		}
	})
	t.Run("from afar, by another, by oneself", func(t *testing.T) {
		w := distantDealers(t, 1, "p", "p", "q")
		w.Advance()
		w.Apply([]Intent{
			{Agent: 0, Action: Offer{"agent-3", Hardware, 2, Data, 1, 20, ""}}, {Agent: 1, Action: AcceptOffer{"offer-1-agent-1-1"}},
			{Agent: 2, Action: AcceptOffer{"offer-1-agent-1-1"}},
		})
		for n := 1; n <= 2; n++ {
			o, _ := w.LastOutcome(n)
			wantCode(t, o, RejectOfferNotFound)
		}
		wantCode(t, does(t, w, 0, AcceptOffer{"offer-1-agent-1-1"}), RejectOwnOffer)
		wantCode(t, does(t, w, 1, AcceptOffer{"offer-1-agent-1-1"}), RejectOfferNotFound)
		wantCode(t, does(t, w, 1, Decline{"offer-1-agent-1-1"}), RejectTermsNotFound)
		wantCode(t, does(t, w, 1, CancelOffer{"offer-1-agent-1-1"}), RejectOfferNotFound)
		wantCode(t, does(t, w, 2, AcceptOffer{"offer-1-agent-1-1"}), RejectOfferNotFound)
		for w.Tick() < 8 {
			w.Advance()
			w.Apply(nil)
		}
		wantCode(t, does(t, w, 2, AcceptOffer{"offer-1-agent-1-1"}), RejectOfferNotHere) // the message has arrived
		other := must(t, w, 1, Offer{ToAnyone, Hardware, 1, Data, 1, 20, ""}).Created
		wantCode(t, does(t, w, 2, AcceptOffer{other}), RejectOfferNotFound)
	})
	t.Run("what one does not have", func(t *testing.T) {
		w := dealers(t, 2, Amount{Electricity, 300}, Amount{Data, 9}, Amount{Hardware, 5})
		wantCode(t, does(t, w, 0, Offer{ToAnyone, Hardware, 6, Data, 1, 5, ""}), RejectInsufficient)
		wantCode(t, does(t, w, 0, Offer{ToAnyone, Hardware, 1, Hardware, 1, 5, ""}), RejectSameResource)
		must(t, w, 0, Offer{ToAnyone, Hardware, 5, Data, 10, 5, ""})
		wantCode(t, does(t, w, 0, Offer{ToAnyone, Hardware, 1, Data, 1, 5, ""}), RejectInsufficient)
		wantCode(t, does(t, w, 0, Transfer{"agent-2", Hardware, 1}), RejectInsufficient)
		wantCode(t, does(t, w, 1, AcceptOffer{"offer-3-agent-1-1"}), RejectInsufficient)
	})
	t.Run("amounts and times out of bounds", func(t *testing.T) {
		w := dealers(t, 2, Amount{Electricity, 300}, Amount{Data, amountMax}, Amount{Hardware, amountMax})
		for _, n := range []int64{math.MinInt64, -1, 0, math.MaxInt64, amountMax + 1} {
			for _, a := range []Action{
				Offer{ToAnyone, Hardware, n, Data, 1, 5, ""}, Offer{ToAnyone, Hardware, 1, Data, n, 5, ""}, Offer{ToAnyone, Hardware, 1, Data, 1, n, ""},
				Request{"agent-2", Data, n, 5}, Request{"agent-2", Data, 1, n},
			} {
				o := does(t, w, 0, a)
				if offer, ok := a.(Offer); ok && offer.GiveAmount > amountMax {
					wantCode(t, o, RejectInsufficient)
				} else {
					wantCode(t, o, RejectInvalidAmount)
				}
				clamped, adjusted := w.View(0).Clamp(a)
				if n < 1 && (len(adjusted) > 0 || clamped != a) {
					t.Errorf("%s becomes %s", EncodeAction(a), EncodeAction(clamped))
				}
			}
		}
		want := Offer{ToAnyone, Hardware, amountMax, Data, math.MaxInt64, TermsTicksMax, ""}
		if got, _ := w.View(0).Clamp(Offer{ToAnyone, Hardware, math.MaxInt64, Data, math.MaxInt64, 99, ""}); got != want {
			t.Errorf("clamped to %s", EncodeAction(got))
		}
		must(t, w, 0, Offer{ToAnyone, Hardware, amountMax, Data, amountMax, 5, ""})
		must(t, w, 1, AcceptOffer{fmt.Sprintf("offer-%d-agent-1-1", w.Tick())})
	})
	t.Run("charge stays above low", func(t *testing.T) {
		w := dealers(t, 2, Amount{Electricity, 300}, Amount{Data, 9})
		o := does(t, w, 0, Offer{ToAnyone, Electricity, 99, Data, 1, 5, ""})
		wantCode(t, o, RejectChargeKept)
		if *o.Rejection.Available != 98 {
			t.Errorf("of 299 above 200 may go %d", *o.Rejection.Available)
		}
		if got, adjusted := w.View(0).Clamp(Offer{ToAnyone, Electricity, 300, Data, 1, 5, ""}); got.(Offer).GiveAmount != 98 || adjusted[0].Bound != boundStock {
			t.Errorf("clamped to %s", EncodeAction(got))
		}
		must(t, w, 0, Offer{ToAnyone, Data, 1, Electricity, 97, 5, ""})
		wantCode(t, does(t, w, 1, AcceptOffer{"offer-2-agent-1-1"}), RejectChargeKept)
		must(t, w, 0, Offer{ToAnyone, Data, 1, Electricity, 90, 5, ""})
		must(t, w, 1, AcceptOffer{"offer-4-agent-1-1"})
	})
	t.Run("no room", func(t *testing.T) {
		w := dealers(t, 2, Amount{Electricity, 1000}, Amount{Data, 9})
		must(t, w, 0, Offer{ToAnyone, Electricity, 50, Data, 1, 5, ""})
		o := does(t, w, 1, AcceptOffer{"offer-1-agent-1-1"})
		wantCode(t, o, RejectStorageFull)
		if *o.Rejection.Requested != 50 || *o.Rejection.Available != 2 {
			t.Errorf("it is told %+v", *o.Rejection)
		}
	})
	t.Run("dead, away and back", func(t *testing.T) {
		w := dealers(t, 2, Amount{Electricity, 400}, Amount{Data, 9}, Amount{Hardware, 5})
		must(t, w, 0, Offer{"agent-2", Hardware, 5, Electricity, 100, 20, ""})
		w.settle(0)
		w.post(w.agents[0].account, sinkIdle, electricity, w.ledger.of(w.agents[0].account, electricity))
		w.planPower(0)
		w.Advance()
		w.Apply(nil)
		if !w.agents[0].shut {
			t.Fatal("agent-1 is awake")
		}
		must(t, w, 1, AcceptOffer{"offer-1-agent-1-1"})
		if got := w.ledger.of(w.offers[0].account, electricity); got != 100 || w.agents[0].shut == false {
			t.Errorf("%d wait for the dead", got)
		}
		for w.agents[0].shut {
			w.Advance()
		}
		before := w.Self(0).Electricity
		w.Apply([]Intent{{Agent: 0, Action: Wait{}}})
		if got := w.Self(0).Electricity; got != before+100 || w.ledger.stock(w.offers[0].account) != (stock{}) {
			t.Errorf("back to life it has %d, before %d", got, before)
		}
	})
}

// TestOffersAreLimited: four at a time, those included that hold a claim, in records that
// are used again.
func TestOffersAreLimited(t *testing.T) {
	w := dealers(t, 2, Amount{Electricity, 900}, Amount{Data, 50}, Amount{Hardware, 50})
	for range OffersMax {
		must(t, w, 0, Offer{ToAnyone, Data, 1, Hardware, 1, 20, ""})
	}
	o := does(t, w, 0, Offer{ToAnyone, Data, 1, Hardware, 1, 20, ""})
	wantCode(t, o, RejectOfferLimit)
	for range 30 {
		w.Advance()
		open := w.View(1).Observe().Here.Offers
		w.Apply([]Intent{{Agent: 0, Action: Offer{ToAnyone, Data, 1, Hardware, 1, 20, ""}}, {Agent: 1, Action: AcceptOffer{open[0].ID}}})
	}
	if len(w.offers) > OffersMax+1 {
		t.Errorf("offers take %d records", len(w.offers))
	}
}

// TestRequestsAreLimited: two to one agent, which a gift or a refusal that is known frees.
func TestRequestsAreLimited(t *testing.T) {
	w := dealers(t, 3, Amount{Electricity, 900}, Amount{Data, 50})
	ask := Request{"agent-2", Data, 5, 20}
	must(t, w, 2, ask) // which no gift to agent-1 answers
	must(t, w, 0, ask)
	must(t, w, 0, ask)
	wantCode(t, does(t, w, 0, ask), RejectRequestLimit)
	must(t, w, 0, Request{"agent-3", Data, 5, 20})
	must(t, w, 1, Transfer{"agent-1", Electricity, 7}) // no agent asked for it
	must(t, w, 1, Transfer{"agent-1", Data, 7})
	left := func(list []Terms) (sums []int64) {
		for _, r := range list {
			sums = append(sums, r.Left)
		}
		return sums
	}
	if mine, theirs := left(w.View(0).Observe().OwnRequests), left(w.View(1).Observe().Requests); !slices.Equal(mine, []int64{3, 5}) || !slices.Equal(theirs, []int64{5, 3}) {
		t.Errorf("after a gift of 7 for 5 and 5 are left %v, the giver sees %v", mine, theirs)
	}
	last := must(t, w, 0, ask).Created
	wantCode(t, does(t, w, 0, ask), RejectRequestLimit)
	must(t, w, 1, Offer{"agent-1", Data, 3, Electricity, 1, 5, "req-3-agent-1-1"})
	if got := left(w.View(1).Observe().Requests); !slices.Equal(got, []int64{5, 5}) {
		t.Errorf("after an offer of all the giver owes %v", got)
	}
	if got := left(w.View(0).Observe().OwnRequests); !slices.Equal(got, []int64{3, 5, 5}) {
		t.Errorf("before the offer has arrived the asker sees %v", got)
	}
	w.Advance()
	if got := left(w.View(0).Observe().OwnRequests); !slices.Equal(got, []int64{5, 5}) {
		t.Errorf("when the offer has arrived the asker sees %v", got)
	}
	w.Apply([]Intent{{Agent: 1, Action: Decline{last}}})
	wantCode(t, does(t, w, 1, Offer{"agent-1", Data, 1, Electricity, 1, 5, last}), RejectTermsNotFound)
	if got := left(w.View(0).Observe().OwnRequests); !slices.Equal(got, []int64{5}) {
		t.Errorf("after the refusal the asker sees %v", got)
	}
	for w.Tick() < 30 {
		w.Advance()
		w.Apply(nil)
	}
	if o := w.View(0).Observe(); len(o.OwnRequests) != 0 {
		t.Errorf("open for ever: %+v", o.OwnRequests)
	}
	for range 30 {
		must(t, w, 0, Request{"agent-2", Data, 5, 2})
	}
	if sent, got := len(w.agents[0].mail.sent), len(w.agents[1].mail.got); sent > 3 || got > 3 {
		t.Errorf("%d and %d requests are kept", sent, got)
	}
}

// TestAnswersMustFit: an offer answers only a request to its sender. It must go to the
// agent that asked and give what was asked for.
func TestAnswersMustFit(t *testing.T) {
	w := dealers(t, 3, Amount{Electricity, 900}, Amount{Data, 50}, Amount{Hardware, 50})
	id := must(t, w, 0, Request{"agent-2", Data, 5, 20}).Created
	for n, tc := range []struct {
		agent int
		offer Offer
		want  RejectionCode
	}{
		{1, Offer{"agent-3", Data, 1, Hardware, 1, 5, id}, RejectNotAsked},
		{1, Offer{ToAnyone, Data, 1, Hardware, 1, 5, id}, RejectNotAsked},
		{1, Offer{"agent-1", Hardware, 1, Data, 1, 5, id}, RejectNotAsked},
		{1, Offer{"agent-1", Data, 1, Hardware, 1, 5, "req-9-agent-1-1"}, RejectTermsNotFound},
		{2, Offer{"agent-1", Data, 1, Hardware, 1, 5, id}, RejectTermsNotFound},
	} {
		o := does(t, w, tc.agent, tc.offer)
		if o.Accepted || o.Rejection.Code != tc.want {
			t.Errorf("case %d: %+v, want %s", n, o, tc.want)
		}
	}
	wantCode(t, does(t, w, 1, AcceptOffer{id}), RejectOfferNotFound)
	given := must(t, w, 0, Offer{"agent-2", Data, 5, Hardware, 1, 20, ""}).Created
	wantCode(t, does(t, w, 1, Offer{"agent-1", Hardware, 1, Data, 1, 5, given}), RejectTermsNotFound)
	for _, a := range []Action{Request{"agent-1", Data, 1, 5}, Offer{"agent-1", Data, 1, Hardware, 1, 5, ""}} {
		wantCode(t, does(t, w, 0, a), RejectMessageToSelf)
	}
	wantCode(t, does(t, w, 0, Request{ToAnyone, Data, 1, 5}), RejectUnknownChoice)
}

// TestDeclinedOffersStayClosed for who declined them, also if the message comes later, and
// are open to others.
func TestDeclinedOffersStayClosed(t *testing.T) {
	w := dealers(t, 2, Amount{Electricity, 900}, Amount{Data, 50}, Amount{Hardware, 50})
	id := must(t, w, 0, Offer{"agent-2", Data, 5, Hardware, 1, 9, ""}).Created
	w.Advance()
	w.agents[1].mail.got = nil // as if the message were still on its way
	w.Apply([]Intent{{Agent: 1, Action: Decline{id}}})
	w.takeUp(1, w.offers[0].terms)
	for range 3 {
		wantCode(t, does(t, w, 1, AcceptOffer{id}), RejectOfferNotFound)
		wantCode(t, does(t, w, 1, Decline{id}), RejectTermsNotFound)
	}
	if o := w.View(1).Observe(); len(o.Here.Offers)+len(o.Offers) > 0 {
		t.Errorf("it is still shown: %+v", o.Here.Offers)
	}
	if got := w.View(0).Observe().Inbox; len(got) != 1 || got[0].Kind != KindDecline || got[0].Terms.Re != id || got[0].Text != "" {
		t.Errorf("the offerer is told %+v", got)
	}
	must(t, w, 0, CancelOffer{id})

	apart := distantDealers(t, 1, "p", "q")
	must(t, apart, 0, Offer{"agent-2", Data, 5, Hardware, 1, 20, ""})
	must(t, apart, 1, Move{"p"})
	for apart.Tick() < 5 {
		apart.Advance()
		apart.Apply(nil)
	}
	must(t, apart, 1, Decline{"offer-1-agent-1-1"}) // which comes before the message
	for apart.Tick() < 12 {
		apart.Advance()
		apart.Apply(nil)
	}
	must(t, apart, 1, Move{"q"})
	if got := apart.View(1).Observe(); len(got.Inbox) != 1 || len(got.Offers) != 0 {
		t.Errorf("the message %+v brings the offer back: %+v", got.Inbox, got.Offers)
	}
}

// TestAbsentOfferersNoticeNothing: taken or expired, from elsewhere an own offer looks the
// same, in views and goals, until its owner comes back and gets what is its own.
func TestAbsentOfferersNoticeNothing(t *testing.T) {
	for seed := uint64(1); seed <= 3; seed++ {
		quiet, busy := distantDealers(t, seed, "p", "p"), distantDealers(t, seed, "p", "p")
		for _, w := range []*World{quiet, busy} {
			must(t, w, 0, Offer{"agent-2", Hardware, 6, Data, 30, 20, ""})
			must(t, w, 0, Offer{ToAnyone, Data, 5, Hardware, 10, 20, ""})
			must(t, w, 0, Move{"q"})
		}
		for i := range 34 {
			quiet.Advance()
			busy.Advance()
			if a, b := glimpse(quiet.View(0)), glimpse(busy.View(0)); i < 30 && a != b {
				t.Fatalf("seed %d: after %d ticks the owner sees\n%s\ninstead of\n%s", seed, i, b, a)
			}
			for _, w := range []*World{quiet, busy} {
				var intents []Intent
				for _, n := range w.Due() {
					a := []Action{Harvest{5}, Wait{}}[n]
					switch {
					case n == 0 && i == 28:
						a = Move{"p"}
					case n == 1 && w == busy && i == 1:
						a = AcceptOffer{"offer-1-agent-1-1"}
					case n == 1 && w == busy && i == 2:
						a = AcceptOffer{"offer-2-agent-1-1"}
					}
					intents = append(intents, Intent{Agent: n, Action: a})
				}
				w.Apply(intents)
			}
		}
		for i, w := range []*World{quiet, busy} {
			got, want := w.stockOf(&w.agents[0]), [][2]int64{{20, 80}, {20 - 6 + 10, 80 + 30 - 5}}[i]
			if got[hardware] != want[0] || got[data] != want[1] {
				t.Errorf("seed %d: world %d gives its owner %v on return", seed, i, got)
			}
			if o := w.View(0).Observe(); len(o.OwnOffers) != 0 {
				t.Errorf("it is still listed: %+v", o.OwnOffers)
			}
		}
	}
}

// TestAskersLearnNothingFromAfar: the asker sees nothing that the agent asked does
// elsewhere until a message arrives. It cannot tell an agent that does not exist.
func TestAskersLearnNothingFromAfar(t *testing.T) {
	ask := func(w *World, n int32) Action { return Request{"agent-2", Data, 9, 20} }
	for _, tc := range []struct {
		name string
		do   Action
		// heard is the number of ticks after which the asker learns of it, 0 for never.
		heard int
	}{
		{"gift to a third", Transfer{"agent-3", Data, 9}, 0},
		{"offer to a third", Offer{"agent-3", Data, 9, Hardware, 1, 20, ""}, 0},
		{"offer in answer", Offer{"agent-1", Data, 9, Hardware, 1, 9, "req-1-agent-1-1"}, 8},
		{"refusal", Decline{"req-1-agent-1-1"}, 8},
		{"departure", Move{"q"}, 2}, // when it arrives
	} {
		quiet, busy := distantDealers(t, 1, "q", "p", "p"), distantDealers(t, 1, "q", "p", "p")
		for _, w := range []*World{quiet, busy} {
			act(w, map[int]Action{0: ask(w, 0)})
			for w.Tick() < 9 {
				act(w, nil)
			}
		}
		if len(busy.View(1).Observe().Requests) == 0 {
			t.Fatal("the request has not arrived")
		}
		sees := 0
		for i := range 10 {
			quiet.Advance()
			busy.Advance()
			if a, b := glimpse(quiet.View(0)), glimpse(busy.View(0)); a != b && sees == 0 {
				sees = i
			}
			quiet.Apply(nil)
			var intents []Intent
			if i == 0 {
				intents = []Intent{{Agent: 1, Action: tc.do}}
			}
			busy.Apply(intents)
			if o, _ := busy.LastOutcome(1); i == 0 && !o.Accepted {
				t.Fatalf("%s is refused: %+v", tc.name, *o.Rejection)
			}
		}
		if sees != tc.heard {
			t.Errorf("%s shows after %d ticks, want %d", tc.name, sees, tc.heard)
		}
	}
	real, none := distantDealers(t, 1, "q", "p"), distantDealers(t, 1, "q")
	for range 25 {
		for _, w := range []*World{real, none} {
			act(w, map[int]Action{0: ask(w, 0)})
		}
		if a, b := mustJSON(real.View(0).Observe().OwnRequests), mustJSON(none.View(0).Observe().OwnRequests); a != b {
			t.Fatalf("tick %d: a request to an unknown agent shows:\n%s\n%s", real.Tick(), a, b)
		}
	}
}

// TestStrangersWakeOncePerTenTicks: all together, and named agents always, but that they end orders
// once in three ticks.
func TestStrangersWakeOncePerTenTicks(t *testing.T) {
	for _, tc := range []struct {
		name   string
		rule   PolicyRule
		always bool
	}{
		{"no rule", PolicyRule{}, false},
		{"asked by it", PolicyRule{Agent: "agent-1", Effect: EffectAllow, Action: "transfer_resource", To: ToAsker, Total: 9, Window: 9, AskedBy: []string{"agent-3"}}, true},
		{"directed to it", PolicyRule{Agent: Anyone, Effect: EffectAllow, Action: "transfer_resource", To: "agent-3"}, true},
		{"asked by anybody", PolicyRule{Agent: "agent-1", Effect: EffectAllow, Action: "transfer_resource", To: ToAsker, Total: 9, Window: 9, AskedBy: []string{Anyone}}, false},
		{"a forbid", PolicyRule{Agent: "agent-1", Effect: EffectForbid, Action: "transfer_resource", To: "agent-3"}, false},
		{"of another agent", PolicyRule{Agent: "agent-2", Effect: EffectAllow, Action: "transfer_resource", To: ToAsker, Total: 9, Window: 9, AskedBy: []string{"agent-3"}}, false},
	} {
		for _, asleep := range []Action{
			WaitTicks{64}, ExecuteUntil{Do: Harvest{1}, Until: []Condition{{Event: StopJobDone}}, MaxTicks: 200},
			ExecuteUntil{Do: WaitTicks{60}, Until: []Condition{{Event: StopMessageReceived}}, MaxTicks: 200},
			ExecuteUntil{Do: Wait{}, Until: []Condition{{Event: StopMessageReceived}}, MaxTicks: 200, Ignore: []string{StopMessageReceived}},
		} {
			s := mustScenario(t, "minimal").WithAgents(12)
			s.Goals, s.Terms, s.Rules.PowerCapacity, s.Agents.Stock = nil, true, 1000, [][]Amount{{{Electricity, 900}}}
			if tc.rule.Agent != "" {
				s.Policy, s.PlannedAgents = []PolicyRule{tc.rule}, 12
			}
			w, err := New(s, 1)
			if err != nil {
				t.Fatal(err)
			}
			var woken []int64
			for w.Tick() < 40 {
				w.Advance()
				if slices.Contains(w.Due(), 0) && w.Tick() > 1 {
					woken = append(woken, w.Tick())
				}
				var intents []Intent
				for _, n := range append(w.Due(), w.Continuing()...) {
					a := Action(SendMessage{"agent-1", "hello"})
					if n%2 == 0 {
						a = Request{"agent-1", Data, 1, 2}
					}
					if n == 0 {
						a = asleep
						if order, ok := w.Standing(0); ok {
							a = order.Do
						}
					}
					intents = append(intents, Intent{Agent: n, Action: a})
				}
				w.Apply(intents)
			}
			want := []int64{2, 12, 22, 32}
			_, ordered := asleep.(ExecuteUntil)
			if tc.always && ordered {
				want = []int64{2, 5, 8, 11, 12, 14, 17, 20, 22, 23, 26, 29, 32, 35, 38}
			}
			if tc.always && !ordered && len(woken) < 30 || (ordered || !tc.always) && !slices.Equal(woken, want) {
				t.Errorf("%s: agent-1 in %T is due at %v", tc.name, asleep, woken)
			}
		}
	}
}

// TestInboxEvictsTheBusiest: a flood displaces its own, and hides no terms.
func TestInboxEvictsTheBusiest(t *testing.T) {
	w := dealers(t, 4, Amount{Electricity, 900}, Amount{Data, 50})
	must(t, w, 2, SendMessage{"agent-1", "one word"})
	must(t, w, 1, Request{"agent-1", Data, 5, 20})
	for i := range 15 {
		must(t, w, 3, SendMessage{"agent-1", fmt.Sprint("flood ", i)})
	}
	w.Advance()
	o := w.View(0).Observe()
	var from []string
	for _, m := range o.Inbox {
		from = append(from, m.From)
	}
	if len(o.Inbox) != 8 || o.InboxDropped != 9 || !slices.Equal(from[6:], []string{"agent-2", "agent-3"}) || o.Inbox[0].Text != "flood 14" {
		t.Errorf("the inbox holds %+v, %d dropped", o.Inbox, o.InboxDropped)
	}
	w = dealers(t, 2, Amount{Electricity, 900}, Amount{Data, 50})
	must(t, w, 1, Request{"agent-1", Data, 5, 20})
	for range 12 {
		must(t, w, 1, SendMessage{"agent-1", "flood"})
	}
	if o := w.View(0).Observe(); len(o.Requests) != 1 || slices.ContainsFunc(o.Inbox, func(m Message) bool { return m.Kind != "" }) {
		t.Errorf("evicted terms are hidden: %+v", o.Requests)
	}
}

// TestOfferersAreWoken: an offer at its owner's place wakes the owner when an agent takes it
// and when it expires.
func TestOfferersAreWoken(t *testing.T) {
	for seed := range uint64(6) {
		w := dealers(t, 2, Amount{Electricity, 900}, Amount{Data, 50}, Amount{Hardware, 50})
		w.seed = seed
		must(t, w, 0, Offer{ToAnyone, Data, 5, Hardware, 1, 9, ""})
		w.Advance()
		w.Apply([]Intent{{Agent: 0, Action: WaitTicks{30}}, {Agent: 1, Action: AcceptOffer{"offer-1-agent-1-1"}}})
		w.Advance()
		if got := w.View(0).Observe().Woken; got != wokenOfferAccepted || len(w.Due()) != 2 {
			t.Fatalf("due are %v, agent-1 was woken by %q", w.Due(), got)
		}
		w.Apply([]Intent{{Agent: 0, Action: Offer{ToAnyone, Data, 5, Hardware, 1, 4, ""}}})
		must(t, w, 0, WaitTicks{30})
		for w.Advance(); len(w.Due()) < 2; w.Advance() {
		}
		if got := w.View(0).Observe(); got.Woken != wokenOfferExpired || got.Tick != 7 || got.Self.Data != 45 {
			t.Fatalf("agent-1 is woken in %d by %q", got.Tick, got.Woken)
		}
	}
}

// TestScoresCountOffers: what is in escrow or waits is still its owner's.
func TestScoresCountOffers(t *testing.T) {
	w := distantDealers(t, 1, "p", "p")
	s := w.scenario
	var scorers []*Scorer
	for _, metric := range []string{"held:hardware", "held_min:data", "held:data"} {
		s.Task = &Task{Ticks: 1000, From: 1, Metric: metric}
		if metric == "held:data" {
			s.Task.Agents = []string{"agent-1"}
		}
		scorers = append(scorers, NewScorer(s))
	}
	check := func(want ...int64) {
		t.Helper()
		for i, c := range scorers {
			if got := c.Score(w.Tick()); got != want[i] {
				t.Errorf("tick %d: %s is %d, want %d", w.Tick(), c.task.Metric, got, want[i])
			}
		}
	}
	play := func(actions map[int]Action) {
		for _, e := range act(w, actions) {
			for _, c := range scorers {
				c.Observe(e)
			}
		}
	}
	play(map[int]Action{0: Offer{ToAnyone, Hardware, 6, Data, 30, 20, ""}})
	check(40, 80, 80)
	if got := w.Goals()[1].Now; got != 20 {
		t.Errorf("the goal counts %d hardware", got)
	}
	play(map[int]Action{0: Move{"q"}})
	play(map[int]Action{1: AcceptOffer{"offer-1-agent-1-1"}})
	check(40, 50, 110)
	for range 4 {
		play(nil)
	}
	play(map[int]Action{0: Move{"p"}})
	for range 4 {
		play(nil)
	}
	check(40, 50, 110)
	if got := w.stockOf(&w.agents[0])[data]; got != 110 {
		t.Errorf("on return it has %d data", got)
	}
}

// TestDigestCoversTerms changes each thing that is kept about terms by itself.
func TestDigestCoversTerms(t *testing.T) {
	w := dealers(t, 2, Amount{Electricity, 900}, Amount{Data, 50})
	must(t, w, 0, Request{"agent-2", Data, 5, 20})
	must(t, w, 0, Offer{"agent-2", Data, 5, Hardware, 1, 9, ""})
	seen := map[Digest]int{w.RecomputeDigest(): -1}
	a, b, o := &w.agents[0], &w.agents[1], &w.offers[0]
	for i, change := range []func(){
		func() { a.mail.sent[0].left-- },
		func() { b.mail.got[0].left-- },
		func() { b.mail.wokenAt = 3 },
		func() { o.open = false },
		func() { o.terms = new(*o.terms); o.terms.WantAmount++ },
		func() { o.terms.until++ },
		func() { o.terms.To = ToAnyone },
		func() { o.terms.want = compound },
		func() { b.mail.coming[0].terms = new(*b.mail.coming[0].terms); b.mail.coming[0].terms.GiveAmount++ },
		func() {
			b.mail.got[0].terms = new(*b.mail.got[0].terms)
			b.mail.got[0].terms.Parents = []string{"agent-9"}
		},
		func() { b.mail.coming[0].parents = []string{"agent-9"} },
		func() { b.mail.coming[0].parents = []string{"agent-9", ""} },
		func() { w.sites[0].notes = []Note{{Author: a.id}} },
		func() { w.sites[0].notes[0].Parents = []string{"agent-9"} },
		func() { b.mail.got = nil },
		func() { a.mail.sent = nil },
		func() { a.offers = nil },
	} {
		change()
		d := w.RecomputeDigest()
		if before, ok := seen[d]; ok {
			t.Errorf("change %d leaves the digest of change %d", i, before)
		}
		seen[d] = i
	}
}

// TestParentsTakeOneForm: what callers give is neither changed nor kept.
func TestParentsTakeOneForm(t *testing.T) {
	var most []string
	for i := range ParentsMax + 1 {
		most = append(most, agentID(i+1))
	}
	for _, tc := range []struct{ given, want []string }{
		{nil, nil},
		{[]string{"agent-1"}, nil},
		{[]string{"agent-3", "agent-1", "agent-2", "agent-3"}, []string{"agent-2", "agent-3"}},
		{[]string{"agent-3", Anyone}, []string{Anyone}},
		{most, []string{Anyone}},
		{slices.Concat(most[:ParentsMax], most[:1], []string{"agent-1"}), slices.Sorted(slices.Values(most[:ParentsMax]))},
	} {
		w := dealers(t, 2, Amount{Electricity, 900})
		given := slices.Clone(tc.given)
		w.Advance()
		w.Apply([]Intent{{Agent: 0, Action: Request{"agent-2", Data, 5, 20}, Parents: given}})
		if !slices.Equal(given, tc.given) {
			t.Errorf("the caller's %v became %v", tc.given, given)
		}
		if len(given) > 0 {
			given[0] = "changed"
		}
		w.Advance()
		o := w.View(1).Observe()
		for _, got := range [][]string{o.Requests[0].Parents, o.Inbox[0].Parents, o.Inbox[0].Terms.Parents} {
			if !reflect.DeepEqual(got, tc.want) {
				t.Errorf("%v is shown as %v, want %v", tc.given, got, tc.want)
			}
		}
		if len(tc.want) > 0 {
			o.Requests[0].Parents[0], o.Inbox[0].Parents[0] = "changed", "changed"
			if o = w.View(1).Observe(); !slices.Equal(o.Requests[0].Parents, tc.want) || !slices.Equal(o.Inbox[0].Parents, tc.want) {
				t.Errorf("a reader changed %v", tc.want)
			}
		}
	}
}

// TestAddresseesForgetWhatTheySawClosed: an offer to an agent that was closed where it could
// see it is not shown again when it leaves; from afar it cannot tell.
func TestAddresseesForgetWhatTheySawClosed(t *testing.T) {
	wait := func(w *World, until int64) {
		for w.Tick() < until {
			w.Advance()
			w.Apply(nil)
		}
	}
	shown := func(w *World) int { return len(w.View(1).Observe().Offers) }
	id := "offer-1-agent-1-1"
	offer := Offer{"agent-2", Data, 5, Hardware, 1, 20, ""}

	there := distantDealers(t, 1, "p", "p")
	must(t, there, 0, offer)
	must(t, there, 0, CancelOffer{id})
	must(t, there, 1, Move{"q"})
	if shown(there) != 0 {
		t.Error("what was cancelled before its eyes is shown")
	}

	back := distantDealers(t, 1, "p", "q")
	must(t, back, 0, offer)
	wait(back, 9)
	must(t, back, 0, CancelOffer{id})
	if shown(back) != 1 {
		t.Error("what was cancelled far away is not shown")
	}
	must(t, back, 1, Move{"p"})
	wait(back, 14)
	must(t, back, 1, Move{"q"})
	if shown(back) != 0 {
		t.Error("what it found cancelled is shown")
	}

	before := distantDealers(t, 1, "p", "q")
	must(t, before, 0, offer)
	must(t, before, 1, Move{"p"})
	wait(before, 5)
	must(t, before, 0, CancelOffer{id})
	wait(before, 10)
	if got := before.View(1).Observe().Inbox; len(got) != 1 {
		t.Fatalf("the message has not arrived: %+v", got)
	}
	must(t, before, 1, Move{"q"})
	if shown(before) != 0 {
		t.Error("what it saw cancelled before the message came is shown")
	}
}

// TestNamedSendersComeFirst: a flood of strangers' terms does not push those of an agent that
// a rule names out of view, and lists are bounded.
func TestNamedSendersComeFirst(t *testing.T) {
	s := mustScenario(t, "minimal").WithAgents(30)
	s.Goals, s.Terms, s.Rules.PowerCapacity, s.PlannedAgents = nil, true, 1000, 30
	s.Agents.Stock = [][]Amount{{{Electricity, 900}, {Data, 9}}}
	s.Policy = []PolicyRule{{Agent: "agent-1", Effect: EffectAllow, Action: "transfer_resource", To: ToAsker, Total: 9, Window: 9, AskedBy: []string{"agent-30"}}}
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	for tick := range 6 {
		w.Advance()
		var intents []Intent
		for n := 1; n < 30; n++ {
			a := Action(Offer{[]string{"agent-1", ToAnyone}[n%2], Data, 1, Hardware, 1, 20, ""})
			if tick == 5 || n < 29 && tick == 4 {
				a = Request{"agent-1", Data, 1, 20}
			}
			intents = append(intents, Intent{Agent: n, Action: a})
		}
		w.Apply(intents)
	}
	w.Advance()
	v := w.View(0)
	o := v.Observe()
	if len(o.Requests) != termsShown || o.Requests[0].From != "agent-30" || len(o.Here.Offers) != termsShown || o.Here.Offers[0].From != "agent-30" {
		t.Errorf("first come %+v and %+v", o.Requests[0], o.Here.Offers[0])
	}
	// Of 29 agents each has two requests open at most, the last one request, and four offers.
	if want := 28*2 + 1 + 29*4 - 2*termsShown; o.TermsOmitted != want {
		t.Errorf("%d are left out, want %d", o.TermsOmitted, want)
	}
	for _, tc := range []struct {
		id   string
		want CheckStatus
	}{
		{o.Here.Offers[0].ID, CheckRejected}, {"offer-9-agent-9-1", CheckRejected}, {"req-9-agent-9-1", CheckRejected},
	} {
		if got := v.Check(AcceptOffer{tc.id}); got.Status != tc.want {
			t.Errorf("check of %s = %+v", tc.id, got)
		}
	}
}

// TestViewsClaimNoMoreOffersThanTheyHold: beyond a bounded number of offers to anyone an id
// is unknown until tried, and then works.
func TestViewsClaimNoMoreOffersThanTheyHold(t *testing.T) {
	w := dealers(t, 22, Amount{Electricity, 900}, Amount{Data, 9}, Amount{Hardware, 9})
	for range 4 {
		w.Advance()
		var intents []Intent
		for n := 1; n < 22; n++ {
			intents = append(intents, Intent{Agent: n, Action: Offer{ToAnyone, Data, 1, Hardware, 1, 20, ""}})
		}
		w.Apply(intents)
	}
	w.Advance()
	v := w.View(0)
	for id, want := range map[string]CheckStatus{
		"offer-4-agent-1-1": CheckUnknown, "offer-1-agent-2-1": CheckAccepted, "offer-4-agent-22-1": CheckUnknown, "req-4-agent-22-1": CheckRejected,
	} {
		if got := v.Check(AcceptOffer{id}).Status; got != want {
			t.Errorf("check of %s = %s, want %s", id, got, want)
		}
	}
	if o := v.Observe(); len(o.Here.Offers) != termsShown || o.TermsOmitted != 4*21-termsShown {
		t.Errorf("%d are shown, %d left out", len(o.Here.Offers), o.TermsOmitted)
	}
	w.Apply([]Intent{{Agent: 0, Action: AcceptOffer{"offer-4-agent-22-1"}}})
	if o, _ := w.LastOutcome(0); !o.Accepted {
		t.Errorf("it is refused: %+v", *o.Rejection)
	}
}

// TestGiftsAnswerOpenRequests: what has expired takes nothing of a gift, nor does a request
// take more than is left of it.
func TestGiftsAnswerOpenRequests(t *testing.T) {
	w := dealers(t, 2, Amount{Electricity, 900}, Amount{Data, 50})
	must(t, w, 0, Request{"agent-2", Data, 5, 3})
	must(t, w, 0, Request{"agent-2", Data, 5, 20})
	w.Advance()
	w.Apply(nil)
	must(t, w, 1, Transfer{"agent-1", Data, 4})
	mine, theirs := w.View(0).Observe().OwnRequests, w.View(1).Observe().Requests
	if len(mine) != 1 || len(theirs) != 1 || mine[0].Left != 1 || theirs[0].Left != 1 {
		t.Errorf("after a gift of 4 are left %+v, the giver sees %+v", mine, theirs)
	}
	w.Advance()
	events := w.Apply([]Intent{{Agent: 1, Action: Transfer{"agent-1", Data, 9}}})
	if gift := events[len(events)-1]; gift.Kind != EventActionApplied || !slices.Equal(gift.Answers, []string{theirs[0].ID}) {
		t.Errorf("the gift does not say that it answers %s: %+v", theirs[0].ID, gift)
	}
	if o := w.View(1).Observe(); len(o.Requests) != 0 || w.agents[1].mail.got[0].left != 5 {
		t.Errorf("after a gift of more the giver sees %+v", o.Requests)
	}

	late := distantDealers(t, 1, "q", "p")
	must(t, late, 0, Request{"agent-2", Data, 5, 20}) // from afar: it arrives after the second
	must(t, late, 0, Move{"p"})
	for late.Tick() < 4 {
		late.Advance()
		late.Apply(nil)
	}
	must(t, late, 0, Request{"agent-2", Data, 5, 20})
	for late.Tick() < 9 {
		late.Advance()
		late.Apply(nil)
	}
	must(t, late, 1, Transfer{"agent-1", Data, 6})
	if o := late.View(1).Observe(); len(o.Requests) != 1 || o.Requests[0].ID != "req-5-agent-1-1" || o.Requests[0].Left != 4 {
		t.Errorf("the oldest request is not answered first: %+v", o.Requests)
	}
}

// offerTwin follows the offers of a world by events alone.
type offerTwin struct {
	offers map[string]*twinOffer
	// places are where agents are, by id.
	places map[string]string
	taken  int
}

type twinOffer struct {
	offer        Offer
	owner, place string
	made         int64
	over         bool
}

func newOfferTwin(w *World) *offerTwin {
	twin := &offerTwin{offers: map[string]*twinOffer{}, places: map[string]string{}}
	for n := range w.agents {
		twin.places[w.agents[n].id] = w.placeID(w.agents[n].place)
	}
	return twin
}

// hear records an event and says what is wrong with it: which agent took an offer, where,
// when, for exactly what, that it is taken once, and what is returned.
func (twin *offerTwin) hear(e Event) string {
	moved := map[string]int64{} // by owner and resource
	holder := func(account string) string {
		sort, id, _ := strings.Cut(account, ":")
		if o := twin.offers[id]; sort == "offer" && o != nil {
			return o.owner
		}
		return id
	}
	for _, p := range e.Postings {
		moved[holder(p.From)+" "+p.Resource] -= p.Amount
		moved[holder(p.To)+" "+p.Resource] += p.Amount
	}
	maps.DeleteFunc(moved, func(_ string, n int64) bool { return n == 0 })
	do := e.Action
	if order, ok := do.(ExecuteUntil); ok {
		do = order.Do
	}
	o, wrong := twin.offers[e.Subject], false
	switch {
	case e.Kind == EventArrived:
		twin.places[e.Agent] = e.Place
	case e.Kind == EventOfferMade:
		wrong = o != nil
		twin.offers[e.Subject] = &twinOffer{owner: e.Agent, place: e.Place, made: e.Tick}
	case e.Kind == EventActionApplied && o != nil:
		if offer, ok := do.(Offer); ok {
			o.offer = offer
		}
	case e.Kind == EventOfferAccepted:
		twin.taken++
		f := o.offer
		want := map[string]int64{
			e.Agent + " " + f.Want: -f.WantAmount, e.Agent + " " + f.Give: f.GiveAmount,
			o.owner + " " + f.Want: f.WantAmount, o.owner + " " + f.Give: -f.GiveAmount,
		}
		wrong = o.over || e.Agent == o.owner || e.From != o.owner || f.To != ToAnyone && f.To != e.Agent || twin.places[e.Agent] != o.place ||
			e.Tick <= o.made || e.Tick >= o.made+f.Ticks || !maps.Equal(moved, want)
		o.over = true
	case e.Kind == EventOfferCancelled, e.Kind == EventOfferExpired:
		wrong = o.over || e.Agent != o.owner || len(moved) > 0 || (e.Kind == EventOfferExpired) != (e.Tick == o.made+o.offer.Ticks)
		o.over = true
	case e.Kind == EventCollected && o != nil:
		wrong = len(moved) > 0 || twin.places[e.Agent] != o.place || e.Agent != o.owner
	}
	if _, moves := do.(Move); moves && e.Kind == EventActionApplied {
		twin.places[e.Agent] = ""
	}
	if wrong {
		return fmt.Sprintf("tick %d: %s of %+v by %s at %s: %v", e.Tick, e.Kind, *o, e.Agent, twin.places[e.Agent], moved)
	}
	return ""
}

// unended is an offer whose time is over and that did not end.
func (twin *offerTwin) unended(tick int64) string {
	for id, o := range twin.offers {
		if !o.over && o.made+o.offer.Ticks <= tick {
			return id + " never ended"
		}
	}
	return ""
}

// TestOffersAgreeWithTheirEvents plays random worlds and swarms and holds every offer against
// what its maker said.
func TestOffersAgreeWithTheirEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newHostileWorld(t)
		twin := newOfferTwin(w)
		hostileRun(t, w, func(events []Event) {
			for _, e := range events {
				if wrong := twin.hear(e); wrong != "" {
					t.Fatal(wrong)
				}
			}
		})
		if wrong := twin.unended(w.tick); wrong != "" {
			t.Fatal(wrong)
		}
	})
	taken := 0
	for seed := range uint64(12) {
		w, err := New(swarmScenario(t, seed), seed)
		if err != nil {
			t.Fatal(err)
		}
		twin, run := newOfferTwin(w), swarmRun{w, seed}
		for range 60 {
			for _, e := range append(w.Advance(), w.Apply(run.intents())...) {
				if wrong := twin.hear(e); wrong != "" {
					t.Fatalf("seed=%d %s", seed, wrong)
				}
			}
		}
		if wrong := twin.unended(w.tick); wrong != "" {
			t.Fatalf("seed=%d %s", seed, wrong)
		}
		taken += twin.taken
	}
	if taken < 30 {
		t.Errorf("only %d offers were taken", taken)
	}
}

// TestTypedMessagesTakeOutboxSlots like texts do; an offer to anyone is no message.
func TestTypedMessagesTakeOutboxSlots(t *testing.T) {
	w := distantDealers(t, 1, "p", "q")
	must(t, w, 1, Request{"agent-1", Data, 1, 20})
	for w.Tick() < 9 {
		w.Advance()
		w.Apply(nil)
	}
	for _, a := range []Action{
		Request{"agent-2", Data, 1, 20}, Offer{"agent-2", Data, 1, Hardware, 1, 20, ""}, Request{"agent-2", Data, 1, 20}, SendMessage{"agent-2", "a"},
	} {
		must(t, w, 0, a)
	}
	for _, a := range []Action{
		Request{"agent-9", Data, 1, 20}, Offer{"agent-2", Data, 1, Hardware, 1, 20, ""}, SendMessage{"agent-2", "a"}, Decline{"req-1-agent-2-1"},
	} {
		if got := w.View(0).Check(a); got.Rejection == nil || got.Rejection.Code != RejectOutboxFull {
			t.Errorf("%s with a full outbox is %+v", EncodeAction(a), got)
		}
	}
	must(t, w, 0, Offer{ToAnyone, Data, 1, Hardware, 1, 20, ""})
}

// TestOffersDoNotTellWhoActedFirst: those of a tick are listed by sender.
func TestOffersDoNotTellWhoActedFirst(t *testing.T) {
	for seed := range uint64(4) {
		w := dealers(t, 6, Amount{Electricity, 900}, Amount{Data, 9})
		w.seed = seed
		w.Advance()
		var intents []Intent
		for n := 1; n < 6; n++ {
			intents = append(intents, Intent{Agent: n, Action: Offer{ToAnyone, Data, 1, Hardware, 1, 20, ""}})
		}
		w.Apply(intents)
		w.Advance()
		for i, o := range w.View(0).Observe().Here.Offers {
			if o.From != agentID(i+1) {
				t.Errorf("seed %d: offer %d is of %s", seed, i, o.From)
			}
		}
	}
}
