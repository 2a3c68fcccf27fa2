package world

import "slices"

// RegenTicks is the number of ticks in which a place regrows its RegenG.
const RegenTicks = 100

// regenMax bounds RegenG so that no run is long enough to overflow a product.
const regenMax = 1_000_000_000

// site is the changing part of a place. Its compound is in the ledger.
type site struct {
	account account
	// settledAt is the tick at which the ledger's compound is true.
	settledAt int64
	// present are the agents there, by number.
	present []int32
	// past is how the place looked lately, oldest first, since the first tick in which it
	// looks as it does now.
	past  []scene
	since int64
	// takenG was mined in tick takenAt; it only tells contention from depletion.
	takenG, takenAt int64
	// notes are the newest left here, oldest first.
	notes []Note
	// asks and bids are the open orders there, best first; plants the ready ones.
	asks, bids, plants []int32
	// offers are the records of offers made there in the order of sending, closed ones until
	// they are used again.
	offers []int32
	// quotes are what the place published lately, oldest first.
	quotes []PlaceQuote
	// opening is the book as tick openingAt began; it only tells contention.
	opening   book
	openingAt int64
}

// reserveAt is the compound at place p, of which stored is in the ledger since
// tick from, at a later tick. What regrows between two ticks is the difference of
// what would have regrown since tick 0, so that it does not matter how often a
// place is settled in between. A place is full at the compound it began with.
func (p *Place) reserveAt(stored, from, tick int64) int64 {
	if p.RegenG == 0 || from == tick {
		return stored
	}
	return min(p.CompoundG, stored+p.regrown(tick)-p.regrown(from))
}

// regrown is floor(RegenG*tick/RegenTicks), what an empty place of boundless size
// would have regrown since tick 0.
func (p *Place) regrown(tick int64) int64 {
	return p.RegenG/RegenTicks*tick + p.RegenG%RegenTicks*tick/RegenTicks
}

// reserveOf is the compound that can be mined at place p now.
func (w *World) reserveOf(p int32) int64 {
	s := &w.sites[p]
	return w.geo.places[p].reserveAt(w.ledger.of(s.account, compound), s.settledAt, w.tick)
}

// settleSite writes the present compound of place p, which is about to change, into the
// ledger and tells what has regrown.
func (w *World) settleSite(p int32) {
	w.remember(p, w.tick+1)
	s := &w.sites[p]
	grown := w.reserveOf(p) - w.ledger.of(s.account, compound)
	s.settledAt = w.tick
	if grown == 0 {
		return
	}
	w.emit(Event{
		Kind: EventCompoundRegrown, Place: w.placeID(p),
		Postings: []Posting{w.post(sourceRegeneration, s.account, compound, grown)},
	})
}

// enter and leave keep the sorted list of agents at a place and the set of places where
// an agent is or was.
func (w *World) enter(p, n int32) {
	w.remember(p, w.tick)
	s := &w.sites[p]
	i, _ := slices.BinarySearch(s.present, n)
	s.present = slices.Insert(s.present, i, n)
	w.visited.set(p, true)
}

func (w *World) leave(p, n int32) {
	w.remember(p, w.tick+1)
	s := &w.sites[p]
	i, there := slices.BinarySearch(s.present, n)
	if !there {
		panic("world: an agent leaves a place where it is not")
	}
	s.present = slices.Delete(s.present, i, i+1)
}
