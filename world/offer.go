package world

import "slices"

// Offer puts a resource into escrow at the agent's place. Its receiver gets it there for what
// is wanted.
type Offer struct {
	// To is the id of an agent, which gets a message, or [ToAnyone].
	To string
	// Give and Want are names of different resources, the amounts at least 1.
	Give       string
	GiveAmount int64
	Want       string
	WantAmount int64
	// Ticks is how long it stays open, 1 to [TermsTicksMax].
	Ticks int64
	// Re is the id of the receiver's request that this answers; empty for none.
	Re string
}

func (Offer) describe(r *Industry) ActionSpec {
	to := receiver()
	to.Doc, to.ChoiceAliases = "id of an agent, or anyone",
		map[string]string{"any": ToAnyone, "everyone": ToAnyone, "任何人": ToAnyone}
	return ActionSpec{
		Aliases: []string{"make_offer", "propose_trade", "提出交换", "报价"},
		Params: []Param{
			to,
			{Name: "give", Kind: ParamChoice, Lists: ListsResources, Choices: r.Resources, Doc: "resource you give"},
			{Name: "give_amount", Kind: ParamAmount, Unit: "units", Min: 1, Max: amountMax, Give: true,
				Doc: "how much you give"},
			{Name: "want", Kind: ParamChoice, Lists: ListsResources, Choices: r.Resources, Doc: "resource you want for it"},
			{Name: "want_amount", Kind: ParamAmount, Unit: "units", Min: 1, Max: amountMax, Give: true,
				Doc: "how much you want"},
			termTicksParam(),
			{Name: "re", Kind: ParamRequest, Optional: true, Doc: "request it answers, if any", Aliases: []string{"request_id"}},
		},
	}
}

// givable is how much of a resource can be traded. The charge must stay above low, so that
// no trade can shut its agent down.
func (f *facts) givable(r resource) int64 {
	if r == electricity {
		return max(0, f.stock[r]-f.law.LowLevel()-1)
	}
	return f.stock[r]
}

// giving refuses an amount that the actor does not have or must keep.
func (f *facts) giving(field string, r resource, amount int64) ruling {
	switch most := f.givable(r); {
	case amount > f.stock[r]:
		return f.insufficient(field, r, amount, f.stock[r])
	case amount > most:
		return refuse(Rejection{
			Code: RejectChargeKept, Field: field, Resource: Electricity,
			Requested: number(amount), Available: number(most), Maximum: number(most), Unit: r.unit(),
		})
	}
	return ruling{}
}

// rule does not look at the receiver, as that of a message. An answer to a request must go
// to the agent that asked and give what it asked for.
//
// Refusals, first match: the terms, too many offers, too little stock, an unknown request, a
// full outbox.
func (a Offer) rule(f *facts, s senses) ruling {
	give, listed := f.law.resource(a.Give)
	want, wanted := f.law.resource(a.Want)
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
	case a.Ticks < 1 || a.Ticks > TermsTicksMax:
		return invalidAmount("for_ticks", a.Ticks, TermsTicksMax, Ticks)
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
			return refuse(Rejection{Code: RejectNotAsked, Field: "give", Resource: f.law.Resources[asked.want]})
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

// clamp lowers what is given to the stock. What is wanted stays, since an agent that asks for
// too much does not mean to sell for less.
func (a Offer) clamp(v *knowledge) (Action, []Adjustment) {
	adjusted := clampTermTicks(a, &a.Ticks)
	if give, listed := v.facts.law.resource(a.Give); listed {
		adjusted = append(adjusted, lowerTo(a, "give_amount", &a.GiveAmount, limit{v.facts.givable(give), boundStock})...)
	}
	return a, adjusted
}

// afford lists what can be given, and how much of it.
func (Offer) afford(v *knowledge) Affordance {
	var options []Option
	for r, name := range v.facts.law.Resources {
		most, want := v.facts.givable(resource(r)), Data
		if most < 1 {
			continue
		}
		if name == Data {
			want = Hardware
		}
		if o := (Offer{ToAnyone, name, most, want, 1, 1, ""}).rule(&v.facts, v); !o.accepted() {
			return refused(o)
		}
		options = append(options, Option{Target: name, Max: most})
	}
	return Affordance{Why: RejectInsufficient}.or(options)
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
	t.give, _ = w.law.resource(a.Give)
	t.want, _ = w.law.resource(a.Want)
	t.Place, t.Re = w.placeID(t.place), a.Re
	t.Give = a.Give
	t.GiveAmount = a.GiveAmount
	t.Want = a.Want
	t.WantAmount = a.WantAmount
	*o = heldOffer{holding: holding{t.ID, n, owner.place, o.account}, terms: t, open: true}
	w.openAccount(&o.holding, "offer:", fresh)
	w.emit(Event{
		Kind: EventOfferMade, Agent: owner.id, Place: w.placeID(o.place), Subject: o.id,
		Postings: w.deposit(n, o.account, o.escrow()),
	})
	here := &w.sites[o.place].offers // in the order of sending, not of acting
	i, _ := slices.BinarySearchFunc(*here, k,
		func(x, y int32) int { return inOrder(w.offers[x].terms, w.offers[y].terms) })
	*here = slices.Insert(*here, i, k)
	w.touchOffer(k)
	w.planExpiry(n)
	lower(owner.mail.got, a.Re, a.GiveAmount)
	if a.To != ToAnyone {
		w.dispatch(n, a.To, letter{terms: t})
	}
	return effect{subject: o.id, made: o.id}
}

// heldOffer is the stored record of an offer. While it is open, its account holds exactly
// what is given. Afterwards all of the account is its owner's claim.
type heldOffer struct {
	holding
	terms *terms
	open  bool
	// closedAt is when an agent closed it. In that tick it tells an agent that came too late
	// from one that names no offer.
	closedAt int64
}

func (o *heldOffer) escrow() (e stock) {
	if o.open {
		e[o.terms.give] = o.terms.GiveAmount
	}
	return e
}

// spent reports whether the record can be used again. One that was closed in this tick is
// still looked up.
func (w *World) spent(o *heldOffer) bool {
	return w.ledger.stock(o.account) == stock{} && o.closedAt != w.tick
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

// lies reports whether an offer is still open.
func (w *World) lies(t *terms) bool {
	return slices.ContainsFunc(w.agents[t.from].offers,
		func(k int32) bool { return w.offers[k].terms == t && w.offers[k].open })
}

// closeOffer ends an open offer and hands over what its account holds, if the owner is there.
// Otherwise that is the owner's claim, of which it learns when it comes back.
func (w *World) closeOffer(k int32, e Event) {
	o := &w.offers[k]
	o.open = false
	e.Place, e.Subject = w.placeID(o.place), o.id
	e.Postings = append(e.Postings, w.handOver(&o.holding, w.ledger.stock(o.account))...)
	w.emit(e)
	w.touchOffer(k)
	w.planExpiry(o.owner)
	if m, exists := w.numbers[o.terms.To]; exists && w.at(m, o.place) {
		w.dropClosed(m) // it sees that the offer is gone
	}
}

// dropClosed removes the offers to agent n at its place that are no longer open.
func (w *World) dropClosed(n int32) {
	a := &w.agents[n]
	a.mail.got = slices.DeleteFunc(a.mail.got, func(k known) bool {
		return k.kind == KindOffer && k.place == a.place && k.left > 0 && !w.lies(k.terms)
	})
	w.touchAgent(n)
}

// touchOffer marks the record of an offer as changed. The owner's record is marked only if it
// is there: otherwise a look at its goals would tell it of the offer.
func (w *World) touchOffer(k int32) { w.digest.dirty[recordOffer].add(k) }

// heldHere is how much of a resource an agent's own offers at its place hold.
func (w *World) heldHere(a *agent, r resource) (held int64) {
	for _, k := range a.offers {
		if o := &w.offers[k]; o.place == a.place {
			held += w.ledger.of(o.account, r)
		}
	}
	return held
}
