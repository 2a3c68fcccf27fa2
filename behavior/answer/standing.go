package answer

import (
	"encoding/json"
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

// DecodeStanding reads the standing order beside an action and wraps do, a plain
// action, into it; for null or nothing it returns do as it is. A number of ticks out of
// bounds is left to the world to clamp.
func DecodeStanding(raw json.RawMessage, do world.Action) (world.Action, []Repair, *ArgumentError) {
	if strings.TrimSpace(string(raw)) == "" {
		return do, nil, nil
	}
	v, used, fault := read(string(raw))
	if fault != nil {
		return nil, used, fault
	}
	order, more, fault := decodeStanding(v, do)
	return order, append(used, more...), fault
}

// decodeStanding reads the order's fields and lets the world assemble them.
func decodeStanding(v Value, do world.Action) (world.Action, []Repair, *ArgumentError) {
	v, opened, fault := open(v)
	switch {
	case fault != nil:
		return nil, opened, fault
	case v.Kind == Null:
		return do, opened, nil
	}
	if v.Kind == Object && !v.has("until") && namesEvents(v) {
		// Conditions that stand in the order's place.
		conditions, order := Value{Kind: Object}, Value{Kind: Object}
		for _, f := range v.Fields {
			if slices.Contains(standingFields, f.Name) {
				order.Fields = append(order.Fields, f)
			} else {
				conditions.Fields = append(conditions.Fields, f)
			}
		}
		v = order
		v.set("until", conditions)
	}
	d := standingDecoder{repairs: opened}
	if v.has("until") {
		until, used := shapeUntil(v.Field("until"))
		v.set("until", until)
		d.repairs = append(d.repairs, used...)
	}
	order, fault := d.decode(v, do)
	if fault != nil {
		return nil, d.repairs, fault
	}
	return order, d.repairs, nil
}

// standingDecoder collects the repairs of one order.
type standingDecoder struct{ repairs []Repair }

func (d *standingDecoder) decode(v Value, do world.Action) (world.Action, *ArgumentError) {
	if fault := closed("", v, standingFields, nil); fault != nil {
		return nil, fault
	}
	until, fault := d.until(v.Field("until"))
	if fault != nil {
		return nil, fault
	}
	// Strict schemas require the field, but providers that do not enforce them let
	// models leave it out.
	maxTicks := int64(world.StandingTicksDefault)
	if given := v.Field("max_ticks"); given.Kind == Null {
		d.repairs = append(d.repairs, DefaultMaxTicks)
	} else {
		n, used, ok := given.integer()
		if !ok {
			return nil, mismatch("max_ticks", "an integer number of ticks", given)
		}
		maxTicks, d.repairs = n, append(d.repairs, used...)
	}
	var ignore []string
	if list := v.Field("ignore"); list.Kind != Null {
		if fault := bounded("ignore", "an array with "+oneOf(world.StopAlways()), list); fault != nil {
			return nil, fault
		}
		for i, item := range list.Items {
			name, fault := d.name(fmt.Sprintf("ignore[%d]", i), item, world.StopAlways())
			if fault != nil {
				return nil, fault
			}
			ignore = append(ignore, name)
		}
	}
	order, err := world.NewExecuteUntil(do, until, maxTicks, ignore...)
	if err != nil {
		return nil, &ArgumentError{Path: "until", Expected: "conditions the world accepts", Got: "others"}
	}
	return order, nil
}

// closed refuses anything but an object of the known fields or other names for
// them, which an error does not advertise. The fields themselves may be absent or
// null; whoever reads them decides about that.
func closed(path string, v Value, known, others []string) *ArgumentError {
	if v.Kind != Object {
		return mismatch(path, "an object with the fields "+strings.Join(known, ", "), v)
	}
	for _, f := range v.Fields {
		if !slices.Contains(known, f.Name) && !slices.Contains(others, f.Name) {
			return unknownField(path, known)
		}
	}
	return nil
}

// bounded refuses anything but an array that is not too long.
func bounded(path, expected string, v Value) *ArgumentError {
	switch {
	case v.Kind != Array:
		return mismatch(path, expected, v)
	case len(v.Items) > world.ConditionsMax:
		return &ArgumentError{Path: path, Expected: fmt.Sprintf("at most %d elements", world.ConditionsMax), Got: fmt.Sprint(len(v.Items))}
	}
	return nil
}

// until reads the conditions. An order without any is repeated until it is
// rejected, which ends every order anyway. A threshold cannot be guessed, so a missing
// one is an error; a superfluous one cannot change anything, so it is dropped.
func (d *standingDecoder) until(list Value) ([]world.Condition, *ArgumentError) {
	if list.Kind == Null || list.Kind == Array && len(list.Items) == 0 {
		d.repairs = append(d.repairs, DefaultUntil)
		return []world.Condition{{Event: world.StopActionRejected}}, nil
	}
	if fault := bounded("until", "an array of conditions", list); fault != nil {
		return nil, fault
	}
	var conditions []world.Condition
	for i, v := range list.Items {
		path := fmt.Sprintf("until[%d]", i)
		if fault := closed(path, v, conditionFields, thresholdNames); fault != nil {
			return nil, fault
		}
		name, fault := d.name(below(path, "event"), v.Field("event"), EventNames())
		if fault != nil {
			return nil, fault
		}
		condition, threshold := world.Condition{Event: name}, d.threshold(v)
		if takesValue(name) {
			n, used, ok := threshold.integer()
			if !ok || n < 0 {
				return nil, mismatch(below(path, "value"), "an integer of at least 0 for "+name, threshold)
			}
			condition.Value, d.repairs = &n, append(d.repairs, used...)
		} else if threshold.Kind != Null {
			d.repairs = append(d.repairs, UnusedArgument)
		}
		conditions = append(conditions, condition)
	}
	return conditions, nil
}

// threshold finds the value of a condition, under another name if need be. A value
// under its own name counts, and what stands beside it is of no use.
func (d *standingDecoder) threshold(v Value) Value {
	found := v.Field("value")
	for _, name := range thresholdNames {
		switch {
		case !v.gives(name):
		case found.Kind == Null:
			found, d.repairs = v.Field(name), append(d.repairs, ThresholdName)
		default:
			d.repairs = append(d.repairs, UnusedArgument)
		}
	}
	return found
}

// name finds which of the names a text means, in any spelling.
func (d *standingDecoder) name(path string, v Value, names []string) (string, *ArgumentError) {
	i := slices.IndexFunc(names, func(known string) bool { return v.Kind == String && sameName(known, v.Text) })
	if i < 0 {
		return "", mismatch(path, oneOf(names), v)
	}
	if names[i] != v.Text {
		d.repairs = append(d.repairs, NameVariant)
	}
	return names[i], nil
}

// EventNames lists the stop events in their fixed order.
func EventNames() []string {
	var names []string
	for _, e := range world.StopEvents() {
		names = append(names, e.Name)
	}
	return names
}

func isEvent(name string) bool {
	return slices.ContainsFunc(world.StopEvents(), func(e world.StopEvent) bool { return sameName(e.Name, name) })
}

func takesValue(event string) bool {
	return slices.ContainsFunc(world.StopEvents(), func(e world.StopEvent) bool { return sameName(e.Name, event) && e.TakesValue })
}

func namesEvents(v Value) bool { return slices.ContainsFunc(eventKeys, v.has) }

// shapeUntil brings the conditions of a standing order to a list of {"event":...}:
// from one such object, from names in a list or in a string, separated by commas or
// bars. Names that are no events are dropped as long as one is left that is: the
// model hopes to be woken by more than there is, and what is left wakes it. With
// none left the list stays as it is and is refused.
func shapeUntil(v Value) (Value, []Repair) {
	conditions, reshaped, ok := conditionsIn(v)
	if !ok {
		return v, nil
	}
	var used []Repair
	if reshaped && len(conditions) > 0 {
		used = append(used, EventList)
	}
	known := slices.DeleteFunc(slices.Clone(conditions), func(c Value) bool { return !isEvent(c.textOf("event")) })
	if len(known) > 0 && len(known) < len(conditions) {
		conditions, used = known, append(used, EventDropped)
	}
	if len(used) == 0 && len(conditions) > 0 {
		return v, nil
	}
	return arrayOf(conditions...), used
}

// conditionsIn takes conditions apart, one per event; ok is false when v is of no shape
// that holds any.
func conditionsIn(v Value) (conditions []Value, reshaped, ok bool) {
	switch {
	case v.Kind == Array:
		for _, item := range v.Items {
			inner, changed, ok := conditionsIn(item)
			if !ok {
				return nil, false, false
			}
			reshaped = reshaped || changed && len(inner) > 1 || item.Kind == Array || item.Kind == String
			conditions = append(conditions, inner...)
		}
		return conditions, reshaped, true
	case v.Kind == Object:
		for _, key := range eventKeys {
			names := v.Field(key)
			if !slices.ContainsFunc(names.Items, func(n Value) bool { return n.Kind != String && n.Kind != Null }) {
				for _, name := range names.Items {
					conditions = append(conditions, condition(v, name.Text))
				}
			}
			for _, name := range splitNames(v.textOf(key)) {
				conditions = append(conditions, condition(v, name))
			}
		}
		return conditions, true, true
	case v.Kind == String && v.Text != "":
		for _, name := range splitNames(v.Text) {
			conditions = append(conditions, condition(Value{}, name))
		}
		return conditions, true, true
	}
	return nil, false, false
}

// condition is the condition of one event, with the value it has in v if it takes
// one: a value that belongs to another event of the same list is not its own.
func condition(v Value, event string) Value {
	c := Value{Kind: Object}
	for _, f := range v.Fields {
		if !slices.Contains(eventKeys, f.Name) && (takesValue(event) || !strings.HasPrefix(f.Name, "value")) {
			c.Fields = append(c.Fields, f)
		}
	}
	c.set("event", stringOf(event))
	return c.sorted()
}

// splitNames splits names that stand in one string.
func splitNames(text string) (names []string) {
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("|,;、，；", r) }) {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}
