package answer

import (
	"cmp"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"
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
}

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
	"why", "sources_used"}

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

// Decision is a decision that was read. Its action is not decoded, because it may be
// one of candidates that come with it.
type Decision struct {
	Lean
	object Value
	// loose says that the fields of the standing order were written next to the number.
	loose bool
}

// NoAction refuses an object that decides nothing.
var NoAction = &ArgumentError{Path: "action", Expected: say("an action object"), Got: say("none")}

// LeftOpen refuses to leave a slot of a planned action open.
func LeftOpen(s world.Slot) *ArgumentError {
	return &ArgumentError{Path: s.String(), Expected: say("a value: only how much you make may be left open"),
		Got: say("nothing")}
}

// ReadDecision reads a decision, or a lean turn. Besides a candidate's number it takes an
// action in full: the form of text answers, and of providers that do not hold a model to
// the schema. drafted says that there is a draft whose candidates the number is among.
func ReadDecision(c Call, drafted bool) (d Decision, used []Repair, e *ArgumentError) {
	o, used, e := c.arguments()
	if e != nil {
		return Decision{}, nil, e
	}
	o, named := chosen(o)
	used = append(used, named...)
	// Nothing may make the number of a candidate mean something else than what it says:
	// no candidates in the decision on a draft made before, and no second decision.
	numbered := o.gives("candidate")
	switch {
	case numbered && drafted && c.Tool == ToolDecision && o.gives("candidates"):
		e = &ArgumentError{Path: "candidates", Expected: say("none here: candidates are given in {tool}", ToolDraft),
			Got: say("{name}", o.Field("candidates").Kind)}
	case !numbered && !o.has("candidate") || o.gives("action") || namedIn(o, "decision") != "":
		// An action in full, or next to the number.
		shaped, more, ok := shapeDecision(o)
		switch {
		case ok:
			o, used = shaped, append(used, more...)
		case !numbered:
			e = &ArgumentError{Path: "candidate", Expected: say("the number of a candidate from 1, or 0 to wait"),
				Got: say("nothing")}
		}
	case o.has("until") || o.has("max_ticks"):
		d.loose = true
		standing, more := standingOf(o)
		o.set("execute_until", standing)
		used = append(used, more...)
	}
	if e != nil {
		return Decision{}, nil, e
	}
	d.object = o
	candidates, e := o.typed("candidates", Array)
	plan, wrong := sentenceIn(o)
	e = Faults(e, wrong)
	sources, wrong := o.typed("sources_used", Array)
	for _, id := range sources.Items {
		wrong, d.Sources = cmp.Or(wrong, id.must("sources_used", String)), append(d.Sources, id.Text)
	}
	e = Faults(e, wrong)
	why, wrong := o.typed("why", String)
	e = Faults(e, wrong)
	if e != nil {
		return Decision{}, nil, e
	}
	d.Plan = plan
	d.Candidates = candidatesIn(candidates)
	d.Why = why.Text
	return d, append(used, c.norm(o.absent("execute_until", "why", "sources_used"))...), nil
}

// sentenceIn is the plan of a lean turn: a sentence, or the goal of a plan in full.
func sentenceIn(o Value) (Sentence, *ArgumentError) {
	if plan := o.Field("plan"); plan.Kind == Object || plan.Kind == Null && o.has("plan") {
		goal, e := plan.typed("goal", String)
		if e != nil {
			e = &ArgumentError{Path: "plan", Expected: e.Expected, Got: say("{name}", string(Object))}
		}
		return Sentence{goal.Text, true}, e
	}
	plan, e := o.typed("plan", String)
	return Sentence{Goal: plan.Text}, e
}

// Action returns the action that a decision means, given the candidates by number from 1. Nil
// candidates could not be decoded.
func (d Decision) Action(c Call, candidates []world.Action, names Names) (world.Action, []Repair, *ArgumentError) {
	standing := d.object.Field("execute_until")
	said := d.object.Field("action")
	number := d.object.Field("candidate")
	n, counted := numberOf(number)
	var do world.Action
	switch {
	case counted && n == 0:
		do = world.Wait{}
	case counted && n > 0 && n <= int64(len(candidates)):
		do = candidates[n-1]
	}
	var used []Repair
	if said.Kind != Null && do == nil {
		a, more, e := decodeWhole(said, standing, names, nil)
		if number.Kind != Null {
			// The number names nothing that could be read: the action is the decision.
			return a, c.norm(append([]Repair{ActionForCandidate}, more...)), e
		}
		fitting := func(a world.Action) bool { return fits(said, a, names) }
		i := slices.IndexFunc(candidates, fitting)
		if e == nil || i < 0 || slices.ContainsFunc(candidates[i+1:], fitting) {
			return a, c.norm(more), e
		}
		// What lacks values is the one candidate that it fits.
		do, used = candidates[i], []Repair{NameResolved}
	}
	var e *ArgumentError
	switch {
	case do == nil:
		var readable []string
		for i, a := range candidates {
			if a != nil {
				readable = append(readable, strconv.Itoa(i+1))
			}
		}
		do, e = world.Wait{}, &ArgumentError{Path: "candidate",
			Expected: say("the number of a candidate that could be read: {candidates}; or 0 to wait",
				strings.Join(readable, ", ")),
			Got: number.describe()}
		switch {
		case len(readable) == 0 && len(candidates) > 0 && c.Tool == ToolDecision:
			e.Expected = say("the number of a candidate, and none could be read: call {tool} again; or 0 to wait", ToolDraft)
		case len(candidates) == 0 && c.Tool == ToolDecision:
			e.Expected = say("the number of a candidate: call {tool} before; or 0 to wait", ToolDraft)
		case len(candidates) == 0:
			e.Path = "candidates"
			e.Expected = say("at least one candidate")
			e.Got = say("none")
		}
		if e.Path == "candidate" && !d.object.has("candidate") {
			e.Got = say("nothing")
		}
	case said.Kind != Null && !fits(said, do, names):
		e = &ArgumentError{Path: "action", Expected: say("a candidate's number or an action, not both"), Got: say("both")}
	}
	if order, ordered := do.(world.ExecuteUntil); ordered {
		// A candidate may have brought an order, which one in the decision replaces.
		if standing.isNothing() {
			return order, c.norm(used), e
		}
		do = order.Do
	}
	a, more, wrong := decodeStanding(standing, do)
	if wrong != nil && !d.loose {
		wrong = wrong.Inside("execute_until")
	}
	return a, c.norm(append(used, more...)), Faults(e, wrong)
}

// IsOpen reports whether a decision names neither a candidate nor an action.
func (d Decision) IsOpen() bool { return !d.object.gives("candidate") && !d.object.gives("action") }

// IsZero reports whether a decision is the number 0, which waits.
func (d Decision) IsZero() bool {
	n, ok := numberOf(d.object.Field("candidate"))
	return ok && n == 0 && !d.object.gives("action")
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

// Terms are what a planned acceptance gives at most and gets at least, in the slots of an
// offer; nil for a number that it leaves open.
func (a PlannedAction) Terms() (give string, amount *int64, get string, least *int64) {
	number := func(s world.Slot) *int64 {
		if n, _, ok := a.written.Field(s.String()).integer(); ok && a.written.gives(s.String()) {
			return &n
		}
		return nil
	}
	resource := func(s world.Slot) string {
		if i := slices.IndexFunc(world.Resources(),
			func(r string) bool { return sameName(r, a.written.textOf(s.String())) }); i >= 0 {
			return world.Resources()[i]
		}
		return ""
	}
	return resource(world.SlotWhat), number(world.SlotAmount), resource(world.SlotWant), number(world.SlotWantAmount)
}

// Decode reads one candidate of a call: a flat action, or one with more around it as in
// a decision written in full.
func (f Candidate) Decode(c Call, names Names) (world.Action, []Repair, *ArgumentError) {
	action, used, e := f.decode(c, names, nil)
	if _, ordered := action.(world.ExecuteUntil); ordered {
		used = append(used, CandidateOrder)
	}
	return action, c.norm(used), e
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
