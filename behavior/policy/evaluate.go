package policy

import (
	"math"
	"slices"
	"sort"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// evaluate reports by what an agent may commit an action; when nothing allows it, the violation
// says why. known says that the action could be taken apart.
func (q *inquiry) evaluate(a world.Action, known bool) (trace.Authority, *Violation) {
	e := q.e
	_, waits := q.deed.do.(world.Wait)
	if _, plain := a.(world.Wait); plain && !known {
		return trace.Authority{By: trace.AuthorityOwn}, nil
	}
	if !known {
		return trace.Authority{}, &Violation{Rule: RuleUnavailable}
	}
	if q.deed.unknown && e.View.Check(a).Status == world.CheckRejected {
		return trace.Authority{By: trace.AuthorityOwn}, nil // the world refuses it, and says what there is
	}
	if !waits || q.deed.order != nil {
		if broken := q.ruled(&q.deed); broken != nil {
			return trace.Authority{}, broken
		}
	}
	if e.off(LayerPlan) {
		return trace.Authority{By: trace.AuthorityOwn}, nil
	}
	owed := q.owed()
	if len(e.Authors) == 0 && !owed {
		return trace.Authority{By: trace.AuthorityOwn}, nil
	}
	// From here on the action has to be the agent's own, or one that a rule lets others ask
	// for.
	if order := q.deed.order; order != nil {
		if most, _, within := q.ordered(); !within {
			return trace.Authority{}, &Violation{
				Rule: RuleArgumentNotPlanned, Action: q.deed.spec.Name, Argument: ArgumentOrder, Requested: &order.MaxTicks, Maximum: &most, Unit: world.Ticks,
			}
		}
	}
	// What answers terms that were in view before the plan, the plan may owe to them: it needs a
	// rule that they trigger.
	if owed {
		by, refused := q.asked()
		if by == nil {
			return trace.Authority{}, q.notPlanned(refused, 0, nil)
		}
		return *by, nil
	}
	number, cost, at, planned := q.match()
	counts := !e.off(LayerDeviations)
	if number >= 0 && (cost == 0 || !counts) {
		return trace.Authority{By: trace.AuthorityPlan, Planned: number + 1}, nil
	}
	by, refused := q.asked()
	if by != nil {
		return *by, nil
	}
	free := number < 0 && (waits && (q.first() < 0 || !counts) || len(e.Plan) == 0 && q.unplanned())
	switch {
	case free:
		return trace.Authority{By: trace.AuthorityUnplanned}, nil
	case number < 0 && waits:
		cost = q.cost()
	case number < 0:
		return trace.Authority{}, q.notPlanned(refused, at, planned)
	case q.deed.gives() && q.first() >= 0 && number > q.first():
		return trace.Authority{}, &Violation{Rule: RuleNotFirst, Action: q.deed.spec.Name, First: q.first() + 1}
	}
	if left := max(0, DeviationsMax-e.Ledger.Deviations(e.View.Tick())); cost > left {
		return trace.Authority{}, &Violation{Rule: RuleDeviations, Action: q.deed.spec.Name, Requested: &cost, Maximum: &left, Unit: world.Ticks}
	}
	return trace.Authority{By: trace.AuthorityDeviation, Planned: number + 1, Deviation: cost}, nil
}

// owed reports whether the deed may be owed to open terms that are shown before a plan,
// because a rule could answer them: a gift to their sender or to whom the rule lets have it, an
// offer that answers them, and taking them up.
func (q *inquiry) owed() bool {
	if !q.deed.gives() || q.e.off(LayerMandate) {
		return false
	}
	_, gift := q.deed.do.(world.Transfer)
	answers := func(kind string) func(world.Terms) bool {
		return func(t world.Terms) bool {
			for i := range q.m.rules {
				c := &q.m.rules[i]
				owing := q.deed.args[world.SlotID].text == t.ID || gift && (t.From == q.deed.to || c.To == q.deed.to)
				if owing && q.m.answers(c, i, t, kind, q.e.Ledger, q.e.View.Tick()) {
					return true
				}
			}
			return false
		}
	}
	o := q.seen()
	return slices.ContainsFunc(o.Requests, answers(world.KindRequest)) || slices.ContainsFunc(slices.Concat(o.Offers, o.Here.Offers), answers(world.KindOffer))
}

// notPlanned is the violation of an action that no planned one covers. What a rule says of it says
// more than that nothing was planned.
func (q *inquiry) notPlanned(refused *Violation, at world.Slot, planned *PlannedAction) *Violation {
	switch {
	case planned == nil && refused != nil:
		return refused
	case planned == nil:
		return &Violation{Rule: RuleNotPlanned, Action: q.deed.spec.Name}
	}
	broken := &Violation{Rule: RuleArgumentNotPlanned, Action: q.deed.spec.Name, Argument: at.String()}
	if n := planned.number(at); n != nil {
		broken.Requested, broken.Maximum, broken.Unit = new(q.deed.args[at].number), *n, q.deed.args[at].param.Unit
	}
	if n := planned.number(at); n != nil && *n == nil || n == nil && *planned.word(at) == "" {
		broken.Rule = RuleArgumentOpen
	}
	return broken
}

// unplanned reports whether the action needs no plan: harvesting, mining or refining for one
// tick, as long as what it takes leaves the charge above low.
func (q *inquiry) unplanned() bool {
	switch q.deed.do.(type) {
	case world.Harvest, world.Mine, world.Refine:
	default:
		return false
	}
	taken := int64(0)
	for _, c := range q.e.View.Check(q.deed.do).Changes {
		if c.Resource == world.Electricity {
			taken -= c.Amount
		}
	}
	return taken <= 0 || taken <= q.spare()
}

// spare is the electricity that leaves the charge above low.
func (q *inquiry) spare() int64 {
	rules := q.e.View.Rules()
	return max(0, q.seen().Self.Electricity-rules.PowerCapacity*rules.LowPercent/100-1)
}

// ruled holds a deed against the rules of the scenario, and the order around it against those
// that name it.
func (q *inquiry) ruled(d *Deed) *Violation {
	if q.e.off(LayerMandate) || len(q.m.rules) == 0 {
		return nil
	}
	broken := q.within(d, false)
	if broken == nil && d.order != nil {
		broken = q.within(d.ordering(), true)
	}
	return broken
}

// within holds one deed against the rules; a standing order only against those that
// name it. An allow counts when it describes the deed and lifts whatever forbids it;
// of several the most generous one is what a refusal tells of.
func (q *inquiry) within(d *Deed, named bool) *Violation {
	forbidden := false
	for i := range q.m.rules {
		c := &q.m.rules[i]
		forbidden = forbidden || c.forbids() && q.about(c, d, named)
	}
	var best *Violation
	for i := range q.m.rules {
		c := &q.m.rules[i]
		if !q.effective(c, d, named) {
			continue
		}
		// A rule for whoever asks bounds what is asked for, and lifts a forbid for nobody else.
		if c.toAsker() && (!forbidden && !d.gives() || !q.asking(c, d, !forbidden)) {
			continue
		}
		asker := ""
		if c.toAsker() {
			asker = d.to
		}
		broken := q.limited(c, i, d, asker)
		if broken == nil {
			return nil
		}
		if best == nil || broken.Maximum != nil && best.Maximum != nil && *broken.Maximum > *best.Maximum {
			best = broken
		}
	}
	if best == nil && forbidden {
		return &Violation{Rule: RuleForbidden, Action: d.spec.Name}
	}
	return best
}

// asking reports whether somebody asks for a deed that a rule lets be asked for: with open
// terms, or, unless only those count, in any way that the rule takes, whoever they come from.
func (q *inquiry) asking(c *clause, d *Deed, terms bool) bool {
	for _, t := range q.triggers() {
		if q.fits(c, &t, d) && (terms && t.kind != kindMessage || !terms && q.passed(c, &t)) {
			return true
		}
	}
	return false
}

// about reports whether a rule is about a deed.
func (q *inquiry) about(c *clause, d *Deed, named bool) bool {
	return c.describes(d) && (!named || c.Action == d.spec.Name)
}

// effective reports whether an allow describes a deed, and is narrower than every forbid
// that does.
func (q *inquiry) effective(c *clause, d *Deed, named bool) bool {
	if !c.allows() || !q.about(c, d, named) {
		return false
	}
	for i := range q.m.rules {
		f := &q.m.rules[i]
		if f.forbids() && q.about(f, d, named) && !c.lifts(f) && !q.e.off(LayerMandate) {
			return false
		}
	}
	return true
}

// limited holds a deed against the limits of one rule.
func (q *inquiry) limited(c *clause, number int, d *Deed, asker string) *Violation {
	if q.e.off(LayerMandate) {
		return nil
	}
	if !c.pays(d) {
		least := sort.Search(math.MaxInt, func(n int) bool { return c.pays(&Deed{amount: d.amount, got: int64(n)}) })
		v := &Violation{Rule: RuleRate, Action: d.spec.Name, Clause: number + 1, Requested: &d.got, Minimum: new(int64(least)), Unit: d.get}
		if d.args[world.SlotWantAmount].param != nil {
			v.Argument = world.SlotWantAmount.String()
		}
		return v
	}
	if most, rule, limited := c.left(q.e.Ledger, number, q.e.View.Tick(), asker); limited && d.amount > most {
		return exceeded(d, rule, number, most)
	}
	return nil
}

// exceeded is the violation by an amount beyond a limit.
func exceeded(d *Deed, rule Rule, number int, most int64) *Violation {
	v := &Violation{Rule: rule, Action: d.spec.Name, Clause: number + 1, Requested: new(d.amount), Maximum: &most}
	switch p := d.args[world.SlotAmount].param; {
	case d.spec.Name == ArgumentOrder:
		v.Argument, v.Unit = ArgumentOrder, world.Ticks
	case p != nil:
		v.Argument, v.Unit = world.SlotAmount.String(), p.Unit
	}
	return v
}

// Judgement is what [Policy.Judge] says of an action, and what goes with it.
type Judgement struct {
	// Authority is by what the action may be committed.
	trace.Authority
	// Action is the action as trimmed, Trimmed what was changed.
	Action  world.Action
	Trimmed []world.Adjustment
	// Violation is nil when the action may be committed.
	Violation *Violation
	// Deed is what [Policy.Settle] counts once the world accepted it.
	Deed Deed
	// Parents are whose texts or terms may stand behind what the action sends, see [Parents].
	Parents []string
	// Own says that the action is the agent's own to the letter: nobody's text had a part in
	// it.
	Own bool
}

// replies is the tick of the newest message that the deed answers: a message answers all to
// its receiver, another deed the one that a rule lets ask for it.
func (q *inquiry) replies(by trace.Authority) (sent int64) {
	_, sends := q.deed.do.(world.SendMessage)
	for _, t := range q.triggers() {
		if t.kind == kindMessage && (sends && t.asker == q.deed.to || !sends && t.id == by.Terms) {
			sent = max(sent, t.sent)
		}
	}
	return sent
}

// Judge reports by what an agent may commit an action, the clamped one: as it is, or trimmed to
// what the plan or a rule says. It reads plan, rules, typed terms, senders and counts, and no word
// of a text; the same evidence gives the same answer, and it never panics, whatever the action.
func (m Policy) Judge(a world.Action, e Evidence) (j Judgement) {
	q, ok := m.inquire(a, &e)
	if j.Action = a; ok {
		if j.Action, j.Trimmed = q.trim(a); len(j.Trimmed) > 0 {
			q, ok = m.inquire(j.Action, &e)
		}
	}
	if j.Authority, j.Violation = q.evaluate(j.Action, ok); !ok {
		return j
	}
	j.Deed = q.deed
	if len(e.Authors) == 0 && !j.Deed.sends() {
		return j
	}
	j.Deed.replies = q.replies(j.Authority)
	j.Own = q.fully(true)
	// Words authorize nothing, so that only who is written to has to be the plan's.
	if q.fully(false) || e.off(LayerTaint) || !q.deed.sends() {
		return j
	}
	j.Parents = Parents(m.agent, e.InView()...)
	return j
}
