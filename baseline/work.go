package baseline

import "example.com/agentworld/world"

// work lists what brings the resource nearer at the agent's own place, best first.
func (n *moment) work(resource string) []world.Action {
	var list []world.Action
	if n.Self.Electricity < n.lowMark() {
		list = append(list, n.charge()...)
	}
	if n.plantsMost > int64(len(n.local(world.RadiationPlantMk1))) {
		list = append(list, world.BuildFactory{FactoryKind: world.RadiationPlantMk1})
	}
	recipe, made := n.recipeOf(resource)
	list = append(list, n.produce(resource, 0)...)
	list = append(list, n.takeBack()...)
	if resource != "" && resource != world.Compound {
		// The hardware to have in stock is what the next factory and a few batches take, or
		// as much as possible when hardware itself is wanted.
		target, keepG := int64(world.RefineMaxG), int64(0)
		if made {
			batch := n.takes(recipe, world.Hardware)
			target = max(2*n.batchesAhead*batch, n.price(recipe.FactoryKind, world.Hardware)+n.batchesAhead*batch)
			keepG = min(n.batchesAhead*n.takes(recipe, world.Compound), n.supplyG/2)
		}
		list = append(list, n.refine(target, keepG)...)
	}
	if resource != "" {
		list = append(list, n.mine(resource)...)
	}
	if n.Self.Electricity*100 < n.Rules.PowerCapacity*n.fullPercent {
		list = append(list, n.charge()...)
	}
	return list
}

// charge takes what the agent's own plants have stored here, or else harvests.
func (n *moment) charge() (list []world.Action) {
	if m := n.Market; m != nil && m.OwnStore >= world.HarvestMax {
		list = append(list, world.BuyPower{Amount: m.OwnStore, Price: 1})
	}
	return append(list, world.Harvest{MaxAmount: world.HarvestMax})
}

// lowMark is the charge below which harvesting comes first.
func (n *moment) lowMark() int64 {
	return min(n.Rules.PowerCapacity/2, (8+6*n.Rules.IdleDraw)*n.lowPercent/100)
}

// reserve is the charge that work leaves in the battery: at a dark place the way
// out of it, unless help comes there.
func (n *moment) reserve() int64 {
	least := 2 * n.Rules.IdleDraw
	if n.powered(n.here()) || n.anchored() {
		return least
	}
	if way, ok := n.refuge(); ok && way.cost <= n.Self.Electricity {
		return max(least, way.need(n.Rules)*n.wayBackPercent/100)
	}
	return least
}

// spare is the charge that work may use.
func (n *moment) spare() int64 { return n.Self.Electricity - n.reserve() }

// recipeOf is the cheapest recipe that yields the resource.
func (n *Situation) recipeOf(resource string) (world.Recipe, bool) {
	for _, r := range n.Recipes {
		for _, out := range r.Outputs {
			if out.Resource == resource {
				return r, true
			}
		}
	}
	return world.Recipe{}, false
}

// amountOf is how much of a resource a list names.
func amountOf(list []world.Amount, resource string) int64 {
	for _, a := range list {
		if a.Resource == resource {
			return a.Amount
		}
	}
	return 0
}

// local lists the agent's factories of a kind at its place.
func (n *moment) local(kind string) []world.Factory {
	var list []world.Factory
	for _, f := range n.Factories {
		if f.Kind == kind && f.Place == n.Here.ID {
			list = append(list, f)
		}
	}
	return list
}

// schedule keeps the factories here supplied, with at most so many batches, 0 for any number.
func (n *moment) schedule(r world.Recipe, batches int64) []world.Action {
	var list []world.Action
	for _, f := range n.local(r.FactoryKind) {
		if f.Wear >= n.wearMost && f.Queued == 0 && f.State != "building" && f.Recipe != world.MaintenanceRecipe {
			list = append(list, world.ScheduleRecipe{FactoryID: f.ID, RecipeID: world.MaintenanceRecipe, Batches: 1})
		}
		most := min(n.queueMost-f.Queued, n.ticksLeft()/r.Ticks-f.Queued-f.Batches)
		least := max(1, min(n.batchesLeast, n.ticksLeft()/4))
		if batches > 0 {
			most, least = min(most, batches), 1
		}
		for _, in := range r.Inputs {
			have := n.stock(in.Resource)
			if in.Resource == world.Electricity {
				have = n.spare()
			}
			most = min(most, have/max(1, in.Amount))
		}
		if f.State != "building" && most >= least {
			list = append(list, world.ScheduleRecipe{FactoryID: f.ID, RecipeID: r.ID, Batches: most})
		}
	}
	return list
}

// ticksLeft is how long the task still runs, and long without one.
func (n *moment) ticksLeft() int64 {
	if !n.brief.scored() {
		return world.TaskTicksMax
	}
	return n.brief.Task.Ticks - n.Tick
}

// build asks for the first factory, and for a further one when all are busy and
// there is enough left for both.
func (n *moment) build(r world.Recipe) []world.Action {
	have := n.local(r.FactoryKind)
	wish := []world.Action{world.BuildFactory{FactoryKind: r.FactoryKind}}
	if len(have) == 0 && n.spare() >= n.price(r.FactoryKind, world.Electricity) {
		return wish
	}
	for _, f := range have {
		if f.State != "working" || f.Queued == 0 {
			return nil
		}
	}
	rich := n.Self.Hardware >= n.price(r.FactoryKind, world.Hardware)+2*n.takes(r, world.Hardware) &&
		n.spare() >= n.price(r.FactoryKind, world.Electricity)+2*n.takes(r, world.Electricity)+n.lowMark()
	if !n.Trades() && rich && int64(len(have)) < n.factoriesMost && n.ticksLeft() > n.settleTicks {
		return wish
	}
	return nil
}

// refine turns compound into what hardware is still missing, and keeps some of it.
func (n *moment) refine(target, keepG int64) []world.Action {
	units := min(target-n.Self.Hardware, max(0, n.Self.CompoundG-keepG)/n.Rules.RefineGPerHardware)
	if n.Rules.RefineCostPerKG > 0 {
		units = min(units, n.spare()/n.Rules.RefineCostPerKG)
	}
	if units < max(1, min(n.refineLeast, n.ticksLeft()/4)) {
		return nil
	}
	return []world.Action{world.Refine{MassG: units * n.Rules.RefineGPerHardware}}
}

// mine digs a stock of compound, as large as a visit allows where there is no
// power to stay.
func (n *moment) mine(resource string) []world.Action {
	enough := n.supplyG
	if resource == world.Compound || !n.powered(n.here()) {
		enough = n.hoardG
	}
	mass := min(int64(world.MineMaxG), n.Here.CompoundG)
	if n.Rules.MineCostPerKG > 0 {
		mass = min(mass, n.spare()/n.Rules.MineCostPerKG*1000)
	}
	if n.Self.CompoundG >= enough && resource != world.Compound || mass < 1 {
		return nil
	}
	return []world.Action{world.Mine{MassG: mass}}
}
