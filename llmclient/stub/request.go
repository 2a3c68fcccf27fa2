package stub

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"example.com/agentworld/llmclient"
)

// request is what the policy uses of a Responses request, and what the response
// has to repeat of it.
type request struct {
	// body is what was sent.
	body []byte
	// echo is the request as decoded; the response repeats its settings.
	echo wireRequest
	// input is the item list; a plain string counts as one user message.
	input []llmclient.Item
	// tools are the function tools in the order given. Tools of other types are
	// echoed but never called.
	tools []tool
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
}

// wireRequest is the part of a request body that matters here; see requestParameters for
// what else there may be.
//
// Settings are kept as raw JSON where they only have to be repeated.
type wireRequest struct {
	Model string `json:"model"`
	// Instructions are repeated; what they say is for a model to read.
	Instructions json.RawMessage `json:"instructions"`
	// Input is a string or a list of items.
	Input json.RawMessage `json:"input"`
	// Tools may be of any type; see parseTools.
	Tools json.RawMessage `json:"tools"`
	// ToolChoice is a mode or an object; see parseChoice.
	ToolChoice        json.RawMessage `json:"tool_choice"`
	ParallelToolCalls *bool           `json:"parallel_tool_calls"`
	// These ask for what this server does not do.
	PreviousResponseID *string         `json:"previous_response_id"`
	Background         *bool           `json:"background"`
	Conversation       json.RawMessage `json:"conversation"`
	Prompt             json.RawMessage `json:"prompt"`
	// Stream asks for the answer as events.
	Stream *bool `json:"stream"`
	// MaxOutputTokens is where an answer is cut, reasoning included.
	MaxOutputTokens *int64          `json:"max_output_tokens"`
	Metadata        json.RawMessage `json:"metadata"`
	Temperature     json.RawMessage `json:"temperature"`
	TopP            json.RawMessage `json:"top_p"`
	// CacheKey is an agent's id, where our own client asks.
	CacheKey json.RawMessage `json:"prompt_cache_key"`
}

// parseRequest reads a request body. It refuses what the API refuses, and what a stateless
// server could only answer wrongly: silently ignoring previous_response_id, for one, would
// answer a conversation the client did not mean.
func parseRequest(body []byte) (request, *RequestError) {
	r := request{body: body}
	if refused := decodeBody(body, &r.echo); refused != nil {
		return r, refused
	}
	if r.echo.PreviousResponseID != nil {
		return r, badRequest("previous_response_not_found", "previous_response_id", "This server keeps no responses; send the whole input.")
	}
	refused := requestParameters.check("", body)
	if refused != nil {
		return r, refused
	}
	if r.echo.Background != nil && *r.echo.Background || !isNull(r.echo.Conversation) || !isNull(r.echo.Prompt) {
		return r, badRequest("unsupported_parameter", "", "This server has no background, conversation or prompt; send the whole input.")
	}
	if r.tools, r.echo.Tools, refused = parseTools(r.echo.Tools); refused != nil {
		return r, refused
	}
	if r.choice, refused = parseChoice(r.echo.ToolChoice); refused != nil {
		return r, refused
	}
	r.input, refused = parseInput(r.echo.Input)
	return r, refused
}

// parseInput reads the input, which is a string or a list of items. An item
// without a type but with a role is a message.
func parseInput(raw json.RawMessage) ([]llmclient.Item, *RequestError) {
	var text string
	var list []json.RawMessage
	if isNull(raw) {
		return nil, nil
	}
	if raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		return []llmclient.Item{llmclient.Message("user", text)}, nil
	}
	if json.Unmarshal(raw, &list) != nil {
		return nil, badRequest("invalid_type", "input", "The input is neither a string nor a list of items.")
	}
	items := make([]llmclient.Item, 0, len(list))
	for _, entry := range list {
		item, ok := llmclient.ParseItem(entry)
		if !ok {
			return nil, badRequest("invalid_type", "input", "An input item is not an object.")
		}
		if item.Kind == "" && item.Role != "" {
			item = typedMessage(entry)
		}
		items = append(items, item)
	}
	return items, checkItems(list)
}

// typedMessage reads a message whose type was left out, which the API allows.
func typedMessage(raw json.RawMessage) llmclient.Item {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		panic("stub: an item that was parsed before is not an object: " + err.Error())
	}
	fields["type"] = llmclient.Marshal(llmclient.KindMessage)
	item, _ := llmclient.ParseItem(llmclient.Marshal(fields))
	return item
}

// parseTools returns the function tools, and the list as the answer repeats it. Nobody may
// change them: a list that came before gives the same slice.
func parseTools(raw json.RawMessage) ([]tool, json.RawMessage, *RequestError) {
	if isNull(raw) {
		return nil, raw, nil
	}
	all, err := toolLists.read(raw)
	if refused, ok := errors.AsType[*RequestError](err); ok {
		return nil, nil, refused
	}
	if err != nil {
		return nil, nil, badRequest("invalid_type", "tools", "The tools are not a list of tool objects.")
	}
	return all.functions, all.echo, nil
}

// toolList is what there is to know of a list of tools.
type toolList struct {
	functions []tool
	// echo is the list with what the API adds where a client left it out.
	echo json.RawMessage
}

// toolLists are the tool lists of requests.
var toolLists = memo[toolList]{parse: func(raw []byte) (of toolList, err error) {
	var list []json.RawMessage
	if err := errors.Join(json.Unmarshal(raw, &of.functions), json.Unmarshal(raw, &list)); err != nil {
		return of, err
	}
	of.echo = bytes.Clone(raw)
	for i, t := range of.functions {
		if t.Type != "function" {
			continue
		}
		if refused := functionParameter.check(fmt.Sprintf("tools[%d]", i), list[i]); refused != nil {
			return of, refused
		}
		var whole map[string]json.RawMessage
		if err := json.Unmarshal(list[i], &whole); err != nil {
			return of, err
		}
		for name, value := range map[string]string{"strict": "true", "parameters": "null"} {
			if whole[name] == nil {
				whole[name] = json.RawMessage(value)
				list[i] = llmclient.Marshal(whole)
				of.echo = nil
			}
		}
	}
	if of.echo == nil {
		of.echo = llmclient.Marshal(list)
	}
	of.functions = slices.DeleteFunc(of.functions, func(t tool) bool { return t.Type != "function" })
	return of, nil
}}

// memo keeps what was read of the parts of requests that a client repeats in all its
// requests.
type memo[T any] struct {
	parse func(raw []byte) (T, error)
	mu    sync.Mutex
	known map[string]T
}

// memoMax bounds the memory a memo takes; a few clients have that many tools.
const memoMax = 100

// read returns what raw says, an error where it cannot be read.
func (m *memo[T]) read(raw []byte) (T, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v, ok := m.known[string(raw)]; ok {
		return v, nil
	}
	v, err := m.parse(raw)
	if err != nil {
		return v, err
	}
	if m.known == nil || len(m.known) >= memoMax {
		m.known = map[string]T{}
	}
	m.known[string(raw)] = v
	return v, nil
}

// parseChoice reads tool_choice: a mode, an allowed_tools object or one function.
// Choices of tools that are not functions are refused, since the answer they demand
// cannot be given.
func parseChoice(raw json.RawMessage) (llmclient.ToolChoice, *RequestError) {
	choice := llmclient.ToolChoice{Mode: llmclient.ChoiceAuto}
	if isNull(raw) {
		return choice, nil
	}
	if json.Unmarshal(raw, &choice.Mode) == nil {
		switch choice.Mode {
		case llmclient.ChoiceAuto, llmclient.ChoiceRequired, llmclient.ChoiceNone:
			return choice, nil
		}
	}
	var narrowed struct {
		Type  string               `json:"type"`
		Name  string               `json:"name"`
		Mode  llmclient.ChoiceMode `json:"mode"`
		Tools []tool               `json:"tools"`
	}
	if json.Unmarshal(raw, &narrowed) != nil {
		return choice, badRequest("invalid_value", "tool_choice", "The tool choice is neither a known mode nor an object.")
	}
	switch narrowed.Type {
	case "allowed_tools":
		choice.Mode, choice.Allowed = narrowed.Mode, []string{}
		for _, t := range narrowed.Tools {
			choice.Allowed = append(choice.Allowed, t.Name)
		}
		return choice, nil
	case "function":
		return llmclient.ToolChoice{Mode: llmclient.ChoiceRequired, Allowed: []string{narrowed.Name}}, nil
	}
	return choice, badRequest("invalid_value", "tool_choice", "This kind of tool choice is not supported.")
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
	var out []tool
	for _, t := range r.tools {
		if slices.Contains(r.choice.Allowed, t.Name) {
			out = append(out, t)
		}
	}
	return out
}

// parallel reports whether one answer may hold several calls; the API's default
// is that it may.
func (r request) parallel() bool {
	return r.echo.ParallelToolCalls == nil || *r.echo.ParallelToolCalls
}
