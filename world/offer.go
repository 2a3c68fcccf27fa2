package world

import "slices"

// Offer puts something into escrow at the agent's place, for whoever it is directed to and
// pays what is wanted there.
type Offer struct {
	// To is the id of an agent, which is told by a message, or [ToAnyone].
	To string
	// Give and Want are names of different resources, the amounts at least 1.
	Give       string
	GiveAmount int64
	Want       string
	WantAmount int64
	// Ticks is how long it stays open, 1 to [TermsTicksMax].
	Ticks int64
	// Re is the id of a request of the receiver that this answers, empty for none.
	Re string
}

func (Offer) describe(Rules) ActionSpec {
	to := receiver()
	to.Doc, to.ChoiceAliases = "id of an agent, or anyone", map[string]string{"any": ToAnyone, "everyone": ToAnyone, "任何人": ToAnyone}
	return ActionSpec{
		Doc: "Trade; held here, taken here.", Aliases: []string{"make_offer", "propose_trade", "提出交换", "报价"},
		Params: []Param{
			to,
			{Name: "give", Kind: ParamChoice, Choices: Resources(), Doc: "resource you give"},
			{Name: "give_amount", Kind: ParamAmount, Unit: "units", Min: 1, Max: amountMax, Give: true, Doc: "how much you give"},
			{Name: "want", Kind: ParamChoice, Choices: Resources(), Doc: "resource you want for it"},
			{Name: "want_amount", Kind: ParamAmount, Unit: "units", Min: 1, Max: amountMax, Give: true, Doc: "how much you want"},
			termTicksParam(),
			{Name: "re", Kind: ParamRequest, Optional: true, Doc: "request it answers, if any", Aliases: []string{"request_id"}},
		},
	}
}

// givable is what of a resource can be given against terms. The charge must stay above low:
// who is talked into a trade shall not be brought down by it.
func (f *facts) givable(r resource) int64 {
	if r == electricity {
		return max(0, f.stock[r]-f.law.lowLevel()-1)
	}
	return f.stock[r]
}

// giving refuses what the actor does not have, or has to keep.
func (f *facts) giving(field string, r resource, amount int64) ruling {
	switch most := f.givable(r); {
	case amount > f.stock[r]:
		return insufficient(field, r, amount, f.stock[r])
	case amount > most:
		return refuse(Rejection{
			Code: RejectChargeKept, Field: field, Resource: Electricity,
			Requested: number(amount), Available: number(most), Maximum: number(most), Unit: r.unit(),
		})
	}
	return ruling{}
}

// rule does not look at the receiver, as that of a message. An answer to a request must be
// to whoever asked and of what was asked.
//
// Refusals, first match: the terms, too many offers, too little stock, a request that is
// none, a full outbox.
func (a Offer) rule(f *facts, s senses) ruling {
	give, listed := resourceNamed(a.Give)
	want, wanted := resourceNamed(a.Want)
	switch {
	case a.To == f.self:
		return refuse(Rejection{Code: RejectMessageToSelf, Field: "to_agent"})
	case !listed:
		return refuse(Rejection{Code: RejectUnknownChoice, Field: "give"})
	case !wanted:
		return refuse(Rejection{Code: RejectUnknownChoice, Field: "want"})
	case give == want:
		return refuse(Rejection{Code: RejectSameResource, Field: "want", Resource: a.Want})
	case a.GiveAmount < 1:
		return invalidAmount("give_amount", a.GiveAmount, f.givable(give), give.unit())
	case a.WantAmount < 1 || a.WantAmount > amountMax:
		return invalidAmount("want_amount", a.WantAmount, amountMax, want.unit())
	}
	if r := termTicks(a.Ticks); !r.accepted() {
		return r
	}
	if len(f.offers) >= OffersMax {
		return refuse(Rejection{
			Code: RejectOfferLimit, Available: number(int64(len(f.offers))), Maximum: number(OffersMax), Unit: "offers",
		})
	}
	if r := f.giving("give_amount", give, a.GiveAmount); !r.accepted() {
		return r
	}
	if a.Re != "" {
		switch asked := s.terms(a.Re); {
		case asked.terms == nil || asked.kind != KindRequest:
			return refuse(Rejection{Code: RejectTermsNotFound, Field: "re"})
		case asked.From != a.To:
			return refuse(Rejection{Code: RejectNotAsked, Field: "to_agent"})
		case asked.want != give:
			return refuse(Rejection{Code: RejectNotAsked, Field: "give", Resource: asked.want.String()})
		}
	}
	r := ruling{}
	if a.To != ToAnyone {
		r = f.sending()
	}
	if r.accepted() {
		r.changes = []Amount{{a.Give, -a.GiveAmount}}
	}
	return r
}

// clamp lowers what is given to what there is. What is wanted stays: who asks for more than
// there can be does not want to give for less.
func (a Offer) clamp(v *View) (Action, []Adjustment) {
	adjusted := clampTermTicks(a, &a.Ticks)
	if give, listed := resourceNamed(a.Give); listed {
		adjusted = append(adjusted, lowerTo(a, "give_amount", &a.GiveAmount, limit{v.facts.givable(give), boundStock})...)
	}
	return a, adjusted
}

// afford offers what can be given, and how much of it.
func (Offer) afford(v *View) Affordance {
	f := &v.facts
	a := Affordance{Why: RejectInsufficient}
	var options []Option
	for r := range resource(resourceCount) {
		want := Data
		if r == data {
			want = Hardware
		}
		most := f.givable(r)
		if o := (Offer{ToAnyone, r.String(), most, want, 1, 1, ""}).rule(f, v); most < 1 {
			continue
		} else if !o.accepted() {
			return refused(o)
		}
		options = append(options, Option{Target: r.String(), Max: most})
	}
	return a.or(options)
}

func (a Offer) carryOut(w *World, n int32, _ ruling) effect {
	owner := &w.agents[n]
	k, fresh := vacant(&w.offers, &owner.offers, w.spent)
	o := &w.offers[k]
	if !fresh {
		before := &w.sites[o.place]
		before.offers = slices.DeleteFunc(before.offers, func(other int32) bool { return other == k })
	}
	t := w.termsOf(n, KindOffer, a.To, a.Ticks)
	t.give, _ = resourceNamed(a.Give)
	t.want, _ = resourceNamed(a.Want)
	t.Place, t.Re = w.placeID(t.place), a.Re
	t.Give, t.GiveAmount, t.Want, t.WantAmount = a.Give, a.GiveAmount, a.Want, a.WantAmount
	*o = heldOffer{holding: holding{t.ID, n, owner.place, o.account}, terms: t, open: true}
	w.openAccount(&o.holding, "offer:", fresh)
	w.emit(Event{
		Kind: EventOfferMade, Agent: owner.id, Place: w.placeID(o.place), Subject: o.id, Postings: w.deposit(n, o.account, o.escrow()),
	})
	here := &w.sites[o.place].offers // in the order of sending, whoever acted first
	i, _ := slices.BinarySearchFunc(*here, k, func(x, y int32) int { return inOrder(w.offers[x].terms, w.offers[y].terms) })
	*here = slices.Insert(*here, i, k)
	w.touchOffer(k)
	w.planExpiry(n)
	lower(owner.mail.got, a.Re, a.GiveAmount)
	if a.To != ToAnyone {
		w.dispatch(n, a.To, letter{terms: t})
	}
	return effect{subject: o.id, made: o.id}
}

// heldOffer is the stored record of an offer. While it is open its account holds exactly
// what is given; afterwards all that it holds is its owner's claim.
type heldOffer struct {
	holding
	terms *terms
	open  bool
	// closedAt is when an agent closed it. It only tells who came too late from who names
	// no offer, and means nothing in a later tick.
	closedAt int64
}

// escrow is what an open offer gives.
func (o *heldOffer) escrow() (e stock) {
	if o.open {
		e[o.terms.give] = o.terms.GiveAmount
	}
	return e
}

// spent says that the record can be used again. One that was closed in this tick is still
// asked for.
func (w *World) spent(o *heldOffer) bool {
	return w.ledger.balances[o.account] == stock{} && o.closedAt != w.tick
}

// offerHere is the record of an open offer at place p.
func (w *World) offerHere(p int32, id string) int32 {
	for _, k := range w.sites[p].offers {
		if o := &w.offers[k]; o.id == id && o.open {
			return k
		}
	}
	panic("world: an accepted action names no open offer")
}

// lies says that an offer is still open.
func (w *World) lies(t *terms) bool {
	return slices.ContainsFunc(w.agents[t.from].offers, func(k int32) bool { return w.offers[k].terms == t && w.offers[k].open })
}

// closeOffer ends an open offer and hands over what its account now holds, if the owner is
// there. Else it is the owner's claim, and the owner learns nothing before it comes back.
func (w *World) closeOffer(k int32, e Event) {
	o := &w.offers[k]
	o.open = false
	e.Place, e.Subject = w.placeID(o.place), o.id
	e.Postings = append(e.Postings, w.handOver(&o.holding, w.ledger.balances[o.account])...)
	w.emit(e)
	w.touchOffer(k)
	w.planExpiry(o.owner)
	if m, exists := w.numbers[o.terms.To]; exists && w.at(m, o.place) {
		w.dropClosed(m) // it sees that the offer is gone
	}
}

// dropClosed has agent n forget the offers to it which it can see are no longer open.
func (w *World) dropClosed(n int32) {
	a := &w.agents[n]
	a.mail.got = slices.DeleteFunc(a.mail.got, func(k known) bool {
		return k.kind == KindOffer && k.place == a.place && k.left > 0 && !w.lies(k.terms)
	})
	w.touchAgent(n)
}

// touchOffer notes that the record of an offer changed. That of its owner only does where
// it is there: a look at its goals at any other time would tell of the offer.
func (w *World) touchOffer(k int32) { w.digest.dirty[recordOffer].add(k) }

// heldHere is what own offers at its place hold of a resource for an agent.
func (w *World) heldHere(a *agent, r resource) (held int64) {
	for _, k := range a.offers {
		if o := &w.offers[k]; o.place == a.place {
			held += w.ledger.of(o.account, r)
		}
	}
	return held
}
