package world

// Slot is a place that an argument can take in the flat form of an action: whom or
// where, which, what, how much, at what price, which words. A dozen names for a dozen
// parameters would say the same in twice the words. No action has two parameters of one
// slot.
type Slot int

// The slots, in the order in which a flat action is written.
const (
	SlotTo Slot = iota
	SlotID
	SlotWhat
	SlotAmount
	SlotPrice
	SlotText
	// SlotCount is how many slots there are.
	SlotCount
)

var slotNames = [SlotCount]string{"to", "id", "what", "amount", "price", "text"}

// String is the field name by which models and traces know the slot.
func (s Slot) String() string { return slotNames[s] }

// IsNumber reports a slot that holds an integer; the others hold texts.
func (s Slot) IsNumber() bool { return s == SlotAmount || s == SlotPrice }

// Slot is where the parameter is written. Its kind decides; only a price has to be told
// from the amount it is the price of.
func (p Param) Slot() Slot {
	switch p.Kind {
	case ParamPlace, ParamAgent:
		return SlotTo
	case ParamFactory, ParamOrder:
		return SlotID
	case ParamChoice:
		return SlotWhat
	case ParamText:
		return SlotText
	}
	if p.Name == SlotPrice.String() {
		return SlotPrice
	}
	return SlotAmount
}
