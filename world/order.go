package world

import (
	"slices"
	"strconv"
)

// OrdersMax bounds the orders of one agent, those included that only hold
// something for it.
const OrdersMax = 4

// restingOrder is the stored record of a resting order. Its escrow is the data of what is
// still to be bought or the electricity still to be sold; a claim is electricity without
// room for it, and anything that came in while the owner was elsewhere.
//
// Invariant: while open, the account holds exactly the claim and, for a buy,
// remaining/PowerLot*price data or, for a sell, remaining electricity.
type restingOrder struct {
	holding
	// bid says that it buys.
	bid   bool
	price int64
	// remaining is what is still to be traded, 0 once it is closed.
	remaining int64
	expiresAt int64
	// filledAt is when others traded the last of it. It only tells a cancel that
	// came too late from one of no order, and means nothing in a later tick.
	filledAt int64
}

// open says that the order is in the book.
func (o *restingOrder) open() bool { return o.remaining > 0 }

// escrow is what the order still trades.
func (o *restingOrder) escrow() (e stock) {
	if o.bid {
		e[data] = o.remaining / PowerLot * o.price
	} else {
		e[electricity] = o.remaining
	}
	return e
}

// claim is the electricity that waits in the order for its owner.
func (w *World) claim(o *restingOrder) int64 { return w.claims(&o.holding, o.escrow())[electricity] }

// free says that the record can be used again: nothing is traded, nothing held.
func (w *World) free(o *restingOrder) bool { return w.ledger.stock(o.account) == stock{} }

// openOrder gives agent n a new order that trades nothing yet. Ids count only the
// owner's orders, so that they tell nothing about others; they never return.
func (w *World) openOrder(n int32, do PlaceOrder) int32 {
	a := &w.agents[n]
	a.placed++
	k, fresh := vacant(&w.orders, &a.orders, w.free)
	o := &w.orders[k]
	*o = restingOrder{
		holding: holding{a.id + "-o" + strconv.FormatInt(a.placed, 10), n, a.place, o.account},
		bid:     do.Side == SideBuy, price: do.Price, expiresAt: w.tick + w.law.OrderTicks,
	}
	w.openAccount(&o.holding, "order:", fresh)
	w.touchOrder(k)
	return k
}

// rest puts what is left of an order into escrow and into the book, after those of
// the same price.
func (w *World) rest(k int32, amount int64) {
	o := &w.orders[k]
	o.remaining = amount
	e := Event{
		Kind: EventOrderPlaced, Agent: w.agents[o.owner].id, Place: w.placeID(o.place), Subject: o.id, Detail: o.side(),
		Trade: &Trade{Price: o.price, Amount: amount}, Postings: w.deposit(o.owner, o.account, o.escrow()),
	}
	if o.bid {
		e.Trade.Buyer = e.Agent
	} else {
		e.Trade.Seller = e.Agent
	}
	side := w.sites[o.place].side(o.bid)
	i := 0
	for ; i < len(*side); i++ {
		if other := w.orders[(*side)[i]].price; o.bid && o.price > other || !o.bid && o.price < other {
			break // it has the better price
		}
	}
	*side = slices.Insert(*side, i, k)
	w.touchOrder(k)
	w.touchSite(o.place)
	w.planExpiry(o.owner)
	w.emit(e)
}

// side names the side of the book the order is on.
func (o *restingOrder) side() string {
	if o.bid {
		return SideBuy
	}
	return SideSell
}

// close takes an open order out of the book. Its escrow stays where it is.
func (w *World) close(k int32) {
	o := &w.orders[k]
	o.remaining = 0
	side := w.sites[o.place].side(o.bid)
	*side = slices.DeleteFunc(*side, func(other int32) bool { return other == k })
	w.touchOrder(k)
	w.touchSite(o.place)
	w.planExpiry(o.owner)
}

// withdraw closes an open order and gives the escrow back if the owner is there,
// electricity as far as there is room; otherwise it stays as the owner's claim.
func (w *World) withdraw(k int32, kind EventKind) {
	o := &w.orders[k]
	escrow := o.escrow()
	w.close(k)
	w.emit(Event{
		Kind: kind, Agent: w.agents[o.owner].id, Place: w.placeID(o.place), Subject: o.id,
		Postings: w.handOver(&o.holding, escrow),
	})
	w.publish(o.place)
}

// collect hands over what orders, offers and plants at its place hold for agent n, as far
// as it fits. It runs when the agent arrives and after every action it takes
// there, accepted or not; at other times nothing about a claim can change.
func (w *World) collect(n int32) {
	a := &w.agents[n]
	hand := func(h *holding, escrow stock, touch func(int32), k int32) {
		if h.place != a.place {
			return
		}
		if postings := w.handOver(h, w.claims(h, escrow)); postings != nil {
			touch(k)
			w.collected(n, h.id, postings)
		}
	}
	for _, k := range a.orders {
		if o := &w.orders[k]; !w.free(o) {
			hand(&o.holding, o.escrow(), w.touchOrder, k)
		}
	}
	for _, k := range a.offers {
		o := &w.offers[k]
		hand(&o.holding, o.escrow(), w.touchOffer, k)
	}
	for _, k := range a.factories {
		f := &w.factories[k]
		if !w.isPlant(f) || f.place != a.place {
			continue
		}
		if postings := w.postAny(nil, f.store, a.account, data, w.ledger.of(f.store, data)); postings != nil {
			w.touchFactory(k)
			w.collected(n, f.id, postings)
		}
	}
}

// collected tells what agent n was handed.
func (w *World) collected(n int32, subject string, postings []Posting) {
	a := &w.agents[n]
	w.touchAgent(n)
	w.emit(Event{Kind: EventCollected, Agent: a.id, Place: w.placeID(a.place), Subject: subject, Postings: postings})
}

// expire closes the orders and offers of agent n whose time is over.
func (w *World) expire(n int32) {
	for _, k := range w.agents[n].orders {
		if o := &w.orders[k]; o.open() && o.expiresAt <= w.tick {
			w.withdraw(k, EventOrderExpired)
		}
	}
	for _, k := range w.agents[n].offers {
		if o := &w.offers[k]; o.open && o.terms.until <= w.tick {
			w.closeOffer(k, Event{Kind: EventOfferExpired, Agent: w.agents[n].id})
			if w.at(n, o.place) {
				w.wake(n, wokenOfferExpired)
			}
		}
	}
	w.planExpiry(n)
	w.agents[n].openingAt = -1 // the tick begins with what came back
}

// planExpiry sets the wake-up for the first of agent n's open orders and offers to expire.
func (w *World) planExpiry(n int32) {
	first := int64(0)
	for _, k := range w.agents[n].orders {
		if o := &w.orders[k]; o.open() && (first == 0 || o.expiresAt < first) {
			first = o.expiresAt
		}
	}
	for _, k := range w.agents[n].offers {
		if o := &w.offers[k]; o.open && (first == 0 || o.terms.until < first) {
			first = o.terms.until
		}
	}
	if first == 0 {
		w.calendar.cancel(wakeUpOf(n, kindOrders))
		return
	}
	w.calendar.set(wakeUpOf(n, kindOrders), first)
}

// touchOrder notes that a record of an order changed, and with it its owner's
// prospects.
func (w *World) touchOrder(k int32) {
	w.digest.dirty[recordOrder].add(k)
	w.touchAgent(w.orders[k].owner)
}
