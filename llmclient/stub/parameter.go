package stub

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/agentworld/llmclient"
)

// parameter is what the API takes for one value of a request. The zero value takes anything.
type parameter struct {
	// kinds are the JSON types, between spaces; null is one unless the value is required.
	kinds    string
	required bool
	// min and max bound a number. choices are the texts there are, between spaces;
	// lengthMax and pattern bound others.
	min, max  float64
	choices   string
	lengthMax int
	pattern   *regexp.Regexp
	// mayBeEmpty says of a text with a lengthMax that it may be.
	mayBeEmpty bool
	// fields are those of an object, items what a list holds, of which some need at least
	// one. types tell objects apart by their type, or by the field by. What is closed has no
	// other field, or no other type.
	fields       map[string]parameter
	items        *parameter
	some, closed bool
	types        map[string]parameter
	by           string
	// each is every field of an object of no more than [fieldsMax].
	each *parameter
	// unknown is a field that this object does not have, though others like it do.
	unknown bool
}

// fieldsMax and fieldNameMax bound an object whose fields have names of the client's own.
const fieldsMax, fieldNameMax = 16, 64

var (
	nameOfAPI  = regexp.MustCompile("^[a-zA-Z0-9_-]+$")
	aText      = parameter{kinds: "string"}
	textNeeded = parameter{kinds: "string", required: true}
	toolType   = parameter{kinds: "string", required: true,
		choices: "function file_search computer computer_use_preview " +
			"web_search web_search_2025_08_26 web_search_preview web_search_preview_2025_03_11 mcp code_interpreter " +
			"programmatic_tool_calling image_generation local_shell shell custom namespace tool_search apply_patch"}
	anID     = parameter{kinds: "string", lengthMax: 64, mayBeEmpty: true}
	aSwitch  = parameter{kinds: "boolean"}
	anObject = parameter{kinds: "object"}
	callID   = parameter{kinds: "string", required: true, lengthMax: 64}
	toolName = parameter{kinds: "string", required: true, lengthMax: 128, pattern: nameOfAPI}
	aSummary = parameter{kinds: "string", choices: "auto concise detailed"}
	aMessage = parameter{
		fields: map[string]parameter{
			"role":    {kinds: "string", required: true, choices: "user assistant system developer"},
			"content": {required: true},
		},
		by: "role", types: map[string]parameter{
			"user": fromOthers, "system": fromOthers, "developer": fromOthers,
			"assistant": contentOf(map[string]parameter{
				"output_text": {fields: map[string]parameter{
					"text": textNeeded, breakpointMember: {unknown: true},
				}},
				"refusal": {fields: map[string]parameter{
					"refusal": textNeeded, breakpointMember: {unknown: true},
				}},
			}),
		},
	}
	fromOthers = contentOf(inputBlocks)
	// inputBlocks are the blocks of messages and of outputs.
	inputBlocks = map[string]parameter{
		"input_text": {fields: map[string]parameter{"text": textNeeded, breakpointMember: aBreakpoint}},
		"input_image": {fields: map[string]parameter{
			"detail":    {kinds: "string", choices: "low high auto original"},
			"image_url": aText, "file_id": aText, breakpointMember: aBreakpoint,
		}},
		"input_file": {fields: map[string]parameter{
			"filename": aText, "file_data": aText, "file_url": aText, "file_id": aText, breakpointMember: aBreakpoint,
		}},
	}
	aBreakpoint = parameter{kinds: "object", closed: true, fields: map[string]parameter{
		"mode": {kinds: "string", required: true, choices: "explicit"}, "ttl": timeToLive,
	}}
	timeToLive = parameter{kinds: "string", choices: "30m 12h"}
	aPenalty   = parameter{kinds: "number", min: -2, max: 2}
)

// contentOf is a message whose content is a text or parts of these types.
func contentOf(types map[string]parameter) parameter {
	return parameter{fields: map[string]parameter{"content": {
		kinds: "string array", required: true,
		items: &parameter{kinds: "object", required: true, closed: true, types: types},
	}}}
}

// requestParameters is a request body of the API. Items of types that are not read here
// pass, which the API refuses: servers in front of this one may add some of their own, which
// clients send back.
var requestParameters = parameter{kinds: "object", required: true, closed: true, fields: map[string]parameter{
	"model": {kinds: "string", required: true, lengthMax: 1024}, "instructions": aText,
	"previous_response_id": aText, "user": aText, "prompt_cache_key": anID, "safety_identifier": anID,
	"input": {kinds: "string array", required: true, some: true,
		items: &parameter{kinds: "object", required: true, types: map[string]parameter{
			"": aMessage, "message": aMessage,
			"function_call": {fields: map[string]parameter{"call_id": callID, "name": toolName, "arguments": textNeeded}},
			"function_call_output": {fields: map[string]parameter{"call_id": callID, "output": {
				kinds: "string array", required: true,
				items: &parameter{kinds: "object", required: true, closed: true, types: inputBlocks},
			}}},
			"reasoning": {fields: map[string]parameter{"id": textNeeded, "summary": {kinds: "array", required: true}}},
		}}},
	"tools": {kinds: "array", items: &parameter{kinds: "object", required: true, fields: map[string]parameter{
		"type": toolType,
	}, types: map[string]parameter{
		"function": {fields: map[string]parameter{
			"name": toolName, "description": aText, "parameters": anObject, "strict": aSwitch,
		}},
		// Of tools that are run elsewhere only what must be there is looked at.
		"file_search": {fields: map[string]parameter{
			"vector_store_ids": {kinds: "array", required: true, items: &textNeeded},
		}},
		"mcp":              {fields: map[string]parameter{"server_label": textNeeded}},
		"code_interpreter": {fields: map[string]parameter{"container": {kinds: "string object", required: true}}},
		"custom":           {fields: map[string]parameter{"name": toolName, "description": aText}},
		"namespace": {fields: map[string]parameter{
			"name": toolName, "description": textNeeded, "tools": {kinds: "array", required: true},
		}},
		"computer_use_preview": {fields: map[string]parameter{
			"environment":    textNeeded,
			"display_width":  {kinds: "integer", required: true},
			"display_height": {kinds: "integer", required: true},
		}},
	}}},
	"tool_choice": {kinds: "string object", choices: "auto required none", closed: true, types: map[string]parameter{
		"function": {fields: map[string]parameter{"name": textNeeded}},
		"allowed_tools": {fields: map[string]parameter{
			"mode": {kinds: "string", required: true, choices: "auto required"},
			"tools": {kinds: "array", required: true, items: &parameter{
				kinds: "object", required: true, fields: map[string]parameter{"type": textNeeded, "name": aText},
			}},
		}},
	}},
	"parallel_tool_calls": aSwitch, "store": aSwitch, "stream": aSwitch, "background": aSwitch,
	"max_output_tokens": {kinds: "integer", min: 16, max: 1e12},
	"max_tool_calls":    {kinds: "integer", min: 1, max: 1e9}, "top_logprobs": {kinds: "integer", max: 20},
	"presence_penalty": aPenalty, "frequency_penalty": aPenalty,
	"temperature": {kinds: "number", max: 2}, "top_p": {kinds: "number", max: 1},
	"truncation": {kinds: "string", choices: "auto disabled"},
	"reasoning": {kinds: "object", closed: true, fields: map[string]parameter{
		"effort":  {kinds: "string", choices: "none minimal low medium high xhigh max"},
		"summary": aSummary, "generate_summary": aSummary, "mode": aText, "context": aText,
	}},
	"text": {kinds: "object", closed: true, fields: map[string]parameter{
		"format": {kinds: "object", closed: true, types: map[string]parameter{
			"text": {}, "json_object": {},
			"json_schema": {fields: map[string]parameter{
				"name":   {kinds: "string", required: true, lengthMax: 64, pattern: nameOfAPI},
				"schema": {kinds: "object", required: true}, "description": aText, "strict": aSwitch,
			}},
		}},
		"verbosity": {kinds: "string", choices: "low medium high"},
	}},
	"include": {kinds: "array", items: &parameter{kinds: "string", required: true, choices: "file_search_call.results " +
		"web_search_call.results web_search_call.action.sources message.input_image.image_url " +
		"computer_call_output.output.image_url code_interpreter_call.outputs " +
		"reasoning.encrypted_content message.output_text.logprobs"}},
	"stream_options": {kinds: "object", closed: true, fields: map[string]parameter{"include_obfuscation": aSwitch}},
	"service_tier":   {kinds: "string", choices: "auto default flex scale priority fast ultrafast"},
	"metadata": {kinds: "object", each: &parameter{
		kinds: "string", required: true, pattern: regexp.MustCompile("^(?s:.{0,512})$"),
	}},
	"prompt_cache_retention": {kinds: "string", choices: "in_memory 24h"},
	"prompt_cache_options": {kinds: "object", closed: true, fields: map[string]parameter{
		"mode": {kinds: "string", choices: "implicit explicit"}, "ttl": timeToLive,
		"comparison_response_id": aText, "prewarm": aSwitch,
	}},
	"conversation": {kinds: "string object"},
	"prompt":       anObject, "moderation": anObject, "context_management": {kinds: "array"},
}}

// check reports the first thing about a decoded value that the API refuses, much in its
// words. path is what it calls the value.
func (p parameter) check(path string, value any) *RequestError {
	kind := "object"
	switch v := value.(type) {
	case nil:
		if p.required {
			return badRequest("missing_required_parameter", path, "Missing required parameter: '"+path+"'.")
		}
		return nil
	case bool:
		kind = "boolean"
	case string:
		kind = "string"
	case []any:
		kind = "array"
	case json.Number:
		kind = "integer"
		if p.kinds == "number" || strings.ContainsAny(string(v), ".eE") {
			kind = "number"
		}
	}
	if p.kinds != "" && !slices.Contains(strings.Fields(p.kinds), kind) {
		return badRequest("invalid_type", path,
			fmt.Sprintf("Invalid type for '%s': expected one of %s, but got %s instead.", path, p.kinds, kind))
	}
	invalid := func(code, format string, args ...any) *RequestError {
		return badRequest(code, path, fmt.Sprintf("Invalid '%s': "+format, append([]any{path}, args...)...))
	}
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Float64(); p.max > 0 && (err != nil || n < p.min || n > p.max) {
			return invalid("invalid_value", "expected a value from %g to %g.", p.min, p.max)
		}
	case string:
		switch {
		case p.choices != "" && !slices.Contains(strings.Fields(p.choices), v):
			return invalid("invalid_value", "supported values are: %s.", p.choices)
		case p.lengthMax > 0 && v == "" && !p.mayBeEmpty:
			return invalid("empty_string", "empty string. Expected a string with minimum length 1.")
		case p.lengthMax > 0 && utf8.RuneCountInString(v) > p.lengthMax:
			return invalid("string_above_max_length", "string too long. Expected a string with maximum length %d.", p.lengthMax)
		case p.pattern != nil && !p.pattern.MatchString(v):
			return invalid("invalid_value", "string does not match pattern. Expected a string that matches the pattern '%s'.",
				p.pattern)
		}
	case []any:
		if p.some && len(v) == 0 {
			return invalid("empty_array", "empty array. Expected an array with minimum length 1.")
		}
		for i := 0; p.items != nil && i < len(v); i++ {
			if refused := p.items.check(fmt.Sprintf("%s[%d]", path, i), v[i]); refused != nil {
				return refused
			}
		}
	case object:
		if p.fields == nil && p.types == nil && p.each == nil {
			break
		}
		if p.each != nil && len(v) > fieldsMax {
			return invalid("object_above_max_properties", "too many properties. Expected an object with at most %d.", fieldsMax)
		}
		// What is there comes before what is missing.
		missing := slices.DeleteFunc(slices.Sorted(maps.Keys(p.fields)),
			func(name string) bool { _, has := v[name]; return has })
		for _, name := range append(slices.Sorted(maps.Keys(v)), missing...) {
			field, known := p.fields[name]
			at := strings.TrimPrefix(path+"."+name, ".")
			if p.each != nil {
				field = *p.each
				if utf8.RuneCountInString(name) > fieldNameMax {
					return invalid("invalid_value", "a name is longer than %d characters.", fieldNameMax)
				}
			}
			_, there := v[name]
			unlisted := !known && p.closed && p.types == nil
			if unlisted || field.unknown && there {
				at = strings.ToValidUTF8(at[:min(len(at), 64)], "")
				return badRequest("unknown_parameter", at, "Unknown parameter: '"+at+"'.")
			}
			if refused := field.check(at, v[name]); refused != nil {
				return refused
			}
		}
		name, _ := v[cmp.Or(p.by, "type")].(string)
		if of, known := p.types[name]; known {
			return of.check(path, v)
		}
		if p.types != nil && p.closed {
			return badRequest("invalid_value", path+".type",
				"Invalid value for '"+path+".type'. Supported values are: "+strings.Join(slices.Sorted(maps.Keys(p.types)), ", ")+
					".")
		}
	}
	return nil
}

// checkPairs refuses input with repeated items, calls without outputs, outputs without
// calls, and reasoning that nothing follows.
func checkPairs(input any) *RequestError {
	list, _ := input.([]any)
	open := map[string]int{}
	ids := map[string]bool{}
	reasoning := false
	refuse := func(format string, i int) *RequestError {
		return badRequest("invalid_value", "input", fmt.Sprintf(format, fmt.Sprintf("input[%d]", i)))
	}
	for i, entry := range append(slices.Clone(list), object{"role": "user"}) { // a user comes next
		text := func(name string) string { s, _ := entry.(object)[name].(string); return s }
		kind := text("type")
		id := text("id")
		call := text("call_id")
		_, called := open[call]
		switch {
		case reasoning && (kind == string(llmclient.KindFunctionOutput) || text("role") != "" && text("role") != "assistant"):
			return refuse("Item '%s' of type 'reasoning' was provided without its required following item.", i-1)
		case id != "" && ids[id]:
			return refuse("Duplicate item found at '%s'. Remove duplicate items from your input and try again.", i)
		case kind == string(llmclient.KindFunctionCall) && called:
			return refuse("No tool output found for the function call before '%s'.", i)
		case kind == string(llmclient.KindFunctionCall):
			open[call] = i
		case kind == string(llmclient.KindFunctionOutput) && !called:
			return refuse("No tool call found for the function call output '%s'.", i)
		case kind == string(llmclient.KindFunctionOutput):
			delete(open, call)
		}
		ids[id], reasoning = true, kind == string(llmclient.KindReasoning)
	}
	for _, i := range slices.Sorted(maps.Values(open)) {
		return refuse("No tool output found for the function call '%s'.", i)
	}
	return nil
}
