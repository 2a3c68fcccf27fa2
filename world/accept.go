package world

import "slices"

// AcceptOffer accepts an offer at the agent's place. The agent pays what is wanted and gets
// what is given at once.
type AcceptOffer struct {
	OfferID string
}

func (AcceptOffer) describe(*Industry) ActionSpec {
	return ActionSpec{
		Aliases: []string{"accept", "take_offer", "接受"},
		Params:  []Param{{Name: "offer", Kind: ParamOffer, Doc: "id of an offer here", Aliases: []string{"offer_id"}}},
	}
}

// rule does not look at the offerer, which may be away or shut down.
//
// Refusals, first match: an own offer, an unknown one, one at another place, too little to
// pay with, no room.
func (a AcceptOffer) rule(f *facts, s senses) ruling {
	t := s.terms(a.OfferID)
	switch {
	case slices.ContainsFunc(f.offers, func(own Terms) bool { return own.ID == a.OfferID }):
		return refuse(Rejection{Code: RejectOwnOffer, Field: "offer"})
	case t.unknown:
		return ruling{unknown: true}
	case t.terms == nil || t.kind != KindOffer:
		return refuse(Rejection{Code: RejectOfferNotFound, Field: "offer"})
	case !t.here:
		return refuse(Rejection{Code: RejectOfferNotHere, Field: "offer"})
	}
	if r := f.giving("offer", t.want, t.WantAmount); !r.accepted() {
		return r
	}
	if t.give == electricity && t.GiveAmount > f.room() {
		return f.full(t.GiveAmount, "offer")
	}
	return ruling{changes: []Amount{{t.Want, -t.WantAmount}, {t.Give, t.GiveAmount}}}
}

// afford lists the offers here that the agent can pay for. If there is none, it says why the
// first is refused.
func (AcceptOffer) afford(v *knowledge) Affordance {
	return choices(v, RejectOfferNotFound, v.seen.Here.Offers, Terms.id, func(id string) Action { return AcceptOffer{id} })
}

func (a AcceptOffer) carryOut(w *World, n int32, _ ruling) effect {
	k := w.offerHere(w.agents[n].place, a.OfferID)
	o := &w.offers[k]
	var paid stock
	paid[o.terms.want] = o.terms.WantAmount
	postings := w.deposit(n, o.account, paid)
	if o.terms.give == electricity {
		postings = w.charge(postings, o.account, n, o.terms.GiveAmount)
	} else {
		postings = append(postings, w.post(o.account, w.agents[n].account, o.terms.give, o.terms.GiveAmount))
	}
	o.closedAt = w.tick
	w.closeOffer(k, Event{
		Kind: EventOfferAccepted, Agent: w.agents[n].id, From: w.agents[o.owner].id, Postings: postings,
	})
	if w.at(o.owner, o.place) {
		w.traded(o.owner, wokenOfferAccepted)
	}
	return effect{subject: o.id}
}
