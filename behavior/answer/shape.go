package answer

import (
	"slices"
	"strings"
)

// decisionCall is a decision, or in the lean protocol the whole turn, written as
// one object. It is brought into shape when it is taken.
func (v *Vocabulary) decisionCall(o Value, used []Repair) (Call, bool) {
	if v.Decides == "" {
		return Call{}, false
	}
	if o.has("candidate") || o.Field("decision").has("candidate") {
		return textCall(v.Decides, o.without("type"), used...), true
	}
	shaped, more, ok := shapeDecision(o)
	return textCall(v.Decides, shaped, append(used, more...)...), ok
}

// draftCall is a draft: with its candidates, or with one decision in their place.
func (v *Vocabulary) draftCall(o Value, used []Repair) (Call, bool) {
	if o.has("candidates") {
		return textCall(ToolDraft, o, used...), true
	}
	shaped, more, ok := shapeDecision(o)
	if !ok {
		return Call{}, false
	}
	draft := objectOf(Field{"candidates", arrayOf(shaped.sorted())})
	return textCall(ToolDraft, draft, append(append(used, DraftShorthand), more...)...), true
}

// envelopeFields are keys that models write next to an action and that never belong to one.
var envelopeFields = slices.Concat(reasonKeys[1:], besideFields, []string{
	"type", "decision", "action", "confidence", "need_verify", "message_to_user", "execute_until", "until", "max_ticks",
	"ignore", "agent_id",
})

// reasonKeys are the names under which models give their reason.
var reasonKeys = []string{"why", "reason", "rationale", "reasoning", "explanation", "thought", "理由", "原因"}

// shapeDecision brings the shapes models write a decision in to the arguments of
// the decision tool: {"action":{...},"execute_until":...,"why":...}. It renames
// and unwraps only; every value stays as written and is validated afterwards. ok
// is false when there is no decision in o.
func shapeDecision(o Value) (shaped Value, used []Repair, ok bool) {
	o, decoded := mendEncoded(o)
	shaped, used, ok = shapeDecoded(o)
	return shaped, append(decoded, used...), ok
}

// shapeDecoded is [shapeDecision] after the decoding of objects in strings.
func shapeDecoded(o Value) (shaped Value, used []Repair, ok bool) {
	action := o.Field("action")
	wrapped := o.Field("decision")
	order := o.Field("execute_until")
	core, standing := o, standingOf
	switch {
	case twoDecisions(o):
		return contradiction(namedIn(o, "action"), namedIn(o, "decision")), nil, true
	case action.Kind == Object && !isStanding(wrapped.Text) && action.textOf("action")+action.textOf("decision") != "":
		core = action
	case wrapped.Kind == Object:
		for _, key := range orderFields {
			if o.has(key) && !wrapped.has(key) {
				wrapped.set(key, o.Field(key))
			}
		}
		shaped, more, ok := shapeDecision(wrapped)
		shaped, kept := keepBeside(o, shaped)
		return shaped, slices.Concat([]Repair{Unwrapped}, more, kept), ok
	case order.Kind == Object && !o.has("action") && !o.has("decision"):
		o = o.without("execute_until")
		for _, f := range order.Fields {
			o.put(f.Name, f.Value)
		}
		core = ordered(o)
		standing = standingParts
		used = []Repair{NestedUntil}
	case isStanding(o.textOf("decision")) || isStanding(o.textOf("action")):
		core = ordered(o)
		standing = standingParts
		used = []Repair{NestedUntil}
	default:
		used = []Repair{FlatAction}
	}
	flat, more, ok := shapeFlat(core)
	if !ok {
		return Value{}, nil, false
	}
	until, extra := standing(o)
	shaped, kept := keepBeside(o, objectOf(Field{"action", flat}, Field{"execute_until", until}))
	if core.has(thenField) && !shaped.has(thenField) {
		shaped.set(thenField, core.Field(thenField))
	}
	return shaped, slices.Concat(used, more, extra, kept), true
}

// ordered is the action of {"decision":"execute_until","action":{...},"until":...}.
func ordered(o Value) Value {
	if do := o.Field("do"); do.Kind == Object {
		return do
	}
	return o.Field("action")
}

// standingOf returns the standing order of an action: as the field of that name, as its parts, or
// as both, if the parts fill in what the field lacks and contradict nothing.
func standingOf(o Value) (Value, []Repair) {
	order := o.Field("execute_until")
	switch {
	case !o.has("until") && !o.has("max_ticks"):
		return order, nil
	case order.Kind == Object:
		for _, key := range standingFields {
			order.put(key, o.Field(key))
		}
		return order.sorted(), []Repair{NestedUntil}
	}
	standing, _ := standingParts(o)
	return standing, []Repair{NestedUntil}
}

// standingParts is a standing order made of its parts in o.
func standingParts(o Value) (Value, []Repair) {
	return objectOf(Field{"ignore", o.Field("ignore")}, Field{"max_ticks", o.Field("max_ticks")},
		Field{"until", o.Field("until")}), nil
}

// shapeFlat reads {"action":NAME,...} or {"decision":NAME,...} as a flat action.
func shapeFlat(o Value) (flat Value, used []Repair, ok bool) {
	name := o.textOf("action")
	if name == "" {
		name, used = o.textOf("decision"), []Repair{DecisionKey}
	}
	if name == "" {
		return Value{}, nil, false
	}
	flat = Value{Kind: Object, Fields: append(make([]Field, 0, len(o.Fields)+1), Field{"action", stringOf(name)})}
	for _, f := range o.sorted().Fields {
		switch {
		case isParam(name, f.Name):
			flat.fill(f.Name, f.Value)
		case slices.Contains(argumentKeys, f.Name) && f.Value.Kind == Object:
			// The parameters are in an object of their own.
			used = append(used, CallKey)
			for _, inner := range f.Value.sorted().Fields {
				flat.fill(inner.Name, inner.Value)
			}
		case slices.Contains(commentFields, f.Name):
			used = append(used, UnusedArgument)
		case !slices.Contains(envelopeFields, f.Name):
			flat.fill(f.Name, f.Value)
		}
	}
	return flat.sorted(), used, true
}

// twoValues is a field that no action has. It is put into an action that was written
// with two values for one thing, for the argument error to object: taking one of
// them would be a guess.
const twoValues = "two_values"

// put adds a field to an action. A null gives way; a second value that differs is
// kept apart as [twoValues].
func (v *Value) put(name string, value Value) {
	v.Fields = slices.Clone(v.Fields)
	v.fill(name, value)
}

// fill is put for a value that shares its fields with no other.
func (v *Value) fill(name string, value Value) {
	switch i := v.index(name); {
	case i < 0:
		v.Fields = append(v.Fields, Field{name, value})
	case v.Fields[i].Value.Kind == Null:
		v.Fields[i].Value = value
	case value.Kind == Null || value.equal(v.Fields[i].Value):
	case v.has(twoValues):
		v.Fields[v.index(twoValues)].Value = value
	default:
		v.Fields = append(v.Fields, Field{twoValues, value})
	}
}

// contradiction is a decision on an action that names two: what is written under both
// names is passed on for the argument error to object.
func contradiction(a, b string) Value {
	action := objectOf(Field{"action", stringOf(a)}, Field{twoValues, stringOf(b)})
	return objectOf(Field{"action", action})
}

// ownName is the action that an object names itself, "" when it names none.
func ownName(o Value) string {
	return o.textOf(first([]string{"decision", "action"}, func(key string) bool { return isAction(o.textOf(key)) }))
}

// namedIn returns the action that a field names, itself or in an object of its own;
// "" when it names none.
func namedIn(o Value, key string) string {
	if name := o.textOf(key); isAction(name) {
		return name
	}
	return ownName(o.Field(key))
}

// twoDecisions reports whether an object decides twice, and differently: under
// "action" and under "decision". The standing order's own name is no second action.
func twoDecisions(o Value) bool {
	a, b := namedIn(o, "action"), namedIn(o, "decision")
	if a == "" || b == "" || isStanding(a) || isStanding(b) {
		return false
	}
	one, other := o.Field("action"), o.Field("decision")
	return !sameActionName(a, b) || one.Kind == Object && other.Kind == Object && !one.equal(other)
}

// keepBeside carries the fields next to the action of from into shaped.
func keepBeside(from, shaped Value) (Value, []Repair) {
	var used []Repair
	if shaped.Kind != Object {
		return shaped, nil
	}
	for _, key := range reasonKeys {
		if from.textOf(key) != "" && !shaped.has("why") {
			shaped.set("why", from.Field(key))
			if key != "why" {
				used = []Repair{ReasonKey}
			}
		}
	}
	for _, key := range besideFields {
		if from.has(key) && !shaped.has(key) {
			shaped.set(key, from.Field(key))
		}
	}
	return shaped, used
}

// orderFields are those in which a decision has a standing order.
var orderFields = append([]string{"execute_until"}, standingFields...)

// besideFields are the fields that a decision has next to its action.
var besideFields = []string{"why", "sources_used", "plan", "candidates", "candidate", thenField}

// encodedKeys are the fields with objects and lists that models send encoded in a
// string.
var encodedKeys = []string{"action", "decision", "candidates", "execute_until", "steps", "sources_used", "actions",
	thenField}

// mendEncoded decodes fields that hold their JSON in a string, one level deep.
func mendEncoded(o Value) (mended Value, used []Repair) {
	for _, key := range encodedKeys {
		text := strings.TrimSpace(o.textOf(key))
		if c := (&reader{text: text}).next(); c != '{' && c != '[' {
			continue
		}
		inner, more, ok := literal(text)
		if !ok && strings.HasPrefix(text, "{") {
			inner, more, _ = ReadObject(text)
		}
		if inner.Kind == Object || ok && inner.Kind == Array {
			o.set(key, inner)
			used = slices.Concat(used, more, []Repair{JSONInString})
		}
	}
	return o, used
}
