package world

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// amountMax bounds every stock by far: genesis amounts are checked against it.
const amountMax = 1_000_000_000_000

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
// of the spec must be present and no other; choices must be listed ones (or a
// recipe's alias). Amounts are not checked against bounds: that is what
// [View.Clamp] and [View.Check] are for. Free text is cleaned: one line of valid
// UTF-8 without control characters, cut to its bound; it may end up empty, which
// the world refuses. The error is an [*ArgumentError].
// An execute_until is built by [NewExecuteUntil] instead.
func MakeAction(name string, args Args) (Action, error) {
	spec, ok := specNamed(name)
	if !ok {
		return nil, &ArgumentError{"action", "is not an action"}
	}
	if name == (ExecuteUntil{}).ActionName() {
		return nil, &ArgumentError{"action", "is an order around another action"}
	}
	if err := checkPresence(spec, args); err != nil {
		return nil, err
	}
	given := Args{}
	for _, p := range spec.Params {
		v := args[p.Name]
		if err := checkValue(p, v); err != nil {
			return nil, err
		}
		if p.Kind == ParamText {
			v.Text = cleanText(v.Text, p.Max)
		}
		given[p.Name] = v
	}
	return assemble(name, given), nil
}

// checkPresence demands exactly the parameters of the spec. The first one missing
// is named in schema order; names that do not belong are only counted, since they
// are text that somebody else wrote.
func checkPresence(spec ActionSpec, args Args) error {
	for _, p := range spec.Params {
		if _, ok := args[p.Name]; !ok {
			return &ArgumentError{p.Name, "is missing"}
		}
	}
	if len(args) > len(spec.Params) {
		return &ArgumentError{"action", fmt.Sprintf("takes %d arguments, got %d", len(spec.Params), len(args))}
	}
	return nil
}

// checkValue demands that an id is sound text and a choice is offered.
func checkValue(p Param, v Value) error {
	if p.Kind == ParamAmount || p.Kind == ParamText {
		return nil
	}
	if v.Text == "" {
		return &ArgumentError{p.Name, "is empty"}
	}
	if !utf8.ValidString(v.Text) || len(v.Text) > textArgumentMax {
		return &ArgumentError{p.Name, fmt.Sprintf("is not valid text of at most %d bytes", textArgumentMax)}
	}
	if p.Kind == ParamChoice && !isChoice(p, v.Text) {
		return &ArgumentError{p.Name, "is not one of its choices"}
	}
	return nil
}

// isChoice also accepts the alias of a recipe, which assemble replaces.
func isChoice(p Param, text string) bool {
	for _, c := range p.Choices {
		if c == text {
			return true
		}
	}
	_, isRecipe := recipeNumber(Recipes(), text)
	return p.Name == "recipe_id" && isRecipe
}

// assemble makes the value of an action whose arguments are all present.
func assemble(name string, args Args) Action {
	switch name {
	case "wait":
		return Wait{}
	case "wait_ticks":
		return WaitTicks{Ticks: args["ticks"].Int}
	case "move_agent":
		return Move{To: args["to"].Text}
	case "harvest_radiation":
		return Harvest{MaxAmount: args["max_amount"].Int}
	case "mine_compound":
		return Mine{MassG: args["compound_mass_g"].Int}
	case "refine_compound":
		return Refine{MassG: args["compound_mass_g"].Int}
	case "build_factory":
		return BuildFactory{FactoryKind: args["factory_kind"].Text}
	case "schedule_recipe":
		id := fullRecipeID(args["recipe_id"].Text)
		return ScheduleRecipe{FactoryID: args["factory_id"].Text, RecipeID: id, Batches: args["batches"].Int}
	case "transfer_resource":
		return Transfer{To: args["to_agent"].Text, Kind: args["kind"].Text, Amount: args["amount"].Int}
	case "send_message":
		return SendMessage{To: args["to_agent"].Text, Text: args["text"].Text}
	case "post_note":
		return PostNote{Text: args["text"].Text}
	}
	if a, ok := assembleTrade(name, args); ok {
		return a
	}
	panic("world: registry lists the action " + name + " but nothing assembles it")
}

// fullRecipeID replaces a recipe's alias by its id and leaves other text alone.
func fullRecipeID(name string) string {
	recipes := Recipes()
	if i, ok := recipeNumber(recipes, name); ok {
		return recipes[i].ID
	}
	return name
}

// ActionArgs returns the arguments of a by parameter name; for an
// [ExecuteUntil] only its max_ticks, the inner action has arguments of its own.
func ActionArgs(a Action) Args {
	amount := func(n int64) Value { return Value{Int: n} }
	text := func(s string) Value { return Value{Text: s} }
	switch a := a.(type) {
	case Wait:
		return Args{}
	case WaitTicks:
		return Args{"ticks": amount(a.Ticks)}
	case Move:
		return Args{"to": text(a.To)}
	case Harvest:
		return Args{"max_amount": amount(a.MaxAmount)}
	case Mine:
		return Args{"compound_mass_g": amount(a.MassG)}
	case Refine:
		return Args{"compound_mass_g": amount(a.MassG)}
	case BuildFactory:
		return Args{"factory_kind": text(a.FactoryKind)}
	case ScheduleRecipe:
		return Args{"factory_id": text(a.FactoryID), "recipe_id": text(a.RecipeID), "batches": amount(a.Batches)}
	case Transfer:
		return Args{"to_agent": text(a.To), "kind": text(a.Kind), "amount": amount(a.Amount)}
	case SendMessage:
		return Args{"to_agent": text(a.To), "text": text(a.Text)}
	case PostNote:
		return Args{"text": text(a.Text)}
	case ExecuteUntil:
		return Args{"max_ticks": amount(a.MaxTicks)}
	}
	if args, ok := tradeArgs(a); ok {
		return args
	}
	panic(fmt.Sprintf("world: action type %T is not in the registry", a))
}

// ConditionsMax bounds the conditions of one standing order.
const ConditionsMax = 8

// NewExecuteUntil builds a standing order. The inner action must not be another
// order, at least one condition is needed, a condition has a value exactly when
// its event takes one, and only events of [StopAlways] can be ignored. MaxTicks is
// left to [View.Clamp]. Ignored events are put in their fixed order, each once, so
// that equal orders are equal. The error is an [*ArgumentError].
func NewExecuteUntil(do Action, until []Condition, maxTicks int64, ignore ...string) (ExecuteUntil, error) {
	order := ExecuteUntil{Do: do, Until: append([]Condition(nil), until...), MaxTicks: maxTicks}
	for _, event := range ignore {
		if !slices.Contains(StopAlways(), event) {
			return ExecuteUntil{}, errIgnore
		}
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
		if p := c.problem(); p != "" {
			return &ArgumentError{"until", p}
		}
	}
	for i, event := range o.Ignore {
		if !slices.Contains(StopAlways(), event) || slices.Contains(o.Ignore[:i], event) {
			return errIgnore
		}
	}
	return nil
}

// problem says in a fixed phrase what is wrong with the condition, "" if nothing.
func (c Condition) problem() string {
	event, ok := stopEventNamed(c.Event)
	switch {
	case !ok:
		return "names an event that does not exist"
	case event.TakesValue && c.Value == nil:
		return event.Name + " needs value"
	case !event.TakesValue && c.Value != nil:
		return event.Name + " takes no value"
	case c.Value != nil && *c.Value < 0:
		return event.Name + " needs a value of at least 0"
	}
	return ""
}
