package world

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// StandingTicksMax bounds ExecuteUntil.MaxTicks; StandingTicksDefault is used
// where a model leaves it out.
const (
	StandingTicksMax     = 256
	StandingTicksDefault = 6
)

// ConditionsMax bounds the conditions of one step, ThenMax the steps that follow the first.
const (
	ConditionsMax = 8
	ThenMax       = 3
)

// ExecuteUntil is a chain of steps that needs no further decision. Its first step repeats Do every
// tick until a condition holds or MaxTicks attempts were made; the steps in Then follow. A standing
// order is a chain of one step. An attempt that is rejected, a shutdown and what [StopAlways] lists
// end the whole chain. The first attempt of a step is made in any case: conditions are looked at
// from the next tick on.
type ExecuteUntil struct {
	// Do is any action except another ExecuteUntil.
	Do Action
	// Until holds at least one condition; any of them ends the step.
	Until []Condition
	// MaxTicks is 1 to [StandingTicksMax].
	MaxTicks int64
	// Ignore names those of [Ignorable] that shall neither end the chain nor cut short a
	// wait of the step; each at most once. A condition that names one of them holds all the same.
	Ignore []string
	// Then are the steps that follow, at most [ThenMax], none with a Then of its own. What is
	// feasible then nobody knows yet, so their actions are clamped and checked at their tick.
	Then []ExecuteUntil
}

// Condition ends a step of a chain.
type Condition struct {
	// Event is one of [StopEvents].
	Event string `json:"event"`
	// Value is the threshold of the events that take one, at least 0, in the unit of
	// what they compare; nil for the others. Reaching it is enough.
	Value *int64 `json:"value,omitempty"`
}

func (ExecuteUntil) describe(*Industry) ActionSpec {
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
	if step := o.beyond(); step != nil {
		return refuse(Rejection{
			Code: RejectInvalidStandingRule, Field: "max_ticks",
			Requested: number(step.MaxTicks), Maximum: number(StandingTicksMax), Unit: Ticks,
		})
	}
	return f.rule(o.Do, s)
}

// beyond is the first step with fewer or more attempts than may be, nil if there is none.
func (o ExecuteUntil) beyond() *ExecuteUntil {
	for _, step := range o.Steps() {
		if step.MaxTicks < 1 || step.MaxTicks > StandingTicksMax {
			return &step
		}
	}
	return nil
}

// Once is the step that does an action a single time.
func Once(do Action) ExecuteUntil {
	return ExecuteUntil{Do: do, Until: []Condition{{Event: StopActionRejected}}, MaxTicks: 1}
}

// Steps are all steps of an action in their order: of a chain its steps, each without a Then, and of
// any other action that action once.
func Steps(a Action) []ExecuteUntil {
	if o, ok := a.(ExecuteUntil); ok {
		return o.Steps()
	}
	return []ExecuteUntil{Once(a)}
}

// Steps are the steps of the chain, the first one included, each without a Then.
func (o ExecuteUntil) Steps() []ExecuteUntil {
	steps := append([]ExecuteUntil{o}, o.Then...)
	steps[0].Then = nil
	return steps
}

// Chain is the action that does the steps one after another: without any following step and without
// a repetition or something to ignore, the action itself. There is at least one step.
func Chain(steps ...ExecuteUntil) Action {
	first := steps[0]
	first.Then = nil
	if len(steps) > 1 {
		first.Then = slices.Clone(steps[1:])
		return first
	}
	if first.MaxTicks == 1 && len(first.Ignore) == 0 {
		return first.Do
	}
	return first
}

// clamp clamps the numbers of attempts and the first action as it would be
// carried out now. The caller that continues the chain clamps later attempts and steps again.
func (o ExecuteUntil) clamp(v *knowledge) (Action, []Adjustment) {
	o = cloneAction(o).(ExecuteUntil)
	n, adjusted := clampTo(o, o.MaxTicks, limit{StandingTicksMax, boundRule})
	o.MaxTicks = n
	for i := range o.Then {
		ticks, more := clampTo(o, o.Then[i].MaxTicks, limit{StandingTicksMax, boundRule})
		o.Then[i].MaxTicks = ticks
		adjusted = append(adjusted, more...)
	}
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

// NewExecuteUntil builds a chain of one step. The inner action must not be another
// order, at least one condition is needed, a condition has a value exactly when
// its event takes one, and only events of [Ignorable] can be ignored. MaxTicks is
// left to [View.Clamp]. Ignored events are put in their fixed order, each once, so
// that equal orders are equal. The error is an [*ArgumentError].
func NewExecuteUntil(do Action, until []Condition, maxTicks int64, ignore ...string) (ExecuteUntil, error) {
	order := ExecuteUntil{Do: do, Until: append([]Condition(nil), until...), MaxTicks: maxTicks}
	if slices.ContainsFunc(ignore, func(event string) bool { return !slices.Contains(Ignorable(), event) }) {
		return ExecuteUntil{}, errIgnore
	}
	for _, event := range Ignorable() {
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
var errIgnore = &ArgumentError{"ignore", "may name " + strings.Join(Ignorable(), ", ") + ", each once"}

// problem reports what makes the chain malformed, nil for a sound one.
func (o ExecuteUntil) problem() *ArgumentError {
	if len(o.Then) > ThenMax {
		return &ArgumentError{"then", fmt.Sprintf("holds at most %d steps", ThenMax)}
	}
	for _, step := range o.Steps() {
		if len(step.Then) > 0 {
			return &ArgumentError{"then", "has a step with a then of its own"}
		}
		if problem := step.stepProblem(); problem != nil {
			return problem
		}
	}
	return nil
}

// stepProblem is problem for the first step alone.
func (o ExecuteUntil) stepProblem() *ArgumentError {
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
		if !slices.Contains(Ignorable(), event) || slices.Contains(o.Ignore[:i], event) {
			return errIgnore
		}
	}
	return nil
}

// wireStep is a step in canonical form, its fields in this order.
type wireStep struct {
	Do       json.RawMessage `json:"do"`
	Until    []Condition     `json:"until"`
	MaxTicks *int64          `json:"max_ticks"`
	Ignore   []string        `json:"ignore,omitempty"`
}

// wireOrder is the canonical form of an execute_until.
type wireOrder struct {
	Action string `json:"action"`
	wireStep
	Then []wireStep `json:"then,omitempty"`
}

// wire is the canonical form of o. A step without an inner action, which the world refuses,
// has null there so that the refusal can be recorded.
func (o ExecuteUntil) wire() wireOrder {
	w := wireOrder{Action: o.ActionName(), wireStep: o.wireStep()}
	for _, step := range o.Then {
		w.Then = append(w.Then, step.wireStep())
	}
	return w
}

func (o ExecuteUntil) wireStep() wireStep {
	w := wireStep{nil, append([]Condition{}, o.Until...), &o.MaxTicks, o.Ignore}
	if o.Do != nil {
		w.Do = EncodeAction(o.Do)
	}
	return w
}

// decodeOrder reads an execute_until with the given fields. Neither orders nor chains nest,
// which also bounds the recursion on hostile input.
func decodeOrder(fields map[string]json.RawMessage) (Action, error) {
	var then []json.RawMessage
	if raw := fields["then"]; raw != nil {
		err := json.Unmarshal(raw, &then)
		if err != nil || len(then) == 0 {
			return nil, errors.New("decode execute_until: then is no list of steps")
		}
	}
	delete(fields, "action")
	delete(fields, "then")
	o, err := decodeStep(fields)
	if err != nil {
		return nil, err
	}
	for _, raw := range then {
		fields, err := decodeFields(raw)
		if err != nil {
			return nil, fmt.Errorf("decode execute_until: then: %w", err)
		}
		step, err := decodeStep(fields)
		if err != nil {
			return nil, err
		}
		o.Then = append(o.Then, step)
	}
	return o, nil
}

// decodeStep reads a step with the given fields.
func decodeStep(fields map[string]json.RawMessage) (ExecuteUntil, error) {
	fail := func(err error) (ExecuteUntil, error) {
		return ExecuteUntil{}, fmt.Errorf("decode execute_until: %w", err)
	}
	known := []string{"do", "until", "max_ticks"}
	if fields["ignore"] != nil {
		known = append(known, "ignore")
	}
	missing := slices.ContainsFunc(known, func(name string) bool { return fields[name] == nil })
	var wire wireStep
	dec := json.NewDecoder(bytes.NewReader(encode(fields)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&wire); err != nil {
		return fail(err)
	}
	if missing || len(fields) != len(known) || wire.MaxTicks == nil || fields["ignore"] != nil && len(wire.Ignore) == 0 {
		return fail(errors.New("want the fields do, until and max_ticks, and ignore if there is any"))
	}
	o := ExecuteUntil{Until: wire.Until, MaxTicks: *wire.MaxTicks, Ignore: wire.Ignore}
	if bytes.Equal(wire.Do, []byte("null")) {
		return o, nil
	}
	do, err := DecodeAction(wire.Do)
	if err != nil {
		return fail(err)
	}
	if _, nested := do.(ExecuteUntil); nested {
		return fail(errors.New("do is itself an execute_until"))
	}
	o.Do = do
	return o, nil
}
