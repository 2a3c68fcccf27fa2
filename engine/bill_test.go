package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/report"
	"example.com/agentworld/trace"
)

// billedTable is the price of the billing provider's model.
const billedTable = `currency = "USD"
as_of = "2026-11-01"
source = "a test"
[[price]]
models = ["scripted"]
input = "2"
cached_input = "0.2"
cache_write = "2.5"
cache_write_long = "5"
output = "10"
tier = { flex = { times = "0.5" }, fast = { times = "2" } }
`

// billing is a provider that plays the scripted model, says its usage in a form of its own, and keeps a
// ledger by the rule it publishes: see [billedTable]. What it does is a function of the request alone,
// so that runs can be compared.
type billing struct {
	*httptest.Server
	// form writes a usage.
	form func(u billedUsage) map[string]any
	// full is one in how many requests for flex it refuses, 0 for none; upgrades is one in how many that
	// ask for no tier it serves at priority.
	full, upgrades uint64

	mu sync.Mutex
	// usd is what is owed, dearest the most of one call, refused how often flex was full.
	usd, dearest float64
	refused      int64
	// upgraded is how often priority served a call that asked for no tier.
	upgraded int64
}

// billedUsage are the tokens of a call, each in one kind only.
type billedUsage struct{ plain, cached, short, long, output, reasoning int64 }

// usd is what the provider bills for the tokens at a tier.
func (u billedUsage) usd(tier string) float64 {
	sum := float64(u.plain)*2 + float64(u.cached)*0.2 + float64(u.short)*2.5 + float64(u.long)*5 + float64(u.output)*10
	return sum / 1e6 * map[string]float64{"default": 1, "flex": 0.5, "priority": 2}[tier]
}

func newBilling(t *testing.T, b *billing) *billing {
	model := stub.NewHandler(stub.Options{Seed: 1})
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		var asked struct {
			Tier string `json:"service_tier"`
		}
		_ = json.Unmarshal(body, &asked)
		sum := fnv.New64a()
		_, _ = sum.Write(body)
		draw := sum.Sum64()
		if asked.Tier == "flex" && b.full > 0 && draw%b.full == 0 {
			b.mu.Lock()
			b.refused++
			b.mu.Unlock()
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"error":{"code":"resource_unavailable","message":"Resource Unavailable"}}`)
			return
		}
		answer := httptest.NewRecorder()
		r.Body = io.NopCloser(bytes.NewReader(body))
		model.ServeHTTP(answer, r)
		var response map[string]any
		if json.Unmarshal(answer.Body.Bytes(), &response) != nil || answer.Code != http.StatusOK {
			w.WriteHeader(answer.Code)
			_, _ = w.Write(answer.Body.Bytes())
			return
		}
		input := int64(len(body)) / 5
		output := int64(response["usage"].(map[string]any)["output_tokens"].(float64))
		u := billedUsage{cached: input / 10 * int64(draw%8), output: output, reasoning: output / 3}
		u.short = (input - u.cached) / 3 * int64(draw/8%3)
		u.plain = input - u.cached - u.short
		tier := "default"
		switch {
		case asked.Tier == "flex":
			tier = "flex"
		case asked.Tier == "" && b.upgrades > 0 && draw%b.upgrades == 0:
			tier = "priority"
		}
		b.mu.Lock()
		b.usd += u.usd(tier)
		b.dearest = max(b.dearest, u.usd(tier))
		if tier == "priority" {
			b.upgraded++
		}
		b.mu.Unlock()
		response["usage"], response["service_tier"] = b.form(u), tier
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(response)
	}))
	t.Cleanup(b.Close)
	return b
}

func openAIForm(u billedUsage) map[string]any {
	input := u.plain + u.cached + u.short + u.long
	return map[string]any{
		"input_tokens": input, "output_tokens": u.output, "total_tokens": input + u.output,
		"input_tokens_details":  map[string]any{"cached_tokens": u.cached, "cache_write_tokens": u.short + u.long},
		"output_tokens_details": map[string]any{"reasoning_tokens": u.reasoning},
	}
}

func anthropicForm(u billedUsage) map[string]any {
	return map[string]any{
		"input_tokens": u.plain, "cache_read_input_tokens": u.cached, "cache_creation_input_tokens": u.short + u.long, "output_tokens": u.output,
	}
}

// apartForm counts reasoning beside the output.
func apartForm(u billedUsage) map[string]any {
	input := u.plain + u.cached + u.short + u.long
	return map[string]any{
		"prompt_tokens": input, "completion_tokens": u.output - u.reasoning, "total_tokens": input + u.output,
		"prompt_tokens_details":     map[string]any{"cached_tokens": u.cached, "cache_write_tokens": u.short},
		"completion_tokens_details": map[string]any{"reasoning_tokens": u.reasoning},
	}
}

// TestTheBillIsTheProviders plays runs against providers that bill by their own ledger: what the report
// tells is what is billed, no cap is passed by more than the calls in flight, and a replay agrees.
func TestTheBillIsTheProviders(t *testing.T) {
	if testing.Short() {
		t.Skip("more than a second; the whole test command plays it")
	}
	table, err := price.Table{}.With("t.toml", []byte(billedTable))
	if err != nil {
		t.Fatal(err)
	}
	p, _ := table.Lookup("scripted")
	plain := options(t, "llm_bootstrap", 3)
	plain.AgentsOverride, plain.MaxOutputTokens = 3, 1024
	plain.Prices, plain.ModelSource = []price.Price{p}, trace.SourceLive
	for _, c := range []struct {
		name           string
		form           func(u billedUsage) map[string]any
		full, upgrades uint64
		tier           string
		cap            price.Money
	}{
		{"OpenAI", openAIForm, 0, 0, "", 0},
		{"Anthropic, capped", anthropicForm, 0, 0, "", 70_000_000_000},
		{"reasoning apart, capped", apartForm, 0, 0, "", 70_000_000_000},
		{"flex that is full at times", openAIForm, 3, 0, "flex", 0},
		{"flex that is full at times, capped", openAIForm, 3, 0, "flex", 40_000_000_000},
		{"a tier that nobody asked for", openAIForm, 0, 4, "", 0},
		{"a tier that nobody asked for, capped", openAIForm, 0, 4, "", 80_000_000_000},
	} {
		for _, concurrency := range []int{1, 8} {
			name := fmt.Sprintf("%s, %d at once", c.name, concurrency)
			b := newBilling(t, &billing{form: c.form, full: c.full, upgrades: c.upgrades})
			o := through(t, plain, openai.Config{BaseURL: b.URL})
			o.ServiceTier, o.Concurrency = c.tier, concurrency
			o.Caps.Run.Cost = c.cap
			result := run(t, o)
			if result.Status != trace.RunCompleted && result.Status != trace.RunBudgetReached {
				t.Fatalf("%s: %s: %s", name, result.Status, result.Reason)
			}
			got := fold(t, o.RunDir)
			if told := float64(got.Cost.TotalMicros) / 1e6; told < b.usd*0.99 || told > b.usd*1.01 {
				t.Errorf("%s: told %f, billed %f", name, told, b.usd)
			}
			if limit := float64(c.cap)/1e12 + float64(concurrency)*b.dearest; c.cap > 0 && b.usd > limit {
				t.Errorf("%s: billed %f under a cap of %s", name, b.usd, c.cap)
			}
			if c.cap > 0 && got.Cost.RefusedByCap["run_cost"] == 0 {
				t.Errorf("%s: the cap refused nothing, so it shows nothing", name)
			}
			checkTiers(t, name, b, got, c.tier)
			replayed, err := engine.Replay(context.Background(), o.RunDir, engine.ReplayOptions{})
			if err != nil || !replayed.Equal {
				t.Errorf("%s: replay: %v, line %d:\n%s\n%s", name, err, replayed.Line, replayed.Recorded, replayed.Derived)
			}
		}
	}
}

// checkTiers compares the tiers and fallbacks of a report with what the provider did.
func checkTiers(t *testing.T, name string, b *billing, r report.Report, asked string) {
	t.Helper()
	tiers := r.Cost.ByModel[0].CallsByTier
	switch {
	case asked == "flex":
		// Once it is full, later calls skip flex for a while: which ones are later depends on the machine.
		fell := r.Cost.TierFallbacks
		if tiers["flex"]+fell == 0 || fell != tiers["default"] || fell < b.refused {
			t.Errorf("%s: tiers %v with %d fallbacks, %d refusals", name, tiers, fell, b.refused)
		}
		if b.refused == 0 && len(r.Cost.Caps) == 0 {
			t.Errorf("%s: flex was never full, so it shows nothing", name)
		}
	case b.upgrades > 0:
		if tiers["priority"] != b.upgraded || b.upgraded == 0 && len(r.Cost.Caps) == 0 {
			t.Errorf("%s: tiers %v, and %d upgrades", name, tiers, b.upgraded)
		}
	case len(tiers) > 0:
		t.Errorf("%s: tiers %v of a run that asked for none", name, tiers)
	}
	if b.refused > 0 && asked != "flex" {
		t.Errorf("%s: flex was asked for", name)
	}
}

// TestUsageThatCannotBeIsCounted: a provider that leaves most of its input out is noted, and the caps count
// what was counted here.
func TestUsageThatCannotBeIsCounted(t *testing.T) {
	hide := func(u billedUsage) map[string]any {
		return map[string]any{"input_tokens": 20, "output_tokens": u.output, "total_tokens": 20 + u.output}
	}
	b := newBilling(t, &billing{form: hide})
	o := through(t, options(t, "llm_bootstrap", 2), openai.Config{BaseURL: b.URL})
	o.AgentsOverride, o.MaxOutputTokens = 2, 1024
	o.ModelSource, o.Caps.Run.Tokens = trace.SourceLive, 60_000
	doubts := 0
	o.LLMIO = func(x engine.Exchange) {
		if x.Counted != nil && x.Counted.Input > 1000 {
			doubts++
		}
	}
	run(t, o)
	r := fold(t, o.RunDir)
	calls := r.TraceCounts.ModelCalls
	if n := r.Cost.UsageDoubtsByKind[trace.DoubtInputLow]; n != calls || int64(doubts) != calls || calls == 0 {
		t.Errorf("%d doubts, %d shown, of %d calls", n, doubts, calls)
	}
	if len(r.Cost.Caps) != 1 || r.Cost.Caps[0].Spent < 1000*calls {
		t.Errorf("the caps count %+v for %d calls", r.Cost.Caps, calls)
	}
	if text := r.Text(); !strings.Contains(text, trace.DoubtInputLow) {
		t.Errorf("the report does not say it:\n%s", text)
	}
	replayed, err := engine.Replay(context.Background(), o.RunDir, engine.ReplayOptions{})
	if err != nil || !replayed.Equal {
		t.Errorf("replay: %v, line %d:\n%s\n%s", err, replayed.Line, replayed.Recorded, replayed.Derived)
	}
}
