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
	action, more, fault := decodeAction(v, nil)
	return action, append(used, more...), fault
}

// decodeAction reads the name first, because only the name says which of the other
// fields are needed, which are idle, and which amount has which unit. With open, needed
// fields may be absent, and are added to it.
func decodeAction(v Value, open *[]world.Slot) (action world.Action, used []Repair, fault *ArgumentError) {
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
	d := actionDecoder{spec: spec, repairs: used, written: map[string]string{}, open: open}
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
	// open takes the slots that are absent; nil where none may be.
	open *[]world.Slot
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
	case given.Kind == Null && d.open != nil:
		*d.open = append(*d.open, p.Slot())
		return standIn(p), nil
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

// standIn is a value that an action can be made with, whatever else it is.
func standIn(p world.Param) world.Value {
	v := world.Value{Text: "open", Int: p.Min}
	if p.Kind == world.ParamChoice {
		v.Text = p.Choices[0]
	}
	return v
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

// decodeStanding reads the standing order beside an action and wraps do, a plain
// action, into it; for null it returns do as it is. A number of ticks out of bounds is
// left to the world to clamp.
func decodeStanding(v Value, do world.Action) (world.Action, []Repair, *ArgumentError) {
	v, opened, fault := open(v)
	switch {
	case fault != nil:
		return nil, opened, fault
	case v.Kind == Null:
		return do, opened, nil
	}
	if v.Kind == Object && !v.has("until") && namesEvents(v) {
		// Conditions in the order's place.
		conditions, order := Value{Kind: Object}, Value{Kind: Object}
		for _, f := range v.Fields {
			if slices.Contains(standingFields, f.Name) {
				order.Fields = append(order.Fields, f)
			} else {
				conditions.Fields = append(conditions.Fields, f)
			}
		}
		v = order
		v.set("until", conditions)
	}
	d := standingDecoder{repairs: opened}
	if v.has("until") {
		until, used := shapeUntil(v.Field("until"))
		v.set("until", until)
		d.repairs = append(d.repairs, used...)
	}
	order, fault := d.decode(v, do)
	if fault != nil {
		return nil, d.repairs, fault
	}
	return order, d.repairs, nil
}

// standingDecoder collects the repairs of one order.
type standingDecoder struct{ repairs []Repair }

func (d *standingDecoder) decode(v Value, do world.Action) (world.Action, *ArgumentError) {
	if fault := closed("", v, standingFields, nil); fault != nil {
		return nil, fault
	}
	until, fault := d.until(v.Field("until"))
	if fault != nil {
		return nil, fault
	}
	// Strict schemas require the field, but providers that do not enforce them let
	// models leave it out.
	maxTicks := int64(world.StandingTicksDefault)
	if given := v.Field("max_ticks"); given.Kind == Null {
		d.repairs = append(d.repairs, DefaultMaxTicks)
	} else {
		n, used, ok := given.integer()
		if !ok {
			return nil, mismatch("max_ticks", "an integer number of ticks", given)
		}
		maxTicks, d.repairs = n, append(d.repairs, used...)
	}
	var ignore []string
	if list := v.Field("ignore"); list.Kind != Null {
		if fault := bounded("ignore", "an array with "+oneOf(world.StopAlways()), list); fault != nil {
			return nil, fault
		}
		for i, item := range list.Items {
			name, fault := d.name(fmt.Sprintf("ignore[%d]", i), item, world.StopAlways())
			if fault != nil {
				return nil, fault
			}
			ignore = append(ignore, name)
		}
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
func closed(path string, v Value, known, others []string) *ArgumentError {
	if v.Kind != Object {
		return mismatch(path, "an object with the fields "+strings.Join(known, ", "), v)
	}
	for _, f := range v.Fields {
		if !slices.Contains(known, f.Name) && !slices.Contains(others, f.Name) {
			return unknownField(path, known)
		}
	}
	return nil
}

// bounded refuses anything but an array that is not too long.
func bounded(path, expected string, v Value) *ArgumentError {
	switch {
	case v.Kind != Array:
		return mismatch(path, expected, v)
	case len(v.Items) > world.ConditionsMax:
		return &ArgumentError{Path: path, Expected: fmt.Sprintf("at most %d elements", world.ConditionsMax), Got: fmt.Sprint(len(v.Items))}
	}
	return nil
}

// until reads the conditions. An order without any is repeated until it is
// rejected, which ends every order anyway. A threshold cannot be guessed, so a missing
// one is an error; a superfluous one cannot change anything, so it is dropped.
func (d *standingDecoder) until(list Value) ([]world.Condition, *ArgumentError) {
	if list.Kind == Null || list.Kind == Array && len(list.Items) == 0 {
		d.repairs = append(d.repairs, DefaultUntil)
		return []world.Condition{{Event: world.StopActionRejected}}, nil
	}
	if fault := bounded("until", "an array of conditions", list); fault != nil {
		return nil, fault
	}
	var conditions []world.Condition
	for i, v := range list.Items {
		path := fmt.Sprintf("until[%d]", i)
		if fault := closed(path, v, conditionFields, thresholdNames); fault != nil {
			return nil, fault
		}
		name, fault := d.name(below(path, "event"), v.Field("event"), EventNames())
		if fault != nil {
			return nil, fault
		}
		condition, threshold := world.Condition{Event: name}, d.threshold(v)
		if takesValue(name) {
			n, used, ok := threshold.integer()
			if !ok || n < 0 {
				return nil, mismatch(below(path, "value"), "an integer of at least 0 for "+name, threshold)
			}
			condition.Value, d.repairs = &n, append(d.repairs, used...)
		} else if threshold.Kind != Null {
			d.repairs = append(d.repairs, UnusedArgument)
		}
		conditions = append(conditions, condition)
	}
	return conditions, nil
}

// threshold finds the value of a condition, under another name if need be. A value
// under its own name counts, and what is beside it is of no use.
func (d *standingDecoder) threshold(v Value) Value {
	found := v.Field("value")
	for _, name := range thresholdNames {
		switch {
		case !v.gives(name):
		case found.Kind == Null:
			found, d.repairs = v.Field(name), append(d.repairs, ThresholdName)
		default:
			d.repairs = append(d.repairs, UnusedArgument)
		}
	}
	return found
}

// name finds which of the names a text means, in any spelling.
func (d *standingDecoder) name(path string, v Value, names []string) (string, *ArgumentError) {
	i := slices.IndexFunc(names, func(known string) bool { return v.Kind == String && sameName(known, v.Text) })
	if i < 0 {
		return "", mismatch(path, oneOf(names), v)
	}
	if names[i] != v.Text {
		d.repairs = append(d.repairs, NameVariant)
	}
	return names[i], nil
}

// EventNames lists the stop events in their fixed order.
func EventNames() []string {
	var names []string
	for _, e := range world.StopEvents() {
		names = append(names, e.Name)
	}
	return names
}

func isEvent(name string) bool {
	return slices.ContainsFunc(world.StopEvents(), func(e world.StopEvent) bool { return sameName(e.Name, name) })
}

func takesValue(event string) bool {
	return slices.ContainsFunc(world.StopEvents(), func(e world.StopEvent) bool { return sameName(e.Name, event) && e.TakesValue })
}

func namesEvents(v Value) bool { return slices.ContainsFunc(eventKeys, v.has) }

// shapeUntil brings the conditions of a standing order to a list of {"event":...}:
// from one such object, from names in a list or in a string, separated by commas or
// bars. Names that are no events are dropped as long as one is left that is: the
// model hopes to be woken by more than there is, and what is left wakes it. With
// none left the list stays as it is and is refused.
func shapeUntil(v Value) (Value, []Repair) {
	conditions, reshaped, ok := conditionsIn(v)
	if !ok {
		return v, nil
	}
	var used []Repair
	if reshaped && len(conditions) > 0 {
		used = append(used, EventList)
	}
	known := slices.DeleteFunc(slices.Clone(conditions), func(c Value) bool { return !isEvent(c.textOf("event")) })
	if len(known) > 0 && len(known) < len(conditions) {
		conditions, used = known, append(used, EventDropped)
	}
	if len(used) == 0 && len(conditions) > 0 {
		return v, nil
	}
	return arrayOf(conditions...), used
}

// conditionsIn takes conditions apart, one per event; ok is false when v is of no shape
// that holds any.
func conditionsIn(v Value) (conditions []Value, reshaped, ok bool) {
	switch {
	case v.Kind == Array:
		for _, item := range v.Items {
			inner, changed, ok := conditionsIn(item)
			if !ok {
				return nil, false, false
			}
			reshaped = reshaped || changed && len(inner) > 1 || item.Kind == Array || item.Kind == String
			conditions = append(conditions, inner...)
		}
		return conditions, reshaped, true
	case v.Kind == Object:
		for _, key := range eventKeys {
			names := v.Field(key)
			if !slices.ContainsFunc(names.Items, func(n Value) bool { return n.Kind != String && n.Kind != Null }) {
				for _, name := range names.Items {
					conditions = append(conditions, condition(v, name.Text))
				}
			}
			for _, name := range splitNames(v.textOf(key)) {
				conditions = append(conditions, condition(v, name))
			}
		}
		return conditions, true, true
	case v.Kind == String && v.Text != "":
		for _, name := range splitNames(v.Text) {
			conditions = append(conditions, condition(Value{}, name))
		}
		return conditions, true, true
	}
	return nil, false, false
}

// condition is the condition of one event, with the value it has in v if it takes
// one: a value that belongs to another event of the same list is not its own.
func condition(v Value, event string) Value {
	c := Value{Kind: Object}
	for _, f := range v.Fields {
		if !slices.Contains(eventKeys, f.Name) && (takesValue(event) || !strings.HasPrefix(f.Name, "value")) {
			c.Fields = append(c.Fields, f)
		}
	}
	c.set("event", stringOf(event))
	return c.sorted()
}

// splitNames splits names in one string.
func splitNames(text string) (names []string) {
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("|,;、，；", r) }) {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Names are the names of what an agent knows, by which a model may call it in place of
// its id.
type Names struct{ places, agents, factories []named }

type named struct{ id, name string }

// NamesIn collects what an observation names. A factory has no name of its own; it goes
// by its kind, as long as the agent has no other of that kind.
func NamesIn(o world.Observation) Names {
	n := Names{places: []named{{o.Here.ID, o.Here.Name}}, agents: []named{{o.Self.ID, o.Self.Name}}}
	for _, p := range o.Places {
		n.places = append(n.places, named{p.ID, p.Name})
	}
	for _, a := range o.Agents {
		n.agents = append(n.agents, named{a.ID, a.Name})
	}
	for _, f := range o.Factories {
		n.factories = append(n.factories, named{f.ID, f.Kind})
	}
	return n
}

// Place, Agent and Factory return the id that a text stands for. A text that is a known
// id stays, and so does a name that two things share or nothing bears: what such a text
// means is for the world to say, which knows no names.
func (n Names) Place(text string) string { return idOf(n.places, text) }

// Agent is like Place.
func (n Names) Agent(text string) string { return idOf(n.agents, text) }

// Factory is like Place.
func (n Names) Factory(text string) string { return idOf(n.factories, text) }

func idOf(known []named, text string) (id string) {
	bearers := 0
	for _, k := range known {
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

// resolve replaces the names in an action by the ids of what bears them.
func (n Names) resolve(a world.Action) (resolved world.Action, used []Repair) {
	put := func(known []named, id *string) {
		if found := idOf(known, *id); found != *id {
			*id, used = found, []Repair{NameResolved}
		}
	}
	switch a := a.(type) {
	case world.ExecuteUntil:
		a.Do, used = n.resolve(a.Do)
		return a, used
	case world.Move:
		put(n.places, &a.To)
		return a, used
	case world.Transfer:
		put(n.agents, &a.To)
		return a, used
	case world.SendMessage:
		put(n.agents, &a.To)
		return a, used
	case world.ScheduleRecipe:
		put(n.factories, &a.FactoryID)
		return a, used
	}
	return a, nil
}
