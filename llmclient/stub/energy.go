package stub

import "fmt"

// The harvest action, and the events that end standing orders early.
const (
	actionHarvest    = "harvest_radiation"
	eventYieldBelow  = "harvest_yield_below"
	eventEnoughPower = "electricity_above"
	eventEnoughOre   = "compound_above"
)

// recharge harvests while electricity is below what the next step needs. A hot
// agent does other work first, unless it is about to run dry: harvesting adds heat,
// and the hotter the agent the less a harvest yields.
func (in industry) recharge() []proposal {
	target, have := in.powerTarget(), in.see.Self.Electricity
	if have >= target || in.hot() && have*2 >= in.comfort() {
		return nil
	}
	why := fmt.Sprintf("Electricity is at %d of %d, which is little for the next step.", have, in.see.Self.PowerCapacity)
	if in.see.can(actionHarvest).Max >= goodYield {
		return in.harvest(why)
	}
	return in.seekRadiation(why)
}

// topUp harvests while nothing else needs doing and the battery has room. It stops
// at four fifths: the rest would be gained in ever smaller pieces.
func (in industry) topUp() []proposal {
	self := in.see.Self
	if in.hot() || self.Electricity >= in.plenty() || in.see.can(actionHarvest).Max < goodYield {
		return nil
	}
	return in.harvest(fmt.Sprintf("Nothing else is urgent and the battery holds %d of %d.", self.Electricity, self.PowerCapacity))
}

// coolDown sleeps off heat, or harvests all the same when the agent needs power
// more than it needs to be cool.
func (in industry) coolDown() []proposal {
	if !in.hot() {
		return nil
	}
	rest := in.sleep(in.see.can("wait_ticks"), 2, fmt.Sprintf("Heat is at %d of %d, so harvesting pays more after a pause.", in.see.Self.Heat, in.see.Self.HeatCapacity))
	if in.see.Self.Electricity < in.powerTarget() && in.chance.oneIn("harvest hot", 2) {
		return append(in.harvest("Power is short and there is no other work."), rest...)
	}
	return rest
}

// harvest draws what the place gives. Where one harvest does not fill the battery,
// it is a standing order until that is full enough or heat makes harvests poor.
func (in industry) harvest(why string) []proposal {
	a := in.see.can(actionHarvest)
	if !a.OK || a.Max <= 0 {
		return nil
	}
	p := proposal{action: amountOf(a, a.Max), why: why}
	p.until = in.standing(attempts(in.plenty()-in.see.Self.Electricity, a.Max),
		stop{eventEnoughPower, in.plenty()}, stop{eventYieldBelow, max(goodYield, a.Max/3)})
	return []proposal{p}
}

// stop is an event that ends a standing order, with its threshold.
type stop struct {
	event string
	value int64
}

// attempts is how often an action has to be done to come by an amount.
func attempts(short, each int64) int64 { return max(0, (short+each-1)/each) }

// attemptsMax bounds a standing order. What a situation looks like is not true for
// ever, and other agents share it.
const attemptsMax = 4

// standing returns a standing order of some attempts that ends earlier on one of the
// events. It is nil where a single attempt will do or the tools offer none of the
// events. The threshold has the names it may go by; the schema keeps its own.
func (in industry) standing(ticks int64, stops ...stop) object {
	var until []any
	for _, s := range stops {
		if in.offers.stopsOn(s.event) {
			until = append(until, object{"event": s.event, "value": s.value, "value_lte": s.value})
		}
	}
	if ticks < 2 || until == nil {
		return nil
	}
	return object{"until": until, "max_ticks": min(ticks, attemptsMax)}
}

// hot reports whether heat is at nine tenths of what the agent bears.
func (in industry) hot() bool {
	limit := in.see.Self.HeatCapacity
	return limit > 0 && in.see.Self.Heat*10 >= limit*9
}

// comfort is the electricity below which the agent looks after its power first:
// three tenths of the battery, and in a small battery enough for a few actions. An
// agent that spends its last unit shuts down for many ticks, so the policy prefers
// one harvest too many.
func (in industry) comfort() int64 {
	capacity := in.see.Self.PowerCapacity
	return max(capacity*3/10, min(capacity/2, 20))
}

// plenty is the electricity at which it stops harvesting: four fifths of the battery.
func (in industry) plenty() int64 { return in.see.Self.PowerCapacity * 4 / 5 }

// reserve is what a journey should leave in the battery.
func (in industry) reserve() int64 { return in.see.Self.PowerCapacity / 10 }

// powerTarget is the electricity to have before the next step: what is comfortable,
// or what building, a job or the next journey takes and leaves a reserve. It is never
// so much that the battery could not hold it, or the agent would harvest for ever.
func (in industry) powerTarget() int64 {
	target := in.comfort()
	for _, action := range []string{"build_factory", "schedule_recipe"} {
		if need := in.see.required(action, "electricity"); need > 0 {
			target = max(target, need+in.reserve())
		}
	}
	if p, ok := in.destination(); ok {
		target = max(target, p.MoveCost+in.reserve())
	}
	return min(target, in.see.Self.PowerCapacity*9/10)
}
