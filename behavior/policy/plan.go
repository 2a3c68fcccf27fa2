package policy

import (
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// PlaceSetMax is how many receivers or places a planned action may name.
const PlaceSetMax = 4

// PlannedAction is one action that an agent planned before it read untrusted text, in
// the slots of a candidate. A few slots may be left open and chosen later, see [Missing].
type PlannedAction struct {
	// Action is the name of an action of the registry, never execute_until.
	Action string `json:"action"`
	// To is the receiver or the place, or up to [PlaceSetMax] of them with commas between. ID
	// is the factory, order, offer or request. What is the choice: a resource, recipe, kind of
	// factory or side. An offer to accept may be planned without ID by its terms: the agent gives
	// at most Amount of What, and gets at least WantAmount of Want.
	To   string `json:"to,omitempty"`
	ID   string `json:"id,omitempty"`
	What string `json:"what,omitempty"`
	Want string `json:"want,omitempty"`
	// The numbers are not clamped. A nil one is open.
	Amount     *int64 `json:"amount,omitempty"`
	Price      *int64 `json:"price,omitempty"`
	WantAmount *int64 `json:"want_amount,omitempty"`
	ForTicks   *int64 `json:"for_ticks,omitempty"`
	// Text is the message or note.
	Text string `json:"text,omitempty"`
	// MaxTicks is the most attempts of a standing order of this action, 0 for none.
	MaxTicks int64 `json:"max_ticks,omitempty"`
	// Ignore lists what such an order may ignore.
	Ignore []string `json:"ignore,omitempty"`
}

// Equal reports whether two actions are planned alike.
func (p PlannedAction) Equal(q PlannedAction) bool {
	return p.includes(q) && q.includes(p) && slices.Equal(p.Ignore, q.Ignore)
}

// Planned is the plan to do exactly this, except for the slots that are open. It is false
// for an action that this package does not know.
func Planned(a world.Action, open ...world.Slot) (PlannedAction, bool) {
	op, ok := parse(a)
	if !ok {
		return PlannedAction{}, false
	}
	return op.planned(open...), true
}

// PlannedSteps are the plans to do exactly the steps of an action, each of which is an action that this
// package knows; else there are none.
func PlannedSteps(a world.Action) (list []PlannedAction) {
	for _, step := range world.Steps(a) {
		p, ok := Planned(world.Chain(step))
		if !ok {
			return nil
		}
		list = append(list, p)
	}
	return list
}

func (op *Operation) planned(open ...world.Slot) PlannedAction {
	p := PlannedAction{Action: op.spec.Name}
	if op.order != nil {
		p.MaxTicks, p.Ignore = max(0, op.order.MaxTicks), slices.Clone(op.order.Ignore)
	}
	for s := range world.SlotCount {
		arg := &op.args[s]
		if arg.param == nil || slices.Contains(open, s) {
			continue
		}
		if n := p.number(s); n != nil {
			*n = new(arg.number)
		} else {
			*p.word(s) = arg.text
		}
	}
	return p
}

// number is the field of a slot that holds a number, nil for any other slot.
func (p *PlannedAction) number(s world.Slot) **int64 {
	return [world.SlotCount]**int64{
		world.SlotAmount: &p.Amount, world.SlotPrice: &p.Price, world.SlotWantAmount: &p.WantAmount,
		world.SlotForTicks: &p.ForTicks,
	}[s]
}

// word is the field of a slot that holds an id, a choice or a text, nil for any other slot.
func (p *PlannedAction) word(s world.Slot) *string {
	return [world.SlotCount]*string{
		world.SlotTo: &p.To, world.SlotID: &p.ID, world.SlotWhat: &p.What, world.SlotWant: &p.Want, world.SlotText: &p.Text,
	}[s]
}

// receivers lists the receivers or places that the plan names.
func (p *PlannedAction) receivers() []string {
	list := strings.FieldsFunc(p.To, func(r rune) bool { return strings.ContainsRune(",，、 ", r) })
	return list[:min(len(list), PlaceSetMax)]
}

// For reports whether the plan names a receiver or place.
func (p PlannedAction) For(to string) bool { return slices.Contains(p.receivers(), to) }

// DoneBy reports whether an action, planned as exactly what was done, is of the planned kind and target,
// whatever the amounts.
func (p PlannedAction) DoneBy(did PlannedAction) bool {
	// An acceptance without an id is planned by the terms of the offer.
	what := p.What == "" || p.What == did.What || p.Action == (world.AcceptOffer{}).ActionName()
	return p.Action == did.Action && what && (p.To == "" || p.For(did.To)) && (p.ID == "" || p.ID == did.ID)
}

// attempts is how often the action may be done: an order has several attempts.
func (p *PlannedAction) attempts() int64 { return max(1, p.MaxTicks) }

// requestMax is the most that can be asked for: no stock bounds it.
var requestMax = registry[(world.Request{}).ActionName()].params[world.SlotAmount].Max

// mayOpen reports whether a plan may leave a parameter open: how much is made, for how long terms
// stay open, which request an offer answers, what is declined, and a text.
func mayOpen(p *world.Param) bool {
	switch p.Slot() {
	case world.SlotAmount:
		// An open amount means the most that is feasible. No agent means that of a sleep or a
		// request.
		return !p.Give && p.Unit != world.Ticks && p.Max < requestMax
	case world.SlotForTicks, world.SlotText:
		return true
	}
	return p.Optional || p.Kind == world.ParamTerms
}

// Missing lists the open slots of a planned action that the plan must give: nothing may fill
// them in once texts are shown.
func Missing(a world.Action, open []world.Slot) (missing []world.Slot) {
	op, _ := parse(a)
	if _, accepts := op.do.(world.AcceptOffer); accepts {
		return nil // the plan may give the terms in place of the id
	}
	for s := range world.SlotCount {
		if p := op.args[s].param; slices.Contains(open, s) && p != nil && !mayOpen(p) {
			missing = append(missing, s)
		}
	}
	return missing
}

// MissingTerms lists what a plan to accept any offer here leaves open of its terms: how much of what is
// given at most, and how much of what it brings at least. Without all four it covers no offer.
func (p *PlannedAction) MissingTerms() (missing []world.Slot) {
	if p.Action != (world.AcceptOffer{}).ActionName() || p.ID != "" {
		return nil
	}
	for _, s := range []world.Slot{world.SlotWhat, world.SlotAmount, world.SlotWant, world.SlotWantAmount} {
		if n := p.number(s); n != nil && *n == nil || n == nil && *p.word(s) == "" {
			missing = append(missing, s)
		}
	}
	return missing
}

// acceptable reports whether an offer has the terms of a planned acceptance.
func (p *PlannedAction) acceptable(t world.Terms) bool {
	return p.Amount != nil && p.WantAmount != nil && p.What == t.Want && p.Want == t.Give && t.WantAmount <= *p.Amount &&
		t.GiveAmount >= *p.WantAmount
}

// includes reports whether p plans another planned action: the same, no more of it, and for no
// longer.
func (p PlannedAction) includes(other PlannedAction) bool {
	most := func(planned, given *int64) bool {
		return planned == nil || given != nil && *given <= *planned
	}
	return p.Action == other.Action && p.To == other.To && p.ID == other.ID && p.What == other.What &&
		p.Want == other.Want && p.Text == other.Text &&
		most(p.Amount, other.Amount) && most(p.Price, other.Price) && most(p.WantAmount, other.WantAmount) &&
		most(p.ForTicks, other.ForTicks) &&
		other.MaxTicks <= p.MaxTicks
}
