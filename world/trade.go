package world

import "fmt"

// Trades settle at once, at the price of the resting order or the plant. The better
// price is first, then the longer wait. At one price orders precede plants, and plants
// are sorted by id. No agent trades with itself: its own orders stay in the book even if
// they cross. Its own plants give freely to buy_power and sell nothing to it. Plants sell
// only to the agent that acts, never to resting orders.

// Trade is a trade, or the terms of an order that has no counterparty yet.
type Trade struct {
	// Buyer and Seller are agent ids.
	Buyer  string `json:"buyer,omitempty"`
	Seller string `json:"seller,omitempty"`
	// Price is in data per lot of 10, Amount in electricity.
	Price  int64 `json:"price"`
	Amount int64 `json:"amount"`
}

// tradeParams are the parameters that all trades share.
func tradeParams() []Param {
	return []Param{{
		Name: "amount", Kind: ParamAmount, Unit: "units", Min: PowerLot, Max: PowerTradeMax, Give: true,
		Doc: "electricity, in lots of 10",
	}, {
		Name: "price", Kind: ParamAmount, Unit: "data", Min: 1, Max: PowerPriceMax, Give: true,
		Doc: "data per 10 electricity",
	}}
}

// onTerms refuses an amount that is no positive number of whole lots and a
// price outside the rules. Its ruling otherwise is acceptance.
func onTerms(amount, price int64) ruling {
	if amount < 1 || amount > PowerTradeMax || amount%PowerLot != 0 {
		return invalidAmount("amount", amount, PowerTradeMax, electricity.unit())
	}
	if price < 1 || price > PowerPriceMax {
		return invalidAmount("price", price, PowerPriceMax, data.unit())
	}
	return ruling{}
}

// noOffer refuses an immediate trade that has no counterparty. Available is the best
// price there is, if any.
func noOffer(price int64, l ladder) ruling {
	r := Rejection{Code: RejectNoOffer, Field: "price", Requested: number(price), Unit: data.unit()}
	if len(l.levels) > 0 {
		r.Available = number(l.levels[0].Price)
	}
	return refuse(r)
}

// unlimited is an amount of funds that sets no bound: a resting order has its funds in escrow.
const unlimited = PowerTradeMax * PowerPriceMax

// lots is the largest whole number of lots in an amount, in units.
func lots(amount int64) int64 { return amount / PowerLot * PowerLot }

// clampPrice lowers the price of a buyer to the highest allowed: a buyer that would pay
// more pays that. A price that is not positive stays.
func clampPrice(a Action, price int64) (int64, []Adjustment) {
	if price <= PowerPriceMax {
		return price, nil
	}
	return PowerPriceMax, []Adjustment{{a.ActionName(), "price", price, PowerPriceMax, boundRule}}
}

// clampLots brings a positive amount to whole lots, at least one, within a limit
// that leaves at least one.
func clampLots(a Action, amount int64, l limit) (int64, []Adjustment) {
	if amount < 1 {
		return amount, nil
	}
	if l.max < PowerLot {
		l = limit{PowerTradeMax, boundRule}
	}
	to, bound := max(PowerLot, lots(amount)), BoundMultiple
	if to > l.max {
		to, bound = l.max, l.bound
	}
	if to == amount {
		return amount, nil
	}
	return to, []Adjustment{{a.ActionName(), "amount", amount, to, bound}}
}

// at adds the price to a possible trade.
func (a Affordance) at(price int64) Affordance {
	if a.OK {
		a.Price = price
	}
	return a
}

// take carries out what the rules found for agent n on one side of the book of its place.
func (w *World) take(n int32, side []entry, r ruling, settle func(entry)) {
	want, paid := r.traded, int64(0)
	for _, e := range side {
		if e.owner == n || want == 0 {
			continue
		}
		e.amount = min(e.amount, want)
		settle(e)
		want -= e.amount
		paid += e.amount / PowerLot * e.price
	}
	if want != 0 || paid != r.paid {
		panic(fmt.Sprintf("world: a trade misses %d and comes to %d data, the rules found all for %d", want, paid, r.paid))
	}
}

// takeAsks buys what the rules found for agent n, from orders and plants of others.
// What does not fit its battery waits in its order k.
func (w *World) takeAsks(n, k int32, r ruling) {
	buyer, place := &w.agents[n], w.agents[n].place
	w.take(n, w.bookOf(place).asks, r, func(from entry) {
		e := Event{
			Kind: EventTrade, Agent: buyer.id, Place: w.placeID(place),
			Trade: &Trade{buyer.id, w.agents[from.owner].id, from.price, from.amount},
		}
		var source account
		if from.order != noRecord {
			source, e.Subject = w.orders[from.order].account, w.orders[from.order].id
		} else {
			w.settlePlant(from.plant)
			source, e.Subject = w.factories[from.plant].store, w.factories[from.plant].id
		}
		e.Postings = w.deliverPower(source, n, k, from.amount)
		e.Postings = append(e.Postings, w.pay(buyer.account, source, from.owner, place, from.amount/PowerLot*from.price))
		w.touchAgent(n)
		w.emit(e)
		if from.order != noRecord {
			w.filled(from.order, from.amount)
		}
	})
}

// takeBids sells what the rules found, from the battery of agent n to orders of
// others.
func (w *World) takeBids(n int32, r ruling) {
	w.take(n, w.bookOf(w.agents[n].place).bids, r, func(to entry) {
		o, seller := &w.orders[to.order], &w.agents[n]
		w.settle(n)
		e := Event{
			Kind: EventTrade, Agent: seller.id, Place: w.placeID(o.place), Subject: o.id,
			Postings: w.deliverPower(seller.account, o.owner, to.order, to.amount),
			Trade:    &Trade{w.agents[o.owner].id, seller.id, o.price, to.amount},
		}
		e.Postings = append(e.Postings, w.pay(o.account, o.account, n, o.place, to.amount/PowerLot*o.price))
		w.planPower(n)
		w.emit(e)
		w.filled(to.order, to.amount)
	})
}

// deliverPower moves electricity to buyer n at the place of its order k: into the
// battery what fits, the rest into the order as its claim. A buyer without an
// order has room for all of it.
func (w *World) deliverPower(from account, n, k int32, amount int64) []Posting {
	if k == noRecord {
		return w.charge(nil, from, n, amount)
	}
	o := &w.orders[k]
	direct := min(amount, w.roomAt(n, o.place))
	postings := w.charge(nil, from, n, direct)
	if direct < amount {
		postings = append(postings, w.post(from, o.account, electricity, amount-direct))
	}
	w.touchOrder(k)
	return postings
}

// pay moves data to seller n for what it sold at place p through the account held:
// to the seller if it is there, else the data waits in that account. A trade must
// not reach an agent that is elsewhere, neither as data nor as news.
func (w *World) pay(from, held account, n, p int32, amount int64) Posting {
	to := held
	if w.at(n, p) {
		to = w.agents[n].account
		w.touchAgent(n)
	}
	return w.post(from, to, data, amount)
}

// at says that agent n is at place p.
func (w *World) at(n, p int32) bool { return w.agents[n].place == p }

// filled notes that others traded part of an order, and wakes its owner if it is
// there; one that is elsewhere finds out when it comes back.
func (w *World) filled(k int32, amount int64) {
	o := &w.orders[k]
	o.remaining -= amount
	w.touchOrder(k)
	there := w.at(o.owner, o.place)
	if o.remaining == 0 {
		if there {
			o.filledAt = w.tick
		}
		w.close(k)
	}
	if there {
		w.traded(o.owner, wokenOrderFilled)
	}
}

// The reasons of a wake-up by what others or time did with an order or offer.
const (
	wokenOrderFilled   = "order_filled"
	wokenOfferAccepted = "offer_accepted"
	wokenOfferExpired  = "offer_expired"
)

// traded wakes agent n, which is where others traded with it.
func (w *World) traded(n int32, why string) {
	a := &w.agents[n]
	a.filledAt, a.filledWhy = w.tick, why
	if a.standing != nil {
		a.standing.filled = true // closing or touching the order or offer has noted the change
	}
	if !a.standing.ignores(StopOrderFilled) {
		w.wake(n, why)
	}
}
