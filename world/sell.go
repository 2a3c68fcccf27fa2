package world

// SellPower sells electricity to the buy orders at the agent's place.
type SellPower struct {
	// Amount is the most electricity to sell, a multiple of [PowerLot].
	Amount int64
	// Price is the least to get, in data per [PowerLot].
	Price int64
}

func (SellPower) describe(*Industry) ActionSpec {
	return ActionSpec{Params: tradeParams()}
}

// sellLimit is the most that can be sold at a price now.
func (f *facts) sellLimit(price int64, m marketFacts) limit {
	l := limit{PowerTradeMax, boundRule}.tighten(lots(f.stock[electricity]), boundStock)
	sold := m.bids.meet(price, l.max, unlimited)
	if sold.unknown {
		return l
	}
	return l.tighten(sold.amount, boundPlace)
}

// rule takes the amount as an upper bound, as for a purchase, but an agent cannot offer
// what it does not have.
func (a SellPower) rule(f *facts, s senses) ruling {
	if r := onTerms(a.Amount, a.Price); !r.accepted() {
		return r
	}
	if a.Amount > f.stock[electricity] {
		return f.insufficient("amount", electricity, a.Amount, f.stock[electricity])
	}
	m := s.market()
	sold := m.bids.meet(a.Price, a.Amount, unlimited)
	switch {
	case sold.unknown:
		return ruling{unknown: true}
	case sold.amount == 0:
		return noOffer(a.Price, m.bids)
	}
	return ruling{
		amount: sold.amount, traded: sold.amount, paid: sold.data,
		changes: f.costs(stock{electricity: sold.amount}, Amount{Data, sold.data}),
	}
}

// clamp leaves the price: a seller that asks for more than any price does not want
// to sell for less.
func (a SellPower) clamp(v *knowledge) (Action, []Adjustment) {
	n, adjusted := clampLots(a, a.Amount, v.facts.sellLimit(a.Price, v.book))
	return SellPower{n, a.Price}, adjusted
}

// afford offers what can be sold at the best price.
func (SellPower) afford(v *knowledge) Affordance {
	price := max(1, best(v.book.bids))
	return v.bounded(SellPower{PowerLot, price}, v.facts.sellLimit(price, v.book)).at(price)
}

func (a SellPower) carryOut(w *World, n int32, r ruling) effect {
	place := w.agents[n].place
	w.noteOpening(place)
	w.takeBids(n, r)
	w.publish(place)
	return effect{}
}
