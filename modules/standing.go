package modules

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// standingFields and conditionFields are the fields of a standing order and of
// its conditions.
var (
	standingFields  = []string{"until", "max_ticks", "ignore"}
	conditionFields = []string{"event", "value"}
)

// thresholdNames are other names for a condition's value, which say on which side
// of it the condition holds. The event says that by itself.
var thresholdNames = []string{"value_lte", "value_gte"}

// DecodeStanding reads the standing order beside an action, as [StandingSchema]
// describes it, and wraps do into it; for null or nothing it returns do as it is.
// A number of ticks out of bounds is left to the world to clamp. It panics when
// do is nil or an order already, since the flat schema cannot express either.
func DecodeStanding(raw json.RawMessage, do world.Action) (world.Action, []Leniency, *ArgumentError) {
	if do == nil || do.ActionName() == standingName {
		panic("modules: a standing order needs a plain action to repeat")
	}
	if strings.TrimSpace(string(raw)) == "" {
		return do, nil, nil
	}
	v, used, fault := parseArguments(raw)
	if fault != nil {
		return nil, used, fault
	}
	if v.kind == kindNull {
		return do, nil, nil
	}
	d := standingDecoder{object: v}
	d.use(used...)
	order, fault := d.decode(do)
	if fault != nil {
		return nil, d.leniencies, fault
	}
	return order, d.leniencies, nil
}

// standingDecoder reads one standing order object.
type standingDecoder struct {
	repairs
	object value
}

// decode reads the order's fields and lets the world assemble them.
func (d *standingDecoder) decode(do world.Action) (world.Action, *ArgumentError) {
	if fault := closed("", d.object, standingFields, nil); fault != nil {
		return nil, fault
	}
	until, fault := d.until()
	if fault != nil {
		return nil, fault
	}
	maxTicks, fault := d.maxTicks()
	if fault != nil {
		return nil, fault
	}
	ignore, fault := d.ignore()
	if fault != nil {
		return nil, fault
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
func closed(path string, v value, known, others []string) *ArgumentError {
	if v.kind != kindObject {
		return mismatch(path, "an object with the fields "+strings.Join(known, ", "), v)
	}
	for _, f := range v.fields {
		if !slices.Contains(known, f.name) && !slices.Contains(others, f.name) {
			return unknownField(path, known)
		}
	}
	return nil
}

// until reads the conditions. An order without any is repeated until it is
// rejected, which ends every order anyway.
func (d *standingDecoder) until() ([]world.Condition, *ArgumentError) {
	list := d.object.field("until")
	if list.kind == kindNull || list.kind == kindArray && len(list.items) == 0 {
		d.use(DefaultUntil)
		return []world.Condition{{Event: world.StopActionRejected}}, nil
	}
	if list.kind != kindArray {
		return nil, mismatch("until", "an array of conditions", list)
	}
	if len(list.items) > world.ConditionsMax {
		return nil, &ArgumentError{
			Path: "until", Expected: fmt.Sprintf("at most %d conditions", world.ConditionsMax), Got: fmt.Sprint(len(list.items)),
		}
	}
	var conditions []world.Condition
	for i, item := range list.items {
		condition, fault := d.condition(fmt.Sprintf("until[%d]", i), item)
		if fault != nil {
			return nil, fault
		}
		conditions = append(conditions, condition)
	}
	return conditions, nil
}

// condition reads one condition against the table of stop events. A threshold
// cannot be guessed, so a missing one is an error; a superfluous one cannot
// change anything, so it is dropped.
func (d *standingDecoder) condition(path string, v value) (world.Condition, *ArgumentError) {
	if fault := closed(path, v, conditionFields, thresholdNames); fault != nil {
		return world.Condition{}, fault
	}
	event, fault := d.event(below(path, "event"), v.field("event"))
	if fault != nil {
		return world.Condition{}, fault
	}
	threshold := d.threshold(v)
	if !event.TakesValue {
		if threshold.kind != kindNull {
			d.use(UnusedArgument)
		}
		return world.Condition{Event: event.Name}, nil
	}
	n, used, ok := asInteger(threshold)
	if !ok || n < 0 {
		return world.Condition{}, mismatch(below(path, "value"), "an integer of at least 0 for "+event.Name, threshold)
	}
	d.use(used...)
	return world.Condition{Event: event.Name, Value: &n}, nil
}

// threshold finds the value of a condition, under another name if need be. A value
// under its own name counts, and what stands beside it is of no use.
func (d *standingDecoder) threshold(v value) value {
	found := v.field("value")
	for _, name := range thresholdNames {
		other := v.field(name)
		switch {
		case other.kind == kindNull:
		case found.kind == kindNull:
			found = other
			d.use(ThresholdName)
		default:
			d.use(UnusedArgument)
		}
	}
	return found
}

// event finds the stop event a condition names, in any spelling.
func (d *standingDecoder) event(path string, v value) (world.StopEvent, *ArgumentError) {
	names := eventNames()
	name, fault := d.name(path, v, names)
	if fault != nil {
		return world.StopEvent{}, fault
	}
	return world.StopEvents()[slices.Index(names, name)], nil
}

// name finds which of the names a text means, in any spelling.
func (d *standingDecoder) name(path string, v value, names []string) (string, *ArgumentError) {
	if v.kind != kindString {
		return "", mismatch(path, oneOf(names), v)
	}
	name, used, ok := resolveName(v.text, names)
	if !ok {
		return "", mismatch(path, oneOf(names), v)
	}
	d.use(used...)
	return name, nil
}

// ignore reads which of the events that end every order shall not end this one.
// Null, nothing and an empty list all mean none; a name given twice counts once.
func (d *standingDecoder) ignore() ([]string, *ArgumentError) {
	list := d.object.field("ignore")
	if list.kind == kindNull {
		return nil, nil
	}
	if list.kind != kindArray {
		return nil, mismatch("ignore", "an array with "+oneOf(world.StopAlways()), list)
	}
	if len(list.items) > world.ConditionsMax {
		return nil, &ArgumentError{
			Path: "ignore", Expected: fmt.Sprintf("at most %d events", world.ConditionsMax), Got: fmt.Sprint(len(list.items)),
		}
	}
	var ignored []string
	for i, item := range list.items {
		name, fault := d.name(fmt.Sprintf("ignore[%d]", i), item, world.StopAlways())
		if fault != nil {
			return nil, fault
		}
		ignored = append(ignored, name)
	}
	return ignored, nil
}

// maxTicks reads how long the order may last. Strict schemas require the field,
// but providers that do not enforce them let models leave it out.
func (d *standingDecoder) maxTicks() (int64, *ArgumentError) {
	given := d.object.field("max_ticks")
	if given.kind == kindNull {
		d.use(DefaultMaxTicks)
		return world.StandingTicksDefault, nil
	}
	n, used, ok := asInteger(given)
	if !ok {
		return 0, mismatch("max_ticks", "an integer number of ticks", given)
	}
	d.use(used...)
	return n, nil
}
