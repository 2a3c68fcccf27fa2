package answer

import (
	"fmt"
	"slices"
	"strconv"

	"example.com/agentworld/world"
)

// thenField is the field with the steps that follow an action.
const thenField = "then"

// stepOrderFields are the fields of a step beside those of its action.
var stepOrderFields = []string{"until", "max_ticks", "ignore"}

// decodeThen reads the steps that follow a, at most most of them, and returns the chain. A step has the
// fields of an action beside those of its order; without those it is done once. The first step that cannot be
// read is left out with all that follow it, and cut says why.
func decodeThen(list Value, a world.Action, names Names, most int) (chain world.Action, used []Repair,
	cut *ArgumentError) {
	if list.Kind == String {
		if inner, more, ok := literal(list.Text); ok {
			list, used = inner, append(more, JSONInString)
		}
	}
	steps := world.Steps(a)
	given := len(steps)
	switch {
	case list.isNothing():
		return a, nil, nil
	case given > 1:
		cut = TooMany(thenField, most, given-1+len(list.Items))
		list = arrayOf()
	case list.Kind == Object:
		list, used = arrayOf(list), append(used, ListFromOne)
	case list.Kind != Array:
		cut = mismatch(thenField, say("an array of actions"), list)
	case len(list.Items) > most:
		cut = TooMany(thenField, most, len(list.Items))
	}
	for i, item := range list.Items[:min(len(list.Items), most)] {
		step, more, wrong := decodeStep(item, names)
		used = append(used, more...)
		if wrong != nil {
			cut = wrong.Inside(fmt.Sprintf("%s[%d]", thenField, i))
			break
		}
		steps = append(steps, step)
	}
	if cut != nil {
		cut.Cut = len(steps) + 1
	}
	if len(steps) == given {
		return a, used, cut
	}
	return world.Chain(append(world.Steps(a), ignoring(a, steps[given:])...)...), used, cut
}

// ignoring are the steps after a, which ignore what a ignores where they say nothing of it.
func ignoring(a world.Action, steps []world.ExecuteUntil) (list []world.ExecuteUntil) {
	first := world.Steps(a)[0]
	for _, step := range steps {
		if len(step.Ignore) == 0 {
			step.Ignore = slices.Clone(first.Ignore)
		}
		list = append(list, step)
	}
	return list
}

// decodeStep reads one step.
func decodeStep(v Value, names Names) (world.ExecuteUntil, []Repair, *ArgumentError) {
	item, used := actionIn(v)
	shaped, _, ok := shapeDecoded(item)
	if !ok {
		return world.ExecuteUntil{}, used, NoAction
	}
	if inner := item.Field(thenField); !inner.isNothing() {
		return world.ExecuteUntil{}, used, mismatch(thenField, say("no steps of a step"), inner)
	}
	order := item.Field("execute_until")
	if order.isNothing() {
		order = Value{Kind: Null}
	}
	for _, key := range stepOrderFields {
		if given := item.Field(key); order.Kind != Object && !given.isNothing() {
			order = objectOf()
		}
	}
	if order.Kind == Object {
		for _, key := range stepOrderFields {
			order.put(key, item.Field(key))
		}
		if order.Field("until").isNothing() {
			order.set("until", arrayOf(objectOf(Field{"event", stringOf(world.StopActionRejected)})))
			if order.Field("max_ticks").isNothing() {
				order.set("max_ticks", Value{Kind: Number, Text: "1"})
			}
		}
	}
	do, more, e := decodeWhole(shaped.Field("action"), order, names, nil)
	used = append(used, slices.DeleteFunc(more, func(r Repair) bool { return r == DefaultMaxTicks })...)
	if e != nil {
		return world.ExecuteUntil{}, used, e
	}
	step := world.Steps(do)[0]
	return step, used, impossible(step.Do)
}

// impossible is the fault of an action with an amount below 1 that no moment of the world allows. A later
// step is dry run at its tick, which is too late to mend it.
func impossible(do world.Action) (fault *ArgumentError) {
	for arg := range world.Arguments(do) {
		if arg.Kind != world.ParamAmount || arg.Int >= min(1, arg.Min) {
			continue
		}
		fault = Faults(fault, &ArgumentError{Path: arg.Slot().String(), Expected: expectedOf(*arg.Param),
			Got: say("the number {number}", strconv.FormatInt(arg.Int, 10))})
	}
	return fault
}
