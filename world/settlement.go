package world

// deliverPower moves electricity to buyer n at the place of its order k: into the
// battery what fits, the rest into the order as its claim. A buyer without an
// order has room for all of it.
func (w *World) deliverPower(from account, n, k int32, amount int64) []Posting {
	if k == noOrder {
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

// pay moves data into the account of agent n, wherever it is.
func (w *World) pay(from account, n int32, amount int64) Posting {
	w.touchAgent(n)
	return w.post(from, w.agents[n].account, data, amount)
}

// filled notes that others traded part of an order, and wakes its owner.
func (w *World) filled(k int32, amount int64) {
	o := &w.orders[k]
	o.remaining -= amount
	w.touchOrder(k)
	if o.remaining == 0 {
		o.filledAt = w.tick
		w.close(k)
	}
	w.agents[o.owner].filledAt = w.tick
	w.wake(o.owner, wokenOrderFilled)
}

// wokenOrderFilled is the reason of a wake-up by a fill.
const wokenOrderFilled = "order_filled"

// afterTurn hands over what waits for an agent where it acted, and does not let
// one fall asleep over a fill that it could not know of when it decided.
func (w *World) afterTurn(n int32) {
	a := &w.agents[n]
	if !a.travelling() && len(a.orders) > 0 {
		w.collect(n)
	}
	if a.filledAt == w.tick {
		w.wake(n, wokenOrderFilled)
	}
}
