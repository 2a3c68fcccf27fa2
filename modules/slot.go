package modules

import (
	"slices"

	"example.com/agentworld/world"
)

// slots are all slots in schema order: whom or where, which, what, how much.
var slots = []world.Slot{world.SlotTo, world.SlotID, world.SlotWhat, world.SlotAmount, world.SlotPrice, world.SlotText}

// slotOf returns the name of the slot that a parameter is written in.
func slotOf(p world.Param) string { return p.Slot().String() }

// plainActions are the actions a flat action can name: the registry without the
// standing order. It is made once, which is also when an action that does not fit
// into the slots is found.
var plainActions = slotted(world.Actions())

// slotted returns the specs without the standing order. It panics when an action
// has two parameters of one slot, which the flat form could not tell apart, and
// when a parameter is called like a slot that is not its own, since models may
// write either name.
func slotted(registry []world.ActionSpec) []world.ActionSpec {
	specs := slices.DeleteFunc(registry, func(s world.ActionSpec) bool { return s.Name == standingName })
	for _, spec := range specs {
		taken := map[string]bool{}
		for _, p := range spec.Params {
			own := slotOf(p)
			if taken[own] {
				panic("modules: two parameters of " + spec.Name + " need the slot " + own)
			}
			taken[own] = true
			if p.Name != own && isSlot(p.Name) {
				panic("modules: the parameter " + p.Name + " of " + spec.Name + " belongs into another slot than its name says")
			}
		}
	}
	return specs
}

// isSlot reports whether a field name is a slot's.
func isSlot(name string) bool {
	return slices.ContainsFunc(slots, func(s world.Slot) bool { return s.String() == name })
}

// actionNames lists the names a flat action may have, in registry order.
func actionNames() []string {
	var names []string
	for _, spec := range plainActions {
		names = append(names, spec.Name)
	}
	return names
}

// isParameter reports whether any action has a parameter of that name.
func isParameter(name string) bool {
	return slices.ContainsFunc(plainActions, func(s world.ActionSpec) bool { return takes(s, name) })
}

// takes reports whether an action has a use for a field: a slot or parameter of
// its own.
func takes(spec world.ActionSpec, name string) bool {
	return slices.ContainsFunc(spec.Params, func(p world.Param) bool { return p.Name == name || slotOf(p) == name })
}

// slotNamed returns the slot of an action's parameter, and the parameter's own
// name when the action has none of that name.
func slotNamed(action, parameter string) string {
	for _, spec := range plainActions {
		for _, p := range spec.Params {
			if spec.Name == action && p.Name == parameter {
				return slotOf(p)
			}
		}
	}
	return parameter
}
