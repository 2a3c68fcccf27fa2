package world

// BuyPower buys electricity offered at the agent's place at once; what cannot be
// had now is not ordered.
type BuyPower struct {
	// Amount is the most electricity to buy, a multiple of [PowerLot].
	Amount int64
	// Price is the most to pay, in data per [PowerLot].
	Price int64
}

func (BuyPower) describe(*Industry) ActionSpec {
	return ActionSpec{Params: tradeParams(), Numbers: map[string]int64{"price": PowerPriceMax}}
}

// buying is what a purchase of up to amount finds: the own plants' stores first,
// which cost nothing, then the offers of others. The battery bounds both.
func (f *facts) buying(amount, price int64, m marketFacts) (own int64, bought match) {
	want := min(amount, lots(f.room()))
	own = min(m.store, want)
	return own, m.asks.meet(price, want-own, f.stock[data])
}

// buyLimit is the most that can be bought at a price now. Where more may be
// offered than is shown, only the battery bounds it.
func (f *facts) buyLimit(price int64, m marketFacts) limit {
	l := limit{PowerTradeMax, boundRule}.tighten(lots(f.room()), boundCapacity)
	if price < 1 {
		return l
	}
	own, bought := f.buying(l.max, price, m)
	switch {
	case bought.unknown:
		return l
	case bought.broke:
		return l.tighten(own+bought.amount, boundStock)
	}
	return l.tighten(own+bought.amount, boundPlace)
}

// rule takes the amount as an upper bound: what is offered, fits the battery and can be
// paid for is bought, and only nothing is a refusal.
//
// Refusals, first match: the terms, a full battery, no offer at the price, too
// little data for a single lot.
func (a BuyPower) rule(f *facts, s senses) ruling {
	if r := onTerms(a.Amount, a.Price); !r.accepted() {
		return r
	}
	m := s.market()
	own, bought := f.buying(a.Amount, a.Price, m)
	total := own + bought.amount
	switch {
	case bought.unknown:
		return ruling{unknown: true}
	case total > 0:
		return ruling{
			amount: total, traded: bought.amount, paid: bought.data,
			changes: f.costs(stock{data: bought.data}, Amount{Electricity, total}),
		}
	case f.room() < PowerLot:
		return f.full(a.Amount, "amount")
	case bought.broke:
		return f.insufficient("price", data, m.asks.levels[0].Price, f.stock[data])
	}
	return noOffer(a.Price, m.asks)
}

func (a BuyPower) clamp(v *knowledge) (Action, []Adjustment) {
	price, adjusted := clampPrice(a, a.Price)
	n, more := clampLots(a, a.Amount, v.facts.buyLimit(price, v.book))
	return BuyPower{n, price}, append(more, adjusted...)
}

// afford offers what can be had at the best price, and what of it own plants give for nothing.
func (BuyPower) afford(v *knowledge) Affordance {
	price := max(1, best(v.book.asks))
	a := v.bounded(BuyPower{PowerLot, price}, v.facts.buyLimit(price, v.book)).at(price)
	if a.OK {
		a.Free, _ = v.facts.buying(a.Max, price, v.book)
	}
	return a
}

func (a BuyPower) carryOut(w *World, n int32, r ruling) effect {
	place := w.agents[n].place
	w.noteOpening(place)
	var postings []Posting
	own := r.amount - r.traded // comes from the own plants here, in the order they are filed
	for _, k := range w.sites[place].plants {
		f := &w.factories[k]
		take := min(own, lots(w.outputOf(f).stored))
		if f.owner != n || take == 0 {
			continue
		}
		w.settlePlant(k)
		postings = w.charge(postings, f.store, n, take)
		own -= take
	}
	if own != 0 {
		panic("world: own plants hold less than the rules have seen")
	}
	w.takeAsks(n, noRecord, r)
	w.publish(place)
	return effect{postings: postings}
}
