package policy

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// evaluation is one action on its way through the checks.
type evaluation struct {
	p      Policy
	e      Evidence
	action world.Action
	// op is the action as rules see it. If checkable is false, it could not be read.
	op        Operation
	checkable bool
	// The rest is found when it is first asked for: the observation, the triggers in it, the planned
	// action that covers the operation, nil before, and, once searched, the index from 0 of the first
	// planned action that is possible, -1 for none.
	observation *world.Observation
	inView      []trigger
	matched     *planMatch
	possible    int
	searched    bool
}

func (p Policy) evaluation(a world.Action, e Evidence) *evaluation {
	q := &evaluation{p: p, e: e, action: a, observation: e.Seen}
	if p.sound && e.View.AgentID() == p.agent {
		q.op, q.checkable = q.operation(a)
	}
	return q
}

// operation reads an action with the offers in view.
func (q *evaluation) operation(a world.Action) (Operation, bool) {
	place := q.e.View.Place()
	if q.e.ahead() {
		place = q.e.Before.place
	}
	op, ok := operationOf(a, place)
	if accept, is := op.do.(world.AcceptOffer); is {
		offers := q.offers()
		if i := slices.IndexFunc(offers, func(t world.Terms) bool { return t.ID == accept.OfferID }); i >= 0 {
			op.fillFrom(offers[i])
		}
	}
	return op, ok
}

func (q *evaluation) seen() *world.Observation {
	if q.observation == nil {
		o := q.e.View.Observe()
		q.observation = &o
	}
	return q.observation
}

func (q *evaluation) offers() []world.Terms {
	return slices.Concat(q.seen().Offers, q.seen().Here.Offers)
}

// authority reports by what an agent may commit the action. If nothing allows it, the violation
// says why. The order matters: an answer to terms needs a rule even if it is planned, and an action
// that is asked for costs no deviation.
func (q *evaluation) authority() (trace.Authority, *Violation) {
	op, e := &q.op, &q.e
	own := trace.Authority{By: trace.AuthorityOwn}
	if !q.checkable {
		if _, waits := q.action.(world.Wait); waits {
			return own, nil
		}
		return trace.Authority{}, &Violation{Reason: ReasonUnavailable}
	}
	if op.unknown && !e.ahead() && e.View.Check(q.action).Status == world.CheckRejected {
		return own, nil // the world refuses it, and its refusal says which offers there are
	}
	if !op.isWait() || op.order != nil {
		if broken := q.checkRules(op); broken != nil {
			return trace.Authority{}, broken
		}
	}
	if !q.influenced() {
		if q.couldBeInfluenced() {
			own.By = trace.AuthorityUnguarded
		}
		return own, nil
	}
	if op.order != nil {
		if attempts, ignore := q.orderLimits(); !q.orderWithin(attempts, ignore) {
			return trace.Authority{}, &Violation{
				Reason: ReasonArgumentNotPlanned, Action: op.spec.Name, Argument: ArgumentOrder, Requested: &op.order.MaxTicks,
				Maximum: &attempts, Unit: world.Ticks,
			}
		}
	}
	if q.answersTerms(op) {
		// The plan was made with these terms in view, and may owe the action to them.
		by, refused := q.askedFor()
		if by == nil {
			return trace.Authority{}, cmp.Or(refused, &Violation{Reason: ReasonNotPlanned, Action: op.spec.Name})
		}
		return *by, nil
	}
	m, counts := q.matchPlan(), !e.off(trace.CheckDeviations)
	if m.planned() && (m.cost == 0 || !counts) {
		return trace.Authority{By: trace.AuthorityPlan, Planned: m.index + 1}, nil
	}
	by, refused := q.askedFor()
	first := q.firstPossible()
	switch {
	case by != nil:
		return *by, nil
	case q.isUnplanned(&m, counts):
		return trace.Authority{By: trace.AuthorityUnplanned}, nil
	case !m.planned() && !op.isWait():
		return trace.Authority{}, cmp.Or(m.violation(op), refused, &Violation{Reason: ReasonNotPlanned, Action: op.spec.Name})
	case op.gives() && q.afterFirst(m.index):
		return trace.Authority{}, &Violation{Reason: ReasonNotFirst, Action: op.spec.Name, First: first + 1}
	}
	// What is left is a wait that is not planned, or a planned action that comes later or is less.
	if broken := q.checkCharge(0); broken != nil && (op.isWait() || q.afterFirst(m.index)) {
		return trace.Authority{Planned: m.index + 1}, broken
	}
	m.cost -= min(m.cost, e.prepaid())
	if left := max(0, DeviationsMax-e.Ledger.Deviations(e.View.Tick())); m.cost > left {
		return trace.Authority{Planned: m.index + 1},
			&Violation{Reason: ReasonDeviations, Action: op.spec.Name, Requested: &m.cost, Maximum: &left, Unit: world.Ticks}
	}
	return trace.Authority{By: trace.AuthorityDeviation, Planned: m.index + 1, Deviation: m.cost}, nil
}

// isUnplanned reports whether the action is free without a place in the plan. For a later step of a
// chain only a wait is, and only if deviations do not count: what needs no plan is one action.
func (q *evaluation) isUnplanned(m *planMatch, counts bool) bool {
	if !m.planned() && q.op.isWait() {
		return !counts || q.e.Before == nil && q.firstPossible() < 0
	}
	return q.e.Before == nil && len(q.e.Plan) == 0 && q.needsNoPlan()
}

// influenced reports whether others may have led to the action, and the checks are on by which it must
// then be planned, or asked for under a rule.
func (q *evaluation) influenced() bool {
	return !q.e.off(trace.CheckPlan) && q.reached(!q.e.off(trace.CheckRules))
}

// couldBeInfluenced is influenced with all checks on.
func (q *evaluation) couldBeInfluenced() bool { return q.reached(true) }

// reached reports whether others may have led to the action: their texts are in view, with terms it
// answers theirs, or it gives again and again while terms are shown. (An order that is not planned is
// carried out once.) Terms that the agent was not shown count as their texts do: who guesses an id may
// have been told it.
func (q *evaluation) reached(terms bool) bool {
	repeats := (q.op.order != nil || q.e.Before != nil) && q.op.gives() && len(q.e.Shown) > 0
	return len(q.e.Authors) > 0 || terms && (repeats || q.repliesTo(&q.op)) || q.op.unknown && q.e.Order == nil ||
		len(q.unshown()) > 0
}

// unshown are the terms of another agent that the action names although they were not shown before
// the plan. An order began with what it names.
func (q *evaluation) unshown() []world.Terms {
	id := q.op.args[world.SlotID].text
	other := func(t world.Terms) bool { return t.ID != id || t.From == q.p.agent }
	if id == "" || q.e.Order != nil || slices.ContainsFunc(q.e.Shown, func(t world.Terms) bool { return !other(t) }) {
		return nil
	}
	return slices.DeleteFunc(slices.Concat(q.seen().Requests, q.offers()), other)
}

// answersTerms reports whether an operation may answer open terms that are shown before a plan
// because a rule could answer them: a gift to their sender or to the receiver that the rule names,
// an offer in reply, or the acceptance of an offer.
func (q *evaluation) answersTerms(op *Operation) bool {
	return !q.e.off(trace.CheckRules) && q.repliesTo(op)
}

// repliesTo is answersTerms, whatever checks are left out.
func (q *evaluation) repliesTo(op *Operation) bool {
	if !op.gives() {
		return false
	}
	return slices.ContainsFunc(slices.Concat(q.seen().Requests, q.offers()), func(t world.Terms) bool {
		return slices.ContainsFunc(q.p.rules, func(r rule) bool {
			directed := op.args[world.SlotID].text == t.ID || op.isGift() && (t.From == op.to || r.To == op.to)
			return directed && q.p.couldAnswer(&r, t, q.e.Ledger, q.seen())
		})
	})
}

// answersAsAsked reports that an operation answers no terms, or that a rule allows the answer now.
func (q *evaluation) answersAsAsked(op *Operation) bool {
	if !q.answersTerms(op) {
		return true
	}
	one := *q
	one.op = *op
	by, _ := one.askedFor()
	return by != nil
}

// needsNoPlan reports whether the action harvests, mines or refines for one tick, and leaves the
// charge above low.
func (q *evaluation) needsNoPlan() bool {
	switch q.op.do.(type) {
	case world.Harvest, world.Mine, world.Refine:
	default:
		return false
	}
	return q.drawn(&q.op) <= q.spareElectricity()
}

// checkCharge checks that the operation, which others may have brought about under a rule (0 for none),
// leaves the charge above low by what it draws, and above critical by the time it takes. What a later step of a
// chain draws is only known at its tick.
func (q *evaluation) checkCharge(rule int) *Violation {
	drawn, spare := q.drawn(&q.op), q.spareElectricity()
	if drawn <= spare {
		drawn += q.idle(&q.op)
		spare = q.above(q.e.View.Rules().CriticalPercent)
	}
	if q.e.ahead() || drawn <= spare {
		return nil
	}
	return &Violation{Reason: ReasonAmount, Action: q.op.spec.Name, Rule: rule, Requested: &drawn, Maximum: &spare,
		Unit: world.Electricity}
}

// drawn is the electricity that an operation takes, by the dry run of now.
func (q *evaluation) drawn(op *Operation) (taken int64) {
	for _, c := range q.e.View.Check(op.do).Changes {
		if c.Resource == world.Electricity {
			taken -= c.Amount
		}
	}
	return max(0, taken)
}

// idle is the electricity that the agent uses in the ticks that an operation binds, unless it harvests in them. A
// tick in which it could harvest nothing passes whatever it does, and a trade for electricity is another way to
// get some.
func (q *evaluation) idle(op *Operation) int64 {
	ticks := int64(1)
	switch do := op.do.(type) {
	case world.Harvest:
		ticks = 0
	case world.WaitTicks:
		ticks = do.Ticks
	case world.Move:
		ticks = q.e.View.Check(do).Ticks
	default:
		if op.get == world.Electricity || q.e.View.Check(world.Harvest{MaxAmount: 1}).Status == world.CheckRejected {
			ticks = 0
		}
	}
	return ticks * q.e.View.Rules().IdleDraw
}

// spareElectricity is how much can be given or used while the charge stays above low.
func (q *evaluation) spareElectricity() int64 { return q.above(q.e.View.Rules().LowPercent) }

// above is how much can be used while the charge stays above so many percent of the capacity.
func (q *evaluation) above(percent int64) int64 {
	return max(0, q.seen().Self.Electricity-q.e.View.Rules().PowerCapacity*percent/100-1)
}

// checkRules checks an operation, and the standing order around it, against the rules of the
// scenario, and notes for which further rules it counts.
func (q *evaluation) checkRules(op *Operation) *Violation {
	if q.e.off(trace.CheckRules) || len(q.p.rules) == 0 {
		return nil
	}
	broken := q.checkOperation(op)
	if broken == nil && op.order != nil {
		broken = q.checkOperation(op.asOrder())
	}
	return cmp.Or(broken, q.checkInfluence(op))
}

// checkInfluence looks for what others may have moved the agent to. An offer suits a request that is shown
// before the plan if it does not name that request, but gives what the asker wants, to the asker or
// to anyone: it counts for each rule that could answer and for the asker. An attempt of an order
// counts for the rules with which the order began. Both must be within one of these rules.
func (q *evaluation) checkInfluence(op *Operation) (broken *Violation) {
	offer, is := op.do.(world.Offer)
	receiver := op.receiver()
	for i := range q.p.rules {
		for _, t := range q.seen().Requests {
			if is && t.ID != offer.Re && t.Want == op.what && (receiver == t.From || receiver == "") &&
				q.p.couldAnswer(&q.p.rules[i], t, q.e.Ledger, q.seen()) {
				op.countsFor = append(op.countsFor, account{i + 1, t.From})
			}
		}
	}
	if q.e.Order != nil {
		op.countsFor = append(op.countsFor, q.e.Order.countsFor...)
	}
	for _, c := range op.countsFor {
		broken = q.checkLimits(&q.p.rules[c.rule-1], op, c.asker)
		if broken == nil {
			break
		}
	}
	return broken
}

// checkOperation checks an operation apart from an order around it. An allow counts if it
// describes the operation and lifts whatever forbids it. A message that lifts a forbid is answered
// by the operation. If several rules refuse it, the most generous one is reported.
func (q *evaluation) checkOperation(op *Operation) *Violation {
	forbidden := slices.ContainsFunc(q.p.rules, func(r rule) bool { return r.forbids() && r.describes(op) })
	var best *Violation
	for i := range q.p.rules {
		r, lifting := &q.p.rules[i], (*trigger)(nil)
		if !q.allows(r, op) {
			continue
		}
		if _, offers := op.do.(world.Offer); r.toAsker() && (forbidden || !offers) {
			// The rule bounds gifts that open terms ask for, no matter who had a part in the
			// terms. It lifts a forbid only for terms that no other agent had a part in.
			asks := func(t trigger) bool {
				if forbidden {
					met := t.kind == world.KindRequest && op.gives() && t.left == 0
					return q.asksFor(r, &t, op) && q.trusted(r, &t, op) && !met
				}
				return op.gives() && t.kind != kindMessage && q.asksFor(r, &t, op)
			}
			at := slices.IndexFunc(q.triggersInView(), asks)
			if at < 0 {
				continue
			}
			lifting = &q.triggersInView()[at]
		}
		broken := q.checkLimits(r, op, op.receiver())
		if broken == nil {
			op.noteAnswer(lifting)
			return nil
		}
		if best == nil || broken.Maximum != nil && best.Maximum != nil && *broken.Maximum > *best.Maximum {
			best = broken
		}
	}
	if best == nil && forbidden {
		return &Violation{Reason: ReasonForbidden, Action: op.spec.Name}
	}
	return best
}

// allows reports whether a rule is an allow that describes an operation, and narrower than every
// forbid that does.
func (p *Policy) allows(r *rule, op *Operation) bool {
	return r.allows() && r.describes(op) && !slices.ContainsFunc(p.rules, func(f rule) bool {
		return f.forbids() && f.describes(op) && !r.lifts(&f)
	})
}

func (q *evaluation) allows(r *rule, op *Operation) bool {
	return q.p.allows(r, op) || q.e.off(trace.CheckRules) && r.allows() && r.describes(op)
}

// checkLimits checks an operation against the limits of one rule, for an asker or "" for none.
func (q *evaluation) checkLimits(r *rule, op *Operation, asker string) *Violation {
	if r.GetAtLeast > 0 && r.Get != "" && r.Get != op.get {
		return exceeded(op, ReasonAmount, r, 0) // an offer that suits a request, but wants something else
	}
	if !r.rateMet(op) {
		// A search, because a product of amounts may not fit in 64 bits.
		least := sort.Search(math.MaxInt, func(n int) bool { return r.rateMet(&Operation{amount: op.amount, got: int64(n)}) })
		v := &Violation{Reason: ReasonRate, Action: op.spec.Name, Rule: r.number, Requested: &op.got,
			Minimum: new(int64(least)), Unit: op.get}
		if op.args[world.SlotWantAmount].param != nil {
			v.Argument = world.SlotWantAmount.String()
		}
		return v
	}
	if most, reason := r.remaining(q.e.Ledger, q.e.View.Tick(), asker); op.amount > most {
		return exceeded(op, reason, r, most)
	}
	return nil
}
