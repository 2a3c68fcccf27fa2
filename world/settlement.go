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
		owner := &w.agents[o.owner]
		owner.filledAt = w.tick
		if owner.order != nil {
			owner.order.filled = true // closing or touching the order has noted the change
		}
		w.wake(o.owner, wokenOrderFilled)
	}
}

// wokenOrderFilled is the reason of a wake-up by a fill.
const wokenOrderFilled = "order_filled"

// afterTurn hands over what waits for an agent where it acted, and does not let
// one fall asleep over a fill that it could not know of when it decided.
func (w *World) afterTurn(n int32) {
	a := &w.agents[n]
	if !a.travelling() && len(a.orders)+len(a.factories) > 0 {
		w.collect(n)
	}
	if a.filledAt == w.tick {
		w.wake(n, wokenOrderFilled)
	}
}
