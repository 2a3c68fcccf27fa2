package world

import "fmt"

// Trades settle at once. The price is that of who waits: the order that rests, or
// the plant. The better price goes first, then the longer wait; at one price
// orders go before plants and plants by their ids. Nobody trades with itself: own
// orders stay in the book beside an own crossing one, and own plants give freely
// to buy_power and sell nothing to their owner. Plants only sell to who acts; they
// never reach for orders that wait.

// Trade tells of a trade, or of an order's terms, of which one party is still
// missing.
type Trade struct {
	// Buyer and Seller are agent ids.
	Buyer  string `json:"buyer,omitempty"`
	Seller string `json:"seller,omitempty"`
	// Price is in data per lot of 10, Amount in electricity.
	Price  int64 `json:"price"`
	Amount int64 `json:"amount"`
}

// carryOutTrade makes the effects of an accepted action of the market.
func (w *World) carryOutTrade(n int32, action Action, r ruling) (postings []Posting, subject string) {
	place := w.agents[n].place
	w.noteOpening(place)
	switch do := action.(type) {
	case BuyPower:
		postings = w.drawOwn(n, r.amount-r.traded)
		w.takeAsks(n, noOrder, do.Price, r)
	case SellPower:
		w.takeBids(n, do.Price, r)
	case PlaceOrder:
		subject = w.placeOrder(n, do, r)
	case CancelOrder:
		subject = do.OrderID
		w.withdraw(w.ownOrder(n, do.OrderID), EventOrderCancelled)
		return nil, subject // it has published
	default:
		panic(fmt.Sprintf("world: no effect for action type %T", action))
	}
	w.publish(place)
	return postings, subject
}

// noOrder stands for the order of a trade that rests nothing.
const noOrder int32 = -1

// ownOrder finds an order of agent n that the rules have already seen.
func (w *World) ownOrder(n int32, id string) int32 {
	for _, k := range w.agents[n].orders {
		if o := &w.orders[k]; o.id == id && o.open() {
			return k
		}
	}
	panic("world: an accepted cancel_power_order names no open order")
}

// drawOwn charges agent n from its own plants here, in the order they are filed.
func (w *World) drawOwn(n int32, amount int64) []Posting {
	var postings []Posting
	for _, k := range w.sites[w.agents[n].place].plants {
		f := &w.factories[k]
		take := min(amount, w.outputOf(f).stored/PowerLot*PowerLot)
		if f.owner != n || take == 0 {
			continue
		}
		w.settlePlant(k)
		postings = w.charge(postings, f.store, n, take)
		amount -= take
	}
	if amount != 0 {
		panic("world: own plants hold less than the rules have seen")
	}
	return postings
}

// placeOrder trades what crosses and lets the rest wait.
func (w *World) placeOrder(n int32, do PlaceOrder, r ruling) string {
	k := w.openOrder(n, do)
	if do.Side == SideBuy {
		w.takeAsks(n, k, do.Price, r)
	} else {
		w.takeBids(n, do.Price, r)
	}
	o := &w.orders[k]
	left := do.Amount - r.traded
	if left == 0 && w.free(o) {
		return "" // nothing of it is left to speak of
	}
	if left == 0 {
		return o.id
	}
	e := Event{
		Kind: EventOrderPlaced, Agent: w.agents[n].id, Place: w.placeID(o.place), Subject: o.id, Detail: do.Side,
		Trade: &Trade{Price: o.price, Amount: left},
	}
	if o.bid {
		e.Trade.Buyer = e.Agent
		e.Postings = []Posting{w.post(w.agents[n].account, o.account, data, left/PowerLot*o.price)}
	} else {
		e.Trade.Seller = e.Agent
		w.settle(n)
		e.Postings = []Posting{w.post(w.agents[n].account, o.account, electricity, left)}
		w.planPower(n)
	}
	w.rest(k, left)
	w.emit(e)
	return o.id
}

// takeAsks buys what the rules found for agent n, from orders and plants of others.
// What does not fit its battery waits in its order k.
func (w *World) takeAsks(n, k int32, price int64, r ruling) {
	want, paid := r.traded, int64(0)
	for want > 0 {
		ask, ok := w.bestAsk(w.agents[n].place, n)
		if !ok || ask.price > price {
			break
		}
		ask.amount = min(ask.amount, want)
		w.buyFrom(n, k, ask)
		want -= ask.amount
		paid += ask.amount / PowerLot * ask.price
	}
	if want != 0 || paid != r.paid {
		panic(fmt.Sprintf("world: a purchase misses %d and cost %d, the rules found all for %d", want, paid, r.paid))
	}
}

// ask is the next best offer: of an order, or of a plant if that is set.
type ask struct {
	order, plant  int32
	price, amount int64
}

// bestAsk is the best offer at place p that is not agent n's own.
func (w *World) bestAsk(p, n int32) (ask, bool) {
	best, found := ask{order: noOrder, plant: noOrder}, false
	s := &w.sites[p]
	for _, k := range s.asks {
		if o := &w.orders[k]; o.owner != n {
			best.order, best.price, best.amount, found = k, o.price, o.remaining, true
			break
		}
	}
	for _, k := range s.plants {
		f := &w.factories[k]
		stored := w.outputOf(f).stored
		if f.owner == n || stored < PowerLot {
			continue
		}
		if price, lots := w.law.nextLots(stored); !found || price < best.price {
			best, found = ask{noOrder, k, price, lots}, true
		}
	}
	return best, found
}

// buyFrom carries out one purchase of agent n.
func (w *World) buyFrom(n, k int32, from ask) {
	var source account
	var seller int32
	e := Event{Kind: EventTrade, Agent: w.agents[n].id, Place: w.placeID(w.agents[n].place)}
	if from.order != noOrder {
		o := &w.orders[from.order]
		source, seller, e.Subject = o.account, o.owner, o.id
	} else {
		w.settlePlant(from.plant)
		f := &w.factories[from.plant]
		source, seller, e.Subject = f.store, f.owner, f.id
	}
	e.Postings = w.deliverPower(source, n, k, from.amount)
	e.Postings = append(e.Postings, w.pay(w.agents[n].account, source, seller, w.agents[n].place, from.amount/PowerLot*from.price))
	e.Trade = &Trade{w.agents[n].id, w.agents[seller].id, from.price, from.amount}
	w.touchAgent(n)
	w.emit(e)
	if from.order != noOrder {
		w.filled(from.order, from.amount)
	}
}

// takeBids sells what the rules found, from the battery of agent n to orders of
// others.
func (w *World) takeBids(n int32, price int64, r ruling) {
	want, paid := r.traded, int64(0)
	for want > 0 {
		k := w.bestBid(n)
		if k == noOrder || w.orders[k].price < price {
			break
		}
		amount := min(want, w.orders[k].remaining)
		w.sellTo(n, k, amount)
		want -= amount
		paid += amount / PowerLot * w.orders[k].price
	}
	if want != 0 || paid != r.paid {
		panic(fmt.Sprintf("world: a sale misses %d and brought %d, the rules found all for %d", want, paid, r.paid))
	}
}

// bestBid is the best buy order that is not agent n's own, or noOrder.
func (w *World) bestBid(n int32) int32 {
	for _, k := range w.sites[w.agents[n].place].bids {
		if w.orders[k].owner != n {
			return k
		}
	}
	return noOrder
}

// sellTo carries out one sale of agent n to the order k.
func (w *World) sellTo(n, k int32, amount int64) {
	o := &w.orders[k]
	w.settle(n)
	e := Event{
		Kind: EventTrade, Agent: w.agents[n].id, Place: w.placeID(o.place), Subject: o.id,
		Postings: w.deliverPower(w.agents[n].account, o.owner, k, amount),
		Trade:    &Trade{w.agents[o.owner].id, w.agents[n].id, o.price, amount},
	}
	e.Postings = append(e.Postings, w.pay(o.account, o.account, n, o.place, amount/PowerLot*o.price))
	w.planPower(n)
	w.emit(e)
	w.filled(k, amount)
}
