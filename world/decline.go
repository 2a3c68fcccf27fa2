package world

import "slices"

// Decline refuses a request or offer to the agent. It is then closed for the agent, and its
// sender gets a message.
type Decline struct {
	// ID is that of the request or offer.
	ID string
}

func (Decline) describe(*Industry) ActionSpec {
	return ActionSpec{
		Aliases: []string{"reject_offer", "refuse_request", "拒绝", "谢绝"},
		Params: []Param{{Name: "id", Kind: ParamTerms, Doc: "id of the request or offer",
			Aliases: []string{"request_id", "offer_id"}}},
	}
}

// rule accepts terms directed to the actor; an offer to anyone cannot be declined.
func (a Decline) rule(f *facts, s senses) ruling {
	if t := s.terms(a.ID); t.terms == nil || t.To != f.self {
		return refuse(Rejection{Code: RejectTermsNotFound, Field: "id"})
	}
	return f.sending()
}

func (Decline) afford(v *knowledge) Affordance {
	list := slices.Concat(v.seen.Requests, v.seen.Offers, v.seen.Here.Offers)
	return choices(v, RejectTermsNotFound, list, Terms.id, func(id string) Action { return Decline{id} })
}

func (a Decline) carryOut(w *World, n int32, _ ruling) effect {
	declined := (&liveSenses{w, n, false}).terms(a.ID)
	mail := &w.agents[n].mail
	lower(mail.got, a.ID, amountMax)
	if !slices.ContainsFunc(mail.got, func(k known) bool { return k.terms == declined.terms }) {
		mail.got = keep(mail.got, known{declined.terms, 0}, w.tick) // the message is still on its way
	}
	t := w.termsOf(n, KindDecline, declined.From, 0)
	t.Re = a.ID
	w.dispatch(n, t.To, letter{terms: t})
	return effect{subject: a.ID}
}
