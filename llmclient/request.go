package llmclient

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Tool is a function tool offered to the model.
type Tool struct {
	// Name is the wire name: letters, digits, underscore and dash.
	Name string
	// Description tells the model when to call it.
	Description string
	// Parameters is a JSON Schema object fit for strict mode.
	Parameters json.RawMessage
	// Strict asks the provider to enforce Parameters. It is always sent.
	Strict bool
	// wire is the tool's JSON, when it has been made ready, and chars its characters.
	wire  json.RawMessage
	chars int
}

// Ready returns t with its JSON made once and for all: a tool list is sent and
// hashed with every request of a run. The fields of the result must not be changed.
func (t Tool) Ready() Tool { return t.as(t.Wire()) }

func (t Tool) as(wire json.RawMessage) Tool {
	t.wire, t.chars = wire, utf8.RuneCount(wire)
	return t
}

// WithoutStrict returns t for a provider that refuses the member strict, and whether that
// makes a difference.
func (t Tool) WithoutStrict() (Tool, bool) {
	wire, told := bytes.CutSuffix(t.Wire(), fmt.Appendf(nil, `,"strict":%t}`, t.Strict))
	if told {
		t = t.as(slices.Concat(wire, []byte("}")))
	}
	return t, told
}

// arrayBound matches a bound of a list in a schema: a text in JSON has no quote without a backslash, and
// a property of that name has no number.
var arrayBound = regexp.MustCompile(`,\s*"(?:min|max)Items"\s*:\s*\d+|"(?:min|max)Items"\s*:\s*\d+\s*,?`)

// WithoutArrayBounds returns t for a provider whose schemas know no minItems and maxItems, and whether
// that makes a difference.
func (t Tool) WithoutArrayBounds() (Tool, bool) {
	wire := t.Wire()
	free := arrayBound.ReplaceAll(wire, nil)
	if len(free) == len(wire) {
		return t, false
	}
	return t.as(free), true
}

// ChoiceMode says whether the model may, must or must not call a tool.
type ChoiceMode string

// The tool choice modes.
const (
	ChoiceAuto     ChoiceMode = "auto"
	ChoiceRequired ChoiceMode = "required"
	ChoiceNone     ChoiceMode = "none"
)

// ToolChoice narrows the constant tool list for one call.
type ToolChoice struct {
	// Mode is auto, required or none; empty means auto.
	Mode ChoiceMode
	// Allowed names the tools that may be called; nil means all of them. It is
	// ignored when Mode is none.
	Allowed []string
}

// Request is one call of the Responses API, without transport concerns.
type Request struct {
	// Model is the provider's model name.
	Model string
	// Instructions is the stable policy text.
	Instructions string
	// Input is the item list, oldest first.
	Input []Item
	// Tools is the tool list, constant over a run.
	Tools []Tool
	// Choice narrows Tools for this call.
	Choice ToolChoice
	// Sampling is how the model is to answer; what it leaves open is the provider's choice.
	Sampling Sampling
	// CacheKey is a stable routing hint for the provider's prompt cache.
	CacheKey string
	// Breakpoints are the indexes of the items of Input after which the provider is asked to keep
	// the prompt so far, ascending; only of those that the API can mark. The first and the last three
	// are marked. The others were marked in earlier requests of the conversation. Without any, the
	// provider keeps what it likes.
	Breakpoints []int
	// PlainOutputs keeps the outputs of calls as strings, for a server that takes no lists. They
	// then carry no mark.
	PlainOutputs bool
	// OwnLength says that nobody asked for the length in Sampling and no cap needs it, so that it may be
	// given up where a provider refuses it.
	OwnLength bool
	// Ladder, when set, says which parts of the choice the request goes without because of earlier
	// answers, and its owner judges the answer. It is not changed while a request has it. Without one
	// the client judges by itself, in the order in which answers come. It is no part of the body.
	Ladder *Ladder
}

// Body returns the request's canonical JSON: the bytes that are sent, hashed and
// compared in a replay. It contains the items byte for byte. The engine keeps no state
// at the provider, so store is false and encrypted reasoning is asked for.
func (r Request) Body() []byte {
	size := len(r.Model) + len(r.Instructions)*5/4 + toolBytes(r.Tools) + len(r.CacheKey) + len(r.Sampling.ExtraBody) +
		1024
	for _, it := range r.Input {
		size += len(it.Raw) + 1
	}
	size += len(r.Breakpoints) * 128
	body := make([]byte, 0, size) // enough, unless texts are full of characters that need escaping
	r.write(func(part []byte) { body = append(body, part...) })
	return body
}

// write writes the body part by part, tools and items as they are: an encoder would read
// through all of them each time, and strip the white space inside a provider's items.
func (r Request) write(to func(part []byte)) {
	r.writeHead(to)
	r.writeRest(to)
}

// writeHead writes the model, the instructions and the tools, which many requests share.
func (r Request) writeHead(to func(part []byte)) {
	head := append(make([]byte, 0, len(r.Model)+len(r.Instructions)*9/8+64), `{"model":`...)
	head = AppendText(append(AppendText(head, r.Model), `,"instructions":`...), r.Instructions)
	to(head)
	if len(r.Tools) > 0 {
		to(beforeTools)
		for i, t := range r.Tools {
			if i > 0 {
				to(comma)
			}
			to(t.Wire())
		}
		to(afterList)
	}
}

// writeRest writes what follows the head.
func (r Request) writeRest(to func(part []byte)) {
	if members := r.Sampling.extended(r.members()); len(members) > len("{}") {
		members[0] = ',' // in place of the brace
		to(members[:len(members)-1])
	}
	to(beforeInput)
	for i := range r.Input {
		if i > 0 {
			to(comma)
		}
		to(r.sent(i))
	}
	to(afterInput)
}

// What is between the parts of a body, which the lists of every request need again.
var comma, beforeTools, afterList, beforeInput, afterInput = []byte(","), []byte(`,"tools":[`), []byte("]"),
	[]byte(`,"input":[`), []byte("]}")

// members are the members between the tools and the input, as an object.
func (r Request) members() json.RawMessage {
	how := r.Sampling
	b := append(make([]byte, 0, r.Choice.size()+len(r.CacheKey)+384), '{')
	if len(r.Tools) > 0 {
		b = append(r.Choice.appendTo(append(b, `"tool_choice":`...)), `,"parallel_tool_calls":true,`...)
	}
	if how.MaxOutputTokens != 0 {
		b = append(strconv.AppendInt(append(b, `"max_output_tokens":`...), int64(how.MaxOutputTokens), 10), ',')
	}
	if how.ReasoningEffort != "" {
		b = append(AppendText(append(b, `"reasoning":{"effort":`...), how.ReasoningEffort), "},"...)
	}
	if how.ServiceTier != "" {
		b = append(AppendText(append(b, `"service_tier":`...), how.ServiceTier), ',')
	}
	if how.Temperature != "" {
		b = append(append(append(b, `"temperature":`...), how.Temperature...), ',')
	}
	if how.TopP != "" {
		b = append(append(append(b, `"top_p":`...), how.TopP...), ',')
	}
	if r.CacheKey != "" {
		b = append(AppendText(append(b, `"prompt_cache_key":`...), r.CacheKey), ',')
	}
	if len(r.Breakpoints) > 0 {
		b = append(b, breakpointsOnly...)
	}
	return append(b, `"store":false,"include":["reasoning.encrypted_content"]}`...)
}

// Hash returns the hex SHA-256 of Body.
func (r Request) Hash() string { return r.Head().Hash(r) }

// Head is what the hash of a request begins with: its model, instructions and tools. It is most of
// many requests, and the same in those of an agent.
type Head struct{ begun hash.Cloner }

// Head returns the head of the request.
func (r Request) Head() Head {
	h := sha256.New()
	r.writeHead(func(part []byte) { h.Write(part) })
	return Head{h.(hash.Cloner)}
}

// CacheKey is a routing hint that all requests with this head share, and no others: 32 hex digits.
func (h Head) CacheKey() string {
	whole, err := h.begun.Clone()
	if err != nil {
		panic("llmclient: SHA-256 cannot be cloned: " + err.Error())
	}
	return hexText([sha256.Size]byte(whole.Sum(nil)))[:32]
}

// Hash is [Request.Hash] of a request that has this head.
func (h Head) Hash(r Request) string {
	whole, err := h.begun.Clone()
	if err != nil {
		panic("llmclient: SHA-256 cannot be cloned: " + err.Error())
	}
	r.writeRest(func(part []byte) { whole.Write(part) })
	return hexText([sha256.Size]byte(whole.Sum(make([]byte, 0, sha256.Size))))
}

// Chars counts the characters of instructions and input that the model reads.
func (r Request) Chars() int { return utf8.RuneCountInString(r.Instructions) + r.InputChars() }

// InputChars counts the characters of the input.
func (r Request) InputChars() (n int) {
	for _, it := range r.Input {
		n += utf8.RuneCount(it.Raw)
	}
	return n
}

// ToolChars counts the characters of the tool list as sent.
func (r Request) ToolChars() int {
	n := 0
	for _, t := range r.Tools {
		if t.wire == nil {
			t = t.Ready()
		}
		n += t.chars
	}
	return n
}

// Wire returns the tool's JSON as sent.
func (t Tool) Wire() json.RawMessage {
	if t.wire != nil {
		return t.wire
	}
	return Marshal(struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      bool            `json:"strict"`
	}{"function", t.Name, t.Description, t.Parameters, t.Strict})
}

// Wire returns the tool choice's JSON as sent: a mode, or an allowed_tools object
// when the choice is narrowed.
func (c ToolChoice) Wire() json.RawMessage { return c.appendTo(make([]byte, 0, c.size())) }

// size is how many bytes [ToolChoice.appendTo] mostly needs.
func (c ToolChoice) size() int { return 64 + 64*len(c.Allowed) }

func (c ToolChoice) appendTo(b []byte) []byte {
	mode := string(cmp.Or(c.Mode, ChoiceAuto))
	if c.Mode == ChoiceNone || c.Allowed == nil {
		return AppendText(b, mode)
	}
	b = append(AppendText(append(b, `{"type":"allowed_tools","mode":`...), mode), `,"tools":[`...)
	for i, name := range c.Allowed {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(AppendText(append(b, `{"type":"function","name":`...), name), '}')
	}
	return append(b, "]}"...)
}

// Marshal encodes v as compact JSON without escaping HTML characters, so prompts
// stay readable and short. It panics on a value that cannot be encoded, which
// would be a bug: every caller passes plain data.
func Marshal(v any) json.RawMessage { return appendJSON(nil, v) }

// AppendText appends text as a JSON string, as [Marshal] writes it.
func AppendText(b []byte, text string) []byte {
	if strings.ContainsFunc(text, isEscaped) {
		return appendJSON(b, text)
	}
	return append(append(append(b, '"'), text...), '"')
}

func appendJSON(b []byte, v any) []byte {
	buffer := bytes.NewBuffer(b)
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic("llmclient: value cannot be encoded as JSON: " + err.Error())
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}

// Hash returns the hex SHA-256 of b.
func Hash(b []byte) string { return hexText(sha256.Sum256(b)) }

func hexText(sum [sha256.Size]byte) string {
	var text [2 * sha256.Size]byte
	hex.Encode(text[:], sum[:])
	return string(text[:])
}
