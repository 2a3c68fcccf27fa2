package stub

import (
	"encoding/json"
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

// wireRequest is the part of a request body that matters here. Unknown fields are
// ignored, as a provider ignores most of what it does not support.
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
	// PreviousResponseID and Stream ask for what this server does not do.
	PreviousResponseID *string `json:"previous_response_id"`
	Stream             *bool   `json:"stream"`
	// MaxOutputTokens is where an answer is cut, reasoning included.
	MaxOutputTokens *int64          `json:"max_output_tokens"`
	Metadata        json.RawMessage `json:"metadata"`
	Temperature     json.RawMessage `json:"temperature"`
	TopP            json.RawMessage `json:"top_p"`
	// CacheKey is an agent's id, where our own client asks.
	CacheKey json.RawMessage `json:"prompt_cache_key"`
}

// parseRequest reads a request body. What it refuses, a stateless server without
// streaming could only answer wrongly: silently ignoring previous_response_id, for
// one, would answer a conversation the client did not mean.
func parseRequest(body []byte) (request, *RequestError) {
	r := request{body: body}
	if refused := decodeBody(body, &r.echo); refused != nil {
		return r, refused
	}
	if r.echo.Stream != nil && *r.echo.Stream {
		return r, badRequest("unsupported_value", "stream", "This server does not stream; leave stream out.")
	}
	if r.echo.PreviousResponseID != nil {
		return r, badRequest("previous_response_not_found", "previous_response_id", "This server keeps no responses; send the whole input.")
	}
	var refused *RequestError
	if r.tools, refused = parseTools(r.echo.Tools); refused != nil {
		return r, refused
	}
	if r.choice, refused = parseChoice(r.echo.ToolChoice); refused != nil {
		return r, refused
	}
	r.input, refused = parseInput(r.echo.Input)
	return r, refused
}

// parseInput reads the input, which is a string or a list of items. An item
// without a type but with a role is a message. Items of unknown types are kept and
// ignored later, so that a client may send back whatever a provider sent it.
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
	return items, nil
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

// parseTools returns the function tools. Nobody may change them: a list that came before
// gives the same slice.
func parseTools(raw json.RawMessage) ([]tool, *RequestError) {
	if isNull(raw) {
		return nil, nil
	}
	all, err := toolLists.read(raw)
	if err != nil {
		return nil, badRequest("invalid_type", "tools", "The tools are not a list of tool objects.")
	}
	return all, nil
}

// toolLists are the tool lists of requests.
var toolLists = memo[[]tool]{parse: func(raw []byte) (all []tool, err error) {
	err = json.Unmarshal(raw, &all)
	return slices.DeleteFunc(all, func(t tool) bool { return t.Type != "function" || t.Name == "" }), err
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
