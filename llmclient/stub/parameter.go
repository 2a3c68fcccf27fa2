package stub

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
)

// parameter is what the API takes for one field of a request. The zero value takes anything.
type parameter struct {
	// kinds are the JSON types, between spaces; null is one unless the field is required.
	kinds    string
	required bool
	// min and max bound a number, maxLength and pattern a string, choices are its values,
	// between spaces.
	min, max  float64
	maxLength int
	pattern   *regexp.Regexp
	choices   string
	// fields are those of an object; any other is refused if it is closed.
	fields map[string]parameter
	closed bool
	// items is what a list holds.
	items *parameter
}

// toolName is what the API takes as the name of a function.
var toolName = parameter{kinds: "string", required: true, maxLength: 128, pattern: regexp.MustCompile("^[a-zA-Z0-9_-]+$")}

var (
	anyString = parameter{kinds: "string"}
	anySwitch = parameter{kinds: "boolean"}
	callID    = parameter{kinds: "string", required: true, maxLength: 64}
	length    = "auto concise detailed"
)

// requestParameters is a request body of the API.
var requestParameters = parameter{kinds: "object", required: true, closed: true, fields: map[string]parameter{
	"model": {kinds: "string", required: true}, "input": {kinds: "string array", required: true, items: &parameter{kinds: "object", required: true}},
	"instructions": anyString, "tools": {kinds: "array", items: &parameter{kinds: "object", required: true, fields: map[string]parameter{"type": {kinds: "string", required: true}}}},
	"tool_choice": {kinds: "string object"}, "parallel_tool_calls": anySwitch, "max_tool_calls": {kinds: "integer", min: 1, max: 1e9},
	"max_output_tokens": {kinds: "integer", min: 16, max: 1e12}, "temperature": {kinds: "number", max: 2}, "top_p": {kinds: "number", max: 1},
	"top_logprobs": {kinds: "integer", max: 20}, "truncation": {kinds: "string", choices: "auto disabled"},
	"reasoning": {kinds: "object", closed: true, fields: map[string]parameter{
		"effort": {kinds: "string", choices: "none minimal low medium high xhigh max"}, "summary": {kinds: "string", choices: length},
		"generate_summary": {kinds: "string", choices: length}, "mode": anyString, "context": anyString,
	}},
	"text":    {kinds: "object", closed: true, fields: map[string]parameter{"format": {kinds: "object"}, "verbosity": {kinds: "string", choices: "low medium high"}}},
	"include": {kinds: "array", items: &parameter{kinds: "string", required: true, choices: "file_search_call.results web_search_call.results web_search_call.action.sources message.input_image.image_url computer_call_output.output.image_url code_interpreter_call.outputs reasoning.encrypted_content message.output_text.logprobs"}},
	"store":   anySwitch, "stream": anySwitch, "stream_options": {kinds: "object"}, "metadata": {kinds: "object"}, "user": anyString,
	"safety_identifier": {kinds: "string", maxLength: 64}, "prompt_cache_key": anyString, "prompt_cache_retention": {kinds: "string", choices: "in_memory 24h"},
	"prompt_cache_options": {kinds: "object"}, "service_tier": {kinds: "string", choices: "auto default flex scale priority fast ultrafast"},
	"previous_response_id": anyString, "background": anySwitch, "conversation": {kinds: "string object"}, "prompt": {kinds: "object"},
	"moderation": {kinds: "object"}, "context_management": {kinds: "array"},
}}

// functionParameter is a tool of the one kind that this server calls.
var functionParameter = parameter{kinds: "object", fields: map[string]parameter{
	"name": toolName, "description": anyString, "parameters": {kinds: "object"}, "strict": anySwitch,
}}

// inputItems are the items whose fields are read. The API has more kinds, and providers have
// kinds of their own, which clients send back.
var inputItems = map[llmclient.ItemKind]parameter{
	llmclient.KindMessage: {kinds: "object", fields: map[string]parameter{
		"role": {kinds: "string", required: true, choices: "user assistant system developer"}, "content": {kinds: "string array", required: true, items: &parameter{kinds: "object", required: true}},
	}},
	llmclient.KindFunctionCall: {kinds: "object", fields: map[string]parameter{
		"call_id": callID, "name": {kinds: "string", required: true}, "arguments": {kinds: "string", required: true},
	}},
	llmclient.KindFunctionOutput: {kinds: "object", fields: map[string]parameter{"call_id": callID, "output": {kinds: "string array", required: true}}},
	llmclient.KindReasoning:      {kinds: "object", fields: map[string]parameter{"id": {kinds: "string", required: true}, "summary": {kinds: "array", required: true}}},
}

// check reports the first thing about a value that the API refuses, in its words. path is
// what it calls the value.
func (p parameter) check(path string, raw json.RawMessage) *RequestError {
	if isNull(raw) {
		if p.required {
			return badRequest("missing_required_parameter", path, "Missing required parameter: '"+path+"'.")
		}
		return nil
	}
	kind := kindOf(raw)
	kinds := strings.Fields(p.kinds)
	if len(kinds) > 0 && !slices.Contains(kinds, kind) && !(kind == "integer" && slices.Contains(kinds, "number")) {
		return badRequest("invalid_type", path, fmt.Sprintf("Invalid type for '%s': expected %s, but got %s instead.", path, strings.Join(kinds, " or "), kind))
	}
	switch kind {
	case "integer", "number":
		var n float64
		if json.Unmarshal(raw, &n) != nil || n < p.min || p.max > 0 && n > p.max {
			return badRequest("invalid_value", path, fmt.Sprintf("Invalid '%s': expected a value from %g to %g.", path, p.min, p.max))
		}
	case "string":
		var s string
		_ = json.Unmarshal(raw, &s) // it is part of what was decoded before
		if p.choices != "" && !slices.Contains(strings.Fields(p.choices), s) {
			return badRequest("invalid_value", path, fmt.Sprintf("Invalid value for '%s'. Supported values are: %s.", path, strings.Join(strings.Fields(p.choices), ", ")))
		}
		if p.required && s == "" && p.maxLength > 0 {
			return badRequest("empty_string", path, fmt.Sprintf("Invalid '%s': empty string. Expected a string with minimum length 1.", path))
		}
		if p.maxLength > 0 && len(s) > p.maxLength {
			return badRequest("string_above_max_length", path, fmt.Sprintf("Invalid '%s': string too long. Expected a string with maximum length %d.", path, p.maxLength))
		}
		if p.pattern != nil && !p.pattern.MatchString(s) {
			return badRequest("invalid_value", path, fmt.Sprintf("Invalid '%s': string does not match pattern. Expected a string that matches the pattern '%s'.", path, p.pattern))
		}
	case "array":
		var list []json.RawMessage
		if p.items == nil || json.Unmarshal(raw, &list) != nil {
			return nil
		}
		for i, element := range list {
			if refused := p.items.check(fmt.Sprintf("%s[%d]", path, i), element); refused != nil {
				return refused
			}
		}
	case "object":
		return p.checkFields(path, raw)
	}
	return nil
}

// checkFields checks the fields of an object.
func (p parameter) checkFields(path string, raw json.RawMessage) *RequestError {
	var object map[string]json.RawMessage
	if p.fields == nil || json.Unmarshal(raw, &object) != nil {
		return nil
	}
	// What is there comes before what is missing.
	missing := slices.DeleteFunc(slices.Sorted(maps.Keys(p.fields)), func(name string) bool { return object[name] != nil })
	for _, name := range append(slices.Sorted(maps.Keys(object)), missing...) {
		field, known := p.fields[name]
		at := strings.TrimPrefix(path+"."+name, ".")
		if !known && p.closed {
			at = strings.ToValidUTF8(at[:min(len(at), 64)], "")
			return badRequest("unknown_parameter", at, "Unknown parameter: '"+at+"'.")
		}
		if refused := field.check(at, object[name]); refused != nil {
			return refused
		}
	}
	return nil
}

// kindOf is the JSON type of a valid text.
func kindOf(raw json.RawMessage) string {
	switch raw = bytes.TrimLeft(raw, " \t\r\n"); raw[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	}
	if bytes.ContainsAny(raw, ".eE") {
		return "number"
	}
	return "integer"
}

// checkItems refuses what the API refuses about the input: items that are incomplete or
// repeated, calls without outputs, outputs without calls, reasoning that nothing follows.
func checkItems(list []json.RawMessage) *RequestError {
	type item struct {
		Type   llmclient.ItemKind `json:"type"`
		Role   string             `json:"role"`
		ID     string             `json:"id"`
		CallID string             `json:"call_id"`
	}
	items, open, ids := make([]item, len(list)), map[string]int{}, map[string]bool{}
	for i, raw := range list {
		it, path := &items[i], fmt.Sprintf("input[%d]", i)
		_ = json.Unmarshal(raw, it) // what has another type is refused below, or not looked at
		if it.Type == "" && it.Role != "" {
			it.Type = llmclient.KindMessage
		}
		if refused := inputItems[it.Type].check(path, raw); refused != nil {
			return refused
		}
		if it.ID != "" && ids[it.ID] {
			return badRequest("invalid_value", "input", "Duplicate item found at '"+path+"'. Remove duplicate items from your input and try again.")
		}
		ids[it.ID] = true
		switch it.Type {
		case llmclient.KindFunctionCall:
			open[it.CallID] = i
		case llmclient.KindFunctionOutput:
			if _, called := open[it.CallID]; !called {
				return badRequest("invalid_value", "input", "No tool call found for the function call output '"+path+"'.")
			}
			delete(open, it.CallID)
		}
		if i > 0 && items[i-1].Type == llmclient.KindReasoning && (it.Type == llmclient.KindFunctionOutput || it.Type == llmclient.KindMessage && it.Role != "assistant") {
			return badRequest("invalid_value", "input", fmt.Sprintf("Item 'input[%d]' of type 'reasoning' was provided without its required following item.", i-1))
		}
	}
	if n := len(items); n > 0 && items[n-1].Type == llmclient.KindReasoning {
		return badRequest("invalid_value", "input", fmt.Sprintf("Item 'input[%d]' of type 'reasoning' was provided without its required following item.", n-1))
	}
	for _, i := range slices.Sorted(maps.Values(open)) {
		return badRequest("invalid_value", "input", fmt.Sprintf("No tool output found for the function call 'input[%d]'.", i))
	}
	return nil
}
