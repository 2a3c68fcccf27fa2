package answer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
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
// what, how much. Those that only needless requests and offers have are left out.
func Slots(needless ...string) []world.Slot {
	slots := []world.Slot{world.SlotTo, world.SlotID, world.SlotWhat, world.SlotAmount, world.SlotPrice, world.SlotText}
	for _, s := range []world.Slot{world.SlotWant, world.SlotWantAmount, world.SlotForTicks} {
		has := func(a world.ActionSpec) bool { return !slices.Contains(needless, a.Name) && takes(a, s.String()) }
		if slices.ContainsFunc(PlainActions, has) {
			slots = append(slots, s)
		}
	}
	return slots
}

// Slot returns the slot of an action's parameter, and the parameter's own name when the
// action has none of that name.
func Slot(action, parameter string) string {
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
// for the world to say. Ids are passed on exactly as written.
func DecodeAction(raw json.RawMessage) (world.Action, []Repair, *ArgumentError) {
	v, used, fault := read(string(raw))
	if fault != nil {
		return nil, used, fault
	}
	action, more, fault := decodeAction(v, Names{}, nil)
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
// two values would be a guess. The registry has the last word on the arguments: it knows the
// choices and their aliases.
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
		case 0: // what the world refuses, with all its choices
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

// expectedOf describes what a parameter accepts.
func expectedOf(p world.Param) Phrase {
	switch {
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

// decodeStanding reads the standing order of an action and wraps do, a plain action, into it. For
// null it returns do as it is. The world clamps a number of ticks out of bounds.
func decodeStanding(v Value, do world.Action) (order world.Action, used []Repair, fault *ArgumentError) {
	v, used, fault = open(v)
	switch {
	case fault != nil:
		return nil, used, fault
	case v.Kind == Null:
		return do, used, nil
	case v.isNothing():
		return do, append(used, ForeignLiteral), nil
	case v.Kind != Object:
		return nil, used, mismatch("", say("an object with the fields {fields}", strings.Join(standingFields, ", ")), v)
	}
	v, respelt := respelled(v, slices.Concat(standingFields, eventKeys))
	v, nulls := withNulls(v)
	used = slices.Concat(used, respelt, nulls)
	at := "until"
	list := v.Field("until")
	rest := v
	if !v.has("until") && slices.ContainsFunc(eventKeys, v.has) {
		// Conditions in the order's place.
		at = ""
		list = Value{Kind: Object}
		rest = Value{Kind: Object}
		for _, f := range v.Fields {
			if slices.Contains(standingFields, f.Name) {
				rest.Fields = append(rest.Fields, f)
			} else {
				list.Fields = append(list.Fields, f)
			}
		}
	}
	if n, _, ok := v.Field("max_ticks").integer(); ok && n <= 1 && list.isNothing() {
		return do, append(used, ForeignLiteral), nil // once
	}
	until, dropped, more, fault := conditionsOf(at, list)
	used = append(used, more...)
	// Strict schemas require the field, but providers that do not enforce them let
	// models leave it out.
	maxTicks := int64(world.StandingTicksDefault)
	if given := v.Field("max_ticks"); given.Kind == Null {
		used = append(used, DefaultMaxTicks)
	} else {
		n, rounded, ok := given.integer()
		if !ok {
			fault = Faults(fault, mismatch("max_ticks", say("an integer number of {unit}", Noun(world.Ticks)), given))
		}
		maxTicks, used = n, append(used, rounded...)
	}
	var ignore []string
	if list := v.Field("ignore"); list.Kind != Null {
		switch {
		case list.Kind != Array:
			fault = Faults(fault, mismatch("ignore", say("an array with one of {names}", strings.Join(world.StopAlways(), ", ")),
				list))
		case len(list.Items) > world.ConditionsMax:
			fault = Faults(fault, TooMany("ignore", world.ConditionsMax, len(list.Items)))
		}
		for i, item := range list.Items[:min(len(list.Items), world.ConditionsMax)] {
			name, variant, wrong := nameAmong(fmt.Sprintf("ignore[%d]", i), item, world.StopAlways())
			fault = Faults(fault, wrong)
			ignore, used = append(ignore, name), append(used, variant...)
		}
	}
	fault = Faults(fault, closed("", rest, standingFields, nil))
	if fault != nil {
		return nil, used, Faults(dropped, fault)
	}
	order, err := world.NewExecuteUntil(do, until, maxTicks, ignore...)
	if err != nil {
		return nil, used, &ArgumentError{Path: "until", Expected: say("conditions the world accepts"), Got: say("others")}
	}
	return order, used, nil
}

// withNulls is an object with null in place of every text that models write for it.
func withNulls(v Value) (nulls Value, used []Repair) {
	for _, f := range v.Fields {
		if f.Value.isNullText() {
			v.set(f.Name, Value{Kind: Null})
			used = []Repair{ForeignLiteral}
		}
	}
	return v, used
}

// conditionsOf reads the conditions. An order without any is repeated until it is rejected, which
// ends every order anyway. Names that are no events are dropped if at least one event is left and
// nothing else of the order is wrong: the model hopes to be woken by more events than exist, and
// the events left wake it. A threshold cannot be guessed, so a missing one is an error. A
// superfluous threshold cannot change anything, so it is dropped. So is one under another name if
// there is one under its own.
func conditionsOf(path string, v Value) (conditions []world.Condition, dropped *ArgumentError, used []Repair,
	fault *ArgumentError) {
	if v.Kind != Array && v.Kind != Object && (v.Kind != String || v.Text == "") && v.Kind != Null {
		return nil, nil, nil, mismatch(path, say("an array of conditions"), v)
	}
	list, reshaped, fault := conditionsIn(path, v, &used)
	if len(list) > world.ConditionsMax {
		return nil, nil, nil, Faults(fault, TooMany(path, world.ConditionsMax, len(list)))
	}
	if len(list) == 0 && fault == nil {
		return []world.Condition{{Event: world.StopActionRejected}}, nil, []Repair{DefaultUntil}, nil
	}
	if reshaped {
		used = append(used, EventList)
	}
	serious := fault != nil
	for _, c := range list {
		events := world.StopEvents()
		i := slices.IndexFunc(events, func(e world.StopEvent) bool { return sameName(e.Name, c.name.Text) })
		if i < 0 || c.name.Kind != String {
			fault = Faults(fault, mismatch(c.at, oneOf(EventNames()), c.name))
			continue
		}
		event := events[i]
		if event.Name != c.name.Text {
			used = append(used, NameVariant)
		}
		condition, threshold := world.Condition{Event: event.Name}, c.in.Field("value")
		for _, name := range thresholdNames {
			switch {
			case !c.in.gives(name) || c.shared && !event.TakesValue:
			case threshold.Kind == Null:
				threshold, used = c.in.Field(name), append(used, ThresholdName)
			default:
				used = append(used, UnusedArgument)
			}
		}
		if event.TakesValue {
			n, rounded, ok := threshold.integer()
			if !ok || n < 0 {
				where := c.at
				if c.in.Kind == Object {
					where = below(c.path, "value")
				}
				serious = true
				fault = Faults(fault, mismatch(where, say("an integer of at least 0 for {event}", event.Name), threshold))
			}
			condition.Value, used = &n, append(used, rounded...)
		} else if threshold.Kind != Null && !c.shared {
			used = append(used, UnusedArgument) // of several events it may be another's
		}
		conditions = append(conditions, condition)
	}
	if len(conditions) == 0 || fault == nil || serious {
		return conditions, nil, used, fault
	}
	return conditions, fault, append(used, EventDropped), nil
}

// writtenCondition is one event as a model names it: the name, its place, and the object that it
// is in, if any. Several events may share the object.
type writtenCondition struct {
	name, in Value
	path, at string
	shared   bool
}

// conditionsIn takes conditions apart, one per event: from one object or a list of them, from
// names in a list or in a text, separated by commas or bars. reshaped says that it is no
// list of objects with one event each.
func conditionsIn(path string, v Value, used *[]Repair) (list []writtenCondition, reshaped bool, fault *ArgumentError) {
	switch {
	case v.Kind == Array:
		for i, item := range v.Items {
			inner, changed, wrong := conditionsIn(fmt.Sprintf("%s[%d]", path, i), item, used)
			list, fault = append(list, inner...), Faults(fault, wrong)
			reshaped = reshaped || changed && len(inner) > 1 || item.Kind == Array || item.Kind == String
		}
		return list, reshaped, fault
	case v.Kind == String:
		for _, name := range splitNames(v.Text) {
			list = append(list, writtenCondition{name: stringOf(name), path: path, at: path})
		}
		return list, true, nil
	case v.isNothing():
		return nil, false, nil
	case v.Kind != Object:
		return nil, false, mismatch(path, say("an object with the fields {fields}", strings.Join(conditionFields, ", ")), v)
	}
	v, respelt := respelled(v, slices.Concat(conditionFields, eventKeys))
	v, nulls := withNulls(v)
	*used = slices.Concat(*used, respelt, nulls)
	for _, key := range eventKeys {
		names, at := v.Field(key), below(path, key)
		for i, name := range names.Items {
			list = append(list, writtenCondition{name: name, in: v, path: path, at: fmt.Sprintf("%s[%d]", at, i)})
		}
		for _, name := range splitNames(v.textOf(key)) {
			list = append(list, writtenCondition{name: stringOf(name), in: v, path: path, at: at})
		}
		if names.Kind != Array && names.Kind != String && names.Kind != Null {
			list = append(list, writtenCondition{name: names, in: v, path: path, at: at})
		}
	}
	for i := range list {
		list[i].shared = len(list) > 1
	}
	return list, true, closed(path, v, conditionFields, slices.Concat(eventKeys, thresholdNames))
}

// nameAmong finds which of the names a text means, in any spelling.
func nameAmong(path string, v Value, names []string) (string, []Repair, *ArgumentError) {
	i := slices.IndexFunc(names, func(known string) bool { return v.Kind == String && sameName(known, v.Text) })
	switch {
	case i < 0:
		return "", nil, mismatch(path, oneOf(names), v)
	case names[i] != v.Text:
		return names[i], []Repair{NameVariant}, nil
	}
	return names[i], nil, nil
}

// closed refuses the fields of an object that are neither known nor other names for those,
// which an error does not advertise.
func closed(path string, v Value, known, others []string) (fault *ArgumentError) {
	for _, f := range v.Fields {
		if !slices.Contains(known, f.Name) && !slices.Contains(others, f.Name) {
			fault = Faults(fault, unknownField(path, f.Name, known))
		}
	}
	return fault
}

// EventNames lists the stop events that a condition is to name, in their fixed order. What
// ends every order anyway need not be asked for, and one name for an event is enough.
func EventNames() []string {
	var names []string
	for _, e := range world.StopEvents() {
		if e.Name != world.StopActionRejected && e.Name != world.StopInsufficientElectricity &&
			e.Name != world.StopThermalOverload {
			names = append(names, e.Name)
		}
	}
	return names
}

func splitNames(text string) (names []string) {
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("|,;、，；", r) }) {
		name = strings.TrimSpace(name)
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Names are the names of what an agent knows, by which a model may call it in place of
// its id. The zero value knows nothing.
type Names struct{ seen *world.Observation }

// untold are the actions that no error names: without requests and offers those about them.
func (n Names) untold() []string {
	if n.seen != nil && n.seen.Trades() {
		return nil
	}
	return world.TypedActions()
}

// NamesIn are the names in an observation, which must not change any more. A factory has no
// name of its own; it goes by its kind, as long as the agent has no other of that kind.
func NamesIn(o *world.Observation) Names { return Names{o} }

// named is something that the agent knows.
type named struct{ id, name string }

// of lists what the agent knows of a kind; its own place and itself come first.
func (n Names) of(kind world.ParamKind) (list []named) {
	o := n.seen
	if o == nil {
		return nil
	}
	switch kind {
	case world.ParamPlace:
		list = append(list, named{o.Here.ID, o.Here.Name})
		for i := range o.Places {
			list = append(list, named{o.Places[i].ID, o.Places[i].Name})
		}
	case world.ParamAgent:
		list = append(list, named{o.Self.ID, o.Self.Name})
		for i := range o.Agents {
			list = append(list, named{o.Agents[i].ID, o.Agents[i].Name})
		}
	case world.ParamFactory:
		for _, f := range o.Factories {
			list = append(list, named{f.ID, f.Kind})
		}
	case world.ParamOrder:
		if o.Market != nil {
			for _, order := range o.Market.Orders {
				list = append(list, named{id: order.ID})
			}
		}
	case world.ParamRequest, world.ParamOffer, world.ParamTerms:
		for _, t := range slices.Concat(o.Requests, o.Offers, o.Here.Offers) {
			if kind == world.ParamTerms || (kind == world.ParamRequest) == (t.Give == "") {
				list = append(list, named{id: t.ID})
			}
		}
		if kind == world.ParamOffer {
			for _, t := range o.OwnOffers {
				list = append(list, named{id: t.ID})
			}
		}
	}
	return list
}

// idsTold bounds the ids that an error names.
const idsTold = 6

// ids are those that an argument of an action may have: those with which the action is
// possible now, or else all of the kind that the agent sees.
func (n Names) ids(action string, kind world.ParamKind) (ids []string) {
	known := n.of(kind)
	if kind == world.ParamPlace || kind == world.ParamAgent {
		known = known[min(1, len(known)):]
	}
	if len(known) == 0 {
		return nil
	}
	for _, k := range known {
		ids = append(ids, k.id)
	}
	var possible []string
	for _, a := range n.seen.Can {
		for _, option := range a.Options {
			if a.Action == action && !slices.Contains(possible, option.Target) {
				possible = append(possible, option.Target)
			}
		}
	}
	if len(possible) > 0 {
		ids = possible
	}
	return ids[:min(len(ids), idsTold)]
}

// expected describes what a parameter of an action accepts, an id by those there are.
func (n Names) expected(action string, p world.Param) Phrase {
	if ids := n.ids(action, p.Kind); len(ids) > 0 {
		return oneOf(ids)
	}
	return expectedOf(p)
}

// Possible are the ids to use in an action if the world refuses its own id, or if the result is
// unknown because the agent sees nothing of that id. It is nil if the id is not what is wrong.
func (n Names) Possible(a world.Action, check world.Check) []string {
	if order, ok := a.(world.ExecuteUntil); ok {
		a = order.Do
	}
	for arg := range world.Arguments(a) {
		refused := check.Rejection != nil && check.Rejection.Field == arg.Name
		unseen := check.Status == world.CheckUnknown &&
			!slices.ContainsFunc(n.of(arg.Kind), func(k named) bool { return k.id == arg.Text })
		if !refused && !unseen {
			continue
		}
		if others := slices.DeleteFunc(n.ids(a.ActionName(), arg.Kind),
			func(id string) bool { return id == arg.Text }); len(others) > 0 {
			return others
		}
	}
	return nil
}

// bear reports whether something bears a name.
func (n Names) bear(name string) bool {
	return slices.ContainsFunc([]world.ParamKind{world.ParamPlace, world.ParamAgent, world.ParamFactory},
		func(kind world.ParamKind) bool {
			return slices.ContainsFunc(n.of(kind), func(k named) bool { return k.name == name })
		})
}

// idOf returns the id of a kind that a text means. A text that is a known id stays. So does a
// name that two things share or that none has: the world, which knows no names, decides what
// such a text means.
func (n Names) idOf(kind world.ParamKind, text string) (id string) {
	bearers := 0
	for _, k := range n.of(kind) {
		if k.id == text {
			return text
		}
		if k.name != "" && k.name == text {
			id = k.id
			bearers++
		}
	}
	if bearers != 1 {
		return text
	}
	return id
}

// Resolve replaces the names in an action by the ids of what bears them.
func (n Names) Resolve(a world.Action) (resolved world.Action, used []Repair) {
	if order, ok := a.(world.ExecuteUntil); ok {
		order.Do, used = n.Resolve(order.Do)
		return order, used
	}
	var args world.Args
	for arg := range world.Arguments(a) {
		if id := n.idOf(arg.Kind, arg.Text); id != arg.Text {
			if args == nil {
				args, used = world.ActionArgs(a), []Repair{NameResolved}
			}
			args[arg.Name] = world.Value{Text: id}
		}
	}
	if used == nil {
		return a, nil
	}
	resolved, err := world.MakeAction(a.ActionName(), args)
	if err != nil {
		panic("answer: an action with the id of what it names is none: " + err.Error())
	}
	return resolved, used
}
