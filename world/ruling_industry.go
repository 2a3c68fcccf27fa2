package world

// judgeHarvest rules on a harvest. Asking for more than there is is no fault: the
// amount is an upper bound.
// The yield is the least of what was asked for, HarvestMax, the radiation here
// and the room in the battery. Above the heat capacity the radiation part is
// scaled by capacity/heat, rounded down; at ten times the capacity nothing is
// yielded any more. Each unit adds HeatFactor to the heat.
//
// Refusals, first match: a non-positive bound, a dead place, overheating, a full
// battery.
func (f *facts) judgeHarvest(a Harvest) ruling {
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
		return refuse(Rejection{
			Code: RejectStorageFull, Field: "max_amount", Resource: Electricity, Requested: number(a.MaxAmount),
			Available: number(f.room()), Maximum: number(f.law.PowerCapacity), Unit: electricity.unit(),
		})
	}
	n := min(a.MaxAmount, l.max)
	changes := []Amount{{Electricity, n}}
	if heat := n * f.law.HeatFactor; heat > 0 {
		changes = append(changes, Amount{Heat, heat})
	}
	return ruling{amount: n, changes: changes}
}

// judgeMine rules on digging.
// It costs MineCostPerKG per started kilogram and takes exactly the mass asked
// for, so that more than the reserve is refused and not cut down: the agent is to
// know that the place runs out. Clamp is where amounts are cut.
//
// Refusals, first match: a mass outside the rules, too small a reserve, too
// little electricity.
func (f *facts) judgeMine(a Mine) ruling {
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
		return insufficient("compound_mass_g", electricity, cost, f.stock[electricity])
	}
	return ruling{
		amount: a.MassG, cost: cost,
		changes: costs(stock{electricity: cost}, Amount{Compound, a.MassG}),
	}
}

// judgeRefine rules on refining. Only whole units count: what is left over of
// the mass is neither used nor paid for.
// Refusals, first match: a mass outside the rules, less than one unit's worth,
// too little compound, too little electricity.
func (f *facts) judgeRefine(a Refine) ruling {
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
		return insufficient("compound_mass_g", compound, used, f.stock[compound])
	case cost > f.stock[electricity]:
		return insufficient("compound_mass_g", electricity, cost, f.stock[electricity])
	}
	return ruling{
		amount: used, cost: cost,
		changes: costs(stock{electricity: cost, compound: used}, Amount{Hardware, units}),
	}
}

// judgeBuild rules on building a factory.
// The price goes into escrow at once; the factory opens Ticks later, wherever its
// owner is then. The limit per agent bounds the size of views and of the world.
func (f *facts) judgeBuild(a BuildFactory) ruling {
	k, known := kindNumber(f.law.kinds, a.FactoryKind)
	if !known {
		return refuse(Rejection{Code: RejectUnknownChoice, Field: "factory_kind"})
	}
	if len(f.factories) >= FactoriesMax {
		return refuse(Rejection{
			Code: RejectFactoryLimit, Available: number(int64(len(f.factories))),
			Maximum: number(FactoriesMax), Unit: "factories",
		})
	}
	kind := &f.law.kinds[k]
	if r, short := f.missing(kind.cost); short {
		return insufficient("factory_kind", r, kind.cost[r], f.stock[r])
	}
	return ruling{ticks: kind.Ticks, changes: costs(kind.cost)}
}

// judgeSchedule rules on queueing batches.
// An agent knows of no factory but its own, so one that belongs to another is as
// unknown as one that does not exist. The inputs of all batches are due now. The
// duration is that of the job alone, without what is queued before it.
//
// Refusals, first match: the recipe, the factory and where it is, its state, the
// number of batches, the room in the queue, the wear, the stock.
func (f *facts) judgeSchedule(a ScheduleRecipe) ruling {
	own, mine := f.factory(a.FactoryID)
	n, known := recipeNumber(f.law.recipes, a.RecipeID)
	switch {
	case !known:
		return refuse(Rejection{Code: RejectUnknownChoice, Field: "recipe_id"})
	case !mine:
		return refuse(Rejection{Code: RejectFactoryNotFound, Field: "factory_id"})
	case !own.here:
		return refuse(Rejection{Code: RejectFactoryNotHere, Field: "factory_id"})
	case own.readyIn > 0:
		return refuse(Rejection{
			Code: RejectFactoryBuilding, Field: "factory_id", Maximum: number(own.readyIn), Unit: Ticks,
		})
	case !f.law.recipes[n].fits(f.law.kinds[own.kind].Name):
		return refuse(Rejection{Code: RejectRecipeMismatch, Field: "recipe_id"})
	case a.Batches < 1:
		return invalidAmount("batches", a.Batches, BatchesMax, "batches")
	case a.Batches > BatchesMax-own.queued:
		return refuse(Rejection{
			Code: RejectQueueFull, Field: "batches", Requested: number(a.Batches),
			Available: number(BatchesMax - own.queued), Maximum: number(BatchesMax), Unit: "batches",
		})
	}
	recipe := &f.law.recipes[n]
	if !recipe.maintains && a.Batches > own.wearBatches {
		return refuse(Rejection{
			Code: RejectWornOut, Field: "batches", Requested: number(a.Batches),
			Available: number(own.wearBatches), Unit: "batches",
		})
	}
	need := recipe.inputs.times(a.Batches)
	if r, short := f.missing(need); short {
		return insufficient("batches", r, need[r], f.stock[r])
	}
	return ruling{amount: a.Batches, ticks: a.Batches * recipe.Ticks, changes: costs(need)}
}

// missing names the first resource of which the stock does not cover need.
// Resources are tried in their fixed order, electricity first, so that the same
// shortage is always reported the same way.
func (f *facts) missing(need stock) (resource, bool) {
	for r, n := range need {
		if n > f.stock[r] {
			return resource(r), true
		}
	}
	return 0, false
}

// costs lists spent as negative amounts, then the gains.
// The order is fixed, because changes are compared, hashed and shown to models.
func costs(spent stock, gains ...Amount) []Amount {
	var list []Amount
	for r, n := range spent {
		if n != 0 {
			list = append(list, Amount{resourceNames[r], -n})
		}
	}
	return append(list, gains...)
}
