package behavior

import (
	"encoding/json"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
)

// The leniencies of finding the call that an object in a text stands for.
const (
	lenToolAlias      = "tool_alias"
	lenCallKey        = "call_key"
	lenActionAsTool   = "action_as_tool"
	lenToolFromFields = "tool_from_fields"
	lenWrapperKey     = "wrapper_key"
	lenJSONInString   = "json_in_string"
	lenDraftShorthand = "draft_shorthand"
	lenTypeKey        = "type_key"
)

// The keys under which models put a call's name and its arguments, and those in
// which they wrap it. The first of each is the API's own.
var (
	nameKeys     = []string{"name", "tool", "tool_name", "function_name", "function", "recipient_name", "module", "action", "decision"}
	argumentKeys = []string{"arguments", "args", "parameters", "params", "input", "tool_input", "action_input", "kwargs"}
	wrapperKeys  = []string{"tool_call", "function_call", "function", "tool_calls", "result", "output", "response", "answer", "final_answer", "decision"}
)

// readObject turns one object of the protocol, written as text, into the call it
// stands for. What wraps the object is taken off, once.
func (t *Turn) readObject(f fields) (slot, bool) {
	if s, ok := t.bareCall(f); ok {
		return s, true
	}
	var found []slot
	for _, key := range wrapperKeys {
		inner, leniency, ok := wrapped(f, key)
		if !ok {
			continue
		}
		if s, ok := t.bareCall(inner); ok {
			s.leniencies = append(s.leniencies, leniency)
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		// Two calls in one wrapping do not say which of them is meant.
		return slot{}, false
	}
	return found[0], true
}

// wrapped returns the object under a key: as it is, as the only element of a list,
// or encoded in a string.
func wrapped(f fields, key string) (inner fields, leniency string, ok bool) {
	if inner, ok = objectField(f, key); ok {
		return inner, lenWrapperKey, true
	}
	var list []fields
	if json.Unmarshal(f[key], &list) == nil && len(list) == 1 && list[0] != nil {
		return list[0], lenWrapperKey, true
	}
	text := stringField(f, key)
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return nil, "", false
	}
	object, _, fault := modules.ReadObject(text)
	if fault != nil || json.Unmarshal(object, &inner) != nil {
		return nil, "", false
	}
	return inner, lenJSONInString, true
}

// bareCall reads an object that is not wrapped into anything.
func (t *Turn) bareCall(f fields) (slot, bool) {
	if s, ok := t.explicitCall(f); ok {
		return s, true
	}
	switch kind := stringField(f, "type"); {
	case kind == toolPlan:
		return textCall(toolPlan, without(f, "type")), true
	case kind == toolDraft:
		return t.draftCall(without(f, "type"), nil)
	case kind == toolTurn:
		return textCall(toolTurn, without(f, "type")), true
	case modules.IsAction(kind) && stringField(f, "decision")+stringField(f, "action") == "":
		f = without(f, "type")
		f["decision"] = llmclient.Marshal(kind)
		return t.decisionCall(f, []string{lenTypeKey})
	case f["candidates"] != nil && f["candidate"] == nil:
		return t.draftCall(f, []string{lenToolFromFields})
	case f["steps"] != nil || f["actions"] != nil || f["missing"] != nil:
		return textCall(toolPlan, without(f, "type"), lenToolFromFields), true
	}
	return t.decisionCall(f, nil)
}

// explicitCall reads {"name":TOOL,"arguments":{...}} and its relatives. A tool that
// does not exist is called all the same: the answer to that names those that do.
func (t *Turn) explicitCall(f fields) (slot, bool) {
	nameKey, argsKey := firstKey(nameKeys, func(key string) bool { return stringField(f, key) != "" }), firstKey(argumentKeys, func(key string) bool { return f[key] != nil })
	name, kind := stringField(f, nameKey), stringField(f, "type")
	isModule := kind == "module_call" || nameKey == "module"
	var leniencies []string
	switch {
	case name == "" || argsKey == "" && !isModule || kind == toolDraft:
		return slot{}, false
	case (argsKey == "input" || nameKey == "action" || nameKey == "decision") && !t.knows(name):
		return slot{}, false
	case !isModule && (nameKey != "name" || argsKey != "arguments"):
		leniencies = append(leniencies, lenCallKey)
	}
	args := f[argsKey]
	if string(orNull(args)) == "null" {
		args = json.RawMessage("{}")
	}
	if contradictsCall(f, nameKey, argsKey) {
		return textCall(t.decisionTool(), fields{"action": contradiction(name, ownName(f))}, leniencies...), true
	}
	return t.callWith(name, args, leniencies), true
}

// contradictsCall reports whether something beside an explicit call of an action
// says otherwise than the call: a second action, second arguments, or a parameter
// with another value.
func contradictsCall(f fields, nameKey, argsKey string) bool {
	name, rest := stringField(f, nameKey), without(f, nameKey)
	for _, key := range argumentKeys {
		if key != argsKey && !isParam(name, key) && string(orNull(f[key])) != "null" && string(f[key]) != string(f[argsKey]) {
			return true
		}
	}
	if !modules.IsAction(name) {
		return false
	}
	for _, key := range []string{"action", "decision"} {
		if other := namedIn(rest, key); other != "" && !sameActionName(other, name) {
			return true
		}
	}
	inner, _ := objectField(f, argsKey)
	for key, value := range rest {
		if isParam(name, key) && key != argsKey && string(value) != "null" && string(value) != string(inner[key]) {
			return true
		}
	}
	return false
}

// firstKey returns the first of the keys that holds, "" when none does.
func firstKey(keys []string, holds func(string) bool) string {
	for _, key := range keys {
		if holds(key) {
			return key
		}
	}
	return ""
}

// callWith is the call of a tool or action with arguments that are an object, or a
// string that holds one, as on the wire.
func (t *Turn) callWith(name string, args json.RawMessage, leniencies []string) slot {
	var inner fields
	if json.Unmarshal(args, &inner) == nil && inner != nil {
		return t.namedCall(name, inner, leniencies)
	}
	raw, text := string(args), ""
	if json.Unmarshal(args, &text) == nil {
		raw = text
	}
	tool, alias, ok := t.toolNamed(name)
	switch object, _, fault := modules.ReadObject(raw); {
	case ok:
		return slot{tool: tool, args: raw, text: true, leniencies: append(leniencies, alias...)}
	case fault == nil && json.Unmarshal(object, &inner) == nil:
		return t.namedCall(name, inner, leniencies)
	}
	return slot{tool: unknownName, args: raw, text: true, leniencies: leniencies}
}

// unknownName stands for a tool that does not exist.
const unknownName = "unknown"

// namedCall is the call of the tool or action called name.
func (t *Turn) namedCall(name string, args fields, leniencies []string) slot {
	tool, alias, ok := t.toolNamed(name)
	switch {
	case ok:
		return textCall(tool, args, append(leniencies, alias...)...)
	case modules.IsAction(name) && ownName(args) != "" && !sameActionName(ownName(args), name):
		return textCall(t.decisionTool(), fields{"action": contradiction(name, ownName(args))}, leniencies...)
	case modules.IsAction(name):
		f := fields{"decision": llmclient.Marshal(name)}
		for key, value := range args {
			if key != "decision" && key != "action" {
				f[key] = value
			}
		}
		if s, ok := t.decisionCall(f, append(leniencies, lenActionAsTool)); ok {
			return s
		}
	}
	return textCall(unknownName, args, leniencies...)
}

// decisionCall is a decision, or in the lean protocol the whole turn, written as
// one object. It is brought into shape when it is taken; see [shapeDecision].
func (t *Turn) decisionCall(f fields, leniencies []string) (slot, bool) {
	tool := t.decisionTool()
	if f["candidate"] != nil {
		return textCall(tool, without(f, "type"), leniencies...), true
	}
	shaped, more, ok := shapeDecision(f)
	return textCall(tool, shaped, append(leniencies, more...)...), ok
}

// decisionTool is the tool that decides.
func (t *Turn) decisionTool() string {
	if t.mind.cfg.Protocol == ProtocolLean {
		return toolTurn
	}
	return toolDecision
}

// ownName is the action that an object names itself, "" when it names none.
func ownName(f fields) string {
	for _, key := range []string{"decision", "action"} {
		if name := stringField(f, key); modules.IsAction(name) {
			return name
		}
	}
	return ""
}

// sameActionName reports whether two names stand for one action.
func sameActionName(a, b string) bool {
	first, _, _ := modules.ActionNamed(a)
	second, _, _ := modules.ActionNamed(b)
	return first == second
}

// draftCall is a draft: with its candidates, or with one decision in their place.
func (t *Turn) draftCall(f fields, leniencies []string) (slot, bool) {
	if f["candidates"] != nil {
		return textCall(toolDraft, f, leniencies...), true
	}
	shaped, more, ok := shapeDecision(f)
	if !ok {
		return slot{}, false
	}
	draft := fields{"candidates": llmclient.Marshal([]fields{shaped})}
	return textCall(toolDraft, draft, append(append(leniencies, lenDraftShorthand), more...)...), true
}

// without returns f without a key.
func without(f fields, key string) fields {
	out := fields{}
	for k, v := range f {
		if k != key {
			out[k] = v
		}
	}
	return out
}
