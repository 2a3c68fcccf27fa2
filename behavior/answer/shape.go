package answer

import (
	"encoding/json"
	"slices"
	"strings"
)

// envelopeFields are keys that models put beside an action and that never belong
// to one.
var envelopeFields = append([]string{
	"type", "decision", "action", "confidence", "need_verify", "message_to_user", "sources_used", "execute_until", "until", "max_ticks", "ignore", "agent_id",
}, reasonKeys...)

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
	action, wrapped, order := o.Field("action"), o.Field("decision"), o.Field("execute_until")
	switch {
	case twoDecisions(o):
		return objectOf(map[string]Value{"action": contradiction(namedIn(o, "action"), namedIn(o, "decision"))}), nil, true
	case action.Kind == Object && !isStanding(wrapped.Text) && action.textOf("action")+action.textOf("decision") != "":
		flat, more, _ := shapeFlat(action)
		shaped = o
		shaped.set("action", flat)
		shaped, reason := keepReason(o, shaped)
		standing, extra := standingOf(o)
		shaped.set("execute_until", standing)
		return shaped, slices.Concat(more, reason, extra), true
	case wrapped.Kind == Object:
		for _, key := range []string{"execute_until", "until", "max_ticks", "ignore"} {
			if o.has(key) && !wrapped.has(key) {
				wrapped.set(key, o.Field(key))
			}
		}
		shaped, more, ok := shapeDecision(wrapped)
		shaped, reason := keepReason(o, shaped)
		return shaped, slices.Concat([]Repair{Unwrapped}, more, reason), ok
	case isStanding(o.textOf("decision")) || isStanding(o.textOf("action")):
		return shapeStanding(o)
	case order.Kind == Object && !o.has("action") && !o.has("decision"):
		return shapeStanding(order)
	}
	flat, more, ok := shapeFlat(o)
	if !ok {
		return Value{}, nil, false
	}
	standing, extra := standingOf(o)
	shaped, reason := keepReason(o, objectOf(map[string]Value{"action": flat, "execute_until": standing}))
	return shaped, slices.Concat([]Repair{FlatAction}, more, extra, reason), true
}

// standingOf returns the standing order that stands beside an action: as the field
// of that name, as its parts, or as both, where the parts fill in what the field
// lacks and contradict nothing.
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
	standing, extra := standingParts(o)
	return standing, append(extra, NestedUntil)
}

// standingParts is a standing order made of the parts that stand in o.
func standingParts(o Value) (Value, []Repair) {
	until, used := shapeUntil(o.Field("until"))
	return objectOf(map[string]Value{"until": until, "max_ticks": o.Field("max_ticks"), "ignore": o.Field("ignore")}), used
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
	flat = objectOf(map[string]Value{"action": stringOf(name)})
	for _, f := range o.sorted().Fields {
		switch {
		case isParam(name, f.Name):
			flat.put(f.Name, f.Value)
		case slices.Contains(argumentKeys, f.Name) && f.Value.Kind == Object:
			// The parameters stand in an object of their own.
			used = append(used, CallKey)
			for _, inner := range f.Value.sorted().Fields {
				flat.put(inner.Name, inner.Value)
			}
		case !slices.Contains(envelopeFields, f.Name):
			flat.put(f.Name, f.Value)
		}
	}
	return flat.sorted(), used, true
}

// twoValues is a field that no action has. It stands in an action that was written
// with two values for one thing, for the argument error to object: taking one of
// them would be a guess.
const twoValues = "two_values"

// put adds a field to an action. A null gives way; a second value that differs is
// kept apart as [twoValues].
func (v *Value) put(name string, value Value) {
	switch {
	case !v.gives(name):
		v.set(name, value)
	case value.Kind != Null && !value.equal(v.Field(name)):
		v.set(twoValues, value)
	}
}

// contradiction is an action that names two: what is written under both names is
// passed on for the argument error to object.
func contradiction(a, b string) Value {
	return objectOf(map[string]Value{"action": stringOf(a), twoValues: stringOf(b)})
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

// shapeStanding reads {"decision":"execute_until","action":{...},"until":...,
// "max_ticks":n}.
func shapeStanding(o Value) (Value, []Repair, bool) {
	inner := o.Field("do")
	if inner.Kind != Object {
		inner = o.Field("action")
	}
	flat, more, ok := shapeFlat(inner)
	if !ok {
		return Value{}, nil, false
	}
	standing, extra := standingParts(o)
	shaped, reason := keepReason(o, objectOf(map[string]Value{"action": flat, "execute_until": standing}))
	return shaped, slices.Concat([]Repair{NestedUntil}, more, extra, reason), true
}

// keepReason carries the reason and the cited sources of from into shaped.
func keepReason(from, shaped Value) (Value, []Repair) {
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
	if from.has("sources_used") && !shaped.has("sources_used") {
		shaped.set("sources_used", from.Field("sources_used"))
	}
	return shaped, used
}

// encodedKeys are the fields with objects and lists that models send encoded in a
// string.
var encodedKeys = []string{"action", "decision", "candidates", "execute_until", "steps", "sources_used", "actions"}

// mendEncoded decodes fields that hold their JSON in a string, one level deep.
func mendEncoded(o Value) (mended Value, used []Repair) {
	for _, key := range encodedKeys {
		inner, text := Value{}, strings.TrimSpace(o.textOf(key))
		switch {
		case strings.HasPrefix(text, "[") && json.Valid([]byte(text)):
			r := reader{text: text, depthMax: argumentsDepthMax}
			inner = r.value(1)
		case strings.HasPrefix(text, "{"):
			inner, _, _ = ReadObject(text)
		}
		if inner.Kind == Object || inner.Kind == Array {
			o.set(key, inner)
			used = append(used, JSONInString)
		}
	}
	return o, used
}
