package world

// Slot is a field of the flat form of an action: whom or where, which, what, how much, at
// what price, which words. Parameters of different actions share a slot, which keeps the
// form short. No action has two parameters of one slot.
type Slot int

// The slots, in the order in which a flat action is written.
const (
	SlotTo Slot = iota
	SlotID
	SlotWhat
	SlotAmount
	SlotPrice
	SlotText
	// SlotWant, SlotWantAmount and SlotForTicks are of requests and offers alone.
	SlotWant
	SlotWantAmount
	SlotForTicks
	// SlotCount is how many slots there are.
	SlotCount
)

var slotNames = [SlotCount]string{"to", "id", "what", "amount", "price", "text", "want", "want_amount", "for_ticks"}

// String is the field name by which models and traces know the slot.
func (s Slot) String() string { return slotNames[s] }

// IsNumber reports a slot that holds an integer; the others hold texts.
func (s Slot) IsNumber() bool {
	return s == SlotAmount || s == SlotPrice || s == SlotWantAmount || s == SlotForTicks
}

// Slot is where the parameter is written. Its kind decides; only a price, or what is wanted
// for something and for how long, has to be told from the amount or resource beside it.
func (p Param) Slot() Slot {
	switch p.Kind {
	case ParamPlace, ParamAgent:
		return SlotTo
	case ParamFactory, ParamOrder, ParamRequest, ParamOffer, ParamTerms:
		return SlotID
	case ParamText:
		return SlotText
	}
	for _, s := range [...]Slot{SlotPrice, SlotWant, SlotWantAmount, SlotForTicks} {
		if p.Name == s.String() {
			return s
		}
	}
	if p.Kind == ParamChoice {
		return SlotWhat
	}
	return SlotAmount
}
