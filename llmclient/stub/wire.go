package stub

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"example.com/agentworld/llmclient"
)

// bytesPerToken is the simulated tokenizer: a token for every started four bytes.
const bytesPerToken = 4

// wireResponse is a Responses object. Its fields are those the API's description
// requires, those clients read, and nothing that depends on a clock. What the request
// said comes back unchanged, as at a provider; the error is always null, and the
// policy's own answers are always completed.
type wireResponse struct {
	ID                string            `json:"id"`
	Object            string            `json:"object"`
	CreatedAt         int64             `json:"created_at"`
	Status            string            `json:"status"`
	Error             *struct{}         `json:"error"`
	IncompleteDetails any               `json:"incomplete_details"`
	Instructions      json.RawMessage   `json:"instructions"`
	MaxOutputTokens   *int64            `json:"max_output_tokens"`
	Metadata          json.RawMessage   `json:"metadata"`
	Model             string            `json:"model"`
	Output            []json.RawMessage `json:"output"`
	ParallelToolCalls bool              `json:"parallel_tool_calls"`
	Temperature       json.RawMessage   `json:"temperature"`
	ToolChoice        json.RawMessage   `json:"tool_choice"`
	Tools             json.RawMessage   `json:"tools"`
	TopP              json.RawMessage   `json:"top_p"`
	Usage             json.RawMessage   `json:"usage"`
}

// stamp is the identity of one exchange, a hash of seed and body. Every id of the
// answer comes from it, so equal requests get equal ids and others do not.
//
// Ids have to differ between requests because clients bind outputs to calls by them,
// and have to be equal for equal requests because runs are compared byte by byte.
type stamp [sha256.Size]byte

// newStamp hashes the seed, at a fixed length, and then the body, so that no other
// pair gives the same bytes.
func newStamp(seed uint64, body []byte) stamp {
	h := sha256.New()
	h.Write(binary.BigEndian.AppendUint64(nil, seed))
	h.Write(body)
	return stamp(h.Sum(nil))
}

// id returns an id for the n-th thing of a kind.
func (s stamp) id(prefix string, n int) string {
	return prefix + hex.EncodeToString(s.bytes(prefix, n)[:12])
}

// bytes returns 32 bytes that belong to a label and a number.
func (s stamp) bytes(label string, n int) []byte {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(append(s[:], label...), uint64(n)))
	return sum[:]
}

// items encodes the answer: an optional reasoning item, then the calls, or else
// the text. Reasoning precedes the calls it led to, as providers send it to a client that
// keeps no state there: without a summary, with content only the provider could read. The
// empty lists have to be there.
func (s stamp) items(a answer) []json.RawMessage {
	out := []json.RawMessage{}
	if a.reasoningTokens > 0 {
		// It looks like encrypted content and means nothing.
		opaque := base64.StdEncoding.EncodeToString(s.bytes("opaque", 0)[:15])
		out = append(out, fmt.Appendf(nil, `{"id":"%s","type":"reasoning","summary":[],"encrypted_content":"%s"}`, s.id("rs_", 0), opaque))
	}
	if a.nested && len(a.calls) > 0 {
		a.text, a.calls = nestedText(a.calls), nil
	}
	for i, c := range a.calls {
		arguments := string(llmclient.Marshal(c.arguments))
		if i == 0 && a.raw != nil {
			arguments = *a.raw
		}
		out = append(out, fmt.Appendf(nil, `{"id":"%s","type":"function_call","status":"completed","call_id":"%s","name":%s,"arguments":%s}`,
			s.id("fc_", i), s.id("call_", i), llmclient.Marshal(c.name), llmclient.Marshal(arguments)))
	}
	if len(a.calls) == 0 && !a.silent {
		out = append(out, fmt.Appendf(nil, `{"id":"%s","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":%s,"annotations":[],"logprobs":[]}]}`,
			s.id("msg_", 0), llmclient.Marshal(a.text)))
	}
	return out
}

// usage counts simulated tokens. Nothing is ever cached: which prefix a provider
// would still hold is not in the request.
func usage(body []byte, output []json.RawMessage, reasoning int64) llmclient.Usage {
	u := llmclient.Usage{Input: tokens(len(body)), Output: reasoning, Reasoning: reasoning}
	for _, raw := range output {
		u.Output += tokens(len(raw))
	}
	u.Total = u.Input + u.Output
	return u
}

// tokens is the simulated count for a text of that many bytes.
func tokens(bytes int) int64 { return int64((bytes + bytesPerToken - 1) / bytesPerToken) }

// response encodes the whole Responses object. Where the request left a setting out
// it states the API's default. The status is that of the shape, completed without.
func response(id string, echo wireRequest, output []json.RawMessage, u llmclient.Usage, s Shape) []byte {
	var incomplete any
	if s.Reason != "" {
		incomplete = object{"reason": s.Reason}
	}
	return llmclient.Marshal(wireResponse{
		ID: id, Object: "response", Status: cmp.Or(s.Status, "completed"), Model: cmp.Or(echo.Model, ModelName), Output: output,
		IncompleteDetails: incomplete,
		Instructions:      orElse(echo.Instructions, "null"), Metadata: orElse(echo.Metadata, "{}"),
		Tools: orElse(echo.Tools, "[]"), ToolChoice: orElse(echo.ToolChoice, `"auto"`),
		Temperature: orElse(echo.Temperature, "1"), TopP: orElse(echo.TopP, "1"),
		MaxOutputTokens:   echo.MaxOutputTokens,
		ParallelToolCalls: echo.ParallelToolCalls == nil || *echo.ParallelToolCalls,
		// The details are part of the counts above them; strict clients read through both.
		Usage: fmt.Appendf(nil, `{"input_tokens":%d,"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d},"total_tokens":%d}`,
			u.Input, u.Output, u.Reasoning, u.Total),
	})
}

// orElse returns raw, or fallback when raw was left out or null.
func orElse(raw json.RawMessage, fallback string) json.RawMessage {
	if isNull(raw) {
		return json.RawMessage(fallback)
	}
	return raw
}
