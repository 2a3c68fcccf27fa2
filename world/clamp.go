package world

// Clamp moves the amounts of a to the nearest feasible ones and reports what it
// changed. It never changes a type, target, id, choice or condition, and never
// makes a gift of nothing into a gift of something. Where no amount is feasible
// it leaves one that the rules allow, so that Check can say what is short.
func (v View) Clamp(a Action) (Action, []Adjustment) {
	f := &v.facts
	switch a := a.(type) {
	case WaitTicks:
		n, adjusted := clampTo(a.ActionName(), "ticks", a.Ticks, 1, limit{WaitTicksMax, boundRule}, WaitTicksMax)
		return WaitTicks{Ticks: n}, adjusted
	case Harvest:
		n, adjusted := clampTo(a.ActionName(), "max_amount", a.MaxAmount, 1, f.harvestLimit(), HarvestMax)
		return Harvest{MaxAmount: n}, adjusted
	case Mine:
		n, adjusted := clampTo(a.ActionName(), "compound_mass_g", a.MassG, 1, f.mineLimit(), MineMaxG)
		return Mine{MassG: n}, adjusted
	case Refine:
		return f.clampRefine(a)
	case ScheduleRecipe:
		return f.clampBatches(a)
	case Transfer:
		return f.clampTransfer(a)
	case BuyPower, SellPower, PlaceOrder:
		return v.clampTrade(a)
	case ExecuteUntil:
		return v.clampOrder(a)
	}
	return a, nil
}

// clampTo brings n into [least, l.max], or into the rule's own range when the
// limit leaves nothing.
// The second case is for an agent that can do nothing at all of this action now:
// an amount it may ask for some other time is kept, so that the refusal that
// follows is about the agent's state and not about its request.
func clampTo(action, field string, n, least int64, l limit, ruleMax int64) (int64, []Adjustment) {
	if l.max < least {
		l = limit{ruleMax, boundRule}
	}
	to, bound := n, boundRule
	if n < least {
		to = least
	}
	if n > l.max {
		to, bound = l.max, l.bound
	}
	if to == n {
		return n, nil
	}
	return to, []Adjustment{{action, field, n, to, bound}}
}

// clampRefine also rounds down to whole kilograms, the part that counts.
// The adjustment is recorded once, from the amount asked for to the final one.
func (f *facts) clampRefine(a Refine) (Action, []Adjustment) {
	per := f.law.RefineGPerHardware
	n, adjusted := clampTo(a.ActionName(), "compound_mass_g", a.MassG, per, f.refineLimit(), RefineMaxG)
	if whole := n / per * per; whole != n {
		n = whole
		adjusted = []Adjustment{{a.ActionName(), "compound_mass_g", a.MassG, whole, boundRule}}
	}
	return Refine{MassG: n}, adjusted
}

// clampBatches leaves orders for unknown factories and recipes to Check.
// A factory that cannot start even one batch gets one: the refusal then tells
// what a single batch lacks.
func (f *facts) clampBatches(a ScheduleRecipe) (Action, []Adjustment) {
	l := limit{BatchesMax, boundRule}
	own, mine := f.factory(a.FactoryID)
	if n, known := recipeNumber(f.law.recipes, a.RecipeID); known && mine {
		l = f.batchLimit(own, &f.law.recipes[n])
	}
	if l.max < 1 {
		// Not even one batch: one is what Check can explain best.
		l = limit{1, l.bound}
	}
	n, adjusted := clampTo(a.ActionName(), "batches", a.Batches, 1, l, BatchesMax)
	a.Batches = n
	return a, adjusted
}

// clampTransfer lowers a gift to what the giver has. A gift of nothing or less
// stays as it is, to be refused: the agent did not say that it wants to give.
// How much fits the receiver is not the giver's to know.
func (f *facts) clampTransfer(a Transfer) (Action, []Adjustment) {
	r, known := resourceNamed(a.Kind)
	if !known || f.stock[r] < 1 || a.Amount <= f.stock[r] {
		return a, nil
	}
	adjusted := []Adjustment{{a.ActionName(), "amount", a.Amount, f.stock[r], boundStock}}
	a.Amount = f.stock[r]
	return a, adjusted
}

// clampOrder clamps the number of attempts and the inner action as it would be
// carried out now; later attempts are clamped anew by whoever continues them.
func (v View) clampOrder(o ExecuteUntil) (Action, []Adjustment) {
	o = cloneAction(o).(ExecuteUntil)
	n, adjusted := clampTo(o.ActionName(), "max_ticks", o.MaxTicks, 1, limit{StandingTicksMax, boundRule}, StandingTicksMax)
	o.MaxTicks = n
	if o.Do == nil {
		return o, adjusted
	}
	if _, nested := o.Do.(ExecuteUntil); nested {
		return o, adjusted // Check refuses it; clamping inside would recurse without bound
	}
	do, inner := v.Clamp(o.Do)
	o.Do = do
	return o, append(adjusted, inner...)
}
