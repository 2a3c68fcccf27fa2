package policy

import "example.com/agentworld/world"

// ArgumentOrder is the [Finding.Argument] of what makes an action a standing order.
const ArgumentOrder = "execute_until"

// argument is one argument of an action. A parameter that the action does not have
// is a nil param.
type argument struct {
	param  *world.Param
	text   string
	number int64
}

// isNumber reports an amount or price.
func (a *argument) isNumber() bool { return a.param.Kind == world.ParamAmount }

// deed is an action with its arguments by slot.
type deed struct {
	spec *world.ActionSpec
	args [world.SlotCount]argument
}

// registry holds the spec of every action with its parameters by slot, so that an
// audit looks nothing up by name twice.
var registry = registered(world.Actions())

// entry is one action of the registry.
type entry struct {
	spec   world.ActionSpec
	params [world.SlotCount]*world.Param
}

func registered(specs []world.ActionSpec) map[string]*entry {
	entries := make(map[string]*entry, len(specs))
	for _, spec := range specs {
		e := &entry{spec: spec}
		for i := range spec.Params {
			p := &e.spec.Params[i]
			s := p.Slot()
			if e.params[s] != nil {
				panic("mandate: two parameters of " + spec.Name + " need the slot " + s.String())
			}
			e.params[s] = p
		}
		entries[spec.Name] = e
	}
	return entries
}

// deedOf takes an action apart. It is false for an action that this package does not
// know, which nothing can then be said about. The actions stand here one by one, and
// not as a look-up of names, so that a new one is refused until somebody has thought
// about it.
func deedOf(a world.Action) (deed, bool) {
	var d deed
	if a == nil {
		return d, false
	}
	switch a := a.(type) {
	case world.Wait:
	case world.WaitTicks:
		d.args[world.SlotAmount].number = a.Ticks
	case world.Move:
		d.args[world.SlotTo].text = a.To
	case world.Harvest:
		d.args[world.SlotAmount].number = a.MaxAmount
	case world.Mine:
		d.args[world.SlotAmount].number = a.MassG
	case world.Refine:
		d.args[world.SlotAmount].number = a.MassG
	case world.BuildFactory:
		d.args[world.SlotWhat].text = a.FactoryKind
	case world.ScheduleRecipe:
		d.args[world.SlotID].text, d.args[world.SlotWhat].text, d.args[world.SlotAmount].number = a.FactoryID, a.RecipeID, a.Batches
	case world.Transfer:
		d.args[world.SlotTo].text, d.args[world.SlotWhat].text, d.args[world.SlotAmount].number = a.To, a.Kind, a.Amount
	case world.SendMessage:
		d.args[world.SlotTo].text, d.args[world.SlotText].text = a.To, a.Text
	case world.PostNote:
		d.args[world.SlotText].text = a.Text
	case world.BuyPower:
		d.args[world.SlotAmount].number, d.args[world.SlotPrice].number = a.Amount, a.Price
	case world.SellPower:
		d.args[world.SlotAmount].number, d.args[world.SlotPrice].number = a.Amount, a.Price
	case world.PlaceOrder:
		d.args[world.SlotWhat].text, d.args[world.SlotAmount].number, d.args[world.SlotPrice].number = a.Side, a.Amount, a.Price
	case world.CancelOrder:
		d.args[world.SlotID].text = a.OrderID
	default:
		return d, false
	}
	return d, d.bind(a.ActionName())
}

// bind gives the arguments their parameters.
func (d *deed) bind(name string) bool {
	e, ok := registry[name]
	if !ok {
		return false
	}
	d.spec = &e.spec
	for s := range e.params {
		d.args[s].param = e.params[s]
	}
	return true
}

// withNumbers is an action with another amount and price, as far as it has them; nil
// keeps what it has.
func withNumbers(a world.Action, amount, price *int64) world.Action {
	set := func(n *int64, to *int64) {
		if to != nil {
			*n = *to
		}
	}
	switch a := a.(type) {
	case world.WaitTicks:
		set(&a.Ticks, amount)
		return a
	case world.Harvest:
		set(&a.MaxAmount, amount)
		return a
	case world.Mine:
		set(&a.MassG, amount)
		return a
	case world.Refine:
		set(&a.MassG, amount)
		return a
	case world.ScheduleRecipe:
		set(&a.Batches, amount)
		return a
	case world.Transfer:
		set(&a.Amount, amount)
		return a
	}
	return withTerms(a, set, amount, price)
}

// withTerms is withNumbers for the actions of the market.
func withTerms(a world.Action, set func(*int64, *int64), amount, price *int64) world.Action {
	switch a := a.(type) {
	case world.BuyPower:
		set(&a.Amount, amount)
		set(&a.Price, price)
		return a
	case world.SellPower:
		set(&a.Amount, amount)
		set(&a.Price, price)
		return a
	case world.PlaceOrder:
		set(&a.Amount, amount)
		set(&a.Price, price)
		return a
	}
	return a
}
