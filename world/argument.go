package world

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"unicode/utf8"
)

// amountMax bounds every stock by far: genesis amounts are checked against it.
const amountMax = 1_000_000_000_000

// Args are an action's arguments by parameter name.
type Args map[string]Value

// Value is one argument: Int for a ParamAmount, Text for every other kind.
type Value struct {
	Int  int64
	Text string
}

// textArgumentMax bounds an id or name in an action, in bytes.
const textArgumentMax = 256

// ArgumentError says what is wrong with one argument of an action.
type ArgumentError struct {
	// Field is the parameter, "action" for the name, "do", "until" or "ignore" for
	// the parts of an execute_until.
	Field string
	// Problem is a fixed phrase; it never repeats the argument's text.
	Problem string
}

// Error implements error.
func (e *ArgumentError) Error() string { return e.Field + ": " + e.Problem }

// MakeAction builds the action called name from its arguments. Every parameter
// of the spec must be present and no other; fixed words must be listed ones (or
// their aliases). Amounts are not checked against bounds, nor names against what the world has
// of resources, recipes and kinds of factory: that is what [View.Clamp] and [View.Check] are for.
// Free text is cleaned: one line of valid UTF-8 without control characters, cut to its bound; it may
// end up empty, which the world refuses. The error is an [*ArgumentError].
// An execute_until is built by [NewExecuteUntil] instead.
func MakeAction(name string, args Args) (Action, error) {
	spec, ok := specNamed(name)
	if !ok {
		return nil, &ArgumentError{"action", "is not an action"}
	}
	if name == (ExecuteUntil{}).ActionName() {
		return nil, &ArgumentError{"action", "is an order around another action"}
	}
	for _, p := range spec.Params {
		if _, ok := args[p.Name]; !ok {
			return nil, &ArgumentError{p.Name, "is missing"}
		}
	}
	// Unknown names are only counted, not shown: they are untrusted text.
	if len(args) > len(spec.Params) {
		return nil, &ArgumentError{"action", fmt.Sprintf("takes %d arguments, got %d", len(spec.Params), len(args))}
	}
	checked := make([]Value, len(spec.Params))
	for i := range spec.Params {
		p := &spec.Params[i]
		v := args[p.Name]
		_, aliased := p.ChoiceAliases[v.Text]
		switch {
		case p.Kind == ParamAmount:
		case p.Kind == ParamText:
			v.Text = cleanText(v.Text, p.Max)
		case v.Text == "" && p.Optional:
		case v.Text == "":
			return nil, &ArgumentError{p.Name, "is empty"}
		case !utf8.ValidString(v.Text) || len(v.Text) > textArgumentMax:
			return nil, &ArgumentError{p.Name, fmt.Sprintf("is not valid text of at most %d bytes", textArgumentMax)}
		case p.Kind == ParamChoice && p.Lists == "" && !aliased && !slices.Contains(p.Choices, v.Text):
			return nil, &ArgumentError{p.Name, "is not one of its choices"}
		}
		checked[i] = v
	}
	return assemble(spec, checked), nil
}

// assemble makes an action of the values of its parameters, in their order. A choice may be
// given by an alias.
func assemble(spec ActionSpec, values []Value) Action {
	i := slices.IndexFunc(actions, func(a plainAction) bool { return a.ActionName() == spec.Name })
	made := reflect.New(reflect.TypeOf(actions[i])).Elem()
	for i, p := range spec.Params {
		if field, v := made.Field(i), values[i]; p.Kind == ParamAmount {
			field.SetInt(v.Int)
		} else if full, aliased := p.ChoiceAliases[v.Text]; aliased {
			field.SetString(full)
		} else {
			field.SetString(v.Text)
		}
	}
	return made.Interface().(Action)
}

// Listed reports whether a is an action of the registry itself, and not a caller's type
// that wraps one.
func Listed(a Action) bool {
	for i := range actions {
		if a != nil && specs[i].Name == a.ActionName() {
			return reflect.TypeOf(actions[i]) == reflect.TypeOf(a)
		}
	}
	return false
}

// Argument is one argument of an action: its parameter, which must not be changed, and its
// value.
type Argument struct {
	*Param
	Value
}

// Arguments goes through the arguments of a in the order of its parameters, for an
// [ExecuteUntil] those of what it repeats and for nil none.
func Arguments(a Action) iter.Seq[Argument] {
	return func(yield func(Argument) bool) {
		if order, ok := a.(ExecuteUntil); ok {
			a = order.Do
		}
		if a == nil {
			return
		}
		spec, ok := specNamed(a.ActionName())
		if !ok {
			panic("world: action " + a.ActionName() + " is not listed")
		}
		fields := reflect.ValueOf(a)
		for i := range spec.Params {
			arg := Argument{Param: &spec.Params[i]}
			if field := fields.Field(i); arg.Kind == ParamAmount {
				arg.Int = field.Int()
			} else {
				arg.Text = field.String()
			}
			if !yield(arg) {
				return
			}
		}
	}
}

// ActionArgs returns the arguments of a by parameter name; for an
// [ExecuteUntil] only its max_ticks, the inner action has arguments of its own.
func ActionArgs(a Action) Args {
	if order, ok := a.(ExecuteUntil); ok {
		return Args{"max_ticks": {Int: order.MaxTicks}}
	}
	args := Args{}
	for arg := range Arguments(a) {
		args[arg.Name] = arg.Value
	}
	return args
}
