package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/agentworld/engine"
	"example.com/agentworld/internal/draws"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/price"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// simulated is a price of the scripted model, for caps on cost.
func simulated() []price.Price {
	return []price.Price{{Model: "scripted", Currency: "USD", Rates: price.Rates{Input: 2_000_000, CachedInput: 500_000, Output: 8_000_000}, AsOf: "2026-01-02", Source: "a test"}}
}

// spent is what the answers of a run billed, over the run, the most of an agent and the
// most of a tick, counted from the trace and nothing else.
type spent struct{ run, agent, tick trace.Limit }

func spentIn(t testing.TB, dir string, p price.Price) spent {
	t.Helper()
	f, err := rundir.Dir(dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var s spent
	agents, ticks := map[string]trace.Limit{}, map[int64]trace.Limit{}
	for record, err := range trace.NewReader(f).All() {
		if err != nil {
			t.Fatal(err)
		}
		call, ok := record.(trace.ModelCall)
		if !ok || call.Answer.Failure != nil && call.Answer.Failure.Kind == llmclient.ErrAbandoned { // no model was asked
			continue
		}
		u := call.Answer.Usage
		add := func(l trace.Limit) trace.Limit {
			return trace.Limit{Calls: l.Calls + 1, Tokens: l.Tokens + u.Input + u.Output, Cost: l.Cost + p.Cost(u)}
		}
		s.run, agents[call.AgentID], ticks[call.Tick] = add(s.run), add(agents[call.AgentID]), add(ticks[call.Tick])
	}
	for _, l := range agents {
		s.agent = most(s.agent, l)
	}
	for _, l := range ticks {
		s.tick = most(s.tick, l)
	}
	return s
}

func most(a, b trace.Limit) trace.Limit {
	return trace.Limit{Calls: max(a.Calls, b.Calls), Tokens: max(a.Tokens, b.Tokens), Cost: max(a.Cost, b.Cost)}
}

// within says which cap was passed, empty when none was.
func (s spent) within(c trace.Caps) string {
	for _, at := range []struct {
		scope       string
		spent, caps trace.Limit
	}{{"run", s.run, c.Run}, {"agent", s.agent, c.Agent}, {"tick", s.tick, c.Tick}} {
		switch l := at.caps; {
		case l.Calls > 0 && at.spent.Calls > l.Calls, l.Tokens > 0 && at.spent.Tokens > l.Tokens, l.Cost > 0 && at.spent.Cost > l.Cost:
			return fmt.Sprintf("the %s spent %+v of %+v", at.scope, at.spent, l)
		}
	}
	return ""
}

// anyCaps draws caps around what a run of a few ticks takes.
func anyCaps(t *rapid.T) trace.Caps {
	limit := func(name string, least, most int64) trace.Limit {
		draw := func(what string, low, high int64) int64 {
			if !rapid.SampledFrom([]bool{false, true, false}).Draw(t, name+" caps "+what) {
				return 0
			}
			return rapid.Int64Range(low, high).Draw(t, name+" "+what)
		}
		return trace.Limit{
			Calls: draw("calls", least, most), Tokens: draw("tokens", 8000, most*6000),
			Cost: price.Money(draw("cost", 20_000_000_000, most*20_000_000_000)),
		}
	}
	return trace.Caps{Run: limit("run", 3, 30), Agent: limit("agent", 3, 14), Tick: limit("tick", 3, 15)}
}

// TestSpendStaysWithinCaps: whatever the caps, no run spends more, turns at once or one
// after the other give the same trace, a refusal included, and a replay agrees.
func TestSpendStaysWithinCaps(t *testing.T) {
	slow(t)
	plain := options(t, "llm_bootstrap", 3)
	plain.Prices, plain.AgentsOverride, plain.MaxOutputTokens = simulated(), 3, 1024
	refused, ended := 0, 0
	play := func(rt *rapid.T) {
		o := plain
		o.Protocol = rapid.SampledFrom([]string{"full", "lean"}).Draw(rt, "protocol")
		o.Caps = anyCaps(rt)
		o.LearnEvery = rapid.SampledFrom([]int64{0, 2}).Draw(rt, "learn every")
		var first []byte
		for _, concurrency := range []int{1, 8} {
			o.Concurrency, o.RunDir = concurrency, newDir(rt, t)
			result := run(t, o)
			if result.Status != trace.RunCompleted && result.Status != trace.RunBudgetReached {
				rt.Fatalf("run status %s: %s", result.Status, result.Reason)
			}
			if passed := spentIn(t, o.RunDir, o.Prices[0]).within(o.Caps); passed != "" {
				rt.Fatalf("%s", passed)
			}
			got := canonical(t, o.RunDir)
			if first != nil && !bytes.Equal(got, first) {
				rt.Fatalf("turns at once give another canonical trace")
			}
			first = got
		}
		if bytes.Contains(first, []byte(`"type":"refusal"`)) {
			refused++
		}
		if bytes.Contains(first, []byte(`"run_status":"budget_exhausted"`)) {
			ended++
		}
		replayed, err := engine.Replay(context.Background(), o.RunDir, engine.ReplayOptions{})
		if err != nil || !replayed.Equal {
			rt.Fatalf("replay: %v, line %d:\n%s\n%s", err, replayed.Line, replayed.Recorded, replayed.Derived)
		}
	}
	rapid.Check(t, play)
	draws.Until(func() bool { return refused > 0 && ended > 0 }, play)
}

// newDir returns a directory that is gone with the test.
func newDir(rt *rapid.T, t testing.TB) string {
	dir, err := os.MkdirTemp(t.TempDir(), "run")
	if err != nil {
		rt.Fatal(err)
	}
	return dir
}

func TestRunEndsWhenTheBudgetIsSpent(t *testing.T) {
	o := options(t, "llm_bootstrap", 20)
	o.Caps.Run.Calls = 30
	result := run(t, o)
	if result.Status != trace.RunBudgetReached || result.TicksDone < 2 || result.TicksDone > 6 {
		t.Fatalf("result %+v", result)
	}
	if want := "cap on calls of the run, 30: "; !strings.HasPrefix(result.Reason, want) {
		t.Errorf("reason %q, want %q...", result.Reason, want)
	}
	r := fold(t, o.RunDir)
	if r.RunStatus != trace.RunBudgetReached || r.WorldTime != result.TicksDone || r.FinalDigest != result.FinalDigest || len(r.Goals) == 0 || len(r.FinalStock) == 0 {
		t.Errorf("the report is not whole: status %s, world time %d, digest %s", r.RunStatus, r.WorldTime, r.FinalDigest)
	}
	if used := spentIn(t, o.RunDir, price.Price{}).run.Calls; used > 30 || used < 29 {
		t.Errorf("%d of 30 calls used: a turn would still have fitted", used)
	}
}

func TestACapCostsAnAgentItsTurn(t *testing.T) {
	o := options(t, "llm_bootstrap", 6)
	o.Caps.Tick.Calls = 3
	if result := run(t, o); result.Status != trace.RunCompleted {
		t.Fatalf("result %+v", result)
	}
	r := fold(t, o.RunDir)
	waits := r.DecisionCounts.WaitDegradedByReason["llm_error:cap"]
	if waits == 0 || r.TraceCounts.CallsRefused != waits+r.DecisionCounts.FallbacksByReason["llm_error:cap"] || r.TraceCounts.LLMErrors != 0 || r.DecisionCounts.WaitDegraded != waits {
		t.Errorf("waits %v, refused %d, errors %v", r.DecisionCounts.WaitDegradedByReason, r.TraceCounts.CallsRefused, r.TraceCounts.LLMErrorsByKind)
	}
	for _, row := range r.PerAgent[3:] {
		if row.WaitsDegraded == 0 {
			t.Errorf("3 calls a tick are enough for three agents, and %s was never refused", row.AgentID)
		}
	}
	if first := r.PerAgent[0]; first.Decisions == 0 {
		t.Errorf("the first agent decided nothing: %+v", first)
	}
}

// TestCapsOfAgentsEndTheRunOnlyTogether: agents with a budget go on while others have
// none left.
func TestCapsOfAgentsEndTheRunOnlyTogether(t *testing.T) {
	o := options(t, "isolated_five", 8)
	o.Caps.Agent.Calls = 9
	result := run(t, o)
	if result.Status != trace.RunBudgetReached || !strings.HasPrefix(result.Reason, "cap on calls of the agent, 9: ") {
		t.Fatalf("result %+v", result)
	}
	for _, row := range fold(t, o.RunDir).PerAgent {
		if row.Decisions == 0 {
			t.Errorf("%s never decided", row.AgentID)
		}
	}
}

// TestLostAnswersCountAsPaid: a lost answer may have been billed, so it counts in full,
// and the provider's own count stays within the cap too.
func TestLostAnswersCountAsPaid(t *testing.T) {
	o := options(t, "minimal", 30)
	scripted := o.Source
	billed := int64(0)
	o.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
		a := scripted.Respond(ctx, key, r)
		billed += a.Reply.Usage.Total
		if key.Tick%2 == 0 {
			return llmclient.Failed(llmclient.ErrTimeout, "lost")
		}
		a.Reply.Usage = llmclient.Usage{}
		return a
	})
	o.Caps.Run.Tokens = 60_000
	if result := run(t, o); result.Status != trace.RunBudgetReached {
		t.Fatalf("result %+v", result)
	}
	if billed == 0 || billed > 60_000 {
		t.Errorf("the provider billed %d tokens, the cap is 60000", billed)
	}
}

// TestAProviderThatBillsMoreIsLearnedFrom: more than the reserve can only be billed
// before it is known to be.
func TestAProviderThatBillsMoreIsLearnedFrom(t *testing.T) {
	o := options(t, "minimal", 200)
	scripted := o.Source
	perTick := map[int64]int64{}
	o.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
		a := scripted.Respond(ctx, key, r)
		a.Reply.Usage.Input *= 3
		perTick[key.Tick] += a.Reply.Usage.Input + a.Reply.Usage.Output
		return a
	})
	o.Caps.Run.Tokens = 400_000
	if result := run(t, o); result.Status != trace.RunBudgetReached || result.TicksDone < 3 {
		t.Fatalf("result %+v", result)
	}
	if s := spentIn(t, o.RunDir, price.Price{}); s.run.Tokens > 400_000 {
		t.Errorf("%d tokens spent after the first ticks had shown how much is billed", s.run.Tokens)
	}
}

// TestCapsOfAgentsEndARunWithoutThoseThatAreGone: an agent whose endpoint was given up
// takes no turn any more, and does not keep alive a run in which all others have spent
// their caps.
func TestCapsOfAgentsEndARunWithoutThoseThatAreGone(t *testing.T) {
	o := options(t, "two_bases", 60)
	scripted := o.Source
	o.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
		if key.Agent == "agent-2" {
			return llmclient.Failed(llmclient.ErrModelNotFound, "gone")
		}
		return scripted.Respond(ctx, key, r)
	})
	o.AgentModels = []trace.AgentModel{{Agent: "agent-2", Model: "gone"}}
	o.Caps.Agent.Calls = 12
	if result := run(t, o); result.Status != trace.RunBudgetReached || !strings.HasPrefix(result.Reason, "cap on calls of the agent, 12: ") || result.TicksDone > 30 {
		t.Fatalf("result %+v", result)
	}
	requireReplays(t, o.RunDir, fold(t, o.RunDir).WorldTime)
}

// TestPromptsThatOutgrowACapEndTheRun: a model that writes much makes the later calls of
// a turn too large for its share. Turns that can never decide are not begun, and paid
// for, over and over.
func TestPromptsThatOutgrowACapEndTheRun(t *testing.T) {
	o := options(t, "minimal", 60)
	o.Fallback = trace.FallbackWait
	scripted := o.Source
	sent := map[int64]int{}
	o.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
		sent[key.Tick]++
		a := scripted.Respond(ctx, key, r)
		if len(a.Reply.Items) > 1 { // the decision has an answer of its own
			a.Reply.Items = slices.DeleteFunc(a.Reply.Items, func(it llmclient.Item) bool { return it.Name == "decision" })
		}
		a.Reply.Items = append(a.Reply.Items, llmclient.Message("assistant", strings.Repeat("words that fill the input ", 600)))
		a.Reply.Usage.Output = 1000
		return a
	})
	o.Caps.Tick.Tokens, o.MaxOutputTokens = 9_000, 1024
	result := run(t, o)
	r := fold(t, o.RunDir)
	if r.TraceCounts.CallsRefused == 0 || r.TotalDecisions > 0 {
		t.Fatalf("%d refused, %d decisions: the test shows nothing", r.TraceCounts.CallsRefused, r.TotalDecisions)
	}
	if want := "cap on tokens of the tick, 9000: 9000 left, a turn needs "; result.Status != trace.RunBudgetReached || !strings.HasPrefix(result.Reason, want) || len(sent) > 2 {
		t.Errorf("run status %s (%s) after calls in %d ticks, want %q... after one or two", result.Status, result.Reason, len(sent), want)
	}
	requireReplays(t, o.RunDir, result.TicksDone)
}

func TestCapsThatCannotWorkAreRefused(t *testing.T) {
	for _, c := range []struct {
		change func(*engine.Options)
		says   string
	}{
		{func(o *engine.Options) { o.Caps.Run.Cost = 1; o.Prices = nil }, `cap on cost of the run: there is no price of model "scripted"`},
		{func(o *engine.Options) { o.Caps.Agent.Tokens = -1 }, "cap of the agent: must not be negative"},
	} {
		o := options(t, "minimal", 1)
		o.Prices = simulated()
		c.change(&o)
		if _, err := engine.Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("error %v, want %s", err, c.says)
		}
	}
}

// TestCapsHoldUnderFaults: the refusals do not depend on which lost answer is noticed
// first, and the amounts reserved for lost answers stay within the caps.
func TestCapsHoldUnderFaults(t *testing.T) {
	plain := options(t, "llm_bootstrap", 12)
	plain.Prices, plain.MaxOutputTokens = simulated(), 1024
	plain.Caps = trace.Caps{Run: trace.Limit{Tokens: 80_000}, Agent: trace.Limit{Calls: 10}, Tick: trace.Limit{Cost: 70_000_000_000}}
	var first []byte
	dir := ""
	for _, concurrency := range []int{1, 8} {
		// A server of its own: faults depend on how often a request reached the server.
		o := spoilt(t, plain, "repairable=15%,http_500=10%,reset=5%,empty_body=25%", openai.Config{})
		dir = t.TempDir()
		o.Concurrency, o.RunDir = concurrency, dir
		if result := run(t, o); result.Status != trace.RunBudgetReached {
			t.Fatalf("result %+v", result)
		}
		got := canonical(t, dir)
		if first != nil && !bytes.Equal(got, first) {
			t.Error("turns at once give another canonical trace")
		}
		first = got
	}
	r := fold(t, dir)
	if r.TraceCounts.LLMErrorsByKind["malformed_body"] == 0 || len(r.Cost.RefusedByCap) < 2 {
		t.Errorf("errors %v, refused %v: the test shows nothing", r.TraceCounts.LLMErrorsByKind, r.Cost.RefusedByCap)
	}
	for _, use := range r.Cost.Caps {
		if use.Spent > use.Cap {
			t.Errorf("%s of the %s: %d of %d", use.Unit, use.Scope, use.Spent, use.Cap)
		}
	}
}
