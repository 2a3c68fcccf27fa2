package answer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"example.com/agentworld/world"
)

// ActionField is the field of a flat action that holds the action's name.
const ActionField = "action"

// idCharsMax bounds a place, agent or factory id in characters. No id of a world is
// longer.
const idCharsMax = 64

// registry are all actions, PlainActions those that a flat action can name: all but the
// standing order. Both are looked at several times in every answer.
var (
	registry     = world.Actions()
	standingName = world.ExecuteUntil{}.ActionName()
	PlainActions = slices.DeleteFunc(world.Actions(), func(s world.ActionSpec) bool { return s.Name == standingName })
)

// Slots are all slots of a flat action in the order of its schema: whom or where,
// which, what, how much.
var Slots = []world.Slot{world.SlotTo, world.SlotID, world.SlotWhat, world.SlotAmount, world.SlotPrice, world.SlotText}

// Slot returns the slot of an action's parameter, and the parameter's own name when the
// action has none of that name.
func Slot(action, parameter string) string {
	for _, spec := range PlainActions {
		for _, p := range spec.Params {
			if spec.Name == action && p.Name == parameter {
				return p.Slot().String()
			}
		}
	}
	return parameter
}

// actionNamed finds the action that a name stands for: the name itself, another
// spelling of it, or an alias exactly as the registry lists it. repair is empty for the
// name itself.
func actionNamed(name string) (spec world.ActionSpec, repair Repair, ok bool) {
	for _, s := range registry {
		if s.Name == name {
			return s, "", true
		}
	}
	for _, s := range registry {
		if sameName(s.Name, name) {
			return s, NameVariant, true
		}
	}
	for _, s := range registry {
		if slices.Contains(s.Aliases, name) {
			return s, ActionAlias, true
		}
	}
	return world.ActionSpec{}, "", false
}

// isAction reports whether a name stands for an action or for the standing order.
func isAction(name string) bool {
	_, _, ok := actionNamed(name)
	return ok
}

// isStanding reports whether a name is that of the standing order.
func isStanding(name string) bool {
	spec, _, _ := actionNamed(name)
	return spec.Name == standingName
}

// sameActionName reports whether two names stand for one action.
func sameActionName(a, b string) bool {
	first, _, _ := actionNamed(a)
	second, _, _ := actionNamed(b)
	return first.Name == second.Name
}

// sameName compares names without case and separators (moveAgent, move-agent, MOVE
// AGENT). It never takes one word for another: "move" is not move_agent, because a
// wrong guess would act in the agent's name.
func sameName(known, written string) bool {
	if known == written {
		return true
	}
	return written != "" && len(written) <= idCharsMax && bareName(known) == bareName(written)
}

// bareName drops case and separators from a name. Names of the registry stay
// distinct without them, which a test holds.
func bareName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// isParam reports whether an action has a parameter of that name, or knows it by it.
func isParam(action, name string) bool {
	spec, _, _ := actionNamed(action)
	return slices.ContainsFunc(spec.Params, func(p world.Param) bool { return p.Name == name || slices.Contains(p.Aliases, name) })
}

// takes reports whether an action has a use for a field: a slot or parameter of its own.
func takes(spec world.ActionSpec, name string) bool {
	return slices.ContainsFunc(spec.Params, func(p world.Param) bool { return p.Name == name || p.Slot().String() == name })
}

// isField reports whether any flat action has a field of that name.
func isField(name string) bool {
	return name == ActionField || slices.ContainsFunc(Slots, func(s world.Slot) bool { return s.String() == name }) ||
		slices.ContainsFunc(PlainActions, func(s world.ActionSpec) bool { return takes(s, name) })
}

// DecodeAction reads a flat action, more forgivingly than its schema. A parameter may
// be written in its slot or under its own name; that is [NamedParameter]. Amounts of
// any finite size are accepted and saturate at int64; whether the action is possible is
// for the world to say. Ids are passed on exactly as written.
func DecodeAction(raw json.RawMessage) (world.Action, []Repair, *ArgumentError) {
	v, used, fault := read(string(raw))
	if fault != nil {
		return nil, used, fault
	}
	action, more, fault := decodeAction(v)
	return action, append(used, more...), fault
}

// decodeAction reads the name first, because only the name says which of the other
// fields are needed, which are idle, and which amount has which unit.
func decodeAction(v Value) (action world.Action, used []Repair, fault *ArgumentError) {
	if v.Kind != Object {
		return nil, nil, mismatch("", "an action object", v)
	}
	for _, f := range v.Fields {
		if f.Value.Kind == String && isPlaceholder(f.Value.Text) && f.Name != "text" {
			path := f.Name
			if !isField(path) {
				path = "" // no name that a model made up gets into an error
			}
			return nil, nil, &ArgumentError{Path: path, Expected: "a value in place of the placeholder", Got: "a placeholder in angle brackets"}
		}
	}
	spec, repair, fault := plainAction(v.Field(ActionField))
	if fault != nil {
		return nil, nil, fault
	}
	if repair != "" {
		used = append(used, repair)
	}
	d := actionDecoder{spec: spec, repairs: used, written: map[string]string{}}
	d.object = d.unaliased(v)
	if action, fault = d.decode(); fault != nil {
		return nil, d.repairs, fault
	}
	return action, d.repairs, nil
}

// plainAction finds the action that the name field of a flat action stands for. A
// standing order is a frequent and honest mistake, so it gets its own hint.
func plainAction(name Value) (world.ActionSpec, Repair, *ArgumentError) {
	names := ActionNames()
	if name.Kind == Null {
		return world.ActionSpec{}, "", missing(ActionField, oneOf(names))
	}
	spec, repair, ok := actionNamed(name.Text)
	switch {
	case name.Kind != String || !ok || spec.Name == standingName && repair == ActionAlias:
		return world.ActionSpec{}, "", mismatch(ActionField, oneOf(names), name)
	case spec.Name == standingName:
		return world.ActionSpec{}, "", &ArgumentError{
			Path: ActionField, Expected: "the action to repeat, with " + standingName + " as a field beside it", Got: standingName,
		}
	}
	return spec, repair, nil
}

// ActionNames lists the names a flat action may have, in registry order.
func ActionNames() []string {
	names := make([]string, len(PlainActions))
	for i, spec := range PlainActions {
		names[i] = spec.Name
	}
	return names
}

// isPlaceholder reports a text such as <name>, which descriptions write for a value. It
// is not a value, and it shows what the model needs to be told.
func isPlaceholder(text string) bool {
	return len(text) > 2 && strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">") && !strings.ContainsAny(text[1:len(text)-1], "<>")
}

// actionDecoder reads the arguments of one flat action.
type actionDecoder struct {
	spec    world.ActionSpec
	object  Value
	repairs []Repair
	// written is the field in which each parameter was found.
	written map[string]string
}

// unaliased returns an action with the aliases of its fields replaced by their names.
// An alias gives way to the field itself, and to a name that the action knows anyway.
func (d *actionDecoder) unaliased(v Value) Value {
	out := Value{Kind: Object}
	for _, f := range v.Fields {
		i := slices.IndexFunc(d.spec.Params, func(p world.Param) bool { return slices.Contains(p.Aliases, f.Name) })
		if i >= 0 && f.Name != ActionField && !takes(d.spec, f.Name) {
			if p := d.spec.Params[i].Name; !v.gives(p) && !out.has(p) {
				f.Name = p
				d.repairs = append(d.repairs, FieldAlias)
			}
		}
		out.Fields = append(out.Fields, f)
	}
	return out
}

// decode refuses fields that no action has and notes values that this action has no use
// for. A flat schema invites a model to fill in a neighbour's field; an invented field
// means something that would silently be dropped. The registry has the last word on the
// arguments: it knows the choices and their aliases.
func (d *actionDecoder) decode() (world.Action, *ArgumentError) {
	for _, f := range d.object.Fields {
		switch {
		case !isField(f.Name):
			names := []string{ActionField}
			for _, s := range Slots {
				names = append(names, s.String())
			}
			return nil, unknownField("", names)
		case f.Name != ActionField && f.Value.Kind != Null && !takes(d.spec, f.Name):
			d.repairs = append(d.repairs, UnusedArgument)
		}
	}
	args, named := world.Args{}, false
	for _, p := range d.spec.Params {
		var fault *ArgumentError
		if args[p.Name], fault = d.argument(p); fault != nil {
			return nil, fault
		}
		named = named || p.Name != p.Slot().String() && d.object.gives(p.Name)
	}
	if named {
		d.repairs = append(d.repairs, NamedParameter)
	}
	action, err := world.MakeAction(d.spec.Name, args)
	if err != nil {
		return nil, refusedByWorld(d.spec, d.written, err)
	}
	made := world.ActionArgs(action)
	if slices.ContainsFunc(d.spec.Params, func(p world.Param) bool { return p.Kind == world.ParamText && made[p.Name] != args[p.Name] }) {
		d.repairs = append(d.repairs, TextCleaned)
	}
	return action, nil
}

// argument reads one parameter the action needs, from its slot or from the field of its
// own name. Both may be given, as long as they say the same: picking one of two values
// would be a guess.
func (d *actionDecoder) argument(p world.Param) (world.Value, *ArgumentError) {
	slot := p.Slot().String()
	d.written[p.Name] = slot
	if p.Name == slot || !d.object.gives(p.Name) {
		return d.read(p, slot)
	}
	read, fault := d.read(p, p.Name)
	if fault != nil || !d.object.gives(slot) {
		d.written[p.Name] = p.Name
		return read, fault
	}
	again, fault := d.read(p, slot)
	if fault == nil && again != read {
		fault = &ArgumentError{Path: slot, Expected: "the value that " + p.Name + " has, or only one of the two", Got: "another value"}
	}
	return again, fault
}

// read takes a parameter's value from a field. An id is passed on with every space
// and capital the model wrote: whether it exists is for the world to say, and an
// id that was tidied up could name another thing.
func (d *actionDecoder) read(p world.Param, name string) (world.Value, *ArgumentError) {
	given := d.object.Field(name)
	switch {
	case given.Kind == Null:
		return world.Value{}, missing(name, expectedOf(p))
	case p.Kind == world.ParamAmount:
		n, used, ok := given.integer()
		if !ok {
			return world.Value{}, mismatch(name, expectedOf(p), given)
		}
		d.repairs = append(d.repairs, used...)
		return world.Value{Int: n}, nil
	case given.Kind != String || p.Kind != world.ParamText && (given.Text == "" || len([]rune(given.Text)) > idCharsMax):
		return world.Value{}, mismatch(name, expectedOf(p), given)
	}
	return world.Value{Text: given.Text}, nil
}

// expectedOf describes what a parameter accepts.
func expectedOf(p world.Param) string {
	switch p.Kind {
	case world.ParamAmount:
		return "an integer number of " + p.Unit
	case world.ParamChoice:
		return oneOf(p.Choices)
	case world.ParamText:
		return fmt.Sprintf("a text of 1 to %d characters", p.Max)
	case world.ParamAgent:
		return fmt.Sprintf("an agent id of 1 to %d characters", idCharsMax)
	}
	return fmt.Sprintf("a %s id of 1 to %d characters", p.Kind, idCharsMax)
}
