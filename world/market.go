package world

// Market is what an agent knows of the trade in electricity. Prices are in data
// per 10 electricity. The agent's own orders and plants are not among the offers
// and bids: it cannot trade with itself.
type Market struct {
	// Asks and Bids are what others offer and want at the agent's place, the best
	// three prices each; AsksOmitted and BidsOmitted count the prices left out.
	Asks        []MarketLevel `json:"asks,omitempty"`
	AsksOmitted int           `json:"asks_omitted,omitempty"`
	Bids        []MarketLevel `json:"bids,omitempty"`
	BidsOmitted int           `json:"bids_omitted,omitempty"`
	// OwnStore is what buy_power takes from the agent's own plants here, for free.
	OwnStore int64 `json:"own_store,omitempty"`
	// Orders are the agent's own, wherever they are.
	Orders []PowerOrder `json:"orders,omitempty"`
	// Elsewhere are quotes of the nearest other places that have published any.
	Elsewhere []PlaceQuote `json:"elsewhere,omitempty"`
}

// MarketLevel is the electricity offered or wanted at one price.
type MarketLevel struct {
	Price  int64 `json:"price"`
	Amount int64 `json:"amount"`
}

// PowerOrder is one of the agent's orders.
type PowerOrder struct {
	ID    string `json:"id"`
	Place string `json:"place"`
	// Side is buy or sell.
	Side  string `json:"side"`
	Price int64  `json:"price"`
	// Amount is what is still to be traded, 0 for an order that is over and only
	// holds Claim. Of an order at another place Amount, Claim and ExpiresIn are not
	// known and 0.
	Amount int64 `json:"amount"`
	// Claim is electricity that is the agent's and is handed over as soon as it
	// acts or arrives at the order's place with room for it.
	Claim int64 `json:"claim,omitempty"`
	// ExpiresIn counts the ticks until the order is taken back.
	ExpiresIn int64 `json:"expires_in,omitempty"`
}

// PlaceQuote is the best bid and ask of another place as published in a tick; 0
// is none.
type PlaceQuote struct {
	Place string `json:"place"`
	Bid   int64  `json:"bid"`
	Ask   int64  `json:"ask"`
	Tick  int64  `json:"tick"`
}

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
func (w *World) lookAtMarket(v *knowledge, n int32) {
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
