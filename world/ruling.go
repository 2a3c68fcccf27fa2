package world

import "fmt"

// ruling is the verdict of the rules on one action. Exactly one of three holds:
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

// check is the verdict as a dry run reports it.
func (r ruling) check() Check {
	switch {
	case r.rejection != nil:
		return Check{Status: CheckRejected, Rejection: r.rejection}
	case r.unknown:
		return Check{Status: CheckUnknown}
	}
	return Check{Status: CheckAccepted, Changes: r.changes, Ticks: r.ticks}
}

// refuse is the verdict of a rejection.
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
func insufficient(field string, r resource, requested, available int64) ruling {
	return refuse(Rejection{
		Code: RejectInsufficient, Field: field, Resource: r.String(),
		Requested: number(requested), Available: number(available), Unit: r.unit(),
	})
}

// judge applies the rules to an action. It is the one place that switches over
// all actions for legality; View.Check and Apply both end here.
// An agent that cannot act is refused everything before anything else is looked
// at, so that the other rules may take a place and a living agent for granted.
func (f *facts) judge(a Action, s senses) ruling {
	if f.shut {
		return refuse(Rejection{
			Code: RejectShutdown, Resource: Electricity, Available: number(f.stock[electricity]),
			Maximum: number(f.law.restartLevel()), Unit: electricity.unit(),
		})
	}
	if f.travelling {
		return refuse(Rejection{Code: RejectTravelling})
	}
	switch a := a.(type) {
	case Wait:
		return ruling{}
	case WaitTicks:
		return judgeWaitTicks(a)
	case Move:
		return f.judgeMove(s.route(a.To))
	case Harvest:
		return f.judgeHarvest(a)
	case Mine:
		return f.judgeMine(a)
	case Refine:
		return f.judgeRefine(a)
	case BuildFactory:
		return f.judgeBuild(a)
	case ScheduleRecipe:
		return f.judgeSchedule(a)
	case Transfer:
		return f.judgeTransfer(a, s)
	case SendMessage:
		return f.judgeSend(a)
	case PostNote:
		return judgeText(a.Text)
	case BuyPower, SellPower, PlaceOrder, CancelOrder:
		return f.judgeTrade(a, s)
	case ExecuteUntil:
		return f.judgeOrder(a, s)
	}
	panic(fmt.Sprintf("world: no rule for action type %T", a))
}

// judgeWaitTicks rules on sleeping, which is free but for the idle draw.
func judgeWaitTicks(a WaitTicks) ruling {
	if a.Ticks < 1 || a.Ticks > WaitTicksMax {
		return invalidAmount("ticks", a.Ticks, WaitTicksMax, Ticks)
	}
	return ruling{ticks: a.Ticks}
}

// judgeOrder refuses a malformed order and otherwise judges its first attempt.
// An order is taken up if its form is sound, even when the first attempt is
// refused; it then ends with that refusal.
func (f *facts) judgeOrder(o ExecuteUntil, s senses) ruling {
	if problem := o.problem(); problem != nil {
		return refuse(Rejection{Code: RejectInvalidStandingRule, Field: problem.Field})
	}
	if o.MaxTicks < 1 || o.MaxTicks > StandingTicksMax {
		return refuse(Rejection{
			Code: RejectInvalidStandingRule, Field: "max_ticks",
			Requested: number(o.MaxTicks), Maximum: number(StandingTicksMax), Unit: Ticks,
		})
	}
	return f.judge(o.Do, s)
}

// judgeMove rules on a journey. A place that is there but hidden must not be told
// from one that is not, so neither refusal carries numbers.
// The cost does not depend on what is carried. It is paid at departure, so that a
// journey once begun always ends, if need be with an empty battery.
func (f *facts) judgeMove(way route) ruling {
	unreachable := refuse(Rejection{Code: RejectUnreachable, Field: "to"})
	cost := f.law.moveCost(way.distanceCM)
	enough := cost <= f.stock[electricity]
	switch {
	case way.kind == routeHere:
		return refuse(Rejection{Code: RejectAlreadyThere, Field: "to"})
	case way.kind == routeUnknown:
		return ruling{unknown: true}
	case way.kind == routeAbsent, way.kind == routeHidden && !enough:
		return unreachable
	case !enough:
		return insufficient("to", electricity, cost, f.stock[electricity])
	}
	return ruling{
		cost: cost, ticks: f.law.moveTicks(way.distanceCM),
		changes: []Amount{{Electricity, -cost}},
	}
}

// judgeTransfer rules on a gift. Whether electricity fits the receiver's battery
// is not the giver's to know, so that refusal carries no numbers either.
// Nothing else can go wrong on the receiver's side: only electricity is bounded.
// Agents that are shut down can be given electricity, which is how others help
// them up.
func (f *facts) judgeTransfer(a Transfer, s senses) ruling {
	r, known := resourceNamed(a.Kind)
	if !known {
		return refuse(Rejection{Code: RejectUnknownChoice, Field: "kind"})
	}
	if a.To == f.self {
		return refuse(Rejection{Code: RejectTransferToSelf, Field: "to_agent"})
	}
	to := s.contact(a.To)
	full := r == electricity && to.room != roomUnknown && to.room < a.Amount
	switch {
	case to.presence == presenceElsewhere:
		return refuse(Rejection{Code: RejectAgentNotHere, Field: "to_agent"})
	case a.Amount < 1:
		return invalidAmount("amount", a.Amount, f.stock[r], r.unit())
	case a.Amount > f.stock[r]:
		return insufficient("amount", r, a.Amount, f.stock[r])
	case to.presence == presenceUnknown, r == electricity && to.room == roomUnknown:
		return ruling{unknown: true}
	case full:
		return refuse(Rejection{Code: RejectStorageFull, Field: "amount", Resource: Electricity})
	}
	return ruling{amount: a.Amount, changes: []Amount{{a.Kind, -a.Amount}}}
}
