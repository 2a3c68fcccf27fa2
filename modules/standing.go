package modules

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"agentworld/world"
)

// standingFields and conditionFields are the fields of a standing order and of
// its conditions.
var (
	standingFields  = []string{"until", "max_ticks"}
	conditionFields = []string{"event", "value_lte"}
)

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
	v, duplicates, fault := parseArguments(raw)
	if fault != nil {
		return nil, nil, fault
	}
	if v.kind == kindNull {
		return do, nil, nil
	}
	d := standingDecoder{object: v}
	if duplicates {
		d.use(DuplicateKey)
	}
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

// decode reads the order's two fields and lets the world assemble them.
func (d *standingDecoder) decode(do world.Action) (world.Action, *ArgumentError) {
	if fault := closed("", d.object, standingFields); fault != nil {
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
	order, err := world.NewExecuteUntil(do, until, maxTicks)
	if err != nil {
		return nil, &ArgumentError{Path: "until", Expected: "conditions the world accepts", Got: "others"}
	}
	return order, nil
}

// closed refuses anything but an object of the known fields. The fields
// themselves may be absent or null; whoever reads them decides about that.
func closed(path string, v value, known []string) *ArgumentError {
	if v.kind != kindObject {
		return mismatch(path, "an object with the fields "+strings.Join(known, ", "), v)
	}
	for _, f := range v.fields {
		if !slices.Contains(known, f.name) {
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
	if fault := closed(path, v, conditionFields); fault != nil {
		return world.Condition{}, fault
	}
	event, fault := d.event(below(path, "event"), v.field("event"))
	if fault != nil {
		return world.Condition{}, fault
	}
	threshold := v.field("value_lte")
	if !event.TakesValue {
		if threshold.kind != kindNull {
			d.use(UnusedArgument)
		}
		return world.Condition{Event: event.Name}, nil
	}
	n, used, ok := asInteger(threshold)
	if !ok || n < 0 {
		return world.Condition{}, mismatch(below(path, "value_lte"), "an integer of at least 0 for "+event.Name, threshold)
	}
	d.use(used...)
	return world.Condition{Event: event.Name, Value: &n}, nil
}

// event finds the stop event a condition names, in any spelling.
func (d *standingDecoder) event(path string, v value) (world.StopEvent, *ArgumentError) {
	names := eventNames()
	if v.kind != kindString {
		return world.StopEvent{}, mismatch(path, oneOf(names), v)
	}
	name, used, ok := resolveName(v.text, names)
	if !ok {
		return world.StopEvent{}, mismatch(path, oneOf(names), v)
	}
	d.use(used...)
	return world.StopEvents()[slices.Index(names, name)], nil
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
