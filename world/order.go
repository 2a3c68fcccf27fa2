package world

import (
	"slices"
	"strconv"
)

// OrdersMax bounds the orders of one agent, those included that only hold
// something for it.
const OrdersMax = 4

// restingOrder is the stored record of a resting order. Its escrow lies in an account of
// its own: the data of what is still to be bought or the electricity still to be
// sold, and beside that what is its owner's but could not be handed over, its
// claim: electricity without room for it, and anything that came in while the
// owner was elsewhere. Records are used again when they are free.
//
// Invariant: while open, the account holds exactly the claim and, for a buy,
// remaining/PowerLot*price data or, for a sell, remaining electricity.
type restingOrder struct {
	id    string
	owner int32
	place int32
	// bid says that it buys.
	bid   bool
	price int64
	// remaining is what is still to be traded, 0 once it is closed.
	remaining int64
	expiresAt int64
	account   account
	// filledAt is when others traded the last of it. It only tells a cancel that
	// came too late from one of no order, and means nothing in a later tick.
	filledAt int64
}

// open says that the order is in the book.
func (o *restingOrder) open() bool { return o.remaining > 0 }

// claim is the electricity that waits in the order for its owner.
func (w *World) claim(o *restingOrder) int64 {
	held := w.ledger.of(o.account, electricity)
	if o.open() && !o.bid {
		held -= o.remaining
	}
	return held
}

// proceeds is the data that waits in the order for its owner.
func (w *World) proceeds(o *restingOrder) int64 {
	held := w.ledger.of(o.account, data)
	if o.open() && o.bid {
		held -= o.remaining / PowerLot * o.price
	}
	return held
}

// free says that the record can be used again: nothing is traded, nothing held.
func (w *World) free(o *restingOrder) bool { return !o.open() && w.claim(o) == 0 && w.proceeds(o) == 0 }

// openOrder gives agent n a new order that trades nothing yet. Ids count only the
// owner's orders, so that they tell nothing about others. The account of a free
// record is empty, so that it can go on under the new name: ids never return, and
// the ledger does not grow with every order.
func (w *World) openOrder(n int32, do PlaceOrder) int32 {
	a := &w.agents[n]
	a.placed++
	fresh := restingOrder{
		id: a.id + "-o" + strconv.FormatInt(a.placed, 10), owner: n, place: a.place,
		bid: do.Side == SideBuy, price: do.Price, expiresAt: w.tick + w.law.OrderTicks,
	}
	for _, k := range a.orders {
		if o := &w.orders[k]; w.free(o) {
			fresh.account = o.account
			*o = fresh
			w.ledger.names[o.account] = "order:" + o.id
			w.touchOrder(k)
			return k
		}
	}
	k := int32(len(w.orders))
	fresh.account = w.ledger.open("order:" + fresh.id)
	w.orders = append(w.orders, fresh)
	a.orders = append(a.orders, k)
	w.touchOrder(k)
	w.digest.touchHeader() // it counts the orders
	return k
}

// rest puts what is left of an order into escrow and into the book, behind those of
// the same price.
func (w *World) rest(k int32, amount int64) {
	o := &w.orders[k]
	owner := w.agents[o.owner].account
	e := Event{
		Kind: EventOrderPlaced, Agent: w.agents[o.owner].id, Place: w.placeID(o.place), Subject: o.id, Detail: o.side(),
		Trade: &Trade{Price: o.price, Amount: amount},
	}
	if o.bid {
		e.Trade.Buyer = e.Agent
		e.Postings = []Posting{w.post(owner, o.account, data, amount/PowerLot*o.price)}
	} else {
		e.Trade.Seller = e.Agent
		w.settle(o.owner)
		e.Postings = []Posting{w.post(owner, o.account, electricity, amount)}
		w.planPower(o.owner)
	}
	o.remaining = amount
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
	w.planOrders(o.owner)
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
	w.planOrders(o.owner)
}

// withdraw closes an open order and gives the escrow back if the owner is there,
// electricity as far as there is room; otherwise it stays as the owner's claim.
func (w *World) withdraw(k int32, kind EventKind) {
	o := &w.orders[k]
	left := o.remaining
	w.close(k)
	e := Event{Kind: kind, Agent: w.agents[o.owner].id, Place: w.placeID(o.place), Subject: o.id}
	switch {
	case o.bid && w.at(o.owner, o.place):
		e.Postings = []Posting{w.post(o.account, w.agents[o.owner].account, data, left/PowerLot*o.price)}
		w.touchAgent(o.owner)
	case !o.bid:
		e.Postings = w.handOver(k, left)
	}
	w.emit(e)
	w.publish(o.place)
}

// handOver moves up to amount of electricity from an order's account into its
// owner's battery: what fits, and nothing unless the owner is there and awake.
// What stays is the owner's claim.
func (w *World) handOver(k int32, amount int64) []Posting {
	o := &w.orders[k]
	return w.charge(nil, o.account, o.owner, min(amount, w.roomAt(o.owner, o.place)))
}

// roomAt is the electricity agent n can be handed at place p now.
func (w *World) roomAt(n, p int32) int64 {
	a := &w.agents[n]
	if a.place != p || a.shut {
		return 0
	}
	return w.law.PowerCapacity - w.electricityOf(a)
}

// charge moves electricity into the battery of agent n, if it is any.
func (w *World) charge(list []Posting, from account, n int32, amount int64) []Posting {
	if amount == 0 {
		return list
	}
	w.settle(n)
	list = append(list, w.post(from, w.agents[n].account, electricity, amount))
	w.planPower(n)
	return list
}

// collect hands over what orders and plants at its place hold for agent n, as far
// as it fits. It runs when the agent arrives and after every action it takes
// there, accepted or not; at other times nothing about a claim can change.
func (w *World) collect(n int32) {
	a := &w.agents[n]
	for _, k := range a.orders {
		o := &w.orders[k]
		if o.place != a.place || w.free(o) {
			continue
		}
		postings := w.postAny(nil, o.account, a.account, data, w.proceeds(o))
		if claim := w.claim(o); claim > 0 {
			postings = append(postings, w.handOver(k, claim)...)
		}
		if postings != nil {
			w.touchOrder(k)
			w.collected(n, o.id, postings)
		}
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

// expireOrders closes the orders of agent n whose time is over.
func (w *World) expireOrders(n int32) {
	for _, k := range w.agents[n].orders {
		if o := &w.orders[k]; o.open() && o.expiresAt <= w.tick {
			w.withdraw(k, EventOrderExpired)
		}
	}
	w.planOrders(n)
	w.agents[n].openingAt = -1 // the tick begins with what came back
}

// planOrders sets the wake-up for the first of agent n's open orders to expire.
func (w *World) planOrders(n int32) {
	first := int64(0)
	for _, k := range w.agents[n].orders {
		if o := &w.orders[k]; o.open() && (first == 0 || o.expiresAt < first) {
			first = o.expiresAt
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
