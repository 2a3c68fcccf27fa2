package world

// CancelOffer takes back an own open offer at the agent's place.
type CancelOffer struct {
	OfferID string
}

func (CancelOffer) describe(*Industry) ActionSpec {
	return ActionSpec{
		Aliases: []string{"withdraw_offer", "撤回"},
		Params:  []Param{{Name: "offer", Kind: ParamOffer, Doc: "id of your offer", Aliases: []string{"offer_id"}}},
	}
}

// rule does not find an offer that was accepted or has expired.
func (a CancelOffer) rule(f *facts, _ senses) ruling {
	for _, o := range f.offers {
		switch {
		case o.ID != a.OfferID:
		case o.Place != f.place:
			return refuse(Rejection{Code: RejectOfferNotHere, Field: "offer"})
		case o.ExpiresIn == 0: // it only holds a claim
		case o.Give == Electricity:
			return ruling{changes: gained(Electricity, min(o.GiveAmount, f.room()))}
		default:
			return ruling{changes: gained(o.Give, o.GiveAmount)}
		}
	}
	return refuse(Rejection{Code: RejectOfferNotFound, Field: "offer"})
}

// afford lists the open offers here. If all are elsewhere, it says so.
func (CancelOffer) afford(v *knowledge) Affordance {
	return choices(v, RejectOfferNotFound, v.facts.offers, Terms.id, func(id string) Action { return CancelOffer{id} })
}

func (a CancelOffer) carryOut(w *World, n int32, _ ruling) effect {
	k := w.offerHere(w.agents[n].place, a.OfferID)
	w.offers[k].closedAt = w.tick
	w.closeOffer(k, Event{Kind: EventOfferCancelled, Agent: w.agents[n].id})
	return effect{subject: a.OfferID}
}
