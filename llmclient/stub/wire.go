package stub

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"example.com/agentworld/llmclient"
)

// bytesPerToken is the simulated tokenizer: a token for every started four bytes.
const bytesPerToken = 4

// epoch is the time of every answer of a server without a clock, 2026-01-01: clients take 0
// for a missing time.
const epoch int64 = 1_767_225_600

// responseMembers are the members of a Responses object in their order: those that the API's
// description and that of Open Responses require. What the request said comes back unchanged, as at
// a provider. Beside each is the API's default, for what the request leaves out; a member without
// one is left out, too. The server keeps no responses, whatever was asked, and takes no null for a user.
var responseMembers = [][2]string{
	{"id"}, {"object", `"response"`}, {"created_at"}, {"completed_at", "null"}, {"status"}, {"background", "false"},
	{"error", "null"}, {"frequency_penalty", "0"}, {"incomplete_details", "null"}, {"instructions", "null"},
	{"max_output_tokens", "null"}, {"max_tool_calls", "null"}, {"metadata", "{}"}, {"model"}, {"output"},
	{"parallel_tool_calls", "true"}, {"presence_penalty", "0"}, {"previous_response_id", "null"},
	{"prompt_cache_key", "null"}, {"prompt_cache_options"}, {"prompt_cache_retention"}, {"reasoning"},
	{"safety_identifier", "null"}, {"service_tier"}, {"store"}, {"temperature", "1"}, {"text"},
	{"tool_choice", `"auto"`}, {"tools", "[]"}, {"top_logprobs", "0"}, {"top_p", "1"}, {"truncation", `"disabled"`},
	{"usage"}, {"user", `""`},
}

// wireUsage is a response's usage. The details are part of the counts above them.
type wireUsage struct {
	InputTokens        int64 `json:"input_tokens"`
	InputTokensDetails struct {
		CachedTokens     int64          `json:"cached_tokens"`
		CacheWriteTokens int64          `json:"cache_write_tokens"`
		WriteDetails     *wireWriteUsed `json:"cache_write_tokens_details,omitempty"`
	} `json:"input_tokens_details"`
	OutputTokens        int64 `json:"output_tokens"`
	OutputTokensDetails struct {
		ReasoningTokens int64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	TotalTokens int64 `json:"total_tokens"`
}

// wireWriteUsed are written tokens by the time that they are kept.
type wireWriteUsed struct {
	Long    int64 `json:"ttl_12h_tokens"`
	Default int64 `json:"ttl_30m_tokens"`
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
// keeps no state there: without a summary unless one was asked for, with content only the
// provider could read. The empty lists have to be there.
func (s stamp) items(a answer) []json.RawMessage {
	out := []json.RawMessage{}
	if a.reasoningTokens > 0 {
		// It looks like encrypted content and means nothing.
		opaque := base64.StdEncoding.EncodeToString(s.bytes("opaque", 0)[:15])
		summary := "[]"
		if a.summarized {
			summary = reasoningSummary
		}
		out = append(out, fmt.Appendf(nil, `{"id":"%s","type":"reasoning","summary":%s,"encrypted_content":"%s"}`,
			s.id("rs_", 0), summary, opaque))
	}
	if a.nested && len(a.calls) > 0 {
		a.text, a.calls = nestedText(a.calls), nil
	}
	for i, c := range a.calls {
		arguments := string(llmclient.Marshal(c.arguments))
		if i == 0 && a.raw != nil {
			arguments = *a.raw
		}
		out = append(out, fmt.Appendf(nil,
			`{"id":"%s","type":"function_call","status":"completed","call_id":"%s","name":%s,"arguments":%s}`,
			s.id("fc_", i), s.id("call_", i), llmclient.Marshal(c.name), llmclient.Marshal(arguments)))
	}
	if len(a.calls) == 0 && !a.silent {
		out = append(out, fmt.Appendf(nil,
			`{"id":"%s","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":%s,"annotations":[],"logprobs":[]}]}`,
			s.id("msg_", 0), llmclient.Marshal(a.text)))
	}
	return out
}

// reasoningSummary is what an answer says of its reasoning if it is asked to.
const reasoningSummary = `[{"type":"summary_text","text":"The policy ranked what can be done now and took the best."}]`

// usage counts simulated tokens. A server with a cache counts what a model reads, as a provider
// does. Without one the input is the whole body, and nothing is ever cached: which prefix a
// provider would still hold is not in the request.
func (r request) usage(output []json.RawMessage, reasoning int64) llmclient.Usage {
	u := llmclient.Usage{Cached: r.cache.cached, Output: reasoning, Reasoning: reasoning}
	u.Input = cmp.Or(r.cache.input, tokens(len(r.body)))
	for _, raw := range output {
		u.Output += tokens(len(raw))
	}
	u.Total = u.Input + u.Output
	return u
}

// tokens is the simulated count for a text of that many bytes.
func tokens(bytes int) int64 { return int64((bytes + bytesPerToken - 1) / bytesPerToken) }

// response encodes the whole Responses object. The status is that of the shape, completed without.
func (r request) response(id string, output []json.RawMessage, u llmclient.Usage, s Shape) []byte {
	status := cmp.Or(s.Status, statusCompleted)
	members := maps.Clone(r.sent)
	set := func(name string, value any) { members[name] = llmclient.Marshal(value) }
	set("id", id)
	set("created_at", r.created)
	set("status", status)
	set("model", cmp.Or(llmclient.TextOf(r.sent["model"]), ModelName))
	set("output", output)
	set("service_tier", servedTier(llmclient.TextOf(r.sent["service_tier"])))
	set("store", false)
	set("usage", r.wireUsage(u))
	if s.Reason != "" {
		set("incomplete_details", object{"reason": s.Reason})
	}
	if status == statusCompleted {
		set("completed_at", r.completed)
	}
	members["tools"] = r.echo
	members["prompt_cache_options"] = completed(r.sent["prompt_cache_options"], cacheDefaults)
	members["reasoning"] = completed(orElse(r.sent["reasoning"], "{}"),
		map[string]string{"effort": "null", "summary": "null"})
	members["text"] = completed(orElse(r.sent["text"], "{}"), map[string]string{"format": `{"type":"text"}`})
	var parts []string
	for _, m := range responseMembers {
		if value := orElse(members[m[0]], m[1]); len(value) > 0 {
			parts = append(parts, `"`+m[0]+`":`+string(value))
		}
	}
	var whole bytes.Buffer
	if err := json.Compact(&whole, []byte("{"+strings.Join(parts, ",")+"}")); err != nil {
		panic("stub: a response is no JSON: " + err.Error())
	}
	return whole.Bytes()
}

// cacheDefaults are the options of a cache of prompts that a request leaves out.
var cacheDefaults = map[string]string{"mode": `"implicit"`, "ttl": `"30m"`}

// statusCompleted is the status of an answer that is whole.
const statusCompleted = "completed"

// wireUsage is a usage as it travels. Writes are listed by time to live if there are any.
func (r request) wireUsage(u llmclient.Usage) (w wireUsage) {
	w.InputTokens, w.OutputTokens = u.Input, u.Output
	w.TotalTokens = u.Total
	w.InputTokensDetails.CachedTokens = u.Cached
	w.OutputTokensDetails.ReasoningTokens = u.Reasoning
	if written := r.cache.written; written > 0 {
		w.InputTokensDetails.CacheWriteTokens = written
		long := r.cache.writtenLong
		w.InputTokensDetails.WriteDetails = &wireWriteUsed{Long: long, Default: written - long}
	}
	return w
}

// servedTier is the tier that an answer names for the one that was asked for.
func servedTier(asked string) string {
	switch asked {
	case "", "auto":
		return "default"
	case "fast":
		return "priority" // by its other name
	}
	return asked
}

// completed is a JSON object with those of the members that it leaves out or has as null. It
// is nil for what is no object.
func completed(raw json.RawMessage, members map[string]string) json.RawMessage {
	all := llmclient.MembersOf(raw)
	if all == nil {
		return nil
	}
	for name, value := range members {
		all[name] = orElse(all[name], value)
	}
	return llmclient.Marshal(all)
}

// orElse returns raw, or fallback when raw was left out or null.
func orElse(raw json.RawMessage, fallback string) json.RawMessage {
	if isNull(raw) {
		return json.RawMessage(fallback)
	}
	return raw
}
