package world

import "fmt"

// orderFacts are what the rules need to know of one own order.
type orderFacts struct {
	id string
	// here says that it is at the actor's place.
	here bool
	bid  bool
	// remaining is 0 for an order that only holds a claim.
	price, remaining int64
}

// judgeTrade rules on the actions of the market.
func (f *facts) judgeTrade(action Action, s senses) ruling {
	switch a := action.(type) {
	case BuyPower:
		return f.judgeBuy(a, s.market())
	case SellPower:
		return f.judgeSell(a, s.market())
	case PlaceOrder:
		return f.judgePlace(a, s.market())
	case CancelOrder:
		return f.judgeCancel(a)
	}
	panic(fmt.Sprintf("world: no rule for action type %T", action))
}

// judgeTerms refuses an amount that is no positive number of whole lots and a
// price outside the rules. Its verdict otherwise is acceptance.
func judgeTerms(amount, price int64) ruling {
	if amount < 1 || amount > PowerTradeMax || amount%PowerLot != 0 {
		return invalidAmount("amount", amount, PowerTradeMax, electricity.unit())
	}
	if price < 1 || price > PowerPriceMax {
		return invalidAmount("price", price, PowerPriceMax, data.unit())
	}
	return ruling{}
}

// lots is the largest whole number of lots in an amount, in units.
func lots(amount int64) int64 { return amount / PowerLot * PowerLot }

// buying is what a purchase of up to amount finds: the own plants' stores first,
// which cost nothing, then the offers of others. The battery bounds both.
func (f *facts) buying(amount, price int64, m marketFacts) (own int64, bought match) {
	want := min(amount, lots(f.room()))
	own = min(m.store, want)
	return own, m.asks.meet(price, want-own, f.stock[data])
}

// judgeBuy rules on buying at once. The amount is an upper bound: what is offered,
// fits the battery and can be paid for is bought, and only nothing is a refusal.
//
// Refusals, first match: the terms, a full battery, no offer at the price, too
// little data for a single lot.
func (f *facts) judgeBuy(a BuyPower, m marketFacts) ruling {
	if r := judgeTerms(a.Amount, a.Price); !r.accepted() {
		return r
	}
	own, bought := f.buying(a.Amount, a.Price, m)
	total := own + bought.amount
	switch {
	case bought.unknown:
		return ruling{unknown: true}
	case total > 0:
		return ruling{
			amount: total, traded: bought.amount, paid: bought.data,
			changes: costs(stock{data: bought.data}, Amount{Electricity, total}),
		}
	case f.room() < PowerLot:
		return refuse(Rejection{
			Code: RejectStorageFull, Field: "amount", Resource: Electricity, Requested: number(a.Amount),
			Available: number(f.room()), Maximum: number(f.law.PowerCapacity), Unit: electricity.unit(),
		})
	case bought.broke:
		return insufficient("price", data, m.asks.levels[0].price, f.stock[data])
	}
	return noOffer(a.Price, m.asks)
}

// noOffer refuses a trade at once for which there is nobody; Available is the best
// price there is, if any.
func noOffer(price int64, l ladder) ruling {
	r := Rejection{Code: RejectNoOffer, Field: "price", Requested: number(price), Unit: data.unit()}
	if len(l.levels) > 0 {
		r.Available = number(l.levels[0].price)
	}
	return refuse(r)
}

// judgeSell rules on selling at once. The amount is an upper bound here too, but
// an agent cannot offer what it does not have.
func (f *facts) judgeSell(a SellPower, m marketFacts) ruling {
	if r := judgeTerms(a.Amount, a.Price); !r.accepted() {
		return r
	}
	if a.Amount > f.stock[electricity] {
		return insufficient("amount", electricity, a.Amount, f.stock[electricity])
	}
	sold := m.bids.meet(a.Price, a.Amount, unlimited)
	switch {
	case sold.unknown:
		return ruling{unknown: true}
	case sold.amount == 0:
		return noOffer(a.Price, m.bids)
	}
	return ruling{
		amount: sold.amount, traded: sold.amount, paid: sold.data,
		changes: costs(stock{electricity: sold.amount}, Amount{Data, sold.data}),
	}
}

// unlimited stands for funds that set no bound: those of who waits are in escrow.
const unlimited = PowerTradeMax * PowerPriceMax

// judgePlace rules on an order. What crosses trades at once, at prices of the
// others; the rest goes into escrow at the order's own price.
//
// Refusals, first match: the side, the terms, too many orders, too little stock.
func (f *facts) judgePlace(a PlaceOrder, m marketFacts) ruling {
	if a.Side != SideBuy && a.Side != SideSell {
		return refuse(Rejection{Code: RejectUnknownChoice, Field: "side"})
	}
	if r := judgeTerms(a.Amount, a.Price); !r.accepted() {
		return r
	}
	value := a.Amount / PowerLot * a.Price
	switch {
	case len(f.orders) >= OrdersMax:
		return refuse(Rejection{
			Code: RejectOrderLimit, Available: number(int64(len(f.orders))), Maximum: number(OrdersMax), Unit: "orders",
		})
	case a.Side == SideBuy && value > f.stock[data]:
		return insufficient("amount", data, value, f.stock[data])
	case a.Side == SideSell && a.Amount > f.stock[electricity]:
		return insufficient("amount", electricity, a.Amount, f.stock[electricity])
	}
	crossed := m.asks.meet
	if a.Side == SideSell {
		crossed = m.bids.meet
	}
	traded := crossed(a.Price, a.Amount, unlimited)
	if traded.unknown {
		return ruling{unknown: true}
	}
	return f.placed(a, traded)
}

// placed is the acceptance of an order of which some was traded at once.
func (f *facts) placed(a PlaceOrder, traded match) ruling {
	r := ruling{amount: a.Amount, traded: traded.amount, paid: traded.data}
	if a.Side == SideSell {
		r.changes = costs(stock{electricity: a.Amount}, gained(Data, traded.data)...)
		return r
	}
	escrow := (a.Amount - traded.amount) / PowerLot * a.Price
	r.changes = costs(stock{data: traded.data + escrow}, gained(Electricity, min(traded.amount, f.room()))...)
	return r
}

// gained is a gain, or none.
func gained(resource string, n int64) []Amount {
	if n == 0 {
		return nil
	}
	return []Amount{{resource, n}}
}

// judgeCancel rules on taking an order back. One that was filled or has expired is
// no order any more, and those of others are not the actor's to know.
func (f *facts) judgeCancel(a CancelOrder) ruling {
	for _, o := range f.orders {
		if o.id != a.OrderID || o.remaining == 0 {
			continue
		}
		switch {
		case !o.here:
			return refuse(Rejection{Code: RejectOrderNotHere, Field: "order_id"})
		case o.bid:
			return ruling{changes: gained(Data, o.remaining/PowerLot*o.price)}
		}
		return ruling{changes: gained(Electricity, min(o.remaining, f.room()))}
	}
	return refuse(Rejection{Code: RejectOrderNotFound, Field: "order_id"})
}
