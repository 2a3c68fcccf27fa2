package answer

import (
	"cmp"
	"encoding/json"
	"errors"
	"regexp"
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
	allSlots     = Slots()
)

// Slots are the slots of a flat action in the order of its schema: whom or where, which,
// what, how much. Those that only needless actions have are left out.
func Slots(needless ...string) (slots []world.Slot) {
	for s := range world.SlotCount {
		has := func(a world.ActionSpec) bool { return !slices.Contains(needless, a.Name) && takes(a, s.String()) }
		if slices.ContainsFunc(PlainActions, has) {
			slots = append(slots, s)
		}
	}
	return slots
}

// Slot returns the slot of an action's parameter, and the parameter's own name when the
// action has none of that name. What belongs to a standing order is no slot of a candidate.
func Slot(action, parameter string) string {
	if action == (world.ExecuteUntil{}).ActionName() {
		return parameter
	}
	for _, p := range actionSpec(action).Params {
		if p.Name == parameter {
			return p.Slot().String()
		}
	}
	return parameter
}

// actionNamed finds the action that a name means: the name itself, another spelling of it, or an
// alias exactly as the registry lists it. repair is empty for the name itself.
func actionNamed(name string) (spec world.ActionSpec, repair Repair, ok bool) {
	if i, known := actionNames[name]; known {
		return registry[i], "", true
	}
	if name != "" && len(name) <= idCharsMax {
		if i, known := bareActionNames[bareName(name)]; known {
			return registry[i], NameVariant, true
		}
	}
	if i, known := actionAliases[name]; known {
		return registry[i], ActionAlias, true
	}
	return world.ActionSpec{}, "", false
}

// The actions of the registry by their names, by their names as [sameName] compares them and by
// their aliases. Of two with one alias it means the first.
var actionNames, bareActionNames, actionAliases = func() (names, bare, aliases map[string]int) {
	names = map[string]int{}
	bare = map[string]int{}
	aliases = map[string]int{}
	for i, s := range slices.Backward(registry) {
		names[s.Name], bare[bareName(s.Name)] = i, i
		for _, alias := range s.Aliases {
			aliases[alias] = i
		}
	}
	return names, bare, aliases
}()

// isAction reports whether a name means an action or the standing order.
func isAction(name string) bool {
	_, _, ok := actionNamed(name)
	return ok
}

func isStanding(name string) bool { return actionSpec(name).Name == standingName }

func sameActionName(a, b string) bool { return actionSpec(a).Name == actionSpec(b).Name }

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
		if r == '_' || r == '-' || r == '.' || unicode.IsSpace(r) || isInvisible(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// isParam reports whether an action has a parameter of that name, or knows it by it.
func isParam(action, name string) bool {
	known := func(p world.Param) bool { return p.Name == name || slices.Contains(p.Aliases, name) }
	return slices.ContainsFunc(actionSpec(action).Params, known)
}

// takes reports whether an action has a use for a field: a slot or parameter of its own.
func takes(spec world.ActionSpec, name string) bool {
	return slices.ContainsFunc(spec.Params,
		func(p world.Param) bool { return p.Name == name || p.Slot().String() == name })
}

// isField reports whether any flat action has a field of that name.
func isField(name string) bool {
	return name == ActionField || slices.ContainsFunc(allSlots, func(s world.Slot) bool { return s.String() == name }) ||
		slices.ContainsFunc(PlainActions, func(s world.ActionSpec) bool { return takes(s, name) })
}

// DecodeAction reads a flat action, more forgivingly than its schema. A parameter may
// be written in its slot or under its own name; that is [NamedParameter]. Amounts of
// any finite size are accepted and saturate at int64; whether the action is possible is
// for the world to say. Ids are passed on exactly as written. Names of resources, recipes and kinds of
// factory are those of an industry, nil for the built-in one. The steps that follow it, as a candidate has them,
// are read too.
func DecodeAction(raw json.RawMessage, industry *world.Industry) (world.Action, []Repair, *ArgumentError) {
	v, used, fault := read(string(raw))
	if fault != nil {
		return nil, used, fault
	}
	names := Names{industry: industry}
	action, more, fault := decodeAction(v.without(thenField), names, nil)
	used = append(used, more...)
	if fault != nil || v.Field(thenField).isNothing() {
		return action, used, fault
	}
	action, more, fault = decodeThen(v.Field(thenField), action, names, world.ThenMax)
	return action, append(used, more...), fault
}

// ActionNames lists the names a flat action may have, in registry order, without the
// needless ones.
func ActionNames(needless ...string) []string {
	var names []string
	for _, spec := range PlainActions {
		if !slices.Contains(needless, spec.Name) {
			names = append(names, spec.Name)
		}
	}
	return names
}

// decodeAction reads the name first, because only the name says which of the other
// fields are needed, which are idle, and which amount has which unit. With open, needed
// fields may be absent, and are added to it.
//
// An alias of a field gives way to the field itself, and to a name that the action knows
// anyway. Fields that no action has are refused, and values that this action has no use for
// are noted: a flat schema invites a model to fill in a neighbour's field; an invented field
// means something that would silently be dropped. A parameter is read from its slot or from
// the field of its own name. Both may be given, as long as they say the same: picking one of
// two values would be a guess.
func decodeAction(v Value, names Names, open *[]world.Slot) (action world.Action, used []Repair, fault *ArgumentError) {
	if v.Kind != Object {
		return nil, nil, mismatch("", say("an action object"), v)
	}
	fault = placeholders(v)
	if fault != nil {
		return nil, nil, fault
	}
	spec, used, fault := plainAction(v.Field(ActionField), names)
	if fault != nil {
		return nil, nil, fault
	}
	spec.Params = names.params(spec)
	object, wrote := v, map[string]string(nil)
	for at, f := range v.Fields {
		i := slices.IndexFunc(spec.Params, func(p world.Param) bool { return slices.Contains(p.Aliases, f.Name) })
		if i < 0 || f.Name == ActionField || takes(spec, f.Name) {
			continue
		}
		if p := spec.Params[i].Name; !v.gives(p) && !(Value{Fields: object.Fields[:at]}).has(p) {
			if wrote == nil {
				object.Fields, wrote = slices.Clone(v.Fields), map[string]string{}
			}
			wrote[p], object.Fields[at].Name = f.Name, p
			used = append(used, FieldAlias)
		}
	}
	for _, f := range object.Fields {
		switch {
		case !isField(f.Name):
			fields := []string{ActionField}
			for _, s := range Slots(names.untold()...) {
				fields = append(fields, s.String())
			}
			fault = Faults(fault, unknownField("", f.Name, fields))
		case f.Name != ActionField && f.Value.Kind != Null && !takes(spec, f.Name):
			used = append(used, UnusedArgument)
		}
	}
	args, named := make(world.Args, len(spec.Params)), false
	read := func(p world.Param, name string) (value world.Value) {
		given := object.Field(name)
		if given.Kind == Null && open != nil && !p.Optional {
			*open = append(*open, p.Slot())
			return standIn(p)
		}
		value, more, wrong := argument(p, cmp.Or(wrote[name], name), given,
			func() Phrase { return names.expected(spec.Name, p) })
		used, fault = append(used, more...), Faults(fault, wrong)
		if wrong != nil {
			return standIn(p) // the others are told, too
		}
		return value
	}
	for _, p := range spec.Params {
		slot := p.Slot().String()
		if p.Name == slot || !object.gives(p.Name) {
			args[p.Name] = read(p, slot)
			continue
		}
		named = true
		args[p.Name] = read(p, p.Name)
		if object.gives(slot) && fault == nil {
			if again := read(p, slot); fault == nil && again != args[p.Name] {
				fault = &ArgumentError{Path: slot, Expected: say("the value that {field} has, or only one of the two", p.Name),
					Got: say("another value")}
			}
		}
	}
	if named {
		used = append(used, NamedParameter)
	}
	action, err := world.MakeAction(spec.Name, args)
	for _, p := range spec.Params {
		// The registry names one argument at a time.
		var refused *world.ArgumentError
		if errors.As(err, &refused) && refused.Field == p.Name {
			path := p.Slot().String()
			if object.gives(p.Name) && !object.gives(path) {
				path = p.Name
			}
			fault = Faults(fault, &ArgumentError{Path: cmp.Or(wrote[path], path), Expected: expectedOf(p),
				Got: say("a value it does not accept")})
			args[p.Name] = standIn(p)
			action, err = world.MakeAction(spec.Name, args)
		}
	}
	if fault != nil {
		return nil, used, fault
	}
	if err != nil {
		panic("answer: the action registry refused " + spec.Name + " without naming an argument: " + err.Error())
	}
	for made := range world.Arguments(action) {
		if made.Kind == world.ParamText && made.Value != args[made.Name] {
			used = append(used, TextCleaned)
			break
		}
	}
	return action, used, nil
}

// plainAction finds the action that a name means, if it is no standing order.
func plainAction(name Value, names Names) (spec world.ActionSpec, used []Repair, fault *ArgumentError) {
	spec, repair, ok := actionNamed(name.Text)
	switch {
	case name.Kind == Null:
		fault = missing(ActionField, oneOf(ActionNames(names.untold()...)))
	case name.Kind != String || !ok || spec.Name == standingName && repair == ActionAlias:
		fault = mismatch(ActionField, oneOf(ActionNames(names.untold()...)), name)
	case spec.Name == standingName:
		// A frequent and honest mistake gets its own hint.
		fault = &ArgumentError{
			Path: ActionField, Expected: say("the action to repeat, with {field} as a field beside it", standingName),
			Got: say("{name}", standingName),
		}
	case repair != "":
		used = []Repair{repair}
	}
	return spec, used, fault
}

// placeholders refuses a text such as <name>, which descriptions write in place of a value. The
// error shows what the model must fill in.
func placeholders(v Value) (fault *ArgumentError) {
	for _, f := range v.Fields {
		if f.Value.Kind == String && placeholder.MatchString(f.Value.Text) && f.Name != "text" {
			path := f.Name
			if !isField(path) {
				path = "" // no name that a model made up gets into an error
			}
			fault = Faults(fault, &ArgumentError{Path: path, Expected: say("a value in place of the placeholder"),
				Got: say("a placeholder in angle brackets")})
		}
	}
	return fault
}

// placeholder matches a text in place of a value to be filled in.
var placeholder = regexp.MustCompile(`^<[^<>]+>$`)

// thousands matches a number with a mark at each thousand.
var thousands = regexp.MustCompile(`^-?[1-9]\d{0,2}(,\d{3})+$`)

// argument reads the value that was given for a parameter in a field. An id is passed on
// with every space and capital the model wrote: whether it exists is for the world to say,
// and an id that was tidied up could name another thing.
func argument(p world.Param, field string, given Value, expected func() Phrase) (world.Value, []Repair,
	*ArgumentError) {
	switch {
	case p.Optional && (given.Kind == Null || given.Kind == String && given.Text == ""):
		return world.Value{}, nil, nil
	case given.Kind == Null:
		return world.Value{}, nil, missing(field, expected())
	case p.Kind == world.ParamAmount:
		if given.Kind == String {
			// A number may be followed by its unit, and may hold marks of thousands.
			given.Text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(given.Text), p.Unit))
			if thousands.MatchString(given.Text) {
				given.Text = strings.ReplaceAll(given.Text, ",", "")
			}
		}
		n, used, ok := given.integer()
		if !ok {
			return world.Value{}, nil, mismatch(field, expected(), given)
		}
		return world.Value{Int: n}, used, nil
	case given.Kind != String || p.Kind != world.ParamText && (given.Text == "" || len([]rune(given.Text)) > idCharsMax):
		return world.Value{}, nil, mismatch(field, expected(), given)
	}
	if _, aliased := p.ChoiceAliases[given.Text]; p.Kind == world.ParamChoice && !aliased &&
		!slices.Contains(p.Choices, given.Text) {
		meant := choicesOf(p, given.Text)
		if len(meant) == 0 {
			meant = choicesOf(p, strings.TrimSuffix(given.Text, massSuffix))
		}
		switch len(meant) {
		case 0:
			return world.Value{}, nil, &ArgumentError{Path: field, Expected: expected(), Got: say("a value it does not accept")}
		case 1:
			return world.Value{Text: meant[0]}, []Repair{ChoicePart}, nil
		default:
			return world.Value{}, nil, mismatch(field, oneOf(meant), given)
		}
	}
	return world.Value{Text: given.Text}, nil, nil
}

// massSuffix ends the names of amounts of a resource in grams, such as compound_g.
const massSuffix = "_g"

// choicesOf are the choices of a parameter that a text respells, whole or by their last parts.
// The list is fixed, so nothing else can be meant. control_chip means
// recipe.assembler.control_chip. Ids of things are never completed.
func choicesOf(p world.Param, text string) (meant []string) {
	for _, choice := range p.Choices {
		for part, more := choice, true; more; _, part, more = strings.Cut(part, ".") {
			if sameName(part, text) {
				meant = append(meant, choice)
				break
			}
		}
	}
	return meant
}

// standIn is a value that an action can be made with, whatever else it is.
func standIn(p world.Param) world.Value {
	v := world.Value{Text: "open", Int: p.Min}
	if p.Kind == world.ParamChoice {
		v.Text = p.Choices[0]
	}
	return v
}

// boundsTold is the highest bound of an amount that is told. Higher ones are beyond what agents have.
const boundsTold = 1_000_000

// expectedOf describes what a parameter accepts.
func expectedOf(p world.Param) Phrase {
	switch {
	case p.Kind == world.ParamAmount && p.Max <= boundsTold:
		return say("an integer number of {unit}, {least}-{most}", Noun(p.Unit), p.Min, p.Max)
	case p.Kind == world.ParamAmount && p.Unit == "units":
		return say("an integer number of units")
	case p.Kind == world.ParamAmount:
		return say("an integer number of {unit}", Noun(p.Unit))
	case p.Kind == world.ParamChoice:
		return oneOf(p.Choices)
	case p.Kind == world.ParamText:
		return say("a text of 1 to {most} characters", p.Max)
	case p.Kind == world.ParamAgent, p.Kind == world.ParamOrder, p.Kind == world.ParamOffer:
		return say("an {kind} id of 1 to {most} characters", Noun(p.Kind), idCharsMax)
	}
	return say("a {kind} id of 1 to {most} characters", Noun(p.Kind), idCharsMax)
}
