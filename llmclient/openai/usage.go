package openai

import (
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/agentworld/llmclient"
)

// The counts of a usage.
const (
	countInput     = "input"
	countCached    = "cached"
	countWritten   = "written"
	countOutput    = "output"
	countReasoning = "reasoning"
	countTotal     = "total"
	// countLasting are cache writes by how long they are kept: an object whose names have the time.
	countLasting = "written by time to live"
)

// countRule is a form in which servers report a count.
type countRule struct {
	count string
	// path is the place in the usage, with dots. Capitals and underscores do not count, since gateways
	// rename members to their taste.
	path string
	// apart says that the whole does not include this part, if no total says otherwise. For parts of the
	// input it holds beside input_tokens only: gateways that say prompt_tokens include them.
	apart bool
	// source is who documents or sends the form.
	source string
}

// countRules are all forms that are read. Of a count the first that is reported holds.
var countRules = []countRule{
	{countInput, "input_tokens", false, "OpenAI Responses; Anthropic; Bedrock (inputTokens)"},
	{countInput, "prompt_tokens", false, "OpenAI Chat Completions and most gateways"},
	{countInput, "prompt_token_count", false, "Gemini (promptTokenCount)"},
	{countInput, "prompt_eval_count", false, "Ollama"},
	{countInput, "input_token_count", false, "Bedrock's metrics (inputTokenCount)"},
	{countCached, "input_tokens_details.cached_tokens", false, "OpenAI Responses"},
	{countCached, "prompt_tokens_details.cached_tokens", false, "OpenAI Chat Completions; litellm#35127"},
	{countCached, "cache_read_input_tokens", true,
		"Anthropic; Bedrock (cacheReadInputTokens); any-llm#622, litellm#11364"},
	{countCached, "prompt_cache_hit_tokens", false, "DeepSeek"},
	{countCached, "cached_content_token_count", false, "Gemini (cachedContentTokenCount)"},
	{countCached, "cached_tokens", false, "Moonshot"},
	{countCached, "input_token_details.cached_tokens", false, "OpenAI Realtime"},
	{countCached, "input_token_details.cache_read", false, "LangChain"},
	{countCached, "cached_input_tokens", false, "Codex; Vercel AI SDK (cachedInputTokens)"},
	{countCached, "cache_read_tokens", false, "Pydantic AI"},
	{countWritten, "input_tokens_details.cache_write_tokens", false, "OpenAI Responses since GPT-5.6; genai-prices#463"},
	{countWritten, "prompt_tokens_details.cache_write_tokens", false, "OpenAI Chat Completions; OpenRouter"},
	{countWritten, "prompt_tokens_details.cache_creation_tokens", false, "LiteLLM"},
	{countWritten, "cache_creation_input_tokens", true, "Anthropic; any-llm#622, litellm#11364"},
	{countWritten, "cache_write_input_tokens", true, "Bedrock (cacheWriteInputTokens)"},
	{countWritten, "input_token_details.cache_creation", false, "LangChain"},
	{countWritten, "cache_write_tokens", false, "Pydantic AI"},
	{countLasting, "input_tokens_details.cache_write_tokens_details", false, "OpenAI (ttl_30m_tokens, ttl_12h_tokens)"},
	{countLasting, "prompt_tokens_details.cache_write_tokens_details", false, "OpenAI Chat Completions"},
	{countLasting, "prompt_tokens_details.cache_creation_token_details", false, "LiteLLM (ephemeral_5m_input_tokens)"},
	{countLasting, "cache_creation", true, "Anthropic (ephemeral_5m_input_tokens, ephemeral_1h_input_tokens)"},
	{countOutput, "output_tokens", false, "OpenAI Responses; Anthropic; Bedrock (outputTokens)"},
	{countOutput, "completion_tokens", false, "OpenAI Chat Completions and most gateways"},
	{countOutput, "candidates_token_count", false, "Gemini (candidatesTokenCount)"},
	{countOutput, "eval_count", false, "Ollama"},
	{countOutput, "output_token_count", false, "Bedrock's metrics (outputTokenCount)"},
	{countReasoning, "output_tokens_details.reasoning_tokens", false, "OpenAI Responses; beside output: inspect_ai#5528"},
	{countReasoning, "completion_tokens_details.reasoning_tokens", false,
		"OpenAI Chat Completions; beside output: sub2api#5771, xAI"},
	{countReasoning, "output_tokens_details.thinking_tokens", false, "LiteLLM for Anthropic"},
	{countReasoning, "thoughts_token_count", true, "Gemini (thoughtsTokenCount)"},
	{countReasoning, "reasoning_tokens", false, "OpenRouter"},
	{countReasoning, "output_token_details.reasoning", false, "LangChain"},
	{countReasoning, "reasoning_output_tokens", false, "Codex"},
	{countTotal, "total_tokens", false, "OpenAI; Bedrock (totalTokens)"},
	{countTotal, "total_token_count", false, "Gemini (totalTokenCount)"},
}

// usageMembers are where a response has its usage; the first object holds. Gateways of Gemini keep its name.
var usageMembers = []string{"usage", "usage_metadata", "usageMetadata", "token_usage"}

// usageOf is the usage of a response.
func usageOf(response llmclient.Members) llmclient.Usage {
	for _, name := range usageMembers {
		if inner := llmclient.MembersOf(response[name]); inner != nil {
			return readUsage(response[name])
		}
	}
	return llmclient.Usage{}
}

// readUsage reads the token counts; what is absent or unreadable stays zero.
func readUsage(raw json.RawMessage) llmclient.Usage {
	usage := foldedMembers(raw)
	r := reported{counts: map[string]int64{}}
	for _, rule := range countRules {
		value := usage.at(rule.path)
		if !llmclient.Given(value) {
			continue
		}
		if rule.count == countLasting {
			r.lasting(value, rule.apart)
			continue
		}
		if n := count(value); n > 0 {
			r.take(rule, n)
		}
	}
	return r.usage()
}

// folded are the members of an object by names without capitals and underscores.
type folded map[string]json.RawMessage

// foldedMembers returns the members of an object, none for anything else.
func foldedMembers(raw json.RawMessage) folded {
	members, f := llmclient.MembersOf(raw), folded{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		short := foldName(name)
		if !llmclient.Given(f[short]) {
			f[short] = members[name]
		}
	}
	return f
}

func foldName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// at returns the value at a path.
func (f folded) at(path string) json.RawMessage {
	name, inner, nested := strings.Cut(path, ".")
	value := f[foldName(name)]
	if nested && llmclient.Given(value) {
		return foldedMembers(value).at(inner)
	}
	return value
}

// reported are the counts of a usage as a server reports them. What includes what is still open.
type reported struct {
	counts map[string]int64
	// long are the written tokens that are kept for more than half an hour.
	long int64
	// chat says that the input has its name of Chat Completions.
	chat bool
	// cacheApart and reasoningApart say that the dialect does not include the parts in the whole.
	cacheApart, reasoningApart bool
}

// take takes a count, unless it was reported in a form that goes before.
func (r *reported) take(rule countRule, n int64) {
	if r.counts[rule.count] > 0 {
		return
	}
	r.counts[rule.count] = n
	switch rule.count {
	case countInput:
		r.chat = rule.path != "input_tokens"
	case countCached, countWritten:
		r.cacheApart = r.cacheApart || rule.apart
	case countReasoning:
		r.reasoningApart = rule.apart
	}
}

// lastingName finds the time in the name of a count of cache writes.
var lastingName = regexp.MustCompile(`(\d{1,6})([smhd])`)

// timeUnits are the units of such a time.
var timeUnits = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}

// lastingShort is the longest time of a write that is billed as a short one.
const lastingShort = 30 * time.Minute

// lasting takes cache writes by how long they are kept.
func (r *reported) lasting(raw json.RawMessage, apart bool) {
	sum, long := int64(0), int64(0)
	for name, value := range foldedMembers(raw) {
		found := lastingName.FindStringSubmatch(name)
		if found == nil {
			continue
		}
		number, _ := strconv.ParseInt(found[1], 10, 64)
		unit := timeUnits[found[2]]
		n := count(value)
		sum += n
		if time.Duration(number)*unit > lastingShort {
			long += n
		}
	}
	if sum == 0 || r.long > 0 {
		return
	}
	r.long = long
	if sum > r.counts[countWritten] { // a sum that is less than its parts is no sum
		r.counts[countWritten] = 0
		r.take(countRule{count: countWritten, apart: apart}, sum)
	}
}

// usage decides what the input and the output include: by the total, if it is the sum of one of the
// readings, or else by the dialect. A part that is more than its whole is never included.
func (r reported) usage() llmclient.Usage {
	c := r.counts
	u := llmclient.Usage{
		Cached: c[countCached], Written: c[countWritten], WrittenLong: r.long,
		Reasoning: c[countReasoning], Total: c[countTotal],
	}
	inputs := readings(c[countInput], r.cacheApart && !r.chat, u.Cached+u.Written, u.Cached, u.Written)
	outputs := readings(c[countOutput], r.reasoningApart, u.Reasoning)
	found := false
	u.Input, u.Output, found = summing(u.Total, inputs, outputs)
	switch {
	case u.Total == 0 || found:
	case u.Input == 0 && u.Output > 0:
		u.Input = max(0, u.Total-u.Output)
	case u.Output == 0 && u.Input > 0:
		u.Output = max(0, u.Total-u.Input)
	}
	return u
}

// readings are what a whole may be if it is reported as n: without all of its parts, without some, or
// with all of them. The first one is the dialect's.
func readings(n int64, apart bool, all int64, some ...int64) []int64 {
	list := []int64{n + all}
	for _, part := range some {
		if all-part <= n { // the others are included
			list = append(list, n+part)
		}
	}
	if all > n {
		return list
	}
	if apart {
		return append(list, n)
	}
	return append([]int64{n}, list...)
}

// summing returns the first readings whose sum is the total, the dialect's where none is found.
func summing(total int64, inputs, outputs []int64) (input, output int64, found bool) {
	for _, in := range inputs {
		for _, out := range outputs {
			if in+out == total {
				return in, out, true
			}
		}
	}
	return inputs[0], outputs[0], false
}

// count reads a token count, which some servers write as a fraction or a text. A
// count that no model can reach is a fault of the server and would spoil the sums
// over a run, so it counts as not reported.
func count(raw json.RawMessage) int64 {
	if !llmclient.Given(raw) {
		return 0
	}
	n, err := strconv.ParseFloat(llmclient.TextOf(raw), 64)
	if err != nil || math.IsNaN(n) || n < 0 || n > math.MaxInt32 {
		return 0
	}
	return int64(n)
}
