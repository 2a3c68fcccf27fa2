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
	// The rest is found when it is first asked for: the observation, the triggers in it, and the
	// planned action that covers the operation, nil before, and the number of the first planned
	// action that is possible, once searched.
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
	op, ok := operationOf(a, q.e.View.Place())
	if accept, is := op.do.(world.AcceptOffer); is {
		offers := q.offers()
		if i := slices.IndexFunc(offers, func(t world.Terms) bool { return t.ID == accept.OfferID }); i >= 0 {
			op.accept(offers[i])
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
// says why. The cases come in the order of the package comment.
func (q *evaluation) authority() (trace.Authority, *Violation) {
	op, e := &q.op, &q.e
	own := trace.Authority{By: trace.AuthorityOwn}
	if !q.checkable {
		if _, waits := q.action.(world.Wait); waits {
			return own, nil
		}
		return trace.Authority{}, &Violation{Reason: ReasonUnavailable}
	}
	if op.unknown && e.View.Check(q.action).Status == world.CheckRejected {
		return own, nil // the world refuses it, and its refusal says which offers there are
	}
	if !op.isWait() || op.order != nil {
		if broken := q.checkRules(op); broken != nil {
			return trace.Authority{}, broken
		}
	}
	if !q.influenced() {
		return own, nil
	}
	if op.order != nil {
		if attempts, ignore := q.orderLimits(); !q.orderWithin(attempts, ignore) {
			return trace.Authority{}, &Violation{
				Reason: ReasonArgumentNotPlanned, Action: op.spec.Name, Argument: ArgumentOrder, Requested: &op.order.MaxTicks, Maximum: &attempts, Unit: world.Ticks,
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
	m, counts := q.matchPlan(), !e.off(CheckDeviations)
	if m.planned() && (m.cost == 0 || !counts) {
		return trace.Authority{By: trace.AuthorityPlan, Planned: m.index + 1}, nil
	}
	by, refused := q.askedFor()
	first := q.firstPossible()
	switch {
	case by != nil:
		return *by, nil
	case !m.planned() && op.isWait() && (first < 0 || !counts), len(e.Plan) == 0 && q.needsNoPlan():
		return trace.Authority{By: trace.AuthorityUnplanned}, nil
	case !m.planned() && !op.isWait():
		return trace.Authority{}, cmp.Or(m.violation(op), refused, &Violation{Reason: ReasonNotPlanned, Action: op.spec.Name})
	case op.gives() && q.afterFirst(m.index):
		return trace.Authority{}, &Violation{Reason: ReasonNotFirst, Action: op.spec.Name, First: first + 1}
	}
	if left := max(0, DeviationsMax-e.Ledger.Deviations(e.View.Tick())); m.cost > left {
		return trace.Authority{}, &Violation{Reason: ReasonDeviations, Action: op.spec.Name, Requested: &m.cost, Maximum: &left, Unit: world.Ticks}
	}
	return trace.Authority{By: trace.AuthorityDeviation, Planned: m.index + 1, Deviation: m.cost}, nil
}

// influenced reports whether others may have led to the action: their texts are in view, it
// answers their terms, or it gives again and again while terms are shown. If so, it must be
// planned, or asked for under a rule. (An order that is not is carried out once.)
func (q *evaluation) influenced() bool {
	if q.e.off(CheckPlan) {
		return false
	}
	repeats := q.op.order != nil && q.op.gives() && len(q.e.Shown) > 0 && !q.e.off(CheckRules)
	return len(q.e.Authors) > 0 || repeats || q.answersTerms(&q.op)
}

// answersTerms reports whether an operation may answer open terms that are shown before a plan
// because a rule could answer them: a gift to their sender or to the receiver that the rule names,
// an offer in reply, or the acceptance of an offer.
func (q *evaluation) answersTerms(op *Operation) bool {
	if !op.gives() || q.e.off(CheckRules) {
		return false
	}
	return slices.ContainsFunc(slices.Concat(q.seen().Requests, q.offers()), func(t world.Terms) bool {
		return slices.ContainsFunc(q.p.rules, func(r rule) bool {
			directed := op.args[world.SlotID].text == t.ID || op.isGift() && (t.From == op.to || r.To == op.to)
			return directed && q.p.couldAnswer(&r, t, q.e.Ledger, q.e.View.Tick())
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
	taken := int64(0)
	for _, c := range q.e.View.Check(q.op.do).Changes {
		if c.Resource == world.Electricity {
			taken -= c.Amount
		}
	}
	return taken <= 0 || taken <= q.spareElectricity()
}

// spareElectricity is how much can be given or used while the charge stays above low.
func (q *evaluation) spareElectricity() int64 {
	rules := q.e.View.Rules()
	return max(0, q.seen().Self.Electricity-rules.PowerCapacity*rules.LowPercent/100-1)
}

// checkRules checks an operation, and the standing order around it, against the rules of the
// scenario, and notes for which further rules it counts.
func (q *evaluation) checkRules(op *Operation) *Violation {
	if q.e.off(CheckRules) || len(q.p.rules) == 0 {
		return nil
	}
	broken := q.checkOperation(op)
	if broken == nil && op.order != nil {
		broken = q.checkOperation(op.asOrder())
	}
	return cmp.Or(broken, q.checkShown(op))
}

// checkShown looks for an offer that suits a request which the agent is shown before its plan, but
// does not name that request: it gives what the asker wants, to the asker or to anyone. Since the
// agent may make it because of the request, it counts for each rule that could answer, and may give
// no more than one of them has left. An attempt of an order also counts for the rules with which
// the order began.
func (q *evaluation) checkShown(op *Operation) (broken *Violation) {
	offer, is := op.do.(world.Offer)
	if !is {
		return nil
	}
	within, now, receiver := false, q.e.View.Tick(), op.receiver()
	for i := range q.p.rules {
		r := &q.p.rules[i]
		suits := func(t world.Terms) bool {
			return t.ID != offer.Re && t.Want == op.what && (receiver == t.From || receiver == "") && q.p.couldAnswer(r, t, q.e.Ledger, now)
		}
		if begun := q.e.Order != nil && slices.Contains(q.e.Order.countsFor, r.number); !begun && !slices.ContainsFunc(q.seen().Requests, suits) {
			continue
		}
		op.countsFor = append(op.countsFor, r.number)
		most, reason := r.remaining(q.e.Ledger, now, receiver)
		if within = within || op.amount <= most; !within {
			broken = exceeded(op, reason, r, most)
		}
	}
	if within {
		return nil
	}
	return broken
}

// checkOperation checks an operation apart from an order around it. An allow counts if it
// describes the operation and lifts whatever forbids it. If several refuse it, the most generous
// one is reported.
func (q *evaluation) checkOperation(op *Operation) *Violation {
	forbidden := slices.ContainsFunc(q.p.rules, func(r rule) bool { return r.forbids() && r.describes(op) })
	var best *Violation
	for i := range q.p.rules {
		r := &q.p.rules[i]
		if !q.allows(r, op) {
			continue
		}
		asker := ""
		if r.toAsker() {
			// The rule bounds gifts that open terms ask for, no matter who had a part in the
			// terms. It lifts a forbid only for terms that no other agent had a part in.
			asker = op.to
			asks := func(t trigger) bool {
				if forbidden {
					return q.triggers(r, &t, op) && q.trusted(r, &t, op)
				}
				return op.gives() && t.kind != kindMessage && q.triggers(r, &t, op)
			}
			if !slices.ContainsFunc(q.triggersInView(), asks) {
				continue
			}
		}
		broken := q.checkLimits(r, op, asker)
		if broken == nil {
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
func (q *evaluation) allows(r *rule, op *Operation) bool {
	return r.allows() && r.describes(op) && (q.e.off(CheckRules) || !slices.ContainsFunc(q.p.rules, func(f rule) bool {
		return f.forbids() && f.describes(op) && !r.lifts(&f)
	}))
}

// checkLimits checks an operation against the limits of one rule, for an asker or "" for none.
func (q *evaluation) checkLimits(r *rule, op *Operation, asker string) *Violation {
	if !r.rateMet(op) {
		// A search, because a product of amounts may not fit in 64 bits.
		least := sort.Search(math.MaxInt, func(n int) bool { return r.rateMet(&Operation{amount: op.amount, got: int64(n)}) })
		v := &Violation{Reason: ReasonRate, Action: op.spec.Name, Rule: r.number, Requested: &op.got, Minimum: new(int64(least)), Unit: op.get}
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
