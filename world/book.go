package world

import (
	"cmp"
	"slices"
)

// The bounds of trades.
const (
	// PowerLot is the smallest amount of electricity traded; all amounts are
	// multiples of it and all prices are for one lot.
	PowerLot = 10
	// PowerTradeMax bounds the electricity in one trade or order.
	PowerTradeMax = 1_000_000
	// PowerPriceMax bounds a price, in data per lot. The value of the largest trade
	// at the highest price is far inside an int64.
	PowerPriceMax = 200
)

// marketDepth is how many prices a view shows on each side of the book.
const marketDepth = 3

// ladder is one side of a book as one agent meets it, best price first, its own
// orders and plants left out. Omitted levels are worse than those listed; the
// live world omits none.
type ladder struct {
	levels  []MarketLevel
	omitted int
	// last is the price of the last entry taken in.
	last int64
	// worse is +1 where a higher price is worse, -1 where a lower one is.
	worse int64
}

// marketFacts are what the rules need to know of the book of the actor's place.
type marketFacts struct {
	// store is what the actor's own plants can give it, in whole lots.
	store int64
	// asks and bids are of others.
	asks, bids ladder
}

// match is what a request finds in a ladder.
type match struct {
	// amount is traded for data.
	amount, data int64
	// unknown says that more might be found in levels that are not shown.
	unknown bool
	// broke says that data and not offers set the bound.
	broke bool
}

// meet finds up to want, in whole lots, at the price or better and for at most
// funds in all.
func (l ladder) meet(price, want, funds int64) match {
	var m match
	next := int64(1)
	for _, at := range l.levels {
		if (at.Price-price)*l.worse > 0 {
			return m
		}
		n := min(at.Amount, want-m.amount)
		if paid := (funds - m.data) / at.Price * PowerLot; paid < n {
			n, m.broke = paid, true
		}
		m.amount, m.data = m.amount+n, m.data+n/PowerLot*at.Price
		if n < at.Amount {
			return m
		}
		next = at.Price + l.worse
	}
	m.unknown = l.omitted > 0 && m.amount < want && (next-price)*l.worse <= 0
	if m.unknown && funds-m.data < next {
		m.unknown, m.broke = false, true // what is not shown costs more than is left
	}
	return m
}

// entry is one position in a book: the rest of an order, or what a plant sells at
// one price.
type entry struct {
	owner int32
	// order or plant is the number of its record, the other one noRecord.
	order, plant  int32
	price, amount int64
}

// noRecord is the number of no order and no plant.
const noRecord int32 = -1

// book is what is offered and wanted at a place, in the order in which it is traded.
// Every reader leaves out what is its own.
type book struct{ asks, bids []entry }

// bookOf is the book of place p now.
func (w *World) bookOf(p int32) book {
	var b book
	s := &w.sites[p]
	entries := func(orders []int32) (list []entry) {
		for _, k := range orders {
			o := &w.orders[k]
			list = append(list, entry{o.owner, k, noRecord, o.price, o.remaining})
		}
		return list
	}
	b.asks, b.bids = entries(s.asks), entries(s.bids)
	for _, k := range s.plants {
		f := &w.factories[k]
		for left := w.outputOf(f).stored; left >= PowerLot; {
			price, n := w.law.plantQuote(left), int64(PowerLot)
			for left-n >= PowerLot && w.law.plantQuote(left-n) == price {
				n += PowerLot
			}
			b.asks = append(b.asks, entry{f.owner, noRecord, k, price, n})
			left -= n
		}
	}
	slices.SortStableFunc(b.asks, func(d, e entry) int { return cmp.Compare(d.price, e.price) })
	return b
}

// marketOf adds up a book as agent n meets it, up to depth prices a side.
func marketOf(b book, n int32, depth int) marketFacts {
	m := marketFacts{asks: ladder{worse: 1}, bids: ladder{worse: -1}}
	for _, e := range b.asks {
		if e.owner != n {
			m.asks.add(e, depth)
		} else if e.plant != noRecord {
			m.store += e.amount
		}
	}
	for _, e := range b.bids {
		if e.owner != n {
			m.bids.add(e, depth)
		}
	}
	return m
}

// add takes in an entry that is no better than those before. Levels beyond the depth
// are only counted.
func (l *ladder) add(e entry, depth int) {
	switch same := e.price == l.last; {
	case same && l.omitted == 0:
		l.levels[len(l.levels)-1].Amount += e.amount
	case same:
	case len(l.levels) < depth:
		l.levels = append(l.levels, MarketLevel{e.price, e.amount})
	default:
		l.omitted++
	}
	l.last = e.price
}

// market implements senses with the whole book.
func (s liveSenses) market() marketFacts {
	p := s.w.agents[s.n].place
	if site := &s.w.sites[p]; s.opening && site.openingAt == s.w.tick {
		return marketOf(site.opening, s.n, PowerPriceMax)
	}
	return marketOf(s.w.bookOf(p), s.n, PowerPriceMax)
}

// market implements senses with what the view shows.
func (v *knowledge) market() marketFacts { return v.book }

// noteOpening remembers the book of place p as the tick began, before the first
// trade changes it. It only tells contention from plain refusals.
func (w *World) noteOpening(p int32) {
	if s := &w.sites[p]; s.openingAt != w.tick {
		s.opening, s.openingAt = w.bookOf(p), w.tick
	}
}

// side is one side of the book of a place.
func (s *site) side(bid bool) *[]int32 {
	if bid {
		return &s.bids
	}
	return &s.asks
}
