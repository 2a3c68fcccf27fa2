package world

// holding is an account at a place for an agent that may be elsewhere. It holds the escrow of
// the agent's open order or offer, and its claim: what could not be handed over yet, since
// the agent was away or had no room.
type holding struct {
	id           string
	owner, place int32
	account      account
}

// vacant returns the number of a free record of an agent, or of a new one. Free records are
// used again, so that the ledger does not grow with every order and offer.
func vacant[T any](records *[]T, own *[]int32, free func(*T) bool) (k int32, fresh bool) {
	for _, k := range *own {
		if free(&(*records)[k]) {
			return k, false
		}
	}
	k = int32(len(*records))
	*records, *own = append(*records, *new(T)), append(*own, k)
	return k, true
}

// openAccount gives a holding its account: a new one, or under a new name the empty one of
// the record that it replaces.
func (w *World) openAccount(h *holding, sort string, fresh bool) {
	if fresh {
		h.account = w.ledger.open(sort + h.id)
		w.digest.touchHeader() // it counts the records
		return
	}
	w.ledger.names[h.account] = sort + h.id
}

// claims is what the account holds beside the escrow.
func (w *World) claims(h *holding, escrow stock) stock {
	held := w.ledger.stock(h.account)
	for r, n := range escrow {
		held[r] -= n
	}
	return held
}

// handOver moves what is due from the account to its owner, if the owner is there. Of
// electricity it moves what fits. The rest is the owner's claim.
func (w *World) handOver(h *holding, due stock) []Posting {
	if !w.at(h.owner, h.place) {
		return nil
	}
	var list []Posting
	for r := compound; int(r) < w.ledger.resources; r++ {
		list = w.postAny(list, h.account, w.agents[h.owner].account, r, due[r])
	}
	w.touchAgent(h.owner)
	if due[electricity] == 0 {
		return list
	}
	return w.charge(list, h.account, h.owner, min(due[electricity], w.roomAt(h.owner, h.place)))
}

// roomAt is how much electricity agent n can take at place p now.
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
