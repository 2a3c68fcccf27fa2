package scripted

import "fmt"

// The harvest action and the event that ends a standing harvest early.
const (
	actionHarvest   = "harvest_radiation"
	eventYieldBelow = "harvest_yield_below"
)

// recharge harvests while electricity is below what the next step needs. A hot
// agent does other work first, unless it is about to run dry.
func (in industry) recharge() []proposal {
	target, have := in.powerTarget(), in.see.Self.Electricity
	if have >= target || in.hot() && have*2 >= in.comfort() {
		return nil
	}
	why := fmt.Sprintf("Electricity is at %d of %d, which is little for the next step.", have, in.see.Self.PowerCapacity)
	if in.see.can(actionHarvest).Max >= goodYield {
		return in.harvest(have*2 < target, why)
	}
	return in.seekRadiation(why)
}

// topUp harvests while nothing else needs doing and the battery has room.
func (in industry) topUp() []proposal {
	self := in.see.Self
	if in.hot() || self.Electricity*5 >= self.PowerCapacity*4 || in.see.can(actionHarvest).Max < goodYield {
		return nil
	}
	return in.harvest(true, fmt.Sprintf("Nothing else is urgent and the battery holds %d of %d.", self.Electricity, self.PowerCapacity))
}

// coolDown sleeps off heat, or harvests all the same when the agent needs power
// more than it needs to be cool.
func (in industry) coolDown() []proposal {
	if !in.hot() {
		return nil
	}
	rest := in.sleep(in.see.can("wait_ticks"), 2, fmt.Sprintf("Heat is at %d of %d, so harvesting pays more after a pause.", in.see.Self.Heat, in.see.Self.HeatCapacity))
	if in.see.Self.Electricity < in.powerTarget() && in.chance.oneIn("harvest hot", 2) {
		return append(in.harvest(false, "Power is short and there is no other work."), rest...)
	}
	return rest
}

// harvest draws what the place gives. With time it is, in some situations, a
// standing order of two or three ticks.
func (in industry) harvest(time bool, why string) []proposal {
	a := in.see.can(actionHarvest)
	if !a.OK || a.Max <= 0 || a.Field == "" {
		return nil
	}
	p := proposal{action: amountOf(a, a.Max), why: why}
	ticks := 2 + in.chance.draw("harvest ticks", 2)
	if time && in.roomFor(a.Max, int64(ticks)) && in.offers.stopsOn(eventYieldBelow) && in.chance.oneIn("standing harvest", 3) {
		p.until = object{
			"until":     []any{object{"event": eventYieldBelow, "value_lte": max(goodYield, a.Max/3)}},
			"max_ticks": ticks,
		}
	}
	return []proposal{p}
}

// roomFor reports whether battery and heat take that many harvests in a row.
func (in industry) roomFor(yield, ticks int64) bool {
	self := in.see.Self
	return self.Electricity+yield*ticks <= self.PowerCapacity && self.Heat+yield*(ticks-1) <= self.HeatCapacity
}

// hot reports whether heat is at nine tenths of what the agent bears.
func (in industry) hot() bool {
	limit := in.see.Self.HeatCapacity
	return limit > 0 && in.see.Self.Heat*10 >= limit*9
}

// comfort is the electricity below which the agent looks after its power first:
// three tenths of the battery, and in a small battery enough for a few actions.
func (in industry) comfort() int64 {
	capacity := in.see.Self.PowerCapacity
	return max(capacity*3/10, min(capacity/2, 20))
}

// reserve is what a journey should leave in the battery.
func (in industry) reserve() int64 { return in.see.Self.PowerCapacity / 10 }

// powerTarget is the electricity to have before the next step, never so much that
// the battery could not hold it.
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
