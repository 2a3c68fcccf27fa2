package world

// HarvestMax bounds what one harvest yields, in units of electricity.
const HarvestMax = 50

// Harvest turns radiation at the agent's place into electricity and heat.
type Harvest struct {
	// MaxAmount is an upper bound in units of electricity, at least 1.
	MaxAmount int64
}

func (Harvest) describe(r *Industry) ActionSpec {
	return ActionSpec{
		Numbers: map[string]int64{
			"heat": r.HeatFactor, "most": HarvestMax, "capacity": r.HeatCapacity, "refused": 10 * r.HeatCapacity,
		},
		Aliases: []string{"harvest", "collect_radiation", "采集辐射", "采集"},
		Params: []Param{{
			Name: "max_amount", Kind: ParamAmount, Unit: "units", Min: 1, Max: HarvestMax, Doc: "most electricity to take",
			Aliases: []string{"amount", "quantity", "max"},
		}},
	}
}

// harvestLimit is the most that one harvest yields now: the least of HarvestMax, the
// radiation here and the room in the battery. Above the heat capacity the radiation
// part is scaled by capacity/heat, rounded down; at ten times the capacity nothing is
// yielded any more.
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

// rule takes the amount as an upper bound: asking for more than there is is no fault.
// Each unit adds HeatFactor to the heat.
//
// Refusals, first match: a non-positive bound, a dead place, overheating, a full
// battery.
func (a Harvest) rule(f *facts, _ senses) ruling {
	l := f.harvestLimit()
	switch {
	case a.MaxAmount < 1:
		return invalidAmount("max_amount", a.MaxAmount, HarvestMax, electricity.unit())
	case f.radiation < 1:
		return refuse(Rejection{Code: RejectNoRadiation, Available: number(f.radiation), Unit: electricity.unit()})
	case l.max < 1 && l.bound == boundHeat:
		return refuse(Rejection{
			Code: RejectThermalOverload, Resource: Heat,
			Available: number(f.heat), Maximum: number(f.law.HeatCapacity), Unit: "heat",
		})
	case l.max < 1:
		return f.full(a.MaxAmount, "max_amount")
	}
	n := min(a.MaxAmount, l.max)
	changes := append(make([]Amount, 0, 2), Amount{Electricity, n})
	if heat := n * f.law.HeatFactor; heat > 0 {
		changes = append(changes, Amount{Heat, heat})
	}
	return ruling{amount: n, changes: changes}
}

func (a Harvest) clamp(v *knowledge) (Action, []Adjustment) {
	n, adjusted := clampTo(a, a.MaxAmount, v.facts.harvestLimit())
	return Harvest{n}, adjusted
}

func (Harvest) afford(v *knowledge) Affordance { return v.bounded(Harvest{1}, v.facts.harvestLimit()) }

// carryOut charges the battery and heats the agent. Radiation is not used up: all agents
// at a place may harvest it.
func (Harvest) carryOut(w *World, n int32, r ruling) effect {
	w.settle(n)
	a := &w.agents[n]
	a.heat, a.heatAt = w.heatOf(a)+r.amount*w.law.HeatFactor, w.tick
	p := w.post(sourceRadiation, a.account, electricity, r.amount)
	w.planPower(n)
	return effect{postings: []Posting{p}}
}
