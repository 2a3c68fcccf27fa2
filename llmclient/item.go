package llmclient

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// ItemKind is the "type" of an item of a Responses exchange. The constants are
// the kinds this engine understands; a provider may send others, which are kept
// and sent back unchanged.
type ItemKind string

// The item kinds with a meaning to the engine.
const (
	KindMessage        ItemKind = "message"
	KindReasoning      ItemKind = "reasoning"
	KindFunctionCall   ItemKind = "function_call"
	KindFunctionOutput ItemKind = "function_call_output"

	kindCustomCall   ItemKind = "custom_tool_call"
	kindCustomOutput ItemKind = "custom_tool_call_output"
)

// Item is one element of a Responses input or output list.
//
// Invariants:
//  1. Raw is one complete JSON object and is what travels on the wire and is
//     stored in a trace; the other fields are read from it and never replace it.
//  2. An item a model produced keeps the provider's bytes exactly, so sending it
//     back does not disturb a provider's prompt cache.
type Item struct {
	// Kind is the item's type. A call of another type, or its output, has the kind of a
	// function's.
	Kind ItemKind
	// Custom marks a call of a custom tool, and its output. One answers only the other.
	Custom bool
	// ID is the item's own id, empty when it has none or one that is no string. It
	// binds nothing, but no two items of a request may share one.
	ID string
	// Status is how far the provider says the item got, empty when it says nothing.
	Status string
	// Role is the author of a message: user, developer, system or assistant.
	Role string
	// Phase is what a message is in an answer, empty where the provider does not say: PhaseFinal,
	// or a word for what comes before.
	Phase string
	// CallID binds a function call to its output. A provider may leave it empty.
	CallID string
	// Name is the called function.
	Name string
	// Text is a message's joined text, a call's raw arguments, or a call output.
	Text string
	// Refusal is the joined refusal text of a message, empty when there is none.
	Refusal string
	// Partial says that a message lacks what the API asks of one that comes back.
	Partial bool
	// Nested says that a call's name is in an object of its own, Renamed that the call has
	// the type or the members of another API's. Neither can be sent back as it is.
	Nested, Renamed bool
	// Untexted says that a call's id is no text, or its arguments are given as something else.
	Untexted bool
	// Raw is the item's exact JSON.
	Raw json.RawMessage
}

// PhaseFinal is the phase of the message that answers. Others comment on what comes.
const PhaseFinal = "final_answer"

// Message returns an input message of the given role ("user" or "developer").
func Message(role, text string) Item { return PhasedMessage(role, "", text) }

// PhasedMessage returns a message of a phase, of none if that is empty.
func PhasedMessage(role, phase, text string) Item {
	raw := AppendText(append(make([]byte, 0, len(text)*9/8+64), `{"type":"message","role":`...), role)
	if phase != "" {
		raw = AppendText(append(raw, `,"phase":`...), phase)
	}
	raw = append(AppendText(append(raw, `,"content":`...), text), '}')
	return Item{Kind: KindMessage, Role: role, Phase: phase, Text: text, Raw: raw}
}

// FunctionOutput returns the output that answers the call with callID.
func FunctionOutput(callID, output string) Item { return Output(callID, output, false) }

// Output is [FunctionOutput] for the call of a function or of a custom tool.
func Output(callID, output string, custom bool) Item {
	raw := AppendText(append(make([]byte, 0, len(output)*9/8+128), `{"type":`...), string(outputKind(custom)))
	raw = append(AppendText(append(AppendText(append(raw, `,"call_id":`...), callID), `,"output":`...), output), '}')
	return Item{Kind: KindFunctionOutput, Custom: custom, CallID: callID, Text: output, Raw: raw}
}

// FunctionCall returns a call item as a provider would send it, without an id of
// its own.
func FunctionCall(callID, name, arguments string) Item {
	return Item{}.Rebuilt(callID, name, arguments)
}

type wireCall struct {
	Type      ItemKind `json:"type"`
	ID        string   `json:"id,omitempty"`
	CallID    string   `json:"call_id"`
	Name      string   `json:"name"`
	Arguments *string  `json:"arguments,omitempty"`
	Input     *string  `json:"input,omitempty"` // of a custom tool, in place of arguments
	Status    string   `json:"status,omitempty"`
}

// ParseItem reads one item from its JSON. It is tolerant: a field that is absent
// or of an unexpected type reads as empty, because providers differ and the raw
// bytes are kept. What servers of other APIs send for a call or a message is read as
// such. ok is false only when raw is not a JSON object.
func ParseItem(raw json.RawMessage) (it Item, ok bool) {
	m := MembersOf(raw)
	w := m.spelled()
	if w == nil {
		return Item{}, false
	}
	kind := TextOf(w["type"])
	it = Item{
		Kind: ItemKind(kind), ID: strictString(w["id"]), Status: strictString(w["status"]),
		Role: TextOf(w["role"]), Phase: strictString(w["phase"]),
		CallID: TextOf(w.first("call_id", "tool_call_id")), Raw: append(json.RawMessage(nil), raw...),
	}
	switch plain := plainName(kind); {
	case kind == "" && w.isCall(), plain == "function_call", plain == "custom_tool_call":
		it.Kind, it.Custom = KindFunctionCall, plain == "custom_tool_call"
	case isCallType[plain]:
		// A call of another API, which some servers pass on: its only id is that of the call.
		it.Kind = KindFunctionCall
		it.CallID = cmp.Or(it.CallID, it.ID)
		it.ID = ""
	case kind == string(kindCustomOutput):
		it.Kind, it.Custom = KindFunctionOutput, true
	case kind == "" && (it.Role != "" && w["content"] != nil || w["text"] != nil || w["tool_calls"] != nil),
		isMessageType[plain]:
		it.Kind = KindMessage
	}
	switch it.Kind {
	case KindMessage:
		var calls []json.RawMessage
		whole := false
		it.Text, it.Refusal, calls, whole = contentText(w.first("content", "parts", "text"))
		it.Partial = kind != string(KindMessage) || !strings.HasPrefix(string(w["content"]), `"`) &&
			(!whole || it.ID == "" || it.Status == "")
		listed, _ := Elements(w["tool_calls"], partsMax)
		calls = append(calls, listed...)
		if Given(w["function_call"]) {
			calls = append(calls, w["function_call"])
		}
		if len(calls) > 0 {
			// They are read as if they had been written out.
			it.Text, it.Partial = strings.TrimSpace(it.Text+"\n"+string(Marshal(map[string]any{"tool_calls": calls}))), true
		}
	case KindFunctionCall:
		// The name and the arguments may be in an object of their own.
		inner := MembersOf(w.first(callObjects...)).spelled()
		arguments := "arguments"
		if it.Custom {
			arguments = "input"
		}
		it.Untexted = !m.isText("call_id") || !m.isText(arguments) || Given(m["arguments"]) && !m.isText("arguments") ||
			Given(m["input"]) && !m.isText("input")
		it.Nested = inner != nil && !Given(w["name"])
		it.Renamed = kind != string(KindFunctionCall) && !it.Custom || !Given(w[arguments]) &&
			Given(w.first(callArguments...)) || w["name"] == nil
		it.Name = cmp.Or(TextOf(w.first("name", "tool_name")), TextOf(inner.first("name", "tool_name")),
			strictString(w["function"]))
		it.Text = cmp.Or(TextOf(w.first(callArguments...)), TextOf(inner.first(callArguments...)))
		it.CallID = cmp.Or(it.CallID, TextOf(inner.first("tool_use_id", "id")))
	case KindFunctionOutput:
		it.Text = outputText(w["output"])
	}
	return it, true
}

// isText reports whether a member is a text.
func (m Members) isText(name string) bool { return bytes.HasPrefix(m[name], []byte(`"`)) }

// spelled are the members under the API's spelling of their names, where they have another: callId and
// call-id are call_id. A value goes before null, and the last spelling before others.
func (m Members) spelled() Members {
	var others []string
	for name := range m {
		if plainName(name) != name && Given(m[name]) {
			others = append(others, name)
		}
	}
	if len(others) == 0 {
		return m
	}
	slices.Sort(others)
	all := maps.Clone(m)
	for _, name := range others {
		all[plainName(name)] = m[name]
	}
	return all
}

// first returns the first of the named members that is given.
func (m Members) first(names ...string) json.RawMessage {
	for _, name := range names {
		if Given(m[name]) {
			return m[name]
		}
	}
	return nil
}

// isCall reports whether an object without a type is a call.
func (m Members) isCall() bool {
	return MembersOf(m.first(callObjects...)) != nil && m["role"] == nil || m["name"] != nil &&
		m.first(callArguments...) != nil
}

// What calls of other APIs have in the place of a call's members, and the types of theirs
// and of their messages, by plain names.
var (
	callArguments = []string{"arguments", "input", "args", "parameters", "params", "tool_input"}
	callObjects   = []string{"function", "function_call", "tool_use", "tool_call"}
	isCallType    = map[string]bool{"function": true, "tool_call": true, "tool_use": true, "function_tool_call": true}
	isMessageType = map[string]bool{"message": true, "output_message": true, "assistant": true, "output_text": true,
		"text": true, "tool_calls": true}
)

// partsMax bounds the parts of one message. A real one has a handful.
const partsMax = 256

// plainName is a name in the API's spelling: small letters, with words apart.
func plainName(name string) string {
	if strings.IndexFunc(name, func(c rune) bool { return c == '-' || unicode.IsUpper(c) }) < 0 {
		return name
	}
	return strings.ToLower(wordStart.ReplaceAllString(strings.ReplaceAll(name, "-", "_"), "${1}_$2"))
}

// wordStart matches where a capital begins a word.
var wordStart = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// contentText joins the text parts and the refusal parts of a message's content,
// which is a string, a list of parts or one part, and returns the calls among them. whole
// says that each part has all that the API asks of it.
func contentText(raw json.RawMessage) (text, refusal string, calls []json.RawMessage, whole bool) {
	parts, ok := Elements(raw, partsMax)
	if one := MembersOf(raw).spelled(); one["type"] != nil || one["text"] != nil {
		parts = []json.RawMessage{raw}
	} else if !ok && !bytes.HasPrefix(raw, []byte("[")) {
		return TextOf(raw), "", nil, false
	}
	var texts, refusals []string
	whole = true
	for _, part := range parts {
		p := MembersOf(part).spelled()
		kind := TextOf(p["type"])
		plain := plainName(kind)
		switch {
		case plain == "refusal":
			refusals = append(refusals, strictString(p["refusal"]))
			continue
		case plain == "function_call" || isCallType[plain] || kind == "" && p.isCall():
			calls = append(calls, part)
		case p == nil:
			texts = append(texts, TextOf(part))
		case kind == "" || isMessageType[plain] || strings.HasPrefix(plain, "input") || strings.HasPrefix(plain, "output"):
			own := p.first("text", "content", "json")
			if inner := MembersOf(own).spelled(); inner["value"] != nil { // with annotations beside it
				own = inner["value"]
			}
			texts = append(texts, TextOf(own))
		}
		whole = whole && kind == "output_text" && strings.HasPrefix(string(p["annotations"]), "[") &&
			strings.HasPrefix(string(p["logprobs"]), "[")
	}
	return strings.Join(texts, "\n"), strings.Join(refusals, "\n"), calls, whole
}

// outputText is the text of a call's output, which is a string or a list of parts. Anything else
// reads as its JSON.
func outputText(raw json.RawMessage) string {
	parts, ok := Elements(raw, partsMax)
	if !ok {
		return TextOf(raw)
	}
	texts := make([]string, 0, len(parts))
	for _, part := range parts {
		p := MembersOf(part)
		if p == nil || p["text"] == nil {
			return TextOf(raw)
		}
		texts = append(texts, TextOf(p["text"]))
	}
	return strings.Join(texts, "\n")
}

// withoutID returns the item without its own id, otherwise of equal content. A message of
// a model has one, unless it is text alone.
func (it Item) withoutID() Item {
	if it.Kind == KindMessage && it.Refusal == "" {
		return PhasedMessage(it.Role, it.Phase, it.Text)
	}
	it.ID, it.Raw = "", Marshal(it.without("id"))
	return it
}

// WithRole returns a message like it under another role, otherwise of equal
// content.
func (it Item) WithRole(role string) Item {
	it.Role, it.Raw = role, it.with("role", role)
	return it
}

// with returns the item's JSON with a member set to a text.
func (it Item) with(member, text string) json.RawMessage {
	members := it.without(member)
	members[member] = Marshal(text)
	return Marshal(members)
}

// nullable are the members that may be null in an input.
var nullable = []string{"encrypted_content", "phase", "caller"}

// WithoutNulls returns the item without the null members that an input may not have, and
// whether there were any. An item of an unknown kind stays as it is.
func (it Item) WithoutNulls() (Item, bool) {
	known := it.Kind == KindMessage || it.Kind == KindReasoning || it.Kind == KindFunctionCall
	if !known || !bytes.Contains(it.Raw, []byte("null")) {
		return it, false
	}
	d := json.NewDecoder(bytes.NewReader(it.Raw))
	d.UseNumber()
	var members map[string]any
	if d.Decode(&members) != nil || !dropNulls(members) {
		return it, false
	}
	if it.Kind == KindReasoning && members["summary"] == nil {
		members["summary"] = []any{} // which may be empty, not absent
	}
	it.Raw = Marshal(members)
	return it, true
}

func dropNulls(v any) (dropped bool) {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			dropped = dropNulls(element) || dropped
		}
	case map[string]any:
		for name, value := range v {
			if value == nil && !slices.Contains(nullable, name) {
				delete(v, name)
				dropped = true
			}
			dropped = dropNulls(value) || dropped
		}
	}
	return dropped
}

// without returns the members of the item's JSON but one. Readers of JSON differ
// in whether case matters, so no spelling of it stays.
func (it Item) without(member string) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(it.Raw, &members) != nil {
		panic("llmclient: an item is not a JSON object: " + string(it.Raw))
	}
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { return strings.EqualFold(name, member) })
	return members
}

// Rebuilt returns a call item like it, with another call id, name and arguments.
// It keeps its own id and status: by its own id a provider knows which reasoning
// item led to it.
func (it Item) Rebuilt(callID, name, arguments string) Item {
	wire := wireCall{Type: KindFunctionCall, ID: it.ID, CallID: callID, Name: name, Arguments: &arguments,
		Status: it.Status}
	if it.Custom {
		wire.Type = kindCustomCall
		wire.Arguments = nil
		wire.Input = &arguments
		wire.Status = ""
	}
	return Item{Kind: KindFunctionCall, Custom: it.Custom, ID: it.ID, Status: it.Status, CallID: callID, Name: name,
		Text: arguments, Raw: Marshal(wire)}
}
