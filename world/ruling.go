package world

// ruling is the ruling of the rules on one action. Exactly one of three holds:
// it is rejected, its answer is unknown, or it is accepted with the effects given.
type ruling struct {
	rejection *Rejection
	// unknown says that the answer depends on what the actor cannot know.
	unknown bool
	changes []Amount
	// ticks is the duration of the action or its job, 0 when immediate.
	ticks int64
	// amount and cost are what the action moves and the electricity it takes.
	amount, cost int64
	// traded is the electricity that a trade moves between agents at once, paid the
	// data for it.
	traded, paid int64
}

// accepted says that the action can be carried out.
func (r ruling) accepted() bool { return r.rejection == nil && !r.unknown }

// rule applies the rules to an action; View.Check and Apply both end here.
// An agent that cannot act is refused everything before anything else is looked
// at, so that the rules of actions may take a place and a living agent for granted.
func (f *facts) rule(a Action, s senses) ruling {
	switch {
	case f.shut:
		return refuse(Rejection{
			Code: RejectShutdown, Resource: Electricity, Available: number(f.stock[electricity]),
			Maximum: number(f.law.RestartLevel()), Unit: electricity.unit(),
		})
	case f.travelling:
		return refuse(Rejection{Code: RejectTravelling})
	case !f.typed && isTyped(a):
		return refuse(Rejection{Code: RejectTermsDisabled})
	}
	return a.rule(f, s)
}

// refuse is the ruling of a rejection.
func refuse(r Rejection) ruling { return ruling{rejection: &r} }

// number is a pointer to a copy of n, for the optional numbers of a rejection.
func number(n int64) *int64 { return &n }

// invalidAmount refuses an amount outside the bounds of the rules.
// It is about the request alone, whatever the agent's state.
func invalidAmount(field string, requested, most int64, unit string) ruling {
	return refuse(Rejection{
		Code: RejectInvalidAmount, Field: field,
		Requested: number(requested), Maximum: number(most), Unit: unit,
	})
}

// insufficient refuses what the actor's own stock does not cover.
// Requested is what the action would take in all, so that the difference to
// Available is what the agent has to gather first.
func (f *facts) insufficient(field string, r resource, requested, available int64) ruling {
	// Observations refuse so much that the numbers are in one piece with the rejection.
	what := Rejection{Code: RejectInsufficient, Field: field, Resource: f.law.Resources[r], Unit: r.unit()}
	refusal := &struct {
		Rejection
		requested, available int64
	}{what, requested, available}
	refusal.Requested, refusal.Available = &refusal.requested, &refusal.available
	return ruling{rejection: &refusal.Rejection}
}

// full refuses electricity for which the battery has no room.
func (f *facts) full(requested int64, field string) ruling {
	return refuse(Rejection{
		Code: RejectStorageFull, Field: field, Resource: Electricity, Requested: number(requested),
		Available: number(f.room()), Maximum: number(f.law.PowerCapacity), Unit: electricity.unit(),
	})
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

// short lists all that is short of need when stock is why something was refused.
func (f *facts) short(r ruling, need stock) []Amount {
	if r.rejection.Code != RejectInsufficient {
		return nil
	}
	var lack stock
	for r, n := range need {
		lack[r] = max(0, n-f.stock[r])
	}
	return lack.amounts(f.law.Resources)
}

// costs lists spent as negative amounts, then the gains.
// The order is fixed, because changes are compared, hashed and shown to models.
func (f *facts) costs(spent stock, gains ...Amount) []Amount {
	spent = spent.times(-1)
	return spent.amounts(f.law.Resources, gains...)
}
