package policy

import (
	"cmp"
	"slices"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// trigger is what lets a rule with asked_by apply: an open request or offer to the agent, or a
// message of an agent that the rule names. What a message says is not looked at.
type trigger struct {
	// kind is [world.KindRequest], [world.KindOffer] or kindMessage.
	kind, asker, id string
	// want is what a request asks for, left how much of it is still to be given.
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
		q.inView = append(q.inView, trigger{kind: world.KindRequest, asker: t.From, id: t.ID, want: t.Want,
			left: q.e.Ledger.leftOf(t.ID, t.Left), parents: t.Parents})
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
	if !r.mayAsk(t.asker) || t.asker == q.p.agent || q.isSpent(t, op) {
		return false
	}
	key := answerKey{t.asker, op.spec.Name}
	begun := q.e.Order != nil && t.sent == q.e.Order.answers[key]
	return t.kind != kindMessage || r.ByMessage && (begun || t.sent > q.e.Ledger.answered[key])
}

// reaches reports whether the operation is directed as a rule demands: to the asker, or, if it is
// a journey, to the place where the asker is seen.
func (q *evaluation) reaches(r *rule, t *trigger, op *Operation) bool {
	if op.isMove() && r.toAsker() {
		return slices.ContainsFunc(q.seen().Agents, func(a world.Contact) bool { return a.ID == t.asker && a.Place == op.to })
	}
	return !r.toAsker() || op.to == t.asker
}

// asksFor reports whether a trigger asks for what a rule allows and the operation does. Amounts
// and parents do not matter here.
func (q *evaluation) asksFor(r *rule, t *trigger, op *Operation) bool {
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
	return t.kind == kindMessage || t.kind == world.KindRequest && op.isGift() && t.want == op.what
}

// trusted reports whether a rule lets every agent ask that may have led to a trigger. The world
// counts a gift towards the oldest request of its receiver for such goods. So each request that the
// gift may meet must be trusted too: those before the trigger if the receiver sent the trigger, else
// all. An offer must not name a request that is not trusted.
func (q *evaluation) trusted(r *rule, t *trigger, op *Operation) bool {
	if q.e.off(trace.CheckTaint) {
		return true
	}
	for _, met := range q.triggersInView() {
		if met.id == t.id && t.asker == op.to {
			break
		}
		counts := op.isGift() && met.kind == world.KindRequest && met.asker == op.to && met.want == op.what
		if (counts || met.id == op.args[world.SlotID].text) && !r.trusts(met.parents, q.p.agent) {
			return false
		}
	}
	return r.trusts(t.parents, q.p.agent)
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
			case !q.asksFor(r, &t, op):
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
// and what is left of the request. No agent can be asked for its last charge, as a gift or by work; the
// world applies the same limit to offers.
func (q *evaluation) checkAsked(r *rule, t *trigger, op *Operation) *Violation {
	if q.e.off(trace.CheckRules) {
		return nil
	}
	if broken := q.checkLimits(r, op, t.asker); broken != nil {
		return broken
	}
	if op.isGift() && op.what == world.Electricity && op.amount > q.spareElectricity() {
		return exceeded(op, ReasonAmount, r, q.spareElectricity())
	}
	if broken := q.checkCharge(r.number); broken != nil {
		return broken
	}
	if t.kind == world.KindRequest && op.gives() && op.amount > t.left {
		broken := exceeded(op, ReasonAmount, r, t.left)
		broken.OfAsk = true
		return broken
	}
	return nil
}

// orderAskedFor is how many attempts the rules about standing orders let the terms or the message
// ask for that ask for the action itself, 0 for none.
func (q *evaluation) orderAskedFor(by *trace.Authority) (most int64) {
	order := q.op.asOrder()
	for i := range q.p.rules {
		r := &q.p.rules[i]
		asks := func(t trigger) bool { return t.id == by.Terms && q.admits(r, &t, &q.op) && q.trusted(r, &t, order) }
		if len(r.AskedBy) > 0 && q.allows(r, order) && slices.ContainsFunc(q.triggersInView(), asks) {
			n, _ := r.remaining(q.e.Ledger, q.e.View.Tick(), by.Asker)
			most = max(most, min(n, world.StandingTicksMax))
		}
	}
	return most
}

// noteAnswers notes the messages that an operation answers. A message that nobody asked for, or that its
// receiver asked for, answers all messages of its receiver. Any other operation answers only the
// trigger by which it is asked for.
func (q *evaluation) noteAnswers(op *Operation, by *trace.Authority) {
	writes := op.spec.Name == (world.SendMessage{}).ActionName() && (by.Asker == "" || by.Asker == op.to)
	if !writes && by.Terms == "" {
		return
	}
	for _, t := range q.triggersInView() {
		if writes && t.asker == op.to || !writes && t.id == by.Terms {
			op.noteAnswer(&t)
		}
	}
}

// noteAnswer notes that an operation answers a trigger, which matters if it is a message.
func (op *Operation) noteAnswer(t *trigger) {
	if t == nil || t.kind != kindMessage {
		return
	}
	if op.answers == nil {
		op.answers = map[answerKey]int64{}
	}
	key := answerKey{t.asker, op.spec.Name}
	op.answers[key] = max(op.answers[key], t.sent)
}

// Answerable reports whether a rule of the agent could answer a request or offer at least in
// part now, and the agent may still deviate and has rounds left. The sender and all parents must
// be agents that the rule lets ask. Nothing else that others chose is shown before a plan.
func (p Policy) Answerable(t world.Terms, l Ledger, seen *world.Observation) bool {
	return l.Deviations(seen.Tick) < DeviationsMax && l.RoundLeft(seen.Tick) &&
		slices.ContainsFunc(p.rules, func(r rule) bool { return p.couldAnswer(&r, t, l, seen) })
}

// couldAnswer reports whether one rule could answer a request or offer at least in part now.
func (p *Policy) couldAnswer(r *rule, t world.Terms, l Ledger, seen *world.Observation) bool {
	answers := []string{(world.AcceptOffer{}).ActionName()}
	if t.Give == "" { // a request
		answers = []string{(world.Transfer{}).ActionName(), (world.Offer{}).ActionName()}
	}
	if len(r.AskedBy) == 0 || t.From == p.agent || !r.mayAsk(t.From) || !r.trusts(t.Parents, p.agent) ||
		!slices.Contains(answers, r.Action) {
		return false
	}
	left, _ := r.remaining(l, seen.Tick, t.From)
	op := Operation{spec: &registry[r.Action].spec, place: cmp.Or(t.Place, seen.Self.Place)}
	if op.fillFrom(t); t.Give != "" {
		return p.allows(r, &op) && r.rateMet(&op) && op.amount <= left
	}
	op.get = r.Get
	if r.To != "" && !r.toAsker() {
		op.to = r.To
	}
	return p.allows(r, &op) && left > 0 && l.leftOf(t.ID, t.Left) > 0
}
