package world

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// StandingTicksMax bounds ExecuteUntil.MaxTicks; StandingTicksDefault is used
// where a model leaves it out.
const (
	StandingTicksMax     = 256
	StandingTicksDefault = 6
)

// ConditionsMax bounds the conditions of one standing order.
const ConditionsMax = 8

// ExecuteUntil repeats Do every tick without asking the model again, until a
// condition holds, an attempt is rejected, or MaxTicks attempts were made. The
// first attempt is made in any case: conditions are looked at from the next tick on.
type ExecuteUntil struct {
	// Do is any action except another ExecuteUntil.
	Do Action
	// Until holds at least one condition; any of them ends the order.
	Until []Condition
	// MaxTicks is 1 to [StandingTicksMax].
	MaxTicks int64
	// Ignore names those of [StopAlways] that shall neither end the order nor cut
	// short a wait of it; each at most once. A condition that names one of them
	// holds all the same.
	Ignore []string
}

// Condition ends a standing order.
type Condition struct {
	// Event is one of [StopEvents].
	Event string `json:"event"`
	// Value is the threshold of the events that take one, at least 0, in the unit of
	// what they compare; nil for the others. Reaching it is enough.
	Value *int64 `json:"value,omitempty"`
}

func (ExecuteUntil) describe(Rules) ActionSpec {
	return ActionSpec{
		Aliases: []string{"repeat_until", "do_until"},
		Params: []Param{
			{Name: "max_ticks", Kind: ParamAmount, Unit: Ticks, Min: 1, Max: StandingTicksMax, Doc: "most attempts"},
		},
	}
}

// rule refuses a malformed order and otherwise rules on its first attempt.
// An order is taken up if its form is sound, even when the first attempt is
// refused; it then ends with that refusal.
func (o ExecuteUntil) rule(f *facts, s senses) ruling {
	if problem := o.problem(); problem != nil {
		return refuse(Rejection{Code: RejectInvalidStandingRule, Field: problem.Field})
	}
	if o.MaxTicks < 1 || o.MaxTicks > StandingTicksMax {
		return refuse(Rejection{
			Code: RejectInvalidStandingRule, Field: "max_ticks",
			Requested: number(o.MaxTicks), Maximum: number(StandingTicksMax), Unit: Ticks,
		})
	}
	return f.rule(o.Do, s)
}

// clamp clamps the number of attempts and the inner action as it would be
// carried out now. The caller that continues the order clamps later attempts again.
func (o ExecuteUntil) clamp(v *knowledge) (Action, []Adjustment) {
	o = cloneAction(o).(ExecuteUntil)
	n, adjusted := clampTo(o, o.MaxTicks, limit{StandingTicksMax, boundRule})
	o.MaxTicks = n
	if _, nested := o.Do.(ExecuteUntil); nested || o.Do == nil {
		return o, adjusted // Check refuses it; clamping inside would recurse without bound
	}
	do, inner := View{v}.Clamp(o.Do)
	o.Do = do
	return o, append(adjusted, inner...)
}

// carryOut is never asked for: a turn carries out the inner action.
func (ExecuteUntil) carryOut(*World, int32, ruling) effect {
	panic("world: an execute_until is carried out itself")
}

// NewExecuteUntil builds a standing order. The inner action must not be another
// order, at least one condition is needed, a condition has a value exactly when
// its event takes one, and only events of [StopAlways] can be ignored. MaxTicks is
// left to [View.Clamp]. Ignored events are put in their fixed order, each once, so
// that equal orders are equal. The error is an [*ArgumentError].
func NewExecuteUntil(do Action, until []Condition, maxTicks int64, ignore ...string) (ExecuteUntil, error) {
	order := ExecuteUntil{Do: do, Until: append([]Condition(nil), until...), MaxTicks: maxTicks}
	if slices.ContainsFunc(ignore, func(event string) bool { return !slices.Contains(StopAlways(), event) }) {
		return ExecuteUntil{}, errIgnore
	}
	for _, event := range StopAlways() {
		if slices.Contains(ignore, event) {
			order.Ignore = append(order.Ignore, event)
		}
	}
	if problem := order.problem(); problem != nil {
		return ExecuteUntil{}, problem
	}
	return order, nil
}

// errIgnore is the fault of an order that ignores something else, or something twice.
var errIgnore = &ArgumentError{"ignore", "may name message_received and power_low, each once"}

// problem reports what makes the order malformed, nil for a sound one.
func (o ExecuteUntil) problem() *ArgumentError {
	switch o.Do.(type) {
	case nil:
		return &ArgumentError{"do", "is missing"}
	case ExecuteUntil:
		return &ArgumentError{"do", "is itself an execute_until"}
	}
	if len(o.Until) == 0 || len(o.Until) > ConditionsMax {
		return &ArgumentError{"until", fmt.Sprintf("needs 1 to %d conditions", ConditionsMax)}
	}
	for _, c := range o.Until {
		i := stopEventNamed(c.Event)
		switch {
		case i < 0:
			return &ArgumentError{"until", "names an event that does not exist"}
		case stopEvents[i].TakesValue && c.Value == nil:
			return &ArgumentError{"until", c.Event + " needs value"}
		case !stopEvents[i].TakesValue && c.Value != nil:
			return &ArgumentError{"until", c.Event + " takes no value"}
		case c.Value != nil && *c.Value < 0:
			return &ArgumentError{"until", c.Event + " needs a value of at least 0"}
		}
	}
	for i, event := range o.Ignore {
		if !slices.Contains(StopAlways(), event) || slices.Contains(o.Ignore[:i], event) {
			return errIgnore
		}
	}
	return nil
}

// wireOrder is the canonical form of an execute_until, its fields in this order.
type wireOrder struct {
	Action   string          `json:"action"`
	Do       json.RawMessage `json:"do"`
	Until    []Condition     `json:"until"`
	MaxTicks *int64          `json:"max_ticks"`
	Ignore   []string        `json:"ignore,omitempty"`
}

// wire is the canonical form of o. An order without an inner action, which the world refuses,
// has null there so that the refusal can be recorded.
func (o ExecuteUntil) wire() wireOrder {
	w := wireOrder{o.ActionName(), nil, append([]Condition{}, o.Until...), &o.MaxTicks, o.Ignore}
	if o.Do != nil {
		w.Do = EncodeAction(o.Do)
	}
	return w
}

// decodeOrder reads an execute_until, of which b has the fields given. Orders do not nest,
// which also bounds the recursion on hostile input.
func decodeOrder(b []byte, fields map[string]json.RawMessage) (Action, error) {
	known := []string{"action", "do", "until", "max_ticks"}
	if fields["ignore"] != nil {
		known = append(known, "ignore")
	}
	missing := slices.ContainsFunc(known, func(name string) bool { return fields[name] == nil })
	var wire wireOrder
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&wire); err != nil {
		return nil, fmt.Errorf("decode execute_until: %w", err)
	}
	if missing || len(fields) != len(known) || wire.MaxTicks == nil || fields["ignore"] != nil && len(wire.Ignore) == 0 {
		return nil, errors.New("decode execute_until: want the fields do, until and max_ticks, and ignore if there is any")
	}
	o := ExecuteUntil{Until: wire.Until, MaxTicks: *wire.MaxTicks, Ignore: wire.Ignore}
	if !bytes.Equal(wire.Do, []byte("null")) {
		do, err := DecodeAction(wire.Do)
		if err != nil {
			return nil, fmt.Errorf("decode execute_until: %w", err)
		}
		if _, nested := do.(ExecuteUntil); nested {
			return nil, errors.New("decode execute_until: do is itself an execute_until")
		}
		o.Do = do
	}
	return o, nil
}
