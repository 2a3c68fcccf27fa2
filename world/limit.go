package world

// limit is the largest feasible amount of an action and which bound sets it.
type limit struct {
	max   int64
	bound string
}

// The bounds an adjustment names: a constant of the rules, the agent's own stock,
// what its place holds, the room in its battery, its heat, a factory's queue or wear.
const (
	boundRule     = "rule"
	boundStock    = "stock"
	boundPlace    = "place"
	boundCapacity = "capacity"
	boundHeat     = "heat"
	boundQueue    = "queue"
	boundWear     = "wear"
)

// tighten lowers the limit to n if that is less.
func (l limit) tighten(n int64, bound string) limit {
	if n < l.max {
		return limit{n, bound}
	}
	return l
}

// affordable is how many times cost the amount pays for; a cost of nothing is
// paid any number of times.
func affordable(amount, cost, most int64) int64 {
	if cost <= 0 {
		return most
	}
	return min(most, amount/cost)
}

// harvestLimit is the most that one harvest yields now.
// The bound named is the tightest; of equal ones the first in the order rule,
// place, heat, capacity.
func (f *facts) harvestLimit() limit {
	l := limit{HarvestMax, boundRule}.tighten(f.radiation, boundPlace)
	if f.heat >= 10*f.law.HeatCapacity {
		return limit{0, boundHeat}
	}
	if f.heat > f.law.HeatCapacity {
		l = l.tighten(l.max*f.law.HeatCapacity/f.heat, boundHeat)
	}
	return l.tighten(f.room(), boundCapacity)
}

// mineLimit is the most compound that can be dug now, in grams.
func (f *facts) mineLimit() limit {
	paid := affordable(f.stock[electricity], f.law.MineCostPerKG, MineMaxG)
	return limit{MineMaxG, boundRule}.tighten(f.reserveG, boundPlace).tighten(paid*1000, boundStock)
}

// refineLimit is the most compound that can be refined now, in whole kilograms.
// A part of a kilogram that the stock holds beyond the last whole one stays.
func (f *facts) refineLimit() limit {
	per := f.law.RefineGPerHardware
	paid := affordable(f.stock[electricity], f.law.RefineCostPerKG, RefineMaxG/per)
	return limit{RefineMaxG, boundRule}.
		tighten(f.stock[compound]/per*per, boundStock).
		tighten(paid*per, boundStock)
}

// batchLimit is the most batches of a recipe that a factory takes now.
// It may be 0 or, for a queue that is full, name the queue as its bound.
func (f *facts) batchLimit(own factoryFacts, recipe *Recipe) limit {
	l := limit{BatchesMax, boundRule}.tighten(BatchesMax-own.queued, boundQueue)
	if !recipe.maintains {
		l = l.tighten(own.wearBatches, boundWear)
	}
	for r, n := range recipe.inputs {
		l = l.tighten(affordable(f.stock[r], n, BatchesMax), boundStock)
	}
	return l
}
