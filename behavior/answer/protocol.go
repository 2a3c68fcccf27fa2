package answer

import (
	"cmp"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// The wire names of the tools of a turn.
const (
	ToolPlan     = "plan"
	ToolDraft    = "decision_draft"
	ToolDecision = "decision"
	ToolTurn     = "turn"
)

// Plan, Draft, Commitment and Lean are the arguments of the tools of a turn; the tools'
// schemas are made from them. Plan says what the agent means to do.
type Plan struct {
	Goal  string     `json:"goal"`
	Steps []PlanStep `json:"steps"`
	// Actions are what the agent may do this tick.
	Actions []PlannedAction `json:"actions"`
	// Calls are the calls of users' tools that it may make, as they were written. Only runs with such tools
	// have the field.
	Calls []string `json:"-"`
}

// CallsField is the field of a plan that lists calls of users' tools.
const CallsField = "calls"

// PlannedAction is one action of a plan: a candidate, and how many ticks it may go on.
type PlannedAction struct{ Candidate }

// Draft are the actions that the agent wants to have tried.
type Draft struct {
	Candidates []Candidate `json:"candidates"`
}

// Candidate is an action that is not decoded yet. What is no object is one that cannot be: an
// odd entry must not cost the whole list.
type Candidate struct{ written Value }

// Commitment decides on a candidate of the draft by its number, so that what runs is
// what was dry-run; 0 waits.
type Commitment struct {
	Candidate json.RawMessage `json:"candidate"`
	Standing  json.RawMessage `json:"execute_until"`
	Why       string          `json:"why"`
	Sources   []string        `json:"sources_used"`
}

// Lean is all of a turn in one call.
type Lean struct {
	Plan       Sentence    `json:"plan"`
	Candidates []Candidate `json:"candidates"`
	Commitment
}

// Sentence is the plan of a lean turn: one sentence, because nothing comes between
// it and the decision that steps could say. A plan in full is understood.
type Sentence struct {
	Goal   string
	InFull bool
}

// absentPrefix begins the repair of a field that the schema requires and that was left
// out.
const absentPrefix = "absent_"

// absent returns the required fields that are absent, as repairs.
func (v Value) absent(required ...string) (absent []Repair) {
	for _, name := range required {
		if !v.has(name) {
			absent = append(absent, Repair(absentPrefix+name))
		}
	}
	return absent
}

// typed returns a field that must be of a kind, or null, and the error if it is not.
func (v Value) typed(name string, kind Kind) (Value, *ArgumentError) {
	f := v.Field(name)
	return f, f.must(name, kind)
}

// must returns the error of a value that is neither of a kind nor null.
func (v Value) must(path string, kind Kind) *ArgumentError {
	if v.Kind == kind || v.Kind == Null {
		return nil
	}
	expected := say("a string")
	if kind == Array {
		expected = say("an array")
	}
	return &ArgumentError{Path: path, Expected: expected, Got: say("{name}", strings.TrimSuffix(string(v.Kind), "ean"))}
}

// Decode fills a typed struct from an object. Required fields that are absent stay zero
// and are returned as repairs; a field of the wrong type is the error.
func (v Value) Decode(into any, required ...string) (absent []Repair, e *ArgumentError) {
	v = v.sorted()
	if json.Unmarshal(v.JSON(), into) == nil {
		return v.absent(required...), nil
	}
	// Field by field, so that the error lists each one that is wrong.
	for _, f := range v.Fields {
		err := json.Unmarshal(Value{Kind: Object, Fields: []Field{f}}.JSON(), into)
		var wrong *json.UnmarshalTypeError
		switch {
		case errors.As(err, &wrong):
			expected := say("a " + wrong.Type.Kind().String())
			switch wrong.Type.Kind() {
			case reflect.Slice:
				expected = say("an array")
			case reflect.Struct, reflect.Map:
				expected = say("an object")
			}
			e = Faults(e, &ArgumentError{Path: cmp.Or(wrong.Field, f.Name), Expected: expected, Got: say("{name}", wrong.Value)})
		case err != nil:
			e = Faults(e, &ArgumentError{Path: "arguments", Expected: say("the tool's schema"), Got: say("something else")})
		}
	}
	if e != nil {
		return nil, e
	}
	return v.absent(required...), nil
}

// arguments reads the object of a call, with its fields brought to the types that the
// schema asks for, where a value of another type leaves no doubt.
func (c Call) arguments() (o Value, used []Repair, e *ArgumentError) {
	if c.Tool == ToolDraft && (&reader{text: c.Arguments}).next() == '[' {
		if list, more, ok := literal(c.Arguments); ok && len(list.Items) > 1 {
			o, used = objectOf(Field{"candidates", list}), append(more, DraftShorthand)
		}
	}
	if o.Kind == "" {
		o, used, e = c.object()
		if e != nil {
			return Value{}, nil, e
		}
	}
	o, respelt := respelled(o, toolFields)
	o, decoded := mendEncoded(o)
	used = slices.Concat(c.Repairs, used, respelt, decoded)
	mend := func(field string, to Value, repair Repair) {
		o.set(field, to)
		used = append(used, repair)
	}
	for _, text := range []string{"goal", "plan", "why"} {
		// A field of free text may have any form.
		if given := o.Field(text); given.Kind == Array || given.Kind == Number || given.Kind == Object && text != "plan" {
			mend(text, stringOf(string(given.JSON())), TextFromObject)
		}
	}
	switch cited := o.Field("sources_used"); {
	case !o.has("sources_used"):
	case cited.Kind == Null:
		mend("sources_used", arrayOf(), ListFromNull)
	case cited.Kind == String, slices.ContainsFunc(cited.Items, func(s Value) bool { return s.Kind != String }):
		ids := arrayOf()
		for _, s := range append(cited.Items, cited) {
			names := s.textOf("id")
			if s.Kind == String {
				names = s.Text
			}
			for _, id := range splitNames(names) {
				ids.Items = append(ids.Items, stringOf(id))
			}
		}
		mend("sources_used", ids, ListFromText)
	}
	o, listed := c.actionLists(o)
	return o, append(used, listed...), nil
}

var toolFields = []string{"goal", "steps", "actions", "plan", "candidates", "candidate", "execute_until", "max_ticks",
	"why", "sources_used", thenField}

// ReadPlan reads the arguments of a plan.
func ReadPlan(c Call) (p Plan, used []Repair, e *ArgumentError) {
	o, used, e := c.arguments()
	if e != nil {
		return Plan{}, nil, e
	}
	o, mended := mendSteps(o)
	actions, e := o.typed("actions", Array)
	goal, wrong := o.typed("goal", String)
	e = Faults(e, wrong)
	if e != nil {
		return Plan{}, nil, e
	}
	p.Goal = goal.Text
	for _, a := range candidatesIn(actions) {
		p.Actions = append(p.Actions, PlannedAction{a})
	}
	for _, s := range o.Field("steps").Items {
		p.Steps = append(p.Steps, PlanStep{s.textOf("kind")})
	}
	for _, c := range o.Field(CallsField).Items {
		p.Calls = append(p.Calls, string(c.JSON()))
	}
	return p, slices.Concat(used, mended, c.norm(o.absent("goal", "steps", "actions"))), nil
}

func candidatesIn(list Value) (candidates []Candidate) {
	for _, item := range list.Items {
		candidates = append(candidates, Candidate{item})
	}
	return candidates
}

// ReadDraft reads the arguments of a draft, of at most most candidates.
func ReadDraft(c Call, most int) (d Draft, used []Repair, e *ArgumentError) {
	o, used, e := c.arguments()
	if e != nil {
		return Draft{}, nil, e
	}
	list, e := o.typed("candidates", Array)
	d.Candidates = candidatesIn(list)
	if e == nil && len(d.Candidates) == 0 {
		e = &ArgumentError{Path: "candidates", Expected: say("1 to {most} candidates", most), Got: say("none")}
	}
	if e != nil {
		return Draft{}, nil, e
	}
	return d, append(used, c.norm(o.absent("candidates"))...), nil
}

// setMax is how many receivers or places one planned action may name.
const setMax = 4

// Decode reads a planned action as a candidate whose slots may be absent. Absent slots are left
// open, and their values mean nothing. The receiver or place may be several, separated by commas,
// which make an action each.
func (a PlannedAction) Decode(c Call, names Names) (do []world.Action, open []world.Slot, used []Repair,
	e *ArgumentError) {
	ticks, written := a.written.Field("max_ticks"), a.written.without("max_ticks")
	set := splitNames(written.textOf(world.SlotTo.String()))
	if len(set) > setMax {
		return nil, nil, nil, TooMany(world.SlotTo.String(), setMax, len(set))
	}
	if len(set) < 2 || names.bear(written.textOf(world.SlotTo.String())) {
		set = []string{""}
	}
	for _, to := range set {
		if to != "" {
			written.set(world.SlotTo.String(), stringOf(to))
		}
		open = []world.Slot{}
		action, more, wrong := Candidate{written}.decode(c, names, &open)
		e = wrong
		if e != nil {
			return nil, nil, nil, e
		}
		do, used = append(do, action), append(used, more...)
	}
	if _, ordered := do[0].(world.ExecuteUntil); ordered || ticks.Kind == Null || ticks.isNullText() {
		return do, open, used, nil
	}
	n, more, ok := ticks.integer()
	if !ok {
		return nil, nil, nil, mismatch("max_ticks", say("an integer number of {unit}", Noun(world.Ticks)), ticks)
	}
	for i := range do {
		order, err := world.NewExecuteUntil(do[i], []world.Condition{{Event: world.StopActionRejected}}, n)
		if err != nil {
			panic("answer: an order of a plan is none: " + err.Error())
		}
		do[i] = order
	}
	return do, open, append(used, more...), nil
}

// Unused lists the receivers, ids and choices that a flat action gives and has no use for, such as the place
// of a harvest. They are dropped, and the action might not be what was meant.
func (f Candidate) Unused() (list []*ArgumentError) {
	spec, _, ok := actionNamed(f.written.textOf(ActionField))
	if !ok {
		return nil
	}
	for _, s := range []world.Slot{world.SlotTo, world.SlotID, world.SlotWhat} {
		name := s.String()
		given := f.written.Field(name)
		if given.Kind == String && strings.TrimSpace(given.Text) != "" && !given.isNullText() && !takes(spec, name) {
			list = append(list, &ArgumentError{Path: name, Expected: say("nothing: {action} has no such field", spec.Name),
				Got: say("a value, which was dropped")})
		}
	}
	return list
}

// Unused is that of a candidate. An acceptance may be planned by its terms.
func (a PlannedAction) Unused() []*ArgumentError {
	if sameActionName(a.written.textOf(ActionField), world.AcceptOffer{}.ActionName()) {
		return nil
	}
	return a.Candidate.Unused()
}

// Terms are what a planned acceptance gives at most and gets at least, in the slots of an
// offer; nil for a number that it leaves open.
func (a PlannedAction) Terms(names Names) (give string, amount *int64, get string, least *int64) {
	number := func(s world.Slot) *int64 {
		if n, _, ok := a.written.Field(s.String()).integer(); ok && a.written.gives(s.String()) {
			return &n
		}
		return nil
	}
	resource := func(s world.Slot) string {
		known := names.resources()
		if i := slices.IndexFunc(known, func(r string) bool { return sameName(r, a.written.textOf(s.String())) }); i >= 0 {
			return known[i]
		}
		return ""
	}
	return resource(world.SlotWhat), number(world.SlotAmount), resource(world.SlotWant), number(world.SlotWantAmount)
}

// Decode reads one candidate of a call: a flat action with at most then further steps, or one with more
// around it as in a decision written in full. An error with a Cut is about the later steps alone, and the action
// has those before.
func (f Candidate) Decode(c Call, names Names, then int) (world.Action, []Repair, *ArgumentError) {
	action, used, e := f.decode(c, names, nil)
	if _, ordered := action.(world.ExecuteUntil); ordered {
		used = append(used, CandidateOrder)
	}
	o, _ := mendEncoded(f.written)
	list := o.Field(thenField)
	if list.isNothing() {
		list = o.Field("action").Field(thenField)
	}
	if e != nil || list.isNothing() {
		return action, c.norm(used), e
	}
	action, more, cut := decodeThen(list, action, names, then)
	return action, c.norm(append(used, more...)), cut
}

// decode is Decode; with open, slots may be absent, and are added to it.
func (f Candidate) decode(c Call, names Names, open *[]world.Slot) (world.Action, []Repair, *ArgumentError) {
	o, used := mendEncoded(f.written.sorted())
	shaped, more, ok := shapeDecoded(o)
	if !ok {
		return nil, nil, NoAction
	}
	if o.Field("action").Kind == Object {
		used = append([]Repair{WrappedAction}, used...)
	}
	action, decoded, e := decodeWhole(shaped.Field("action"), shaped.Field("execute_until"), names, open)
	used = append(used, slices.DeleteFunc(more, func(r Repair) bool { return r == FlatAction })...)
	return action, append(used, decoded...), e
}

// decodeWhole reads an action and the standing order around it, and resolves the names
// in it. Slots that may be left open are added to leave.
func decodeWhole(action, standing Value, names Names, leave *[]world.Slot) (world.Action, []Repair, *ArgumentError) {
	action, opened, e := open(action)
	if e != nil {
		return nil, nil, e
	}
	do, used, e := decodeAction(action, names, leave)
	a, more, wrong := decodeStanding(standing, cmp.Or[world.Action](do, world.Wait{}))
	if wrong != nil {
		wrong = wrong.Inside("execute_until")
	}
	e = Faults(e, wrong)
	if e != nil {
		return nil, nil, e
	}
	a, resolved := names.Resolve(a)
	return a, slices.Concat(opened, used, more, resolved), nil
}
