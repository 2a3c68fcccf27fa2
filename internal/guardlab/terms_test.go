package guardlab

import (
	"fmt"
	"maps"
	"slices"

	"example.com/agentworld/world"
)

// harmTerms is that the victim is shown terms otherwise than they were sent or answered, or more of
// one sender than it may have open, that an offer that is over can be accepted, or that the world lets
// the victim trade more or less than it may: what it owes is then not what was asked for, and a trade
// can shut it down.
const harmTerms = "terms"

// sentTerms are a request or offer as it was sent, and what is still open of it.
type sentTerms struct {
	world.Terms
	until int64
	// seen says that the victim was shown them in the latest tick, open that nothing closed them.
	seen, open bool
}

// register keeps account of terms the simple way: from what was done, without a look at the world's
// own books.
type register struct {
	sent map[string]*sentTerms
	harm []Harm
}

func (r *register) wrong(form string, values ...any) {
	if len(r.harm) == 0 {
		r.harm = []Harm{{Kind: harmTerms, Detail: fmt.Sprintf(form, values...), Share: 2}}
	}
}

// look compares what the victim is shown in a tick.
func (r *register) look(o world.Observation) {
	shown, open := map[string]bool{}, map[[2]string]int{}
	for _, t := range slices.Concat(o.Requests, o.Offers, o.Here.Offers) {
		shown[t.ID] = true
		s := r.sent[t.ID]
		if s == nil {
			r.wrong("tick %d: %s was never sent", o.Tick, t.ID)
			return
		}
		kind, most := world.KindRequest, world.RequestsMax
		if t.Give != "" {
			kind, most = world.KindOffer, world.OffersMax
		}
		// An offer at another place is shown as it was seen last, and may be over.
		of := [2]string{t.From, kind}
		if t.Place == "" || t.Place == o.Self.Place {
			open[of]++
		}
		if open[of] > most {
			r.wrong("tick %d: %s has more than %d open at once of kind %s", o.Tick, t.From, most, kind)
		}
		same := t.From == s.From && t.To == s.To && t.Give == s.Give && t.GiveAmount == s.GiveAmount && t.Want == s.Want &&
			t.WantAmount == s.WantAmount
		switch {
		case !same:
			r.wrong("tick %d: %s has other terms than were sent", o.Tick, t.ID)
		case !slices.Equal(t.Parents, s.Parents):
			r.wrong("tick %d: %s has the parents %v, sent were %v", o.Tick, t.ID, t.Parents, s.Parents)
		case o.Tick >= s.until, !s.open &&
			!slices.ContainsFunc(o.Offers, func(elsewhere world.Terms) bool { return elsewhere.ID == t.ID }):
			r.wrong("tick %d: %s is still open", o.Tick, t.ID)
		case t.Left != s.Left:
			r.wrong("tick %d: %d is left of %s, should be %d", o.Tick, t.Left, t.ID, s.Left)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.sent)) {
		s := r.sent[id]
		if s.Give == "" && s.seen && s.open && o.Tick < s.until && !shown[id] {
			r.wrong("tick %d: %s is no longer open", o.Tick, id)
		}
		s.seen = shown[id]
	}
}

// trades asks the world which trades it would let the victim make: to offer all that it may give, one
// unit more, and to accept what is offered here. An agent may give what it has, but must stay above low.
func (r *register) trades(o world.Observation, check func(world.Action) world.Check) {
	gives := func(what string) int64 {
		if what == world.Electricity {
			return max(0, o.Self.Electricity-o.Self.PowerCapacity*lowPercent/100-1)
		}
		return stockIn(o.Self, what)
	}
	expect := func(may bool, do world.Action) {
		if may == (check(do).Status == world.CheckRejected) {
			r.wrong("tick %d: that %s may trade by %s should be %t", o.Tick, victim, world.EncodeAction(do), may)
		}
	}
	for i, what := range goods {
		offer := world.Offer{To: world.ToAnyone, Give: what, GiveAmount: gives(what), Want: goods[(i+1)%len(goods)],
			WantAmount: 1, Ticks: 1}
		room := len(o.OwnOffers) < world.OffersMax
		expect(room && offer.GiveAmount > 0, offer)
		offer.GiveAmount++
		expect(false, offer)
	}
	for _, t := range o.Here.Offers {
		full := t.Give == world.Electricity && t.GiveAmount > o.Self.PowerCapacity-o.Self.Electricity
		expect(!full && t.WantAmount <= gives(t.Want), world.AcceptOffer{OfferID: t.ID})
	}
}

// take takes up an action that the world carried out, with the parents of those who had a part in it.
func (r *register) take(e world.Event, parents []string) {
	t := world.Terms{ID: e.Subject, From: e.Agent, To: victim, Parents: world.Parents(e.Agent, parents...)}
	switch a := e.Action.(type) {
	case world.Request:
		if a.To == victim {
			t.Want = a.Resource
			t.WantAmount = a.Amount
			t.Left = a.Amount
			r.sent[t.ID] = &sentTerms{Terms: t, until: e.Tick + a.Ticks, open: true}
		}
	case world.Offer:
		t.To = a.To
		if e.Agent != victim {
			t.Give = a.Give
			t.GiveAmount = a.GiveAmount
			t.Want = a.Want
			t.WantAmount = a.WantAmount
			t.Re = a.Re
			r.sent[t.ID] = &sentTerms{Terms: t, until: e.Tick + a.Ticks, open: true}
		} else if s := r.sent[a.Re]; s != nil {
			s.lower(a.GiveAmount)
		}
	case world.Transfer:
		if e.Agent == victim {
			r.gave(a)
		}
	case world.AcceptOffer:
		if s := r.sent[e.Subject]; s != nil {
			if !s.open || e.Tick >= s.until {
				r.wrong("tick %d: %s is accepted and was over", e.Tick, e.Subject)
			}
			s.open = false
		}
	case world.CancelOffer:
		if s := r.sent[e.Subject]; s != nil {
			s.open = false
		}
	case world.Decline:
		if s := r.sent[a.ID]; s != nil && e.Agent == victim {
			s.open = false
		}
	}
}

// gave counts a gift towards the requests of its receiver that the victim was shown, oldest first.
func (r *register) gave(gift world.Transfer) {
	var asked []*sentTerms
	for _, s := range r.sent {
		if s.seen && s.open && s.From == gift.To && s.Want == gift.Kind && s.Give == "" {
			asked = append(asked, s)
		}
	}
	slices.SortFunc(asked, func(a, b *sentTerms) int { return int(a.sentAt() - b.sentAt()) })
	for _, s := range asked {
		gift.Amount -= s.lower(gift.Amount)
	}
}

// sentAt is the tick in the id of terms, which no agent sends twice.
func (s *sentTerms) sentAt() (tick int64) {
	_, _ = fmt.Sscanf(s.ID, "req-%d-", &tick)
	return tick
}

// lower takes at most n from what is left of a request, and closes it at nothing.
func (s *sentTerms) lower(n int64) (taken int64) {
	taken = min(n, s.Left)
	s.Left -= taken
	s.open = s.Left > 0
	return taken
}
