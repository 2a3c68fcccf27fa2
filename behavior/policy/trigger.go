package policy

import (
	"slices"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// A trigger lets a rule with asked_by apply: an open request or offer to the agent, or a
// message of an agent that the rule names. Nothing that a message says is looked at.
type trigger struct {
	kind, asker, id string
	// want is what a request asks for, left how much of it is still to come.
	want string
	left int64
	// sent is the tick of a message.
	sent    int64
	parents []string
}

// The kinds of triggers beside requests.
const (
	kindOffer   = world.KindOffer
	kindMessage = "message"
)

// triggers are those in view.
func (q *inquiry) triggers() []trigger {
	if q.open != nil {
		return q.open
	}
	o := q.seen()
	q.open = []trigger{}
	for _, t := range o.Requests {
		q.open = append(q.open, trigger{kind: world.KindRequest, asker: t.From, id: t.ID, want: t.Want, left: t.Left, parents: t.Parents})
	}
	for _, t := range slices.Concat(o.Offers, o.Here.Offers) {
		q.open = append(q.open, trigger{kind: kindOffer, asker: t.From, id: t.ID, parents: t.Parents})
	}
	for _, m := range slices.Backward(o.Inbox) { // the oldest is answered first
		q.open = append(q.open, trigger{kind: kindMessage, asker: m.From, id: m.ID, sent: m.Sent, parents: m.Parents})
	}
	return q.open
}

// heard reports whether a rule takes a trigger for its action at all. A message asks for one deed
// of a kind, or one that says nothing of the sort would vouch for whatever strangers want again
// and again. The attempts of an order are one deed.
func (q *inquiry) heard(c *clause, t *trigger, d *Deed) bool {
	return c.heeds(t.asker) && t.asker != q.m.agent &&
		(t.kind != kindMessage || c.ByMessage && (d.order != nil || t.sent > q.e.Ledger.answered[d.answerTo(t.asker)]))
}

// reaches reports whether the deed goes where a rule lets the asker have it: a journey to where
// it is seen.
func (q *inquiry) reaches(c *clause, t *trigger, d *Deed) bool {
	if _, moves := d.do.(world.Move); moves && c.toAsker() {
		return slices.ContainsFunc(q.seen().Agents, func(a world.Contact) bool { return a.ID == t.asker && a.Place == d.to })
	}
	return !c.toAsker() || d.to == t.asker
}

// fits reports whether a trigger is one for what a rule allows and the deed does, amounts
// apart.
func (q *inquiry) fits(c *clause, t *trigger, d *Deed) bool {
	if !q.heard(c, t, d) || !q.reaches(c, t, d) {
		return false
	}
	switch do := d.do.(type) {
	case world.SendMessage:
		return true
	case world.AcceptOffer:
		return do.OfferID == t.id
	case world.Decline:
		return do.ID == t.id
	case world.Offer:
		return t.kind == kindMessage || t.kind == world.KindRequest && t.want == d.what && do.Re == t.id
	}
	// What is given answers a request for it, and no offer; whoever asks for something may be
	// met. Other deeds answer neither.
	_, moves := d.do.(world.Move)
	return t.kind == kindMessage || moves || t.kind == world.KindRequest && d.gives() && t.want == d.what
}

// passed reports whether everybody may ask whose texts or terms were in view when the trigger
// was decided.
func (q *inquiry) passed(c *clause, t *trigger) bool {
	return c.Relayed || q.e.off(LayerTaint) || !slices.ContainsFunc(t.parents, func(id string) bool {
		return id != q.m.agent && !c.heeds(id)
	})
}

// asked looks for a rule by which an agent may ask for the deed, and does. Without one the
// violation is that of the rule that fits best, nil when none does.
func (q *inquiry) asked() (by *trace.Authority, best *Violation) {
	d := &q.deed
	for i := range q.m.rules {
		c := &q.m.rules[i]
		if len(c.AskedBy) == 0 || !q.effective(c, d, false) {
			continue
		}
		for _, t := range q.triggers() {
			if !q.fits(c, &t, d) {
				if _, moves := d.do.(world.Move); moves && best == nil && q.heard(c, &t, d) && !q.reaches(c, &t, d) {
					best = &Violation{Rule: RuleUnseen, Action: d.spec.Name, Clause: i + 1}
				}
				continue
			}
			if !q.passed(c, &t) {
				best = &Violation{Rule: RuleRelayed, Action: d.spec.Name, Clause: i + 1}
				continue
			}
			asker := t.asker
			broken := q.limited(c, i, d, asker)
			if _, gift := d.do.(world.Transfer); broken == nil && gift && d.what == world.Electricity && d.amount > q.spare() && !q.e.off(LayerMandate) {
				// As the world does for offers: nobody is to be asked for its last charge.
				broken = exceeded(d, RuleAmount, i, q.spare())
			}
			if broken == nil && t.kind == world.KindRequest && d.gives() && d.amount > t.left && !q.e.off(LayerMandate) {
				broken = exceeded(d, RuleAmount, i, t.left)
			}
			if broken == nil {
				return &trace.Authority{By: trace.AuthorityRule, Rule: i + 1, Asker: asker, Terms: t.id}, nil
			}
			best = broken
		}
	}
	return nil, best
}

// orderAsked is how many attempts a rule about standing orders lets an agent ask for, 0 for
// none.
func (q *inquiry) orderAsked(asker string) (most int64) {
	order := Deed{do: q.deed.do, place: q.deed.place, spec: &registry[ArgumentOrder].spec}
	for i := range q.m.rules {
		if c := &q.m.rules[i]; len(c.AskedBy) > 0 && c.heeds(asker) && q.effective(c, &order, true) {
			n, _, _ := c.left(q.e.Ledger, i, q.e.View.Tick(), asker)
			most = max(most, min(n, world.StandingTicksMax))
		}
	}
	return most
}

// Answerable reports whether a rule of the agent could answer a request or offer at least in
// part now, and its sender could ask for that itself, while the agent may still deviate. Nothing
// else that others chose is shown before a plan.
func (m Policy) Answerable(t world.Terms, kind string, l Ledger, now int64) bool {
	if l.Deviations(now) >= DeviationsMax {
		return false
	}
	for i := range m.rules {
		if m.answers(&m.rules[i], i, t, kind, l, now) {
			return true
		}
	}
	return false
}

// answers reports whether a rule could.
func (m *Policy) answers(c *clause, number int, t world.Terms, kind string, l Ledger, now int64) bool {
	q := inquiry{m: m, e: &Evidence{}}
	from := trigger{kind: kind, asker: t.From, parents: t.Parents}
	if !c.allows() || len(c.AskedBy) == 0 || !c.heeds(t.From) || !q.passed(c, &from) || t.From == m.agent || c.What != "" && c.What != t.Want {
		return false
	}
	left, _, limited := c.left(l, number, now, t.From)
	if kind == world.KindRequest {
		return left > 0 && (c.Action == (world.Transfer{}).ActionName() || c.Action == (world.Offer{}).ActionName())
	}
	trade := Deed{amount: t.WantAmount, got: t.GiveAmount}
	return c.Action == (world.AcceptOffer{}).ActionName() && (c.Get == "" || c.Get == t.Give) &&
		(c.At == "" || c.At == t.Place) && (c.To == "" || c.toAsker() || c.To == t.From) && c.pays(&trade) && (!limited || t.WantAmount <= left)
}

// Heeds reports whether a rule names an agent that may ask for something.
func (m Policy) Heeds(id string) bool {
	return slices.ContainsFunc(m.rules, func(c clause) bool { return c.allows() && slices.Contains(c.AskedBy, id) })
}

// Allowance is what a rule with asked_by still allows.
type Allowance struct {
	world.Clause
	// Number counts the agent's rules from 1.
	Number int
	// Most is the highest amount of one action now, Left what is left of the total, and Spent who
	// has had all that each may have.
	Most, Left int64
	Spent      []string
}

// Allowances lists what others may still ask for.
func (m Policy) Allowances(l Ledger, now int64) (list []Allowance) {
	for i := range m.rules {
		c := &m.rules[i]
		if !c.allows() || len(c.AskedBy) == 0 {
			continue
		}
		most, _, _ := c.left(l, i, now, "")
		var spent []string
		for _, s := range l.settled {
			if s.rule == i && s.asker != "" && c.TotalEach > 0 && l.sum(i, c.Window, now, s.asker) >= c.TotalEach {
				spent = append(spent, s.asker)
			}
		}
		slices.Sort(spent)
		list = append(list, Allowance{c.Clause, i + 1, most, max(0, c.Total-l.sum(i, c.Window, now, "")), slices.Compact(spent)})
	}
	return list
}

// Parents are whose texts or terms a decision may rest on, for [world.Intent]: sorted, without
// the agent itself. Of an author that nobody knows, and of too many, one name stands for all,
// which no rule names.
func Parents(self string, authors ...string) []string {
	list := slices.DeleteFunc(slices.Clone(authors), func(id string) bool { return id == self })
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) > world.ParentsMax || slices.Contains(list, "") || slices.Contains(list, world.Anyone) {
		return []string{world.Anyone}
	}
	return list
}
