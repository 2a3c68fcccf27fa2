package baseline

import "example.com/agentworld/world"

// tastes are the numbers by which the scripted agents weigh what they do.
type tastes struct {
	// hoardG is the compound to gather on a journey, supplyG where there is power to stay, in grams.
	hoardG, supplyG int64
	// queueMost is how many batches a factory is given beside the one in work.
	queueMost int64
	// factoriesMost is how many factories an agent runs at one place.
	factoriesMost int64
	// wearMost is the wear at which a factory gets a maintenance.
	wearMost int64
	// settleTicks is how long a further factory must have left to pay.
	settleTicks int64
	// batchesAhead is for how many batches hardware is kept beside a new factory.
	batchesAhead int64
	// refineLeast is the least hardware to refine at once, batchesLeast the fewest batches to
	// schedule at once, in the first part of a task; near its end any number will do.
	refineLeast, batchesLeast int64
	// plantsMost is how many power plants an agent runs at one place.
	plantsMost int64
	// lowPercent scales the charge below which harvesting comes first; fullPercent of the capacity
	// counts as full.
	lowPercent, fullPercent int64
	// wayBackPercent is how much of what the way back to power takes is kept for it.
	wayBackPercent int64
	// lotPercent is the most that one offer is worth, in percent of a full battery. Others can
	// hardly pay for more at once.
	lotPercent int64
	// shortLeast is how many batches fewer one input must last for than the other to be worth
	// a trade.
	shortLeast int64
}

// scriptedTastes are those of the scripted agents.
var scriptedTastes = tastes{
	hoardG: 40_000, supplyG: 2 * world.MineMaxG, queueMost: 3, factoriesMost: 4, wearMost: world.WearMax * 8 / 10,
	settleTicks:  25,
	batchesAhead: 2, refineLeast: 1, batchesLeast: 1, lowPercent: 100, fullPercent: 90, wayBackPercent: 100,
	lotPercent: 25, shortLeast: 4,
}

// greedyTastes are those of agents that do not look ahead: they dig and refine for the next batch, run one
// factory and never maintain it, harvest when they can do nothing else, keep nothing for the way back, and
// trade half of a battery at once for what one batch lacks.
var greedyTastes = tastes{
	hoardG: 40_000, supplyG: 1000, queueMost: 3, factoriesMost: 1, wearMost: world.WearMax + 1,
	batchesAhead: 1, refineLeast: 1, batchesLeast: 1, lowPercent: 0, fullPercent: 90, wayBackPercent: 0, lotPercent: 50,
	shortLeast: 1,
}

// taste is one of the numbers: its name in a plan, where it is and what it may be.
type taste struct {
	name     string
	value    *int64
	min, max int64
}

// all lists the tastes by name.
func (t *tastes) all() []taste {
	return []taste{
		{"hoard_g", &t.hoardG, 1000, 200_000},
		{"supply_g", &t.supplyG, 1000, 200_000},
		{"queue", &t.queueMost, 1, world.BatchesMax},
		{"factories", &t.factoriesMost, 1, world.FactoriesMax},
		{"wear", &t.wearMost, 100, world.WearMax},
		{"settle_ticks", &t.settleTicks, 0, 120},
		{"batches_ahead", &t.batchesAhead, 1, 24},
		{"refine_least", &t.refineLeast, 1, 40},
		{"batches_least", &t.batchesLeast, 1, 16},
		{"plants", &t.plantsMost, 0, world.FactoriesMax},
		{"low_percent", &t.lowPercent, 0, 300},
		{"full_percent", &t.fullPercent, 20, 100},
		{"way_back", &t.wayBackPercent, 0, 200},
		{"lot_percent", &t.lotPercent, 2, 100},
		{"short", &t.shortLeast, 1, 20},
	}
}
