package world

// clampTrade clamps the amount of a trade, and the price of one that buys: who
// would pay more than any price pays the highest one, but a seller that asks for
// more than any price does not want to sell for less. What is not positive stays.
func (v View) clampTrade(action Action) (Action, []Adjustment) {
	f := &v.facts
	name := action.ActionName()
	switch a := action.(type) {
	case BuyPower:
		price, adjusted := clampPrice(name, a.Price)
		n, more := clampLots(name, a.Amount, f.buyLimit(price, v.book))
		return BuyPower{n, price}, append(more, adjusted...)
	case SellPower:
		n, adjusted := clampLots(name, a.Amount, f.sellLimit(a.Price, v.book))
		return SellPower{n, a.Price}, adjusted
	case PlaceOrder:
		return f.clampPlace(a)
	}
	return action, nil
}

// clampPrice lowers a price to the highest there is.
func clampPrice(action string, price int64) (int64, []Adjustment) {
	if price <= PowerPriceMax {
		return price, nil
	}
	return PowerPriceMax, []Adjustment{{action, "price", price, PowerPriceMax, boundRule}}
}

// clampLots brings a positive amount to whole lots, at least one, within a limit
// that leaves at least one.
func clampLots(action string, amount int64, l limit) (int64, []Adjustment) {
	if amount < 1 {
		return amount, nil
	}
	if l.max < PowerLot {
		l = limit{PowerTradeMax, boundRule}
	}
	to, bound := max(PowerLot, lots(amount)), boundRule
	if to > l.max {
		to, bound = l.max, l.bound
	}
	if to == amount {
		return amount, nil
	}
	return to, []Adjustment{{action, "amount", amount, to, bound}}
}

// clampPlace keeps an order within what can be put into escrow.
func (f *facts) clampPlace(a PlaceOrder) (Action, []Adjustment) {
	var adjusted []Adjustment
	l := limit{PowerTradeMax, boundRule}
	switch a.Side {
	case SideBuy:
		a.Price, adjusted = clampPrice(a.ActionName(), a.Price)
		l = l.tighten(affordable(f.stock[data], a.Price, PowerTradeMax/PowerLot)*PowerLot, boundStock)
	case SideSell:
		l = l.tighten(lots(f.stock[electricity]), boundStock)
	}
	n, more := clampLots(a.ActionName(), a.Amount, l)
	a.Amount = n
	return a, append(more, adjusted...)
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

// sellLimit is the most that can be sold at a price now.
func (f *facts) sellLimit(price int64, m marketFacts) limit {
	l := limit{PowerTradeMax, boundRule}.tighten(lots(f.stock[electricity]), boundStock)
	sold := m.bids.meet(price, l.max, unlimited)
	if sold.unknown {
		return l
	}
	return l.tighten(sold.amount, boundPlace)
}
