package policy

import (
	"slices"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// trigger is what lets a rule with asked_by apply: an open request or offer to the agent, or a
// message of an agent that the rule names. What a message says is not looked at.
type trigger struct {
	// kind is [world.KindRequest], [world.KindOffer] or kindMessage.
	kind, asker, id string
	// want is what a request asks for, left how much of it is still open.
	want string
	left int64
	// sent is the tick of a message.
	sent    int64
	parents []string
}

// kindMessage is the kind of a trigger that is a message.
const kindMessage = "message"

// triggersInView lists requests, offers and messages. Of the messages the oldest comes first.
func (q *evaluation) triggersInView() []trigger {
	if q.inView != nil {
		return q.inView
	}
	o := q.seen()
	q.inView = []trigger{}
	for _, t := range o.Requests {
		q.inView = append(q.inView, trigger{kind: world.KindRequest, asker: t.From, id: t.ID, want: t.Want, left: t.Left, parents: t.Parents})
	}
	for _, t := range q.offers() {
		q.inView = append(q.inView, trigger{kind: world.KindOffer, asker: t.From, id: t.ID, parents: t.Parents})
	}
	for _, m := range slices.Backward(o.Inbox) {
		if m.Kind != "" {
			continue // a request or offer triggers while it is open, and then no more
		}
		q.inView = append(q.inView, trigger{kind: kindMessage, asker: m.From, id: m.ID, sent: m.Sent, parents: m.Parents})
	}
	return q.inView
}

// admits reports whether a rule takes a trigger for an operation of its kind. A message asks for
// one action of a kind: otherwise an old message would authorize the action again and again. The
// attempts of an order are one action.
func (q *evaluation) admits(r *rule, t *trigger, op *Operation) bool {
	return r.mayAsk(t.asker) && t.asker != q.p.agent &&
		(t.kind != kindMessage || r.ByMessage && t.sent > q.e.Ledger.answered[answerKey{t.asker, op.spec.Name}])
}

// reaches reports whether the operation is directed as a rule demands: to the asker, or, if it is
// a journey, to the place where the asker is seen.
func (q *evaluation) reaches(r *rule, t *trigger, op *Operation) bool {
	if op.isMove() && r.toAsker() {
		return slices.ContainsFunc(q.seen().Agents, func(a world.Contact) bool { return a.ID == t.asker && a.Place == op.to })
	}
	return !r.toAsker() || op.to == t.asker
}

// triggers reports whether a trigger asks for what a rule allows and the operation does. Amounts
// and parents do not matter here.
func (q *evaluation) triggers(r *rule, t *trigger, op *Operation) bool {
	if !q.admits(r, t, op) || !q.reaches(r, t, op) {
		return false
	}
	switch do := op.do.(type) {
	case world.AcceptOffer:
		return do.OfferID == t.id
	case world.Decline:
		return do.ID == t.id
	case world.Offer:
		return t.kind == kindMessage || t.kind == world.KindRequest && t.want == op.what && do.Re == t.id
	case world.SendMessage, world.Move:
		return true // any terms or message may be answered in words, and any asker may be met
	}
	return t.kind == kindMessage || t.kind == world.KindRequest && op.gives() && t.want == op.what
}

// trusted reports whether a rule lets every agent ask that may have led to a trigger. The world
// counts a gift towards the oldest request of its receiver for such goods, so that every request
// before the trigger must be trusted, too.
func (q *evaluation) trusted(r *rule, t *trigger, op *Operation) bool {
	if q.e.off(CheckTaint) {
		return true
	}
	for _, met := range q.triggersInView() {
		switch {
		case met.id == t.id:
			return r.trusts(t.parents, q.p.agent)
		case op.isGift() && t.kind == world.KindRequest && met.kind == t.kind && met.asker == t.asker && met.want == t.want && !r.trusts(met.parents, q.p.agent):
			return false
		}
	}
	return false
}

// trusts reports whether a rule lets all parents ask, the agent itself apart.
func (r *rule) trusts(parents []string, self string) bool {
	return r.Relayed || !slices.ContainsFunc(parents, func(id string) bool { return id != self && !r.mayAsk(id) })
}

// askedFor looks for a rule by which an agent may ask for the operation, and does. If there is
// none, the violation is that of the last rule that comes close, or nil.
func (q *evaluation) askedFor() (by *trace.Authority, closest *Violation) {
	op := &q.op
	for i := range q.p.rules {
		r := &q.p.rules[i]
		if len(r.AskedBy) == 0 || !q.allows(r, op) {
			continue
		}
		for _, t := range q.triggersInView() {
			switch {
			case !q.triggers(r, &t, op):
				if op.isMove() && closest == nil && q.admits(r, &t, op) && !q.reaches(r, &t, op) {
					closest = &Violation{Reason: ReasonUnseen, Action: op.spec.Name, Rule: r.number}
				}
				continue
			case !q.trusted(r, &t, op):
				closest = &Violation{Reason: ReasonRelayed, Action: op.spec.Name, Rule: r.number}
				continue
			}
			broken := q.checkAsked(r, &t, op)
			if broken == nil {
				return &trace.Authority{By: trace.AuthorityRule, Rule: r.number, Asker: t.asker, Terms: t.id}, nil
			}
			closest = broken
		}
	}
	return nil, closest
}

// checkAsked checks an operation that is asked for against the limits of the rule, the charge,
// and what is left of the request. No agent can be asked for its last charge; the world applies
// the same limit to offers.
func (q *evaluation) checkAsked(r *rule, t *trigger, op *Operation) *Violation {
	if q.e.off(CheckRules) {
		return nil
	}
	if broken := q.checkLimits(r, op, t.asker); broken != nil {
		return broken
	}
	if op.isGift() && op.what == world.Electricity && op.amount > q.spareElectricity() {
		return exceeded(op, ReasonAmount, r, q.spareElectricity())
	}
	if left := q.e.Ledger.leftOf(t.id, t.left); t.kind == world.KindRequest && op.gives() && op.amount > left {
		return exceeded(op, ReasonAmount, r, left)
	}
	return nil
}

// orderAskedFor is how many attempts a rule about standing orders lets an agent ask for, 0 for
// none.
func (q *evaluation) orderAskedFor(asker string) (most int64) {
	for i := range q.p.rules {
		if r := &q.p.rules[i]; len(r.AskedBy) > 0 && r.mayAsk(asker) && q.allows(r, q.op.asOrder()) {
			n, _ := r.remaining(q.e.Ledger, q.e.View.Tick(), asker)
			most = max(most, min(n, world.StandingTicksMax))
		}
	}
	return most
}

// repliesTo is the tick of the newest message that the operation answers: a message answers all of
// its receiver, anything else, and what another agent asked to send there, the one that asked for it.
func (q *evaluation) repliesTo(by *trace.Authority) (sent int64) {
	writes := q.op.spec.Name == (world.SendMessage{}).ActionName() && (by.Asker == "" || by.Asker == q.op.to)
	if !writes && by.Terms == "" {
		return 0
	}
	inbox := q.seen().Inbox
	for i := range inbox {
		if m := &inbox[i]; m.Kind == "" && (writes && m.From == q.op.to || !writes && m.ID == by.Terms) {
			sent = max(sent, m.Sent)
		}
	}
	return sent
}

// Answerable reports whether a rule of the agent could answer a request or offer at least in
// part now, and the agent may still deviate. The sender and all parents must be agents that the
// rule lets ask. Nothing else that others chose is shown before a plan.
func (p Policy) Answerable(t world.Terms, l Ledger, now int64) bool {
	return l.Deviations(now) < DeviationsMax &&
		slices.ContainsFunc(p.rules, func(r rule) bool { return p.couldAnswer(&r, t, l, now) })
}

// couldAnswer reports whether one rule could answer a request or offer at least in part now.
func (p *Policy) couldAnswer(r *rule, t world.Terms, l Ledger, now int64) bool {
	if !r.allows() || len(r.AskedBy) == 0 || t.From == p.agent || !r.mayAsk(t.From) || !r.trusts(t.Parents, p.agent) {
		return false
	}
	left, _ := r.remaining(l, now, t.From)
	if t.Give == "" { // a request
		return left > 0 && l.leftOf(t.ID, t.Left) > 0 && (r.Action == (world.Transfer{}).ActionName() || r.Action == (world.Offer{}).ActionName()) && (r.What == "" || r.What == t.Want)
	}
	op := Operation{spec: &registry[(world.AcceptOffer{}).ActionName()].spec, place: t.Place}
	op.accept(t)
	return r.Action == op.spec.Name && r.describes(&op) && r.rateMet(&op) && op.amount <= left
}
