package behavior

import (
	"encoding/json"
	"slices"

	"agentworld/llmclient"
)

// The leniencies of reading text where a function call was expected. Each is
// counted under its own name; what they yield passes the same validation as a
// function call's arguments.
const (
	lenTextInsteadOfCall = "text_instead_of_call"
	lenInvisibleRemoved  = "invisible_characters_removed"
	lenThinkingRemoved   = "thinking_removed"
	lenUnfenced          = "unfenced"
	lenProseAround       = "prose_around_json"
	lenRepairedJSON      = "json_repaired"
	lenListOfOne         = "list_of_one"
	lenDraftShorthand    = "draft_shorthand"
	lenModuleAlias       = "module_alias"
)

const (
	textBytesMax   = 256 << 10
	objectBytesMax = 64 << 10
	objectsMax     = 16
	restartsMax    = 8
)

// readText is the fallback for an answer that is text. It looks for JSON objects
// in the shapes of the protocol and hands them on as if they had been calls.
func (t *Turn) readText(text string) {
	objects, leniencies, kind := findObjects(text)
	if kind != "" {
		t.repair(kind)
		return
	}
	for _, object := range objects {
		s, lenient, ok := t.readObject(object)
		if !ok {
			continue
		}
		leniencies = append(leniencies, lenient...)
		t.slots = append(t.slots, s)
	}
	if len(t.slots) == 0 {
		t.repair(ParseUnknownShape)
		return
	}
	t.dispatch(leniencies)
}

// readObject turns one object of the protocol, written as text, into the call it
// stands for.
func (t *Turn) readObject(f fields) (slot, []string, bool) {
	if name := stringField(f, "name"); name != "" && f["arguments"] != nil {
		args := string(f["arguments"])
		if quoted := stringField(f, "arguments"); quoted != "" {
			args = quoted
		}
		return slot{tool: name, args: args, text: true}, nil, true
	}
	switch kind := stringField(f, "type"); kind {
	case toolPlan:
		return textCall(toolPlan, shapePlan(f)), nil, true
	case "module_call":
		return t.textModuleCall(f)
	case toolDraft:
		shaped, ok := shapeDraft(f)
		return textCall(toolDraft, shaped), []string{lenDraftShorthand}, ok
	}
	if stringField(f, "module") != "" {
		return t.textModuleCall(f)
	}
	tool := toolDecision
	if t.mind.cfg.Protocol == ProtocolLean {
		tool = toolTurn
	}
	if f["candidate"] != nil {
		return textCall(tool, f), nil, true
	}
	shaped, leniencies, ok := shapeDecision(f)
	return textCall(tool, shaped), leniencies, ok
}

func textCall(tool string, f fields) slot {
	return slot{tool: tool, args: string(llmclient.Marshal(f)), text: true}
}

// textModuleCall reads {"type":"module_call","module":NAME,"args":{...}}. The
// dotted module name and the tool name both stand for the tool.
func (t *Turn) textModuleCall(f fields) (slot, []string, bool) {
	name := stringField(f, "module")
	tool, ok := t.mind.registry.ToolOf(name)
	var leniencies []string
	if !ok && slices.Contains(t.mind.moduleNames, name) {
		tool, leniencies = name, []string{lenModuleAlias}
	} else if !ok {
		tool = "unknown"
	}
	args := f["args"]
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	return slot{tool: tool, args: string(args), text: true}, leniencies, true
}

// shapePlan brings {"type":"plan","missing":[...],"next":"module_call"} to the
// plan tool's arguments.
func shapePlan(f fields) fields {
	if f["steps"] != nil {
		return f
	}
	step := PlanStep{Kind: stepRespond}
	if stringField(f, "next") == "module_call" {
		step.Kind = stepCall
	}
	shaped := fields{"goal": orEmpty(f["goal"]), "steps": llmclient.Marshal([]PlanStep{step}), "missing": f["missing"]}
	if shaped["missing"] == nil {
		shaped["missing"] = json.RawMessage("[]")
	}
	return shaped
}

// shapeDraft brings {"type":"decision_draft","decision":...} to the draft tool's
// arguments.
func shapeDraft(f fields) (fields, bool) {
	if f["candidates"] != nil {
		return f, true
	}
	shaped, _, ok := shapeDecision(f)
	if !ok {
		return nil, false
	}
	return fields{"candidates": llmclient.Marshal([]fields{shaped})}, true
}

func orEmpty(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage(`""`)
	}
	return raw
}
