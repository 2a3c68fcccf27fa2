package behavior

import (
	"encoding/json"
	"slices"
	"strings"

	"agentworld/llmclient"
	"agentworld/world"
)

// The leniencies of reading a decision. Each is counted under its own name.
const (
	lenFlatAction  = "flat_action"
	lenDecisionKey = "decision_key"
	lenUnwrapped   = "unwrapped"
	lenNestedUntil = "nested_execute_until"
	lenEventList   = "event_list"
)

// envelopeFields are keys that models put beside an action and that never belong
// to one.
var envelopeFields = []string{
	"type", "decision", "action", "why", "reason", "rationale", "confidence", "need_verify",
	"message_to_user", "sources_used", "execute_until", "until", "max_ticks", "ignore", "agent_id",
}

// shapeDecision brings the shapes models write a decision in to the arguments of
// the decision tool: {"action":{...},"execute_until":...,"why":...}. It renames
// and unwraps only; every value stays as written and is validated afterwards. ok
// is false when there is no decision in f.
func shapeDecision(f fields) (shaped fields, leniencies []string, ok bool) {
	action, isObject := objectField(f, "action")
	if isObject && stringField(f, "decision") != "execute_until" && stringField(action, "action")+stringField(action, "decision") != "" {
		inner, more, ok := shapeFlat(action)
		if !ok {
			return f, nil, true
		}
		shaped := withAction(f, inner)
		var extra []string
		shaped["execute_until"], extra = standingOf(f)
		return shaped, append(more, extra...), true
	}
	if wrapped, isObject := objectField(f, "decision"); isObject {
		for _, key := range []string{"execute_until", "until", "max_ticks", "ignore"} {
			if f[key] != nil && wrapped[key] == nil {
				wrapped[key] = f[key]
			}
		}
		shaped, more, ok := shapeDecision(wrapped)
		return keepReason(f, shaped), append([]string{lenUnwrapped}, more...), ok
	}
	if stringField(f, "decision") == "execute_until" || stringField(f, "action") == "execute_until" {
		return shapeStanding(f)
	}
	flat, more, ok := shapeFlat(f)
	if !ok {
		return nil, nil, false
	}
	standing, extra := standingOf(f)
	shaped = keepReason(f, fields{"action": flat, "execute_until": standing})
	return shaped, slices.Concat([]string{lenFlatAction}, more, extra), true
}

// standingOf returns the standing order that stands beside an action: as the field
// of that name, or as its parts.
func standingOf(f fields) (json.RawMessage, []string) {
	if f["until"] == nil && f["max_ticks"] == nil {
		return orNull(f["execute_until"]), nil
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
	for key, value := range f {
		if slices.Contains(envelopeFields, key) && !isParam(name, key) {
			continue
		}
		flat[key] = value
	}
	return llmclient.Marshal(flat), leniencies, true
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
	shaped := keepReason(f, fields{"action": flat, "execute_until": standingFields(f, until)})
	return shaped, slices.Concat([]string{lenNestedUntil}, more, extra), true
}

// shapeUntil reads the conditions of a standing order from a list of conditions,
// from {"event":"a|b","event_any_of":[...],"value":n}, or from a string.
func shapeUntil(raw json.RawMessage) (json.RawMessage, []string) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && list != nil {
		return raw, nil
	}
	var single struct {
		Event    string          `json:"event"`
		AnyOf    []string        `json:"event_any_of"`
		Value    json.RawMessage `json:"value"`
		ValueLTE json.RawMessage `json:"value_lte"`
	}
	if json.Unmarshal(raw, &single) != nil && json.Unmarshal(raw, &single.Event) != nil {
		return orNull(raw), nil
	}
	if len(single.Value) == 0 {
		single.Value = single.ValueLTE
	}
	conditions := []map[string]json.RawMessage{}
	for _, name := range append(strings.FieldsFunc(single.Event, func(r rune) bool { return r == '|' || r == ',' }), single.AnyOf...) {
		condition := map[string]json.RawMessage{"event": llmclient.Marshal(strings.TrimSpace(name)), "value": json.RawMessage("null")}
		if takesValue(strings.TrimSpace(name)) {
			condition["value"] = orNull(single.Value)
		}
		conditions = append(conditions, condition)
	}
	return llmclient.Marshal(conditions), []string{lenEventList}
}

func takesValue(event string) bool {
	return slices.ContainsFunc(world.StopEvents(), func(e world.StopEvent) bool { return e.Name == event && e.TakesValue })
}

func isParam(action, name string) bool {
	return slices.ContainsFunc(world.Actions(), func(s world.ActionSpec) bool {
		return s.Name == action && slices.ContainsFunc(s.Params, func(p world.Param) bool { return p.Name == name })
	})
}

func withAction(f fields, action json.RawMessage) fields {
	shaped := fields{}
	for key, value := range f {
		shaped[key] = value
	}
	shaped["action"] = action
	return shaped
}

// keepReason carries the reason and the cited sources of from into shaped.
func keepReason(from, shaped fields) fields {
	if shaped == nil {
		return nil
	}
	for _, key := range []string{"why", "reason", "rationale"} {
		if value, ok := from[key]; ok && shaped["why"] == nil {
			shaped["why"] = value
		}
	}
	if value, ok := from["sources_used"]; ok && shaped["sources_used"] == nil {
		shaped["sources_used"] = value
	}
	return shaped
}

func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

func stringField(f fields, key string) string {
	var s string
	if json.Unmarshal(f[key], &s) != nil {
		return ""
	}
	return s
}

func objectField(f fields, key string) (fields, bool) {
	var inner fields
	err := json.Unmarshal(f[key], &inner)
	return inner, err == nil && inner != nil
}
