package policy

import (
	"math"
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// planned looks for a planned action that covers the action. The violation is that of the
// planned action that comes closest.
func (q *inquiry) planned() (Violation, bool) {
	var closest Violation
	reached := -1
	for i := range q.e.Plan {
		p := &q.e.Plan[i]
		if p.Action != q.deed.spec.Name {
			continue
		}
		s, f, ok := q.covers(p)
		if ok {
			// All arguments fit: what remains is how often, by the plan or by the clauses about orders.
			unplanned := func(event string) bool { return !slices.Contains(p.Ignore, event) }
			most := q.attempts(p)
			if q.order == nil || q.orderAsked() || q.order.MaxTicks <= most && !slices.ContainsFunc(q.order.Ignore, unplanned) {
				return Violation{}, true
			}
			s, f = world.SlotCount, q.orderRefused(most)
		}
		if int(s) > reached {
			closest, reached = f, int(s)
		}
	}
	if reached < 0 {
		return Violation{Rule: RuleNotPlanned, Action: q.deed.spec.Name, Trust: q.least(), Authors: q.everyone()}, false
	}
	return closest, false
}

// attempts is how many attempts an order of a planned action may have: what is planned, or
// one. Harvesting and mining cost nobody what the plan did not offer, so of them a few are
// as planned, unless a clause says how long orders may be.
func (q *inquiry) attempts(p *PlannedAction) int64 {
	switch q.action.(type) {
	case world.Harvest, world.Mine:
		if p.MaxTicks == 0 && !slices.ContainsFunc(q.m.clauses, func(c clause) bool { return c.Action == ArgumentOrder }) {
			return world.StandingTicksDefault
		}
	}
	return max(1, p.MaxTicks)
}

// covers holds the arguments against a planned action in the order of slots and tells the
// first that fails.
func (q *inquiry) covers(p *PlannedAction) (world.Slot, Violation, bool) {
	for s := range world.SlotCount {
		if q.deed.args[s].param == nil {
			continue
		}
		given, equal := q.gives(p, s)
		switch {
		case given && !equal:
			f := q.violationOn(RuleArgumentNotPlanned, s)
			f.Maximum = p.number(s)
			return s, f, false
		case !given && !q.e.off(LayerTrust) && !q.open(s) && !(s == world.SlotAmount && q.makes(s) && q.asMuch(p)):
			return s, q.violationOn(RuleArgumentUntrusted, s), false
		}
	}
	return world.SlotCount, Violation{}, true
}

// asMuch reports whether the action's amount is the greatest that is feasible of a planned
// action, or a little less: models round, and count what they spend.
func (q *inquiry) asMuch(p *PlannedAction) bool {
	most := p.Amount
	if most == nil {
		most = new(int64(math.MaxInt64))
	}
	// Clamping needs the whole action: how much is feasible depends on what and to whom.
	feasible, _ := q.e.View.Clamp(withNumbers(q.action, most, p.Price))
	d, ok := deedOf(feasible)
	greatest, n := d.args[world.SlotAmount].number, q.deed.args[world.SlotAmount].number
	return ok && n <= greatest && n >= greatest-greatest/20
}

// number is the number that a planned action gives for a slot, nil when it is open or none.
func (i *PlannedAction) number(s world.Slot) *int64 {
	switch s {
	case world.SlotAmount:
		return i.Amount
	case world.SlotPrice:
		return i.Price
	case world.SlotWantAmount:
		return i.WantAmount
	case world.SlotForTicks:
		return i.ForTicks
	}
	return nil
}

// gives reports whether a planned action gives an argument, and whether it gives this value.
// Numbers are equal also when clamping the planned one leads to the action's.
func (q *inquiry) gives(p *PlannedAction, s world.Slot) (given, equal bool) {
	arg := &q.deed.args[s]
	word := ""
	switch s {
	case world.SlotAmount, world.SlotPrice:
		n := p.number(s)
		if n == nil || *n == arg.number {
			return n != nil, n != nil
		}
		if s == world.SlotAmount {
			return true, q.asMuch(p)
		}
		feasible, _ := q.e.View.Clamp(withNumbers(q.action, p.Amount, p.Price))
		d, ok := deedOf(feasible)
		return true, ok && arg.number == d.args[s].number
	case world.SlotTo:
		word = p.To
	case world.SlotID:
		word = p.ID
	case world.SlotWhat:
		word = p.What
	case world.SlotWantAmount, world.SlotForTicks:
		n := p.number(s)
		return n != nil, n != nil && *n == arg.number
	case world.SlotWant:
		word = p.Want
	case world.SlotText:
		word = p.Text
		return word != "", word == arg.text
	}
	return word != "", strings.EqualFold(word, arg.text)
}

// PlannedAction is one thing an agent set out to do before it read untrusted text, in
// the slots of a candidate. Slots that are absent are open: they may take any value of
// own trust.
type PlannedAction struct {
	// Action is the name of an action of the registry, never execute_until.
	Action string `json:"action"`
	// To is the receiver or the place, ID the factory or order, What the choice (a
	// resource, recipe, kind of factory or side).
	To   string `json:"to,omitempty"`
	ID   string `json:"id,omitempty"`
	What string `json:"what,omitempty"`
	// Amount and Price are not clamped.
	Amount *int64 `json:"amount,omitempty"`
	Price  *int64 `json:"price,omitempty"`
	// Text is the message or note.
	Text string `json:"text,omitempty"`
	// Want, WantAmount and ForTicks are those of a request or offer.
	Want       string `json:"want,omitempty"`
	WantAmount *int64 `json:"want_amount,omitempty"`
	ForTicks   *int64 `json:"for_ticks,omitempty"`
	// MaxTicks is the most attempts of a standing order of this action, 0 for none.
	MaxTicks int64 `json:"max_ticks,omitempty"`
	// Ignore lists what such an order may ignore. A plan cannot say it, a draft can.
	Ignore []string `json:"ignore,omitempty"`
}

// Planned is the plan to do exactly this, but for the slots that are open. It is false
// for an action that this package does not know.
func Planned(a world.Action, open ...world.Slot) (PlannedAction, bool) {
	var p PlannedAction
	if order, ok := a.(world.ExecuteUntil); ok {
		p.MaxTicks, p.Ignore, a = max(0, order.MaxTicks), slices.Clone(order.Ignore), order.Do
	}
	d, ok := deedOf(a)
	if !ok {
		return PlannedAction{}, false
	}
	p.Action = d.spec.Name
	for _, s := range open {
		d.args[s] = argument{}
	}
	p.To, p.ID, p.What, p.Text = d.args[world.SlotTo].text, d.args[world.SlotID].text, d.args[world.SlotWhat].text, d.args[world.SlotText].text
	p.Amount, p.Price = numberOf(&d.args[world.SlotAmount]), numberOf(&d.args[world.SlotPrice])
	p.Want, p.WantAmount, p.ForTicks = d.args[world.SlotWant].text, numberOf(&d.args[world.SlotWantAmount]), numberOf(&d.args[world.SlotForTicks])
	return p, true
}

// numberOf is the number of an argument, nil when the action has none.
func numberOf(a *argument) *int64 {
	if a.param == nil {
		return nil
	}
	return new(a.number)
}
