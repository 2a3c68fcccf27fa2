package openai

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
)

// TestEveryCountRule reads each form by itself, beside the other half of a usage.
func TestEveryCountRule(t *testing.T) {
	for i, rule := range countRules {
		if rule.source == "" {
			t.Errorf("%s: where the form is from is not said", rule.path)
		}
		value := any(7)
		if rule.count == countLasting {
			value = map[string]int{"ttl_30m_tokens": 3, "ephemeral_1h_input_tokens": 4}
		}
		names := strings.Split(rule.path, ".")
		for j := len(names) - 1; j >= 0; j-- {
			value = map[string]any{names[j]: value}
		}
		got := readUsage(llmclient.Marshal(value))
		want := llmclient.Usage{}
		switch rule.count {
		case countInput:
			want.Input = 7
		case countCached:
			want.Input, want.Cached = 7, 7 // a part of nothing is beside it
		case countWritten:
			want.Input, want.Written = 7, 7
		case countLasting:
			want.Input, want.Written = 7, 7
			want.WrittenLong = 4
		case countOutput:
			want.Output = 7
		case countReasoning:
			want.Output, want.Reasoning = 7, 7
		case countTotal:
			want.Total = 7
		}
		if got != want {
			t.Errorf("rule %d, %s: read %+v, want %+v", i, rule.path, got, want)
		}
	}
}

// TestUsageForms reads usages as servers send them.
func TestUsageForms(t *testing.T) {
	for _, c := range []struct {
		name, usage string
		want        llmclient.Usage
		summed      bool
	}{
		{"Responses", `{"input_tokens":10,"input_tokens_details":{"cached_tokens":4,"cache_write_tokens":3},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":17}`,
			llmclient.Usage{Input: 10, Cached: 4, Written: 3, Output: 7, Reasoning: 2, Total: 17}, true},
		{"writes by time to live", `{"input_tokens":9,"input_tokens_details":{"cache_write_tokens":8,"cache_write_tokens_details":{"ttl_30m_tokens":5,"ttl_12h_tokens":3}},"output_tokens":1,"total_tokens":10}`,
			llmclient.Usage{Input: 9, Written: 8, WrittenLong: 3, Output: 1, Total: 10}, true},
		{"chat names", `{"prompt_tokens":10,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens":7,"completion_tokens_details":{"reasoning_tokens":2},"total_tokens":17}`,
			llmclient.Usage{Input: 10, Cached: 4, Output: 7, Reasoning: 2, Total: 17}, true},
		{"chat details under the names of Responses", `{"input_tokens":10,"prompt_tokens_details":{"cached_tokens":4},"output_tokens":7,"completion_tokens_details":{"reasoning_tokens":2}}`,
			llmclient.Usage{Input: 10, Cached: 4, Output: 7, Reasoning: 2}, true},
		{"reasoning beside output", `{"input_tokens":100,"output_tokens":20,"output_tokens_details":{"reasoning_tokens":15},"total_tokens":135}`,
			llmclient.Usage{Input: 100, Output: 35, Reasoning: 15, Total: 135}, true},
		{"more reasoning than output", `{"input_tokens":100,"output_tokens":20,"output_tokens_details":{"reasoning_tokens":300}}`,
			llmclient.Usage{Input: 100, Output: 320, Reasoning: 300}, true},
		{"cache beside input, without a total", `{"input_tokens":660,"cache_read_input_tokens":120000,"cache_creation_input_tokens":19340,"output_tokens":40}`,
			llmclient.Usage{Input: 140000, Cached: 120000, Written: 19340, Output: 40}, true},
		{"cache beside input, in the total", `{"input_tokens":5000,"cache_read_input_tokens":3000,"output_tokens":40,"total_tokens":8040}`,
			llmclient.Usage{Input: 8000, Cached: 3000, Output: 40, Total: 8040}, true},
		{"cache beside input, and a total without it", `{"input_tokens":660,"cache_read_input_tokens":139340,"output_tokens":40,"total_tokens":700}`,
			llmclient.Usage{Input: 140000, Cached: 139340, Output: 40, Total: 700}, false},
		{"cache in the input by the total", `{"input_tokens":5000,"cache_read_input_tokens":3000,"output_tokens":40,"total_tokens":5040}`,
			llmclient.Usage{Input: 5000, Cached: 3000, Output: 40, Total: 5040}, true},
		{"cache in prompt_tokens, as LiteLLM has it", `{"prompt_tokens":5000,"cache_read_input_tokens":3000,"cache_creation_input_tokens":1000,"completion_tokens":40}`,
			llmclient.Usage{Input: 5000, Cached: 3000, Written: 1000, Output: 40}, true},
		{"Anthropic by time to live", `{"input_tokens":10,"cache_creation_input_tokens":300,"cache_creation":{"ephemeral_5m_input_tokens":100,"ephemeral_1h_input_tokens":200},"cache_read_input_tokens":0,"output_tokens":5}`,
			llmclient.Usage{Input: 310, Written: 300, WrittenLong: 200, Output: 5}, true},
		{"the same count in two forms", `{"input_tokens":50,"input_tokens_details":{"cached_tokens":30},"cache_read_input_tokens":30,"output_tokens":5,"total_tokens":55}`,
			llmclient.Usage{Input: 50, Cached: 30, Output: 5, Total: 55}, true},
		{"Bedrock", `{"inputTokens":10,"outputTokens":5,"cacheReadInputTokens":90,"cacheWriteInputTokens":20,"totalTokens":125}`,
			llmclient.Usage{Input: 120, Cached: 90, Written: 20, Output: 5, Total: 125}, true},
		{"Gemini", `{"promptTokenCount":100,"candidatesTokenCount":20,"thoughtsTokenCount":30,"cachedContentTokenCount":60,"totalTokenCount":150}`,
			llmclient.Usage{Input: 100, Cached: 60, Output: 50, Reasoning: 30, Total: 150}, true},
		{"LangChain", `{"input_tokens":1300,"input_token_details":{"cache_read":1000,"cache_creation":200},"output_tokens":5,"output_token_details":{"reasoning":2},"total_tokens":1305}`,
			llmclient.Usage{Input: 1300, Cached: 1000, Written: 200, Output: 5, Reasoning: 2, Total: 1305}, true},
		{"Codex", `{"input_tokens":100,"cached_input_tokens":40,"output_tokens":30,"reasoning_output_tokens":20,"total_tokens":130}`,
			llmclient.Usage{Input: 100, Cached: 40, Output: 30, Reasoning: 20, Total: 130}, true},
		{"a total of something else", `{"input_tokens":100,"output_tokens":20,"total_tokens":999}`, llmclient.Usage{Input: 100, Output: 20, Total: 999}, false},
		{"the input only in the total", `{"output_tokens":20,"total_tokens":120}`, llmclient.Usage{Input: 100, Output: 20, Total: 120}, true},
		{"null and nonsense", `{"input_tokens":null,"input_tokens_details":null,"cache_creation":7,"output_tokens":"12","total_tokens":-1}`, llmclient.Usage{Output: 12}, true},
		{"a list", `[1]`, llmclient.Usage{}, true},
	} {
		got := readUsage(json.RawMessage(c.usage))
		if got != c.want || got.Summed() != c.summed {
			t.Errorf("%s: read %+v, summed %v; want %+v", c.name, got, got.Summed(), c.want)
		}
	}
}

// told are the tokens of a call, each in one kind only; reasoning is part of output.
type told struct{ plain, cached, short, long, output, reasoning int64 }

func (n told) input() int64 { return n.plain + n.cached + n.short + n.long }

// publishedRule is what a provider bills for a call, as its documentation says it. It is written without
// the code that it checks.
type publishedRule struct {
	name string
	// usd are the rates for a million tokens: input, cached, short and long writes, output.
	usd [5]float64
	// usage writes what the provider reports.
	usage func(n told) string
}

var publishedRules = []publishedRule{
	{"OpenAI", [5]float64{2, 0.1, 2.5, 5, 10}, func(n told) string {
		return fmt.Sprintf(`{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d,"cache_write_tokens":%d,
			"cache_write_tokens_details":{"ttl_30m_tokens":%d,"ttl_12h_tokens":%d}},
			"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d},"total_tokens":%d}`,
			n.input(), n.cached, n.short+n.long, n.short, n.long, n.output, n.reasoning, n.input()+n.output)
	}},
	{"Anthropic", [5]float64{3, 0.3, 3.75, 6, 15}, func(n told) string {
		return fmt.Sprintf(`{"input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,
			"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":%d},"output_tokens":%d}`,
			n.plain, n.cached, n.short+n.long, n.short, n.long, n.output)
	}},
	{"reasoning apart", [5]float64{1, 1, 1, 1, 4}, func(n told) string {
		return fmt.Sprintf(`{"prompt_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d},"completion_tokens":%d,
			"completion_tokens_details":{"reasoning_tokens":%d},"total_tokens":%d}`,
			n.input(), n.cached, n.output-n.reasoning, n.reasoning, n.input()+n.output)
	}},
}

// tierFactors are the factors of the tiers of the test's table.
var tierFactors = map[string]float64{"": 1, "default": 1, "flex": 0.5, "priority": 2}

// TestToldIsBilled compares the cost that is told, by usage and tier of an answer, with what the provider
// bills by its published rule.
func TestToldIsBilled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := rapid.SampledFrom(publishedRules).Draw(t, "provider")
		tokens := func(of string) int64 {
			return rapid.OneOf(rapid.Int64Range(0, 3), rapid.Int64Range(0, 300_000)).Draw(t, of)
		}
		n := told{plain: tokens("plain"), cached: tokens("cached"), short: tokens("short"), long: tokens("long"), output: tokens("output")}
		n.reasoning = rapid.Int64Range(0, n.output).Draw(t, "reasoning")
		tier := rapid.SampledFrom([]string{"", "default", "flex", "priority"}).Draw(t, "tier")
		billed := 0.0
		for i, kind := range []int64{n.plain, n.cached, n.short, n.long, n.output} {
			billed += float64(kind) * rule.usd[i] / 1e6 * tierFactors[tier]
		}
		file := fmt.Sprintf(`currency = "USD"
as_of = "2026-11-01"
source = "test"
[[price]]
models = ["m"]
input = "%g"
cached_input = "%g"
cache_write = "%g"
cache_write_long = "%g"
output = "%g"
tier = { flex = { times = "0.5" }, fast = { times = "2" } }
`, rule.usd[0], rule.usd[1], rule.usd[2], rule.usd[3], rule.usd[4])
		table, err := price.Table{}.With("t.toml", []byte(file))
		if err != nil {
			t.Fatal(err)
		}
		p, _ := table.Lookup("m")
		u := readUsage(json.RawMessage(rule.usage(n)))
		u.ServiceTier = tier
		if got := float64(p.Cost(u)) / 1e12; got < billed*0.99 || got > billed*1.01+1e-9 {
			t.Fatalf("%s bills %f for %+v, told %f", rule.name, billed, u, got)
		}
		if most := float64(p.Most(u)) / 1e12; u.WrittenLong == 0 && most < billed*0.9999 {
			t.Fatalf("%s bills %f for %+v, set aside %f", rule.name, billed, u, most)
		}
	})
}

// TestUsageFormsArePublished holds the page to the rules; -update writes it.
func TestUsageFormsArePublished(t *testing.T) {
	var b strings.Builder
	b.WriteString("| count | in `usage` | known from |\n|---|---|---|\n")
	for _, rule := range countRules {
		apart := ""
		switch {
		case rule.apart && rule.count == countReasoning:
			apart = ", beside the output"
		case rule.apart:
			apart = ", beside `input_tokens`"
		}
		fmt.Fprintf(&b, "| %s%s | `%s` | %s |\n", rule.count, apart, rule.path, rule.source)
	}
	const begin, end = "<!-- usage: made by a test -->\n", "<!-- end of usage -->\n"
	page, err := os.ReadFile(providersPage)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(page), begin)
	shown, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for the forms of usage", providersPage)
	}
	if *update {
		if err := os.WriteFile(providersPage, []byte(head+begin+b.String()+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if shown != b.String() {
		t.Errorf("the forms of usage in %s are not up to date; run go test ./llmclient/openai -update", providersPage)
	}
}

// TestCacheWritesAndReasoningApartArePriced: what was told before was 0.64235 and 0.133.
func TestCacheWritesAndReasoningApartArePriced(t *testing.T) {
	table, err := price.Table{}.With("t.toml", []byte(`currency = "USD"
as_of = "2026-07-10"
source = "a file from before cache writes had a price"
[[price]]
models = ["gpt-5.6-sol"]
input = "5"
cached_input = "0.50"
output = "30"
[[price]]
models = ["gpt-5"]
input = "1.25"
cached_input = "0.125"
output = "10"
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ model, usage, want string }{
		{"gpt-5.6-sol", `{"input_tokens":98470,"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":90600},"output_tokens":5000,"total_tokens":103470}`, "0.7556"},
		{"gpt-5", `{"input_tokens":42400,"output_tokens":8000,"output_tokens_details":{"reasoning_tokens":31000},"total_tokens":81400}`, "0.443"},
	} {
		p, _ := table.Lookup(c.model)
		if got := p.Cost(readUsage(json.RawMessage(c.usage))).String(); got != c.want {
			t.Errorf("%s: told %s, billed %s", c.usage, got, c.want)
		}
	}
}
