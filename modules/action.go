package modules

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"example.com/agentworld/world"
)

// textArgumentMax bounds a place, agent or factory id in characters. No id of a
// world is longer.
const textArgumentMax = 64

// DecodeAction reads a flat action as [ActionSchema] describes it, and more
// forgivingly than a schema check would: what it forgives is listed. A parameter
// may be written in its slot or under its own name in the registry; that is
// [NamedParameter], for the caller to overlook where names are the norm. Amounts of
// any finite size are accepted and saturate at int64; whether the action is
// possible is for the world to say. Ids are passed on exactly as written.
func DecodeAction(raw json.RawMessage) (world.Action, []Leniency, *ArgumentError) {
	v, used, fault := parseArguments(raw)
	if fault != nil {
		return nil, used, fault
	}
	v, aliases, fault := plainly(v)
	if fault != nil {
		return nil, used, fault
	}
	d := actionDecoder{object: v}
	d.use(append(used, aliases...)...)
	action, fault := d.decode()
	if fault != nil {
		return nil, d.leniencies, fault
	}
	return action, d.leniencies, nil
}

// actionDecoder reads one flat action object.
type actionDecoder struct {
	repairs
	object value
	// written is the field in which each parameter was found, named says that one
	// of them was not its slot.
	written map[string]string
	named   bool
}

// decode reads the name first, because only the name says which of the other
// fields are needed, which are idle, and which amount has which unit.
func (d *actionDecoder) decode() (world.Action, *ArgumentError) {
	if d.object.kind != kindObject {
		return nil, mismatch("", "an action object", d.object)
	}
	spec, fault := d.spec()
	if fault != nil {
		return nil, fault
	}
	if fault := d.checkFields(spec); fault != nil {
		return nil, fault
	}
	args := world.Args{}
	d.written = map[string]string{}
	for _, p := range spec.Params {
		if args[p.Name], fault = d.argument(p); fault != nil {
			return nil, fault
		}
	}
	if d.named {
		d.use(NamedParameter)
	}
	action, fault := d.makeAction(spec, args)
	if fault == nil && cleaned(spec, args, action) {
		d.use(TextCleaned)
	}
	return action, fault
}

// cleaned reports whether the registry changed a free text.
func cleaned(spec world.ActionSpec, given world.Args, action world.Action) bool {
	made := world.ActionArgs(action)
	return slices.ContainsFunc(spec.Params, func(p world.Param) bool {
		return p.Kind == world.ParamText && made[p.Name] != given[p.Name]
	})
}

// makeAction lets the registry have the last word on the arguments: it knows the
// choices and their aliases, so they are not checked a second time here.
func (d *actionDecoder) makeAction(spec world.ActionSpec, args world.Args) (world.Action, *ArgumentError) {
	action, err := world.MakeAction(spec.Name, args)
	if err != nil {
		return nil, refusedByWorld(spec, d.written, err)
	}
	return action, nil
}

// spec finds the action the object names.
func (d *actionDecoder) spec() (world.ActionSpec, *ArgumentError) {
	name := d.object.field(actionField)
	if name.kind == kindNull {
		return world.ActionSpec{}, missing(actionField, oneOf(actionNames()))
	}
	if name.kind != kindString {
		return world.ActionSpec{}, mismatch(actionField, oneOf(actionNames()), name)
	}
	known, used, ok := resolveName(name.text, actionNames())
	if !ok {
		return world.ActionSpec{}, unknownAction(name)
	}
	d.use(used...)
	return plainActions[slices.IndexFunc(plainActions, func(s world.ActionSpec) bool { return s.Name == known })], nil
}

// unknownAction explains a name that is not in the registry. A standing order is
// a frequent and honest mistake, so it gets its own hint.
func unknownAction(name value) *ArgumentError {
	if standing, _, ok := resolveName(name.text, []string{standingName}); ok {
		return &ArgumentError{
			Path: actionField, Expected: "the action to repeat, with " + standing + " as a field beside it", Got: standing,
		}
	}
	return mismatch(actionField, oneOf(actionNames()), name)
}

// checkFields refuses fields that no action has and notes values that this action
// has no use for. The difference matters: a flat schema invites a model to fill
// in a neighbour's field, while an invented field shows that it means something
// this program would silently drop.
func (d *actionDecoder) checkFields(spec world.ActionSpec) *ArgumentError {
	for _, f := range d.object.fields {
		if f.name != actionField && !isSlot(f.name) && !isParameter(f.name) {
			return unknownField("", actionFields())
		}
		if f.name != actionField && f.value.kind != kindNull && !takes(spec, f.name) {
			d.use(UnusedArgument)
		}
	}
	return nil
}

// actionFields are the fields of a flat action as its schema lists them.
func actionFields() []string {
	names := []string{actionField}
	for _, s := range slots {
		names = append(names, s.String())
	}
	return names
}

// argument reads one parameter the action needs, from its slot or from the field
// of its own name. Both may be given, as long as they say the same: picking one of
// two values would be a guess.
func (d *actionDecoder) argument(p world.Param) (world.Value, *ArgumentError) {
	own := slotOf(p)
	d.written[p.Name] = own
	named := d.object.field(p.Name)
	if p.Name == own || named.kind == kindNull {
		return d.read(p, own)
	}
	d.named = true
	read, fault := d.read(p, p.Name)
	if fault != nil || d.object.field(own).kind == kindNull {
		d.written[p.Name] = p.Name
		return read, fault
	}
	again, fault := d.read(p, own)
	if fault == nil && again != read {
		fault = &ArgumentError{Path: own, Expected: "the value that " + p.Name + " has, or only one of the two", Got: "another value"}
	}
	return again, fault
}

// read takes a parameter's value from a field. An id is passed on with every space
// and capital the model wrote: whether it exists is for the world to say, and an
// id that was tidied up could name another thing.
func (d *actionDecoder) read(p world.Param, name string) (world.Value, *ArgumentError) {
	given := d.object.field(name)
	switch {
	case given.kind == kindNull:
		return world.Value{}, missing(name, expectedOf(p))
	case p.Kind == world.ParamAmount:
		n, used, ok := asInteger(given)
		if !ok {
			return world.Value{}, mismatch(name, expectedOf(p), given)
		}
		d.use(used...)
		return world.Value{Int: n}, nil
	case p.Kind == world.ParamText && given.kind == kindString:
		return world.Value{Text: given.text}, nil
	case given.kind != kindString || given.text == "" || len([]rune(given.text)) > textArgumentMax:
		return world.Value{}, mismatch(name, expectedOf(p), given)
	}
	return world.Value{Text: given.text}, nil
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
	}
	if p.Kind == world.ParamAgent {
		return fmt.Sprintf("an agent id of 1 to %d characters", textArgumentMax)
	}
	return fmt.Sprintf("a %s id of 1 to %d characters", p.Kind, textArgumentMax)
}

// resolveName finds the known name that text spells: exactly, or in another case
// or with other separators (moveAgent, move-agent, MOVE AGENT). It never guesses
// between different words: "move" is not move_agent, because a wrong guess would
// act in the agent's name.
func resolveName(text string, known []string) (name string, used []Leniency, ok bool) {
	if slices.Contains(known, text) {
		return text, nil, true
	}
	if text == "" || len(text) > textArgumentMax {
		return "", nil, false
	}
	bare := bareName(text)
	for _, name := range known {
		if len(bare) <= len(name) && bareName(name) == bare {
			return name, []Leniency{NameVariant}, true
		}
	}
	return "", nil, false
}

// bareName drops case and separators from a name. Names of the registry stay
// distinct without them, which a test holds.
func bareName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
