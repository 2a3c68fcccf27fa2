package world

// RefineMaxG bounds one refine_compound, in grams.
const RefineMaxG = 1_000_000

// Refine turns compound into hardware.
type Refine struct {
	// MassG is the compound consumed, in grams.
	MassG int64
}

func (Refine) describe(r *Industry) ActionSpec {
	return ActionSpec{
		Numbers: map[string]int64{"compound": r.RefineGPerHardware, "cost": r.RefineCostPerKG},
		Aliases: []string{"refine", "精炼", "提炼"},
		Params: []Param{{
			Name: "compound_mass_g", Kind: ParamAmount, Unit: "g", Min: r.RefineGPerHardware, Max: RefineMaxG,
			Doc: "compound to use up, in grams, whole kilograms", Aliases: massAliases(),
		}},
	}
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

// rule counts whole units only: the rest of the mass is neither used nor paid for.
// Refusals, first match: a mass outside the rules, less than one unit's worth,
// too little compound, too little electricity.
func (a Refine) rule(f *facts, _ senses) ruling {
	per := f.law.RefineGPerHardware
	switch {
	case a.MassG < 1 || a.MassG > RefineMaxG:
		return invalidAmount("compound_mass_g", a.MassG, RefineMaxG, "g")
	case a.MassG < per:
		return refuse(Rejection{
			Code: RejectBelowMinimum, Field: "compound_mass_g",
			Requested: number(a.MassG), Maximum: number(per), Unit: "g",
		})
	}
	units := a.MassG / per
	used, cost := units*per, units*f.law.RefineCostPerKG
	switch {
	case used > f.stock[compound]:
		return f.insufficient("compound_mass_g", compound, used, f.stock[compound])
	case cost > f.stock[electricity]:
		return f.insufficient("compound_mass_g", electricity, cost, f.stock[electricity])
	}
	return ruling{
		amount: used, cost: cost,
		changes: f.costs(stock{electricity: cost, compound: used}, Amount{Hardware, units}),
	}
}

// clamp also rounds down to whole kilograms, the part that counts.
// The adjustment is recorded once, from the amount asked for to the final one.
func (a Refine) clamp(v *knowledge) (Action, []Adjustment) {
	per := v.facts.law.RefineGPerHardware
	n, adjusted := clampTo(a, a.MassG, v.facts.refineLimit())
	if whole := n / per * per; whole != n {
		n = whole
		adjusted = []Adjustment{{a.ActionName(), "compound_mass_g", a.MassG, whole, BoundMultiple}}
	}
	return Refine{n}, adjusted
}

func (Refine) afford(v *knowledge) Affordance {
	return v.bounded(Refine{v.facts.law.RefineGPerHardware}, v.facts.refineLimit())
}

// carryOut turns compound into tailings and makes hardware. Resources do not change
// into one another in the ledger: one goes to a sink, the other comes from a source.
func (Refine) carryOut(w *World, n int32, r ruling) effect {
	postings := w.spend(n, sinkWork, r.cost)
	own := w.agents[n].account
	postings = append(postings, w.post(own, sinkTailings, compound, r.amount))
	return effect{postings: append(postings, w.post(sourceProduction, own, hardware, r.amount/w.law.RefineGPerHardware))}
}
