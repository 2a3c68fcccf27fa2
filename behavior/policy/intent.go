package policy

import (
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/world"
)

// Intent is one thing an agent set out to do before it read words of others. Parts
// that are absent are open: they may take any value of own trust.
type Intent struct {
	// Action is the name of an action of the registry, never execute_until.
	Action string
	// To is the receiver or the place, ID the factory or order, What the choice (a
	// resource, recipe, kind of factory or side), empty when open. Of an alias of a
	// recipe What is the id; names of places and agents are the caller's to resolve.
	To, ID, What string
	// Text is the message or note, empty when open.
	Text string
	// Amount and Price are nil when open. They are not clamped.
	Amount, Price *int64
	// Until is the most attempts of a standing order of this action, 0 for none.
	Until int64
	// Ignore lists what such an order may ignore. A plan cannot say it, a draft can.
	Ignore []string
}

// IntentOf is the intent of doing exactly this: nothing is left open. It stands for
// an action that was drafted or decided before words of others were shown. It is
// false for an action that this package does not know.
func IntentOf(a world.Action) (Intent, bool) {
	var i Intent
	if order, ok := a.(world.ExecuteUntil); ok {
		i.Until, i.Ignore, a = max(0, order.MaxTicks), slices.Clone(order.Ignore), order.Do
	}
	d, ok := deedOf(a)
	if !ok {
		return Intent{}, false
	}
	i.Action = d.spec.Name
	i.To, i.ID, i.What, i.Text = d.args[world.SlotTo].text, d.args[world.SlotID].text, d.args[world.SlotWhat].text, d.args[world.SlotText].text
	i.Amount, i.Price = numberOf(&d.args[world.SlotAmount]), numberOf(&d.args[world.SlotPrice])
	return i, true
}

// numberOf is the number of an argument, nil when the action has none.
func numberOf(a *argument) *int64 {
	if a.param == nil {
		return nil
	}
	n := a.number
	return &n
}

// String writes the intent in the grammar that [ParseIntent] reads: the action, then
// what it gives in the order of slots, such as
// "transfer_resource agent-2 electricity 10" or "harvest_radiation 40 until 5".
func (i Intent) String() string {
	parts := []string{i.Action}
	for _, word := range []string{i.To, i.ID, i.What} {
		if word != "" {
			parts = append(parts, quotedIfNeeded(word))
		}
	}
	if i.Amount != nil {
		parts = append(parts, strconv.FormatInt(*i.Amount, 10))
	}
	if i.Price != nil {
		parts = append(parts, wordPrice, strconv.FormatInt(*i.Price, 10))
	}
	if i.Text != "" {
		parts = append(parts, strconv.Quote(i.Text))
	}
	if i.Until > 0 {
		parts = append(parts, wordUntil, strconv.FormatInt(i.Until, 10))
	}
	return strings.Join(parts, " ")
}

// quotedIfNeeded is a word that reads back as one.
func quotedIfNeeded(word string) string {
	if read := tokenize(word); len(read) == 1 && read[0].text == word && !read[0].quoted {
		return word
	}
	return strconv.Quote(word)
}
