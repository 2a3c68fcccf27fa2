package policy

import "example.com/agentworld/world"

// ArgumentOrder is the [Violation.Argument] of what makes an action a standing order.
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

// entry is one action of the registry.
type entry struct {
	spec   world.ActionSpec
	params [world.SlotCount]*world.Param
}

// registry holds the spec of every action with its parameters by slot, so that an
// audit looks nothing up by name twice.
var registry = func() map[string]*entry {
	entries := map[string]*entry{}
	for _, spec := range world.Actions() {
		e := &entry{spec: spec}
		for i := range spec.Params {
			p := &e.spec.Params[i]
			s := p.Slot()
			if e.params[s] != nil {
				panic("policy: two parameters of " + spec.Name + " need the slot " + s.String())
			}
			e.params[s] = p
		}
		entries[spec.Name] = e
	}
	return entries
}()

// deedOf takes an action apart. It is false for a standing order and for what is no
// action of the world, which nothing can then be said about.
func deedOf(a world.Action) (deed, bool) {
	var d deed
	if _, order := a.(world.ExecuteUntil); order || !world.Listed(a) || !d.bind(a.ActionName()) {
		return deed{}, false
	}
	args := world.ActionArgs(a)
	for s := range d.args {
		if p := d.args[s].param; p != nil {
			d.args[s].text, d.args[s].number = args[p.Name].Text, args[p.Name].Int
		}
	}
	return d, true
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
	args := world.ActionArgs(a)
	for s, n := range map[world.Slot]*int64{world.SlotAmount: amount, world.SlotPrice: price} {
		if p := registry[a.ActionName()].params[s]; p != nil && n != nil {
			args[p.Name] = world.Value{Int: *n}
		}
	}
	changed, err := world.MakeAction(a.ActionName(), args)
	if err != nil {
		return a // its own ids are none that an action can be made with
	}
	return changed
}
