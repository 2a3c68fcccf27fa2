package behavior

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/world"
)

// The leniencies of reading a decision. Each is counted under its own name.
const (
	lenFlatAction  = "flat_action"
	lenDecisionKey = "decision_key"
	lenUnwrapped   = "unwrapped"
	lenNestedUntil = "nested_execute_until"
	lenReasonKey   = "reason_key"
)

// envelopeFields are keys that models put beside an action and that never belong
// to one.
var envelopeFields = []string{
	"type", "decision", "action", "why", "reason", "rationale", "reasoning", "explanation", "thought", "理由", "原因",
	"confidence", "need_verify", "message_to_user", "sources_used", "execute_until", "until", "max_ticks", "ignore", "agent_id",
}

// shapeDecision brings the shapes models write a decision in to the arguments of
// the decision tool: {"action":{...},"execute_until":...,"why":...}. It renames
// and unwraps only; every value stays as written and is validated afterwards. ok
// is false when there is no decision in f.
func shapeDecision(f fields) (shaped fields, leniencies []string, ok bool) {
	decoded := mendEncoded(f)
	shaped, leniencies, ok = shapeDecoded(f)
	return shaped, append(decoded, leniencies...), ok
}

// shapeDecoded is [shapeDecision] behind the decoding of objects in strings.
func shapeDecoded(f fields) (shaped fields, leniencies []string, ok bool) {
	if twoDecisions(f) {
		return fields{"action": contradiction(namedIn(f, "action"), namedIn(f, "decision"))}, nil, true
	}
	action, isObject := objectField(f, "action")
	if isObject && !isStanding(stringField(f, "decision")) && stringField(action, "action")+stringField(action, "decision") != "" {
		inner, more, ok := shapeFlat(action)
		if !ok {
			return f, nil, true
		}
		shaped, reason := keepReason(f, withAction(f, inner))
		var extra []string
		shaped["execute_until"], extra = standingOf(f)
		return shaped, slices.Concat(more, reason, extra), true
	}
	if wrapped, isObject := objectField(f, "decision"); isObject {
		for _, key := range []string{"execute_until", "until", "max_ticks", "ignore"} {
			if f[key] != nil && wrapped[key] == nil {
				wrapped[key] = f[key]
			}
		}
		shaped, more, ok := shapeDecision(wrapped)
		shaped, reason := keepReason(f, shaped)
		return shaped, slices.Concat([]string{lenUnwrapped}, more, reason), ok
	}
	if isStanding(stringField(f, "decision")) || isStanding(stringField(f, "action")) {
		return shapeStanding(f)
	}
	if order, isObject := objectField(f, "execute_until"); isObject && f["action"] == nil && f["decision"] == nil {
		return shapeStanding(order)
	}
	flat, more, ok := shapeFlat(f)
	if !ok {
		return nil, nil, false
	}
	standing, extra := standingOf(f)
	shaped, reason := keepReason(f, fields{"action": flat, "execute_until": standing})
	return shaped, slices.Concat([]string{lenFlatAction}, more, extra, reason), true
}

// isStanding reports whether a name is that of the standing order.
func isStanding(name string) bool {
	known, _, ok := modules.ActionNamed(name)
	return ok && known == world.ExecuteUntil{}.ActionName()
}

// standingOf returns the standing order that stands beside an action: as the field
// of that name, as its parts, or as both, where the parts fill in what the field
// lacks and contradict nothing.
func standingOf(f fields) (json.RawMessage, []string) {
	if f["until"] == nil && f["max_ticks"] == nil {
		return orNull(f["execute_until"]), nil
	}
	if order, isObject := objectField(f, "execute_until"); isObject {
		for _, key := range []string{"until", "max_ticks", "ignore"} {
			order.put(key, orNull(f[key]))
		}
		return llmclient.Marshal(order), []string{lenNestedUntil}
	}
	until, extra := shapeUntil(f["until"])
	return standingFields(f, until), append(extra, lenNestedUntil)
}

// standingFields is a standing order with the parts that stand in f.
func standingFields(f fields, until json.RawMessage) json.RawMessage {
	return llmclient.Marshal(fields{"until": until, "max_ticks": orNull(f["max_ticks"]), "ignore": orNull(f["ignore"])})
}

// shapeFlat reads {"action":NAME,...} or {"decision":NAME,...} as a flat action.
func shapeFlat(f fields) (json.RawMessage, []string, bool) {
	name, leniencies := stringField(f, "action"), []string(nil)
	if name == "" {
		name, leniencies = stringField(f, "decision"), []string{lenDecisionKey}
	}
	if name == "" {
		return nil, nil, false
	}
	flat := fields{"action": llmclient.Marshal(name)}
	for _, key := range slices.Sorted(maps.Keys(f)) {
		inner, isObject := objectField(f, key)
		switch {
		case isParam(name, key):
			flat.put(key, f[key])
		case slices.Contains(argumentKeys, key) && isObject:
			// The parameters stand in an object of their own.
			leniencies = append(leniencies, lenCallKey)
			for _, k := range slices.Sorted(maps.Keys(inner)) {
				flat.put(k, inner[k])
			}
		case !slices.Contains(envelopeFields, key):
			flat.put(key, f[key])
		}
	}
	return llmclient.Marshal(flat), leniencies, true
}

// twoValues is a field that no action has. It stands in an action that was written
// with two values for one thing, for the argument error to object: taking one of
// them would be a guess.
const twoValues = "two_values"

// put adds a field to an action. A null gives way; a second value that differs is
// kept apart as [twoValues].
func (f fields) put(key string, value json.RawMessage) {
	switch old := string(orNull(f[key])); {
	case old == "null":
		f[key] = value
	case string(value) != "null" && string(value) != old:
		f[twoValues] = value
	}
}

// contradiction is an action that names two: what is written under both names is
// passed on for the argument error to object.
func contradiction(a, b string) json.RawMessage {
	return llmclient.Marshal(fields{"action": llmclient.Marshal(a), twoValues: llmclient.Marshal(b)})
}

// namedIn returns the action that a field names, itself or in an object of its own;
// "" when it names none.
func namedIn(f fields, key string) string {
	if name := stringField(f, key); modules.IsAction(name) {
		return name
	}
	inner, _ := objectField(f, key)
	return ownName(inner)
}

// twoDecisions reports whether an object decides twice, and differently: under
// "action" and under "decision". The standing order's own name is no second action.
func twoDecisions(f fields) bool {
	a, b := namedIn(f, "action"), namedIn(f, "decision")
	if a == "" || b == "" || isStanding(a) || isStanding(b) {
		return false
	}
	_, first := objectField(f, "action")
	_, second := objectField(f, "decision")
	return !sameActionName(a, b) || first && second && string(f["action"]) != string(f["decision"])
}

// shapeStanding reads {"decision":"execute_until","action":{...},"until":...,
// "max_ticks":n}.
func shapeStanding(f fields) (fields, []string, bool) {
	inner, isObject := objectField(f, "do")
	if !isObject {
		inner, isObject = objectField(f, "action")
	}
	if !isObject {
		return nil, nil, false
	}
	flat, more, ok := shapeFlat(inner)
	if !ok {
		return nil, nil, false
	}
	until, extra := shapeUntil(f["until"])
	shaped, reason := keepReason(f, fields{"action": flat, "execute_until": standingFields(f, until)})
	return shaped, slices.Concat([]string{lenNestedUntil}, more, extra, reason), true
}

func withAction(f fields, action json.RawMessage) fields {
	shaped := fields{}
	for key, value := range f {
		shaped[key] = value
	}
	shaped["action"] = action
	return shaped
}

// reasonKeys are the names under which models give their reason.
var reasonKeys = []string{"why", "reason", "rationale", "reasoning", "explanation", "thought", "理由", "原因"}

// keepReason carries the reason and the cited sources of from into shaped.
func keepReason(from, shaped fields) (fields, []string) {
	if shaped == nil {
		return nil, nil
	}
	var leniencies []string
	for _, key := range reasonKeys {
		if _, isText := from[key]; isText && shaped["why"] == nil && stringField(from, key) != "" {
			shaped["why"] = from[key]
			if key != "why" {
				leniencies = []string{lenReasonKey}
			}
		}
	}
	if value, ok := from["sources_used"]; ok && shaped["sources_used"] == nil {
		shaped["sources_used"] = value
	}
	return shaped, leniencies
}

func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

func stringField(f fields, key string) string {
	var s string
	if raw := f[key]; !bytes.ContainsRune(raw, '"') || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

func objectField(f fields, key string) (fields, bool) {
	if !bytes.ContainsRune(f[key], '{') {
		return nil, false // the usual case, cheaper than an error
	}
	var inner fields
	err := json.Unmarshal(f[key], &inner)
	return inner, err == nil && inner != nil
}
