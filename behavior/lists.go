package behavior

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
)

// The leniencies of reading the parts of arguments that are not an action.
const (
	lenListFromText = "list_from_text"
	lenListFromNull = "list_from_null"
	lenListFromOne  = "list_from_one"
	lenStepFromText = "plan_step_from_text"
	lenPlanNext     = "plan_next"
)

// encodedKeys are the fields with objects and lists that models send encoded in a
// string.
var encodedKeys = []string{"action", "decision", "candidates", "execute_until", "steps", "sources_used", "actions"}

// mendEncoded decodes fields that hold their JSON in a string, one level deep.
func mendEncoded(f fields) (leniencies []string) {
	for _, key := range encodedKeys {
		text := strings.TrimSpace(stringField(f, key))
		switch {
		case strings.HasPrefix(text, "["):
			if !json.Valid([]byte(text)) {
				continue
			}
			f[key] = json.RawMessage(text)
		case strings.HasPrefix(text, "{"):
			object, _, fault := modules.ReadObject(text)
			if fault != nil {
				continue
			}
			f[key] = object
		default:
			continue
		}
		leniencies = append(leniencies, lenJSONInString)
	}
	return leniencies
}

// mendLists brings the fields of protocol arguments to the types that the schema
// asks for, where a value of another type leaves no doubt.
func mendLists(f fields) (leniencies []string) {
	leniencies = mendEncoded(f)
	for _, key := range []string{"sources_used", "actions"} {
		leniencies = append(leniencies, mendNames(f, key)...)
	}
	if _, isObject := objectField(f, "candidates"); isObject {
		f["candidates"] = llmclient.Marshal([]json.RawMessage{f["candidates"]})
		leniencies = append(leniencies, lenListFromOne)
	}
	return leniencies
}

// mendNames brings a list of names that is one string, or null, to a list.
func mendNames(f fields, key string) []string {
	if string(f[key]) == "null" {
		f[key] = json.RawMessage("[]")
		return []string{lenListFromNull}
	}
	text := ""
	if f[key] == nil || json.Unmarshal(f[key], &text) != nil {
		return nil
	}
	split := splitNames
	if key == "actions" {
		split = splitActions
	}
	f[key] = llmclient.Marshal(append([]string{}, split(text)...))
	return []string{lenListFromText}
}

// betweenActions is what stands between two planned actions in one text. A comma
// within a number parts nothing: it would leave a smaller number behind.
var betweenActions = regexp.MustCompile(`[|;、；\n]|[,，]\s*(?:\D|$)`)

// splitActions splits a text into the actions of a plan.
func splitActions(text string) (lines []string) {
	start := 0
	add := func(end int) {
		if line := strings.Trim(text[start:end], " ,，"); line != "" {
			lines = append(lines, line)
		}
	}
	for _, found := range betweenActions.FindAllStringIndex(text, -1) {
		add(found[0])
		start = found[0] + len(firstRune(text[found[0]:]))
	}
	add(len(text))
	return lines
}

func firstRune(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return text[:size]
}

// shapePlan brings a plan to the plan tool's arguments: fields to their types, and
// {"actions":[...],"next":"module_call"} to steps.
func shapePlan(f fields) (fields, []string) {
	leniencies := mendLists(f)
	if f["steps"] == nil && f["next"] != nil {
		step := PlanStep{Kind: stepRespond}
		if stringField(f, "next") == "module_call" {
			step.Kind = stepCall
		}
		f["steps"] = llmclient.Marshal([]PlanStep{step})
		leniencies = append(leniencies, lenPlanNext)
	}
	return f, append(leniencies, mendSteps(f)...)
}

// mendSteps brings the steps of a plan that are words to objects: the word is the
// step's kind if it is one, and else what the step is about.
func mendSteps(f fields) (leniencies []string) {
	var list []json.RawMessage
	if text := stringField(f, "steps"); text != "" {
		list = []json.RawMessage{f["steps"]}
	} else if json.Unmarshal(f["steps"], &list) != nil {
		return nil
	}
	for i, item := range list {
		text := ""
		if json.Unmarshal(item, &text) != nil || string(item) == "null" {
			continue
		}
		list[i] = llmclient.Marshal(stepOf(text))
		leniencies = append(leniencies, lenStepFromText)
	}
	if len(leniencies) > 0 {
		f["steps"] = llmclient.Marshal(list)
	}
	return leniencies
}

func stepOf(text string) PlanStep {
	for _, kind := range stepKinds {
		if kind == text {
			return PlanStep{Kind: kind}
		}
	}
	return PlanStep{Kind: stepRespond, What: text}
}
