package world

// MineMaxG bounds one mine_compound, in grams.
const MineMaxG = 5000

// massAliases are other names for a mass in grams.
func massAliases() []string {
	return []string{"mass_g", "mass", "amount", "amount_g", "grams", "quantity"}
}

// Mine digs compound at the agent's place.
type Mine struct {
	// MassG is in grams, at least 1.
	MassG int64
}

func (Mine) describe(r *Industry) ActionSpec {
	return ActionSpec{
		Numbers: map[string]int64{"cost": r.MineCostPerKG, "most": MineMaxG},
		Aliases: []string{"mine", "dig", "采矿", "开采"},
		Params: []Param{{
			Name: "compound_mass_g", Kind: ParamAmount, Unit: "g", Min: 1, Max: MineMaxG, Doc: "compound to dig, in grams",
			Aliases: massAliases(),
		}},
	}
}

// mineLimit is the most compound that can be dug now, in grams.
func (f *facts) mineLimit() limit {
	paid := affordable(f.stock[electricity], f.law.MineCostPerKG, MineMaxG)
	return limit{MineMaxG, boundRule}.tighten(f.reserveG, boundPlace).tighten(paid*1000, boundStock)
}

// rule takes MineCostPerKG per started kilogram and exactly the mass asked
// for, so that more than the reserve is refused and not cut down: the agent is to
// know that the place runs out. Clamp is where amounts are cut.
//
// Refusals, first match: a mass outside the rules, too small a reserve, too
// little electricity.
func (a Mine) rule(f *facts, _ senses) ruling {
	if a.MassG < 1 || a.MassG > MineMaxG {
		return invalidAmount("compound_mass_g", a.MassG, MineMaxG, "g")
	}
	if a.MassG > f.reserveG {
		return refuse(Rejection{
			Code: RejectDepleted, Field: "compound_mass_g", Resource: Compound,
			Requested: number(a.MassG), Available: number(f.reserveG), Unit: "g",
		})
	}
	cost := ceilDiv(a.MassG, 1000) * f.law.MineCostPerKG
	if cost > f.stock[electricity] {
		return f.insufficient("compound_mass_g", electricity, cost, f.stock[electricity])
	}
	return ruling{
		amount: a.MassG, cost: cost,
		changes: f.costs(stock{electricity: cost}, Amount{Compound, a.MassG}),
	}
}

func (a Mine) clamp(v *knowledge) (Action, []Adjustment) {
	n, adjusted := clampTo(a, a.MassG, v.facts.mineLimit())
	return Mine{n}, adjusted
}

func (Mine) afford(v *knowledge) Affordance { return v.bounded(Mine{1}, v.facts.mineLimit()) }

// carryOut moves compound from the place to the agent. What was taken in this tick
// is remembered for those who come later and find too little.
func (Mine) carryOut(w *World, n int32, r ruling) effect {
	postings := w.spend(n, sinkWork, r.cost)
	a := &w.agents[n]
	w.settleSite(a.place)
	s := &w.sites[a.place]
	if s.takenAt != w.tick {
		s.takenG, s.takenAt = 0, w.tick
	}
	s.takenG += r.amount
	return effect{postings: append(postings, w.post(s.account, a.account, compound, r.amount))}
}
