package world

// affordances lists what the agent may do now, in registry order, execute_until
// left out since it is open to every action that is.
// An affordance is a promise: what it offers is accepted if the agent acts alone.
// Each is made from the same verdicts and limits that Check and Clamp use, never
// from a second copy of a rule.
func (v View) affordances() []Affordance {
	f := &v.facts
	if f.shut || f.travelling {
		return v.helpless()
	}
	return append([]Affordance{
		{Action: "wait", OK: true},
		{Action: "wait_ticks", OK: true, Field: "ticks", Min: 1, Max: WaitTicksMax},
		v.canMove(),
		f.bounded("harvest_radiation", "max_amount", 1, f.harvestLimit(), f.judgeHarvest(Harvest{1})),
		f.bounded("mine_compound", "compound_mass_g", 1, f.mineLimit(), f.judgeMine(Mine{1})),
		f.bounded("refine_compound", "compound_mass_g", f.law.RefineGPerHardware, f.refineLimit(),
			f.judgeRefine(Refine{f.law.RefineGPerHardware})),
		f.canBuild(),
		f.canSchedule(),
		v.canTransfer(),
	}, append(v.affordTrades(),
		open("send_message", f.judgeSend(SendMessage{Text: "any"})),
		Affordance{Action: "post_note", OK: true})...)
}

// helpless lists every action with the one reason that nothing is possible.
// The list has the same length in every state, so that a reader finds each action
// in its place.
func (v View) helpless() []Affordance {
	var list []Affordance
	why := v.Check(Wait{}).Rejection.Code
	for _, spec := range v.Rules().Actions() {
		if spec.Name != (ExecuteUntil{}).ActionName() {
			list = append(list, Affordance{Action: spec.Name, Why: why})
		}
	}
	return list
}

// open is an action without an amount whose choices are not listed; any is the
// verdict on a typical one.
func open(action string, any ruling) Affordance {
	if !any.accepted() {
		return refused(action, any)
	}
	return Affordance{Action: action, OK: true}
}

// bounded is an action with one amount; least is the verdict on the least amount.
// If the least amount is refused, so is every other, and its reason is the one to
// give.
func (f *facts) bounded(action, field string, minimum int64, l limit, least ruling) Affordance {
	if !least.accepted() {
		return refused(action, least)
	}
	return Affordance{Action: action, OK: true, Field: field, Min: minimum, Max: l.max}
}

// refused explains an action that is not possible; what is short is the
// difference of the rejection's numbers.
// Other refusals are not cured by gathering something, so they name no need.
func refused(action string, r ruling) Affordance {
	a := Affordance{Action: action, Why: r.rejection.Code}
	if r.rejection.Code == RejectInsufficient {
		short := *r.rejection.Requested - *r.rejection.Available
		a.Need = []Amount{{r.rejection.Resource, short}}
	}
	return a
}

// canMove offers the shown places that the battery can pay for.
// Only shown places are offered, to keep the observation small; any charted place
// can be tried. If none is affordable the nearest one says what is short.
func (v View) canMove() Affordance {
	a := Affordance{Action: "move_agent", Why: RejectUnreachable}
	for i, s := range v.sights {
		r := v.facts.judgeMove(route{routeKnown, s.distanceCM})
		if r.accepted() {
			a.Options = append(a.Options, Option{Target: v.geo.places[s.place].ID})
		} else if i == 0 {
			a = refused("move_agent", r)
		}
	}
	if len(a.Options) > 0 {
		return Affordance{Action: "move_agent", OK: true, Options: a.Options}
	}
	return a
}

// canBuild offers the kinds of factory that can be paid for.
// If there are none, the first kind says why, with all that is short of it.
func (f *facts) canBuild() Affordance {
	a := Affordance{Action: "build_factory"}
	for i := range f.law.kinds {
		r := f.judgeBuild(BuildFactory{f.law.kinds[i].Name})
		if r.accepted() {
			a.Options = append(a.Options, Option{Target: f.law.kinds[i].Name})
		} else if i == 0 {
			a.Why = r.rejection.Code
			a.Need = f.stock.shortOf(f.law.kinds[i].cost)
		}
	}
	if len(a.Options) > 0 {
		return Affordance{Action: a.Action, OK: true, Options: a.Options}
	}
	if a.Why != RejectInsufficient {
		a.Need = nil
	}
	return a
}

// canSchedule offers every recipe that an own factory here can take.
// If there are none, the reason is that of the cheapest recipe in a factory that
// is here and ready, or failing that the first obstacle found.
func (f *facts) canSchedule() Affordance {
	a := Affordance{Action: "schedule_recipe", Why: RejectFactoryNotFound}
	for _, own := range f.factories {
		for i := range f.law.recipes {
			recipe := &f.law.recipes[i]
			if recipe.maintains && own.wear*2 < WearMax {
				continue // possible, but not worth mentioning before it is half worn
			}
			r := f.judgeSchedule(ScheduleRecipe{own.id, recipe.ID, 1})
			if r.accepted() {
				a.Options = append(a.Options, Option{own.id, recipe.ID, f.batchLimit(own, recipe).max})
			} else if a.Why == RejectFactoryNotFound || own.here && a.Need == nil {
				a.Why, a.Need = r.rejection.Code, f.shortForBatch(r, recipe)
			}
		}
	}
	if len(a.Options) > 0 {
		return Affordance{Action: a.Action, OK: true, Options: a.Options}
	}
	return a
}

// shortForBatch says what one batch lacks when stock is what it lacks.
func (f *facts) shortForBatch(r ruling, recipe *Recipe) []Amount {
	if r.rejection.Code != RejectInsufficient {
		return nil
	}
	return f.stock.shortOf(recipe.inputs)
}

// canTransfer offers the agents at the same place as receivers; what can be given
// is the agent's own stock.
// Listing each resource for each receiver would repeat the stock many times.
func (v View) canTransfer() Affordance {
	if len(v.mates) == 0 {
		return Affordance{Action: "transfer_resource", Why: RejectAgentNotHere}
	}
	if v.facts.stock == (stock{}) {
		return Affordance{Action: "transfer_resource", Why: RejectInsufficient}
	}
	a := Affordance{Action: "transfer_resource", OK: true}
	for _, id := range v.mates[:min(len(v.mates), len(v.contacts))] {
		a.Options = append(a.Options, Option{Target: id})
	}
	return a
}
