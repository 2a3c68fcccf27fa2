package world

// affordTrades lists what the market allows now.
func (v View) affordTrades() []Affordance {
	return []Affordance{v.canBuy(), v.canSell(), v.facts.canPlace(v.book), v.facts.canCancel()}
}

// canBuy offers what can be had at the best price; own plants give at any price.
func (v View) canBuy() Affordance {
	f := &v.facts
	price := max(1, best(v.book.asks))
	r := f.judgeBuy(BuyPower{PowerLot, price}, v.book)
	a := f.bounded("buy_power", "amount", PowerLot, f.buyLimit(price, v.book), r)
	return a.at(price)
}

// canSell offers what can be sold at the best price.
func (v View) canSell() Affordance {
	f := &v.facts
	price := max(1, best(v.book.bids))
	r := f.judgeSell(SellPower{PowerLot, price}, v.book)
	a := f.bounded("sell_power", "amount", PowerLot, f.sellLimit(price, v.book), r)
	return a.at(price)
}

// at adds the price to a possible trade.
func (a Affordance) at(price int64) Affordance {
	if a.OK {
		a.Price = price
	}
	return a
}

// canPlace offers both sides as far as there is something to put into escrow: a
// buy at the lowest price, a sale at the highest. At those no offer of the other
// side is out of sight.
func (f *facts) canPlace(m marketFacts) Affordance {
	a := Affordance{Action: "place_power_order", OK: true}
	buy := f.judgePlace(PlaceOrder{SideBuy, PowerLot, 1}, m)
	if buy.accepted() {
		most := min(f.stock[data], PowerTradeMax/PowerLot) * PowerLot
		a.Options = append(a.Options, Option{Target: SideBuy, Max: most})
	}
	if f.judgePlace(PlaceOrder{SideSell, PowerLot, PowerPriceMax}, m).accepted() {
		most := min(lots(f.stock[electricity]), PowerTradeMax)
		a.Options = append(a.Options, Option{Target: SideSell, Max: most})
	}
	if len(a.Options) == 0 {
		return refused(a.Action, buy)
	}
	return a
}

// canCancel offers the open orders here. If there are only others, it says that
// they are elsewhere.
func (f *facts) canCancel() Affordance {
	a := Affordance{Action: "cancel_power_order", Why: RejectOrderNotFound}
	for _, o := range f.orders {
		r := f.judgeCancel(CancelOrder{o.id})
		if r.accepted() {
			a.Options = append(a.Options, Option{Target: o.id})
		} else if r.rejection.Code == RejectOrderNotHere {
			a.Why = RejectOrderNotHere
		}
	}
	if len(a.Options) > 0 {
		return Affordance{Action: a.Action, OK: true, Options: a.Options}
	}
	return a
}
