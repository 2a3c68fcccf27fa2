package world

import "slices"

// QuoteKMPerTick is how far a published quote travels in a tick, after a first one.
const QuoteKMPerTick = 20

// quotesShown is how many other places an observation quotes.
const quotesShown = 3

// quoteDelay is how old a quote must be to be known at a distance.
func quoteDelay(distanceCM int64) int64 { return 1 + distanceCM/(QuoteKMPerTick*CMPerKM) }

// publish notes the present quote of place p; the last one of a tick counts. Older
// quotes are dropped once the next one is known everywhere, so that a place never
// keeps more than one per tick of the longest delay.
func (w *World) publish(p int32) {
	s := &w.sites[p]
	w.quoted = true
	q, b := PlaceQuote{Place: w.placeID(p), Tick: w.tick}, w.bookOf(p)
	if len(b.bids) > 0 {
		q.Bid = b.bids[0].price
	}
	if len(b.asks) > 0 {
		q.Ask = b.asks[0].price
	}
	if last := len(s.quotes) - 1; last >= 0 && s.quotes[last].Tick == w.tick {
		s.quotes[last] = q
	} else {
		s.quotes = append(s.quotes, q)
	}
	old := 0
	for old+1 < len(s.quotes) && s.quotes[old+1].Tick+w.geo.quoteDelayMax <= w.tick {
		old++
	}
	s.quotes = append(s.quotes[:0], s.quotes[old:]...)
	w.touchSite(p)
}

// best is the first price of a ladder, 0 if it is empty.
func best(l ladder) int64 {
	if len(l.levels) == 0 {
		return 0
	}
	return l.levels[0].Price
}

// knownAt is the newest quote that is at least delay ticks old.
func (s *site) knownAt(tick, delay int64) (PlaceQuote, bool) {
	for i := len(s.quotes) - 1; i >= 0; i-- {
		if s.quotes[i].Tick+delay <= tick {
			return s.quotes[i], true
		}
	}
	return PlaceQuote{}, false
}

// lookAtMarket fills in the book of the agent's place and what is known of others.
func (w *World) lookAtMarket(v *View, n int32) {
	here := w.agents[n].place
	v.book = marketOf(w.bookOf(here), n, marketDepth)
	if !w.quoted {
		return
	}
	heard := nearest{most: quotesShown}
	hear := func(k near) {
		if _, ok := w.sites[k.place].knownAt(w.tick, quoteDelay(k.distanceCM)); ok {
			heard.offer(k)
		}
	}
	w.geo.eachVisible(here, hear)
	if len(heard.list) < quotesShown {
		for _, k := range w.geo.chartedBeyond(here, sightsMax) {
			hear(k)
		}
	}
	for _, k := range heard.list {
		q, _ := w.sites[k.place].knownAt(w.tick, quoteDelay(k.distanceCM))
		v.quotes = append(v.quotes, q)
	}
}

// ordersOf lists the orders of agent n that wait or hold something, in the order
// of their records.
func (w *World) ordersOf(n int32) []PowerOrder {
	var list []PowerOrder
	for _, k := range w.agents[n].orders {
		o := &w.orders[k]
		if w.free(o) {
			continue
		}
		p := PowerOrder{ID: o.id, Place: w.placeID(o.place), Side: o.side(), Price: o.price}
		if w.at(n, o.place) {
			p.Amount, p.Claim = o.remaining, w.claim(o)
			if o.open() {
				p.ExpiresIn = o.expiresAt - w.tick
			}
		}
		list = append(list, p)
	}
	return list
}

// observeMarket writes down the market, nil where there is nothing to tell. Each
// call makes a fresh copy.
func (v View) observeMarket() *Market {
	m := Market{
		Asks: slices.Clone(v.book.asks.levels), AsksOmitted: v.book.asks.omitted,
		Bids: slices.Clone(v.book.bids.levels), BidsOmitted: v.book.bids.omitted,
		OwnStore: v.book.store,
		Orders:   slices.Clone(v.facts.orders), Elsewhere: slices.Clone(v.quotes),
	}
	if len(m.Asks)+len(m.Bids)+len(m.Orders)+len(m.Elsewhere) == 0 && m.OwnStore == 0 {
		return nil
	}
	return &m
}
