package policy

import (
	"slices"

	"example.com/agentworld/world"
)

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
	return p, true
}

// numberOf is the number of an argument, nil when the action has none.
func numberOf(a *argument) *int64 {
	if a.param == nil {
		return nil
	}
	n := a.number
	return &n
}
