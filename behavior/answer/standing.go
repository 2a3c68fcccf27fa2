package answer

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// The fields of a standing order and of its conditions, and the keys under which models
// name the events of one condition.
var (
	standingFields  = []string{"until", "max_ticks", "ignore"}
	conditionFields = []string{"event", "value"}
	eventKeys       = []string{"event", "events", "event_any_of"}
	// thresholdNames are other names for a condition's value, which say on which side of
	// it the condition holds. The event says that by itself.
	thresholdNames = []string{"value_lte", "value_gte"}
)

// decodeStanding reads the standing order of an action and wraps do, a plain action, into it. For
// null it returns do as it is. The world clamps a number of ticks out of bounds.
func decodeStanding(v Value, do world.Action) (order world.Action, used []Repair, fault *ArgumentError) {
	v, used, fault = open(v)
	switch {
	case fault != nil:
		return nil, used, fault
	case v.Kind == Null:
		return do, used, nil
	case v.isNothing():
		return do, append(used, ForeignLiteral), nil
	case v.Kind != Object:
		return nil, used, mismatch("", say("an object with the fields {fields}", strings.Join(standingFields, ", ")), v)
	}
	v, respelt := respelled(v, slices.Concat(standingFields, eventKeys))
	v, nulls := withNulls(v)
	used = slices.Concat(used, respelt, nulls)
	at := "until"
	list := v.Field("until")
	rest := v
	if !v.has("until") && slices.ContainsFunc(eventKeys, v.has) {
		// Conditions in the order's place.
		at = ""
		list = Value{Kind: Object}
		rest = Value{Kind: Object}
		for _, f := range v.Fields {
			if slices.Contains(standingFields, f.Name) {
				rest.Fields = append(rest.Fields, f)
			} else {
				list.Fields = append(list.Fields, f)
			}
		}
	}
	ignores := !v.Field("ignore").isNothing()
	if n, _, ok := v.Field("max_ticks").integer(); ok && n <= 1 && list.isNothing() && !ignores {
		return do, append(used, ForeignLiteral), nil // once
	}
	until, dropped, more, fault := conditionsOf(at, list)
	used = append(used, more...)
	// Strict schemas require the field, but providers that do not enforce them let
	// models leave it out.
	maxTicks := int64(world.StandingTicksDefault)
	if _, sleeps := do.(world.WaitTicks); sleeps {
		maxTicks = 1 // a sleep lasts as long as it says
	}
	if given := v.Field("max_ticks"); given.Kind == Null {
		used = append(used, DefaultMaxTicks)
	} else {
		n, rounded, ok := given.integer()
		if !ok {
			fault = Faults(fault, mismatch("max_ticks", say("an integer number of {unit}", Noun(world.Ticks)), given))
		}
		maxTicks, used = n, append(used, rounded...)
	}
	var ignore []string
	if list := v.Field("ignore"); list.Kind != Null {
		switch {
		case list.Kind != Array:
			fault = Faults(fault, mismatch("ignore", say("an array with one of {names}", strings.Join(world.Ignorable(), ", ")),
				list))
		case len(list.Items) > world.ConditionsMax:
			fault = Faults(fault, TooMany("ignore", world.ConditionsMax, len(list.Items)))
		}
		for i, item := range list.Items[:min(len(list.Items), world.ConditionsMax)] {
			name, variant, wrong := nameAmong(fmt.Sprintf("ignore[%d]", i), item, world.Ignorable())
			fault = Faults(fault, wrong)
			ignore, used = append(ignore, name), append(used, variant...)
		}
	}
	fault = Faults(fault, closed("", rest, standingFields, nil))
	if fault != nil {
		return nil, used, Faults(dropped, fault)
	}
	order, err := world.NewExecuteUntil(do, until, maxTicks, ignore...)
	if err != nil {
		return nil, used, &ArgumentError{Path: "until", Expected: say("conditions the world accepts"), Got: say("others")}
	}
	return order, used, nil
}

// withNulls is an object with null in place of every text that models write for it.
func withNulls(v Value) (nulls Value, used []Repair) {
	for _, f := range v.Fields {
		if f.Value.isNullText() {
			v.set(f.Name, Value{Kind: Null})
			used = []Repair{ForeignLiteral}
		}
	}
	return v, used
}

// conditionsOf reads the conditions. An order without any is repeated until it is rejected, which
// ends every order anyway. Names that are no events are dropped if at least one event is left and
// nothing else of the order is wrong: the model hopes to be woken by more events than exist, and
// the events left wake it. A threshold cannot be guessed, so a missing one is an error. A
// superfluous threshold cannot change anything, so it is dropped. So is one under another name if
// there is one under its own.
func conditionsOf(path string, v Value) (conditions []world.Condition, dropped *ArgumentError, used []Repair,
	fault *ArgumentError) {
	if v.Kind != Array && v.Kind != Object && (v.Kind != String || v.Text == "") && v.Kind != Null {
		return nil, nil, nil, mismatch(path, say("an array of conditions"), v)
	}
	list, reshaped, fault := conditionsIn(path, v, &used)
	if len(list) > world.ConditionsMax {
		return nil, nil, nil, Faults(fault, TooMany(path, world.ConditionsMax, len(list)))
	}
	if len(list) == 0 && fault == nil {
		return []world.Condition{{Event: world.StopActionRejected}}, nil, []Repair{DefaultUntil}, nil
	}
	if reshaped {
		used = append(used, EventList)
	}
	serious := fault != nil
	for _, c := range list {
		events := world.StopEvents()
		i := slices.IndexFunc(events, func(e world.StopEvent) bool { return sameName(e.Name, c.name.Text) })
		if i < 0 || c.name.Kind != String {
			fault = Faults(fault, mismatch(c.at, oneOf(EventNames()), c.name))
			continue
		}
		event := events[i]
		if event.Name != c.name.Text {
			used = append(used, NameVariant)
		}
		condition, threshold := world.Condition{Event: event.Name}, c.in.Field("value")
		for _, name := range thresholdNames {
			switch {
			case !c.in.gives(name) || c.shared && !event.TakesValue:
			case threshold.Kind == Null:
				threshold, used = c.in.Field(name), append(used, ThresholdName)
			default:
				used = append(used, UnusedArgument)
			}
		}
		if event.TakesValue {
			n, rounded, ok := threshold.integer()
			if !ok || n < 0 {
				where := c.at
				if c.in.Kind == Object {
					where = below(c.path, "value")
				}
				serious = true
				fault = Faults(fault, mismatch(where, say("an integer of at least 0 for {event}", event.Name), threshold))
			}
			condition.Value, used = &n, append(used, rounded...)
		} else if threshold.Kind != Null && !c.shared {
			used = append(used, UnusedArgument) // of several events it may be another's
		}
		conditions = append(conditions, condition)
	}
	if len(conditions) == 0 || fault == nil || serious {
		return conditions, nil, used, fault
	}
	return conditions, fault, append(used, EventDropped), nil
}

// writtenCondition is one event as a model names it: the name, its place, and the object that it
// is in, if any. Several events may share the object.
type writtenCondition struct {
	name, in Value
	path, at string
	shared   bool
}

// conditionsIn takes conditions apart, one per event: from one object or a list of them, from
// names in a list or in a text, separated by commas or bars. reshaped says that it is no
// list of objects with one event each.
func conditionsIn(path string, v Value, used *[]Repair) (list []writtenCondition, reshaped bool, fault *ArgumentError) {
	switch {
	case v.Kind == Array:
		for i, item := range v.Items {
			inner, changed, wrong := conditionsIn(fmt.Sprintf("%s[%d]", path, i), item, used)
			list, fault = append(list, inner...), Faults(fault, wrong)
			reshaped = reshaped || changed && len(inner) > 1 || item.Kind == Array || item.Kind == String
		}
		return list, reshaped, fault
	case v.Kind == String:
		for _, name := range splitNames(v.Text) {
			list = append(list, writtenCondition{name: stringOf(name), path: path, at: path})
		}
		return list, true, nil
	case v.isNothing():
		return nil, false, nil
	case v.Kind != Object:
		return nil, false, mismatch(path, say("an object with the fields {fields}", strings.Join(conditionFields, ", ")), v)
	}
	v, respelt := respelled(v, slices.Concat(conditionFields, eventKeys))
	v, nulls := withNulls(v)
	*used = slices.Concat(*used, respelt, nulls)
	for _, key := range eventKeys {
		names, at := v.Field(key), below(path, key)
		for i, name := range names.Items {
			list = append(list, writtenCondition{name: name, in: v, path: path, at: fmt.Sprintf("%s[%d]", at, i)})
		}
		for _, name := range splitNames(v.textOf(key)) {
			list = append(list, writtenCondition{name: stringOf(name), in: v, path: path, at: at})
		}
		if names.Kind != Array && names.Kind != String && names.Kind != Null {
			list = append(list, writtenCondition{name: names, in: v, path: path, at: at})
		}
	}
	for i := range list {
		list[i].shared = len(list) > 1
	}
	return list, true, closed(path, v, conditionFields, slices.Concat(eventKeys, thresholdNames))
}

// nameAmong finds which of the names a text means, in any spelling.
func nameAmong(path string, v Value, names []string) (string, []Repair, *ArgumentError) {
	i := slices.IndexFunc(names, func(known string) bool { return v.Kind == String && sameName(known, v.Text) })
	switch {
	case i < 0:
		return "", nil, mismatch(path, oneOf(names), v)
	case names[i] != v.Text:
		return names[i], []Repair{NameVariant}, nil
	}
	return names[i], nil, nil
}

// closed refuses the fields of an object that are neither known nor other names for those,
// which an error does not advertise.
func closed(path string, v Value, known, others []string) (fault *ArgumentError) {
	for _, f := range v.Fields {
		if !slices.Contains(known, f.Name) && !slices.Contains(others, f.Name) {
			fault = Faults(fault, unknownField(path, f.Name, known))
		}
	}
	return fault
}

// EventNames lists the stop events that a condition is to name, in their fixed order. What
// ends every order anyway need not be asked for, and one name for an event is enough.
func EventNames() []string {
	var names []string
	for _, e := range world.StopEvents() {
		if e.Name != world.StopActionRejected && e.Name != world.StopInsufficientElectricity &&
			e.Name != world.StopThermalOverload {
			names = append(names, e.Name)
		}
	}
	return names
}

func splitNames(text string) (names []string) {
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("|,;、，；", r) }) {
		name = strings.TrimSpace(name)
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}
