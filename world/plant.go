package world

import "slices"

// Wear of factories: every batch of a product adds WearPerBatch, every tick in
// which a plant generates adds 1; at WearMax a factory stops until it had a
// maintenance.
const (
	WearMax      = 1000
	WearPerBatch = 20
)

// output is the changing state of a power plant: what is in its store and how
// worn it is.
type output struct {
	stored, wear int64
}

// after is the state some ticks later in closed form. A plant of the given rate
// generates until its store is full or it is worn out; the tick that fills the
// store counts as a whole tick of wear.
func (o output) after(ticks, rate, capacity int64) output {
	if rate < 1 {
		return o
	}
	n := max(0, min(ticks, WearMax-o.wear, ceilDiv(max(0, capacity-o.stored), rate)))
	return output{min(max(capacity, o.stored), o.stored+n*rate), o.wear + n}
}

// plantQuote is the price a plant asks for the next lot when stored is left. It
// rises with scarcity, from 1 for a full store to 1 + PlantQuoteSpan.
func (r Rules) plantQuote(stored int64) int64 {
	return 1 + r.PlantQuoteSpan*(r.PlantCap-stored)/r.PlantCap
}

// isPlant says that the factory generates, once it is ready.
func (w *World) isPlant(f *factory) bool { return w.law.Kinds[f.kind].generates }

// outputOf is the present store and wear of a factory. Only plants change by
// themselves, and only once they are ready.
func (w *World) outputOf(f *factory) output {
	if !f.ready || !w.isPlant(f) {
		return output{0, f.wear}
	}
	stored := output{w.ledger.of(f.store, electricity), f.wear}
	return stored.after(w.tick-f.settledAt, min(w.law.PlantRate, w.geo.radiation[f.place]), w.law.PlantCap)
}

// settlePlant writes a plant's present store and wear and tells what it generated.
func (w *World) settlePlant(k int32) {
	f := &w.factories[k]
	now := w.outputOf(f)
	made := now.stored - w.ledger.of(f.store, electricity)
	f.wear, f.settledAt = now.wear, w.tick
	w.touchFactory(k)
	if made == 0 {
		return
	}
	w.emit(Event{
		Kind: EventPlantSettled, Agent: w.agents[f.owner].id, Place: w.placeID(f.place), Subject: f.id,
		Postings: []Posting{w.post(sourceRadiation, f.store, electricity, made)},
	})
}

// openPlant puts a finished plant on the market of its place and starts it. Plants
// of a place are kept in the order of their ids, which decides between equal
// quotes.
func (w *World) openPlant(k int32) {
	f := &w.factories[k]
	f.settledAt = w.tick
	s := &w.sites[f.place]
	i := 0
	for i < len(s.plants) && w.factories[s.plants[i]].id < f.id {
		i++
	}
	s.plants = slices.Insert(s.plants, i, k)
	w.publish(f.place)
}

// fullestStore is the most that a plant of agent n stores at its place, -1 without a plant there.
func (w *World) fullestStore(n int32) int64 {
	most := int64(-1)
	for _, k := range w.agents[n].factories {
		if f := &w.factories[k]; f.ready && w.isPlant(f) && f.place == w.agents[n].place {
			most = max(most, w.outputOf(f).stored)
		}
	}
	return most
}

// batchesToWear is how many more batches of a product a factory can be given
// before it is worn out, counting those that are queued. So no batch that was paid for
// is ever queued in a worn-out factory.
func (w *World) batchesToWear(f *factory) int64 {
	wear := w.outputOf(f).wear
	for _, j := range f.jobs {
		if w.law.Recipes[j.recipe].maintains {
			wear = 0
			continue
		}
		wear += j.batches * WearPerBatch
	}
	return ceilDiv(max(0, WearMax-wear), WearPerBatch)
}
