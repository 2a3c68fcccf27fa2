package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
)

// billed is a call of a tick, agent and model that was billed.
func billed(tick int64, agent, model string, u llmclient.Usage) trace.ModelCall {
	return trace.ModelCall{Tick: tick, AgentID: agent, Step: 1, Stage: "plan", Model: model, Answer: trace.Answer{Kind: llmclient.AnswerCalls, Usage: u}}
}

func costOf(t *testing.T, h trace.Header, records ...trace.Record) Cost {
	t.Helper()
	return reportOf(t, h, records...).Cost
}

// reportOf folds records of two agents.
func reportOf(t *testing.T, h trace.Header, records ...trace.Record) Report {
	t.Helper()
	h.Format, h.Agents = trace.FormatVersion, []trace.HeaderAgent{{ID: "b"}, {ID: "a"}}
	var text bytes.Buffer
	w := trace.NewWriter(&text)
	for _, r := range append([]trace.Record{h}, records...) {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Fold(trace.NewReader(&text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAnswered names who answered, not who was asked, but where the provider does not say it.
func TestAnswered(t *testing.T) {
	dated, failed := billed(1, "a", "m", llmclient.Usage{}), billed(2, "a", "gone", llmclient.Usage{})
	dated.Answer.Model = "m-2026-01-02"
	failed.Answer.Failure = &llmclient.Failure{}
	got := reportOf(t, trace.Header{}, dated, failed, billed(1, "b", "local", llmclient.Usage{})).Answered
	if want := []string{"local", "m-2026-01-02"}; !slices.Equal(got, want) {
		t.Errorf("answered by %q, want %q", got, want)
	}
}

func TestCostByModelAndAgent(t *testing.T) {
	prices := []price.Price{{Model: "m", Currency: "EUR", Rates: price.Rates{Input: 2_000_000, CachedInput: 1_000_000, Output: 8_000_000}, AsOf: "2026-01-02", Source: "s"}}
	h := trace.Header{Settings: trace.Settings{Prices: prices}}
	learned := billed(2, "a", "m", llmclient.Usage{Input: 1000, Output: 100})
	learned.Stage = trace.StageReflect
	got := costOf(t, h,
		billed(1, "a", "m", llmclient.Usage{Input: 1000, Cached: 500, Output: 100, Reasoning: 90}),
		billed(1, "b", "unlisted", llmclient.Usage{Input: 10, Output: 1}),
		learned,
	)
	if got.Priced || got.Currency != "EUR" || got.TotalMicros != 2300+2800 {
		t.Errorf("priced %v, %d %s in all", got.Priced, got.TotalMicros, got.Currency)
	}
	wantModels := []ModelCost{
		{Model: "m", Calls: 2, Tokens: Tokens{Input: 2000, Cached: 500, Output: 200, Reasoning: 90}, Priced: true, Micros: 5100, CallsByTier: Counts{}, Price: &Price{Model: "m", Currency: "EUR", Input: 2_000_000, CachedInput: 1_000_000, Output: 8_000_000, AsOf: "2026-01-02", Source: "s"}},
		{Model: "unlisted", Calls: 1, Tokens: Tokens{Input: 10, Output: 1}, CallsByTier: Counts{}},
	}
	if diff := cmp.Diff(wantModels, got.ByModel); diff != "" {
		t.Errorf("by model (-want +got):\n%s", diff)
	}
	wantAgents := []AgentCost{{"b", 1, Tokens{Input: 10, Output: 1}, 0}, {"a", 2, Tokens{Input: 2000, Cached: 500, Output: 200, Reasoning: 90}, 5100}}
	if diff := cmp.Diff(wantAgents, got.ByAgent); diff != "" {
		t.Errorf("by agent (-want +got):\n%s", diff)
	}
	if without := costOf(t, trace.Header{}, billed(1, "a", "m", llmclient.Usage{Input: 5})); without.Priced || without.Currency != "" || without.ByModel[0].Price != nil {
		t.Errorf("a run without prices has a cost: %+v", without)
	}
}

func TestCapsTellWhatWasUsedOfThem(t *testing.T) {
	h := trace.Header{Settings: trace.Settings{Caps: trace.Caps{
		Run: trace.Limit{Calls: 9, Cost: 5_000_001}, Agent: trace.Limit{Tokens: 900}, Tick: trace.Limit{Calls: 4, Tokens: 800},
	}}}
	charged := func(tick int64, agent string, tokens int64) trace.ModelCall {
		call := billed(tick, agent, "m", llmclient.Usage{})
		call.Charge = &trace.Charge{ReservedTokens: 500, Tokens: tokens, Cost: 1_500_000}
		return call
	}
	refused := trace.Refusal{Tick: 2, AgentID: "b", Step: 1, Cap: "tick_tokens"}
	got := costOf(t, h, charged(1, "a", 300), charged(1, "b", 100), charged(2, "a", 250), refused)
	want := []CapUse{{"run", "calls", 9, 3}, {"run", "cost", 6, 5}, {"agent", "tokens", 900, 550}, {"tick", "calls", 4, 2}, {"tick", "tokens", 800, 400}}
	if diff := cmp.Diff(want, got.Caps); diff != "" {
		t.Errorf("caps (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Counts{"tick_tokens": 1}, got.RefusedByCap); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	if len(got.ByModel) != 1 || got.ByModel[0].Calls != 3 {
		t.Errorf("a refused request counts as sent: %+v", got.ByModel)
	}
}

// TestCapChanges: the caps at the end are reported with all that was spent, and each change
// separately. A fork that only removes caps lets the others continue to count.
func TestCapChanges(t *testing.T) {
	h := trace.Header{Settings: trace.Settings{Caps: trace.Caps{Run: trace.Limit{Calls: 2}, Tick: trace.Limit{Tokens: 50}}}}
	call := func(tick int64) trace.ModelCall { return billed(tick, "a", "m", llmclient.Usage{Input: 40, Output: 2}) }
	got := costOf(t, h, call(1), call(1),
		trace.CapChange{Tick: 2, Caps: trace.Caps{Run: trace.Limit{Calls: 5, Cost: 3_000_000}}}, call(2),
		trace.CapChange{Tick: 3, Caps: trace.Caps{Run: trace.Limit{Calls: 4}, Agent: trace.Limit{Calls: 9}}}, call(3),
		trace.Fork{Tick: 4, AtTick: 3, Settings: trace.Settings{Caps: trace.Caps{Run: trace.Limit{Calls: 4}}}}, call(4))
	want := []CapChange{{2, "run", "calls", 2, 5}, {2, "run", "cost", 0, 3}, {2, "tick", "tokens", 50, 0}, {3, "run", "calls", 5, 4}, {3, "run", "cost", 3, 0}, {3, "agent", "calls", 0, 9}}
	if diff := cmp.Diff(want, got.CapChanges); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]CapUse{{"run", "calls", 4, 5}}, got.Caps); diff != "" {
		t.Errorf("caps (-want +got):\n%s", diff)
	}
	if line, want := (Report{Cost: got}).costLine(), "; cap on cost of the run none -> 0.000003 in tick 2; "; !strings.Contains(line, want) {
		t.Errorf("text %q, want %q in it", line, want)
	}
}

// TestCostOfWritesTiersAndGuesses follows what the provider says of a call to the figures about it.
func TestCostOfWritesTiersAndGuesses(t *testing.T) {
	write := price.Money(2_500_000)
	prices := []price.Price{{
		Model: "m", Currency: "USD", AsOf: "2026-01-02", Source: "s",
		Rates: price.Rates{Input: 2_000_000, CachedInput: 200_000, CacheWrite: &write, Output: 8_000_000},
		Tiers: []price.Tier{{Name: "flex", Rates: price.Rates{Input: 1_000_000, CachedInput: 100_000, Output: 4_000_000}}},
	}}
	h := trace.Header{Settings: trace.Settings{Prices: prices, ServiceTier: "flex", ModelSource: trace.SourceLive}}
	fell := billed(2, "a", "m", llmclient.Usage{Input: 1000, Written: 800, Output: 100, Total: 1100, ServiceTier: "default"})
	fell.Answer.Repairs = []string{llmclient.RepairTierFallback}
	odd := billed(3, "a", "m", llmclient.Usage{Input: 10, Written: 10, Output: 1, Total: 999, ServiceTier: "flex"})
	odd.Counted = &trace.Counted{Input: 900, Output: 1}
	got := costOf(t, h,
		billed(1, "a", "m", llmclient.Usage{Input: 1000, Cached: 500, Output: 100, Total: 1100, ServiceTier: "flex"}),
		fell, odd,
		billed(4, "a", "m", llmclient.Usage{Input: 1000, Output: 0, ServiceTier: "scale"}),
		billed(5, "a", "m", llmclient.Usage{Input: 1000, Output: 0}),
	)
	// By hand: 500*1 + 500*0.1 + 100*4; 200*2 + 800*2.5 + 100*8; 10*1.25 + 1*4, guessed; 1000*2; 1000*2.
	if want := int64(950 + 3200 + 17 + 2000 + 2000); got.TotalMicros != want {
		t.Errorf("it cost %d, want %d", got.TotalMicros, want)
	}
	if diff := cmp.Diff(Counts{"flex": 2, "default": 1, "scale": 1, "unsaid": 1}, got.ByModel[0].CallsByTier); diff != "" {
		t.Errorf("tiers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Counts{"tier scale": 1, "cache writes": 1}, got.GuessedByKind); diff != "" || got.TierFallbacks != 1 {
		t.Errorf("%d fallbacks, guessed (-want +got):\n%s", got.TierFallbacks, diff)
	}
	if diff := cmp.Diff(Counts{trace.DoubtTotal: 1, trace.DoubtInputLow: 1}, got.UsageDoubtsByKind); diff != "" {
		t.Errorf("doubts (-want +got):\n%s", diff)
	}
	// The input alone: 550 + 2400 + 12.5 + 2000 + 2000 over 1000 + 2000 + 10 + 2000 + 2000.
	if got.InputOverPlainMilli != 993 {
		t.Errorf("input over plain is %d", got.InputOverPlainMilli)
	}
}
