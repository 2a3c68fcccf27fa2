package stub

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"example.com/agentworld/llmclient"
)

// request is what the policy uses of a Responses request, and what the response
// has to repeat of it.
type request struct {
	// body is what was sent.
	body []byte
	// sent are the members of the body as they came.
	sent llmclient.Members
	// created and completed are the Unix times of the answer, in seconds; cache is what a cache
	// of prompts has of the input. A server gives them, a request alone has the constants.
	created, completed int64
	cache              cacheUse
	// input is the item list; a plain string counts as one user message.
	input []llmclient.Item
	// tools are the function tools in the order given. Tools of other types are in echo, the
	// list that the response repeats, but never called.
	tools []tool
	echo  json.RawMessage
	// offers are what the tools say of the game.
	offers catalogue
	// choice says which of tools may be called.
	choice llmclient.ToolChoice
}

// tool is a tool of a request.
type tool struct {
	// Type is "function" for all tools that are kept.
	Type string `json:"type"`
	Name string `json:"name"`
	// Description is prose; of what it says only names are looked up.
	Description string `json:"description"`
	// Parameters is the JSON Schema of the arguments, perhaps absent.
	Parameters json.RawMessage `json:"parameters"`
	// Strict promises a schema of the strict subset.
	Strict bool `json:"strict"`
}

// parseRequest reads a request body. It refuses what the API refuses, and what a stateless
// server could only answer wrongly: silently ignoring previous_response_id, for one, would
// answer a conversation the client did not mean.
func parseRequest(body []byte) (request, *RequestError) {
	r := request{body: body, created: epoch, completed: epoch}
	members := llmclient.MembersOf(body)
	if !utf8.Valid(body) || members == nil && !json.Valid(body) {
		return r, badRequest("invalid_json", "", "The request body is not valid JSON.")
	}
	var tree any
	if members == nil {
		tree = decoded(body)
	} else {
		values := object{}
		for name, raw := range members {
			if name == "tools" && toolsPass.read(raw) {
				values[name] = []any{} // which passes as they do
			} else {
				values[name] = decoded(raw)
			}
		}
		tree = values
	}
	if refused := requestParameters.check("", tree); refused != nil {
		return r, refused
	}
	if refused := checkPairs(tree.(object)["input"]); refused != nil {
		return r, refused
	}
	r.sent = members
	if !isNull(members["previous_response_id"]) {
		return r, badRequest("previous_response_not_found", "previous_response_id",
			"This server keeps no responses; send the whole input.")
	}
	if string(members["background"]) == "true" || !isNull(members["conversation"]) || !isNull(members["prompt"]) {
		return r, badRequest("unsupported_parameter", "",
			"This server has no background, conversation or prompt; send the whole input.")
	}
	if string(llmclient.MembersOf(members["prompt_cache_options"])["prewarm"]) == "true" {
		return r, badRequest("unsupported_parameter", "prompt_cache_options.prewarm",
			"This server answers what it is sent; it does not prepare a cache alone.")
	}
	if !isNull(members["tools"]) {
		all := toolLists.read(members["tools"])
		if all.refused != nil {
			return r, all.refused
		}
		r.tools = all.functions
		r.echo = all.echo
		r.offers = all.offers
	}
	r.choice = choiceOf(members["tool_choice"])
	if r.choice.Mode == llmclient.ChoiceRequired && r.echo == nil {
		return r, badRequest("invalid_value", "tool_choice",
			"Tool choice 'required' must be specified with 'tools' parameter.")
	}
	for _, name := range r.choice.Allowed {
		if !has(r.tools, name) {
			return r, badRequest("invalid_value", "tool_choice", "A tool of the tool choice was not found in 'tools'.")
		}
	}
	r.input = inputOf(members["input"])
	return r, nil
}

// toolsPass says of tool lists whether the API takes them as far as [requestParameters] goes.
var toolsPass = memo[bool]{parse: func(raw []byte) bool {
	tools := requestParameters.fields["tools"]
	return tools.check("tools", decoded(raw)) == nil
}}

// decoded is the value of JSON that was scanned.
func decoded(raw []byte) (value any) {
	_ = decode(raw, &value)
	return value
}

// inputOf reads the input, which is a string or a list of items.
func inputOf(raw json.RawMessage) []llmclient.Item {
	if len(raw) == 0 || raw[0] != '[' {
		return []llmclient.Item{llmclient.Message("user", llmclient.TextOf(raw))}
	}
	list, _ := llmclient.Elements(raw, math.MaxInt)
	items := make([]llmclient.Item, len(list))
	for i, entry := range list {
		items[i], _ = llmclient.ParseItem(entry)
		if items[i].Kind == llmclient.KindFunctionOutput {
			items[i].Text = outputText(items[i])
		}
	}
	return items
}

// outputText is the text of a call's output, which is a string or a list of blocks.
func outputText(it llmclient.Item) string {
	output := llmclient.MembersOf(it.Raw)["output"]
	blocks, listed := llmclient.Elements(output, math.MaxInt)
	if !listed {
		return it.Text
	}
	var text strings.Builder
	for _, block := range blocks {
		text.WriteString(llmclient.TextOf(llmclient.MembersOf(block)["text"]))
	}
	return text.String()
}

// toolList is what there is to know of a list of tools.
type toolList struct {
	functions []tool
	offers    catalogue
	// echo is the list with what the API adds where a client left it out: Open Responses wants
	// each function's description too.
	echo json.RawMessage
	// refused says what is wrong with the first tool that the API does not take.
	refused *RequestError
}

// toolLists are the tool lists of requests. They must not be changed: a list that came before
// gives the same slice.
var toolLists = memo[toolList]{parse: func(raw []byte) (of toolList) {
	var list []map[string]json.RawMessage
	of.echo = bytes.Clone(raw)
	named := map[string]bool{}
	_, _ = json.Unmarshal(raw, &of.functions), json.Unmarshal(raw, &list) // they were checked
	for i, t := range of.functions {
		if t.Type != "function" {
			continue
		}
		for name, value := range map[string]string{"strict": "true", "parameters": "null", "description": "null"} {
			if list[i][name] == nil {
				list[i][name] = json.RawMessage(value)
				of.echo = llmclient.Marshal(list)
			}
		}
		if named[t.Name] && of.refused == nil {
			of.refused = badRequest("invalid_value", fmt.Sprintf("tools[%d].name", i), "Tool names must be unique.")
		}
		named[t.Name] = true
		fault, s := "", parseSchema(t.Parameters)
		if !isNull(t.Parameters) && !slices.Equal(s.Type, types{"object"}) {
			fault = "schema must be a JSON Schema of 'type: \"object\"'."
		} else if t.Strict {
			fault = s.strictFault()
		}
		if fault != "" && of.refused == nil {
			of.refused = badRequest("invalid_function_parameters", fmt.Sprintf("tools[%d].parameters", i),
				"Invalid schema for function '"+t.Name+"': "+fault)
		}
	}
	of.functions = slices.DeleteFunc(of.functions, func(t tool) bool { return t.Type != "function" })
	of.offers = readCatalogue(of.functions)
	return of
}}

// memo keeps what was read of the parts of requests that a client repeats in all its
// requests.
type memo[T any] struct {
	parse func(raw []byte) T
	mu    sync.Mutex
	known map[string]T
}

// memoMax bounds the memory a memo takes; a few clients have that many tools.
const memoMax = 100

// read returns what raw says.
func (m *memo[T]) read(raw []byte) T {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v, ok := m.known[string(raw)]; ok {
		return v
	}
	if m.known == nil || len(m.known) >= memoMax {
		m.known = map[string]T{}
	}
	m.known[string(raw)] = m.parse(raw)
	return m.known[string(raw)]
}

// choiceOf reads tool_choice: a mode, an allowed_tools object or one function.
func choiceOf(raw json.RawMessage) llmclient.ToolChoice {
	var of struct {
		Type  string               `json:"type"`
		Name  string               `json:"name"`
		Mode  llmclient.ChoiceMode `json:"mode"`
		Tools []tool               `json:"tools"`
	}
	choice := llmclient.ToolChoice{Mode: llmclient.ChoiceAuto}
	if isNull(raw) || json.Unmarshal(raw, &choice.Mode) == nil || json.Unmarshal(raw, &of) != nil {
		return choice
	}
	if of.Type == "function" {
		return llmclient.ToolChoice{Mode: llmclient.ChoiceRequired, Allowed: []string{of.Name}}
	}
	choice.Mode, choice.Allowed = of.Mode, []string{}
	for _, t := range of.Tools {
		choice.Allowed = append(choice.Allowed, t.Name)
	}
	return choice
}

// isNull reports whether a field was left out or null.
func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// allowed returns the tools that may be called now, in the request's order.
func (r request) allowed() []tool {
	if r.choice.Mode == llmclient.ChoiceNone {
		return nil
	}
	if r.choice.Allowed == nil {
		return r.tools
	}
	refused := func(t tool) bool { return !slices.Contains(r.choice.Allowed, t.Name) }
	return slices.DeleteFunc(slices.Clone(r.tools), refused)
}

// parallel reports whether one answer may hold several calls; the API's default
// is that it may.
func (r request) parallel() bool {
	return string(r.sent["parallel_tool_calls"]) != "false"
}

// wantsSummary reports whether reasoning is to be summarized.
func (r request) wantsSummary() bool {
	reasoning := llmclient.MembersOf(r.sent["reasoning"])
	return !isNull(reasoning["summary"]) || !isNull(reasoning["generate_summary"])
}

// RequestError is a request that is refused instead of answered. Its text names
// fields and types only and repeats nothing of what the request said.
type RequestError struct {
	// Status is the HTTP status, 400 to 499.
	Status int
	// Code is a stable word for the reason, such as "invalid_json".
	Code string
	// Param is the field at fault, empty when it is none in particular.
	Param string
	// Message explains the refusal in one sentence.
	Message string
}

// Error implements error.
func (e *RequestError) Error() string {
	return fmt.Sprintf("stub server refused the request (%d %s): %s", e.Status, e.Code, e.Message)
}

// object is the error as it travels, in OpenAI's shape.
func (e *RequestError) object() []byte {
	fields := object{"message": e.Message, "type": "invalid_request_error", "param": nil, "code": e.Code}
	if e.Param != "" {
		fields["param"] = e.Param
	}
	return llmclient.Marshal(object{"error": fields})
}

// badRequest returns a refusal with status 400.
func badRequest(code, param, message string) *RequestError {
	return &RequestError{Status: http.StatusBadRequest, Code: code, Param: param, Message: message}
}
