package engine_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/trace"
)

// TestSmallestWindowHoldsOverWholeRuns counts every request of whole runs, at full
// size of two hundred ticks, on the smallest supported window, over HTTP, with the fullest prompts: none is larger
// than the window, and every turn still ends in a decision of the model.
func TestSmallestWindowHoldsOverWholeRuns(t *testing.T) {
	slow(t)
	for _, in := range []struct{ protocol, language string }{{"full", "zh"}, {"full", "en"}, {"lean", "en"}}[:ticksUpTo(2, 3)] {
		t.Run(in.protocol+" "+in.language, func(t *testing.T) {
			t.Parallel()
			holdsWindow(t, in.protocol, in.language)
		})
	}
}

func holdsWindow(t *testing.T, protocol, language string) {
	ticks := ticksUpTo(40, 200)
	o := options(t, "llm_bootstrap", ticks)
	o.Protocol, o.Language, o.ContextWindowTokens, o.PromptProfile = protocol, language, behavior.ContextWindowMin, behavior.ProfileRich
	live := o.Source
	var most atomic.Int64
	o.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
		n := requestTokens(r)
		if n > behavior.ContextWindowMin {
			t.Errorf("%s in tick %d step %d: %d tokens with the answer, the window has %d", key.Agent, key.Tick, key.Step, n, behavior.ContextWindowMin)
		}
		for m := most.Load(); int64(n) > m && !most.CompareAndSwap(m, int64(n)); m = most.Load() {
		}
		return live.Respond(ctx, key, r)
	})
	run(t, o)
	r := fold(t, o.RunDir)
	if r.DecisionCounts.WaitDegraded != 0 || r.TraceCounts.ParseErrors != 0 || r.TraceCounts.LLMErrors != 0 {
		t.Errorf("degraded waits %v, parse errors %d, model errors %d", r.DecisionCounts.WaitDegradedByReason, r.TraceCounts.ParseErrors, r.TraceCounts.LLMErrors)
	}
	if r.TraceCounts.PromptsClipped == 0 || r.TotalDecisions < ticks*5/2 {
		t.Errorf("%d prompts clipped in %d decisions, so the window was never tight", r.TraceCounts.PromptsClipped, r.TotalDecisions)
	}
	t.Logf("at most %d tokens in a window of %d; %d calls, clipped by section %v", most.Load(), behavior.ContextWindowMin, r.TraceCounts.ModelCalls, r.TraceCounts.ClipsBySection)
}

// requestTokens is what a request takes of the window, the room for its answer
// included.
func requestTokens(r llmclient.Request) int {
	n := tokens.Count(r.Instructions) + behavior.ContextWindowMin/8
	for _, tool := range r.Tools {
		n += tokens.Count(string(tool.Wire()))
	}
	for _, it := range r.Input {
		n += tokens.Count(string(it.Raw))
	}
	return n
}

func TestTextsThatDoNotFitTheWindowAreRefused(t *testing.T) {
	long := strings.Repeat("Think about power, heat and hardware. ", 150)
	for name, change := range map[string]func(*engine.Options){
		"system prompt": func(o *engine.Options) { o.SystemPrompt = long },
		"goal":          func(o *engine.Options) { o.ShortTermGoal = long },
		"switch":        func(o *engine.Options) { o.PromptSwitches = []trace.Switch{{Tick: 2, SystemPrompt: &long}} },
	} {
		o := options(t, "minimal", 3)
		o.ContextWindowTokens = 4000
		change(&o)
		if _, err := engine.Prepare(o.Settings); err == nil || !strings.Contains(err.Error(), "context window") {
			t.Errorf("%s: error %v, want one about the context window", name, err)
		}
		o.ContextWindowTokens = 128_000
		if _, err := engine.Prepare(o.Settings); err != nil {
			t.Errorf("%s in the default window: %v", name, err)
		}
	}
}

// TestInterruptedRunReportsItsLastWholeTick compares the end of an interrupted run
// with a run that was asked for exactly that many ticks.
func TestInterruptedRunReportsItsLastWholeTick(t *testing.T) {
	slow(t)
	whole := options(t, "llm_bootstrap", 13)
	run(t, whole)
	cut := whole
	cut.Ticks, cut.RunDir = 30, t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cut.Source = sourceFunc(func(c context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
		if key.Tick == 14 {
			cancel()
		}
		return whole.Source.Respond(c, key, r)
	})
	if _, err := engine.Run(ctx, cut); err != nil {
		t.Fatal(err)
	}
	a, b := fold(t, whole.RunDir), fold(t, cut.RunDir)
	if a.FinalDigest != b.FinalDigest || a.GoalsMet != b.GoalsMet {
		t.Errorf("digest %s and %d goals after 13 ticks, %s and %d when interrupted in tick 14", a.FinalDigest, a.GoalsMet, b.FinalDigest, b.GoalsMet)
	}
	for i := range a.PerAgent {
		if a.PerAgent[i].Electricity != b.PerAgent[i].Electricity {
			t.Errorf("%s ends with %d electricity, %d when interrupted", a.PerAgent[i].AgentID, a.PerAgent[i].Electricity, b.PerAgent[i].Electricity)
		}
	}
}

func TestRunWithoutAnyAnswerFails(t *testing.T) {
	o := options(t, "minimal", 2)
	o.Source = sourceFunc(func(context.Context, trace.CallKey, llmclient.Request) llmclient.Answer {
		return llmclient.Failed(llmclient.ErrConnection, "refused")
	})
	if result := run(t, o); result.Status != trace.RunProviderFailed || !strings.Contains(result.Reason, "no call was answered") {
		t.Errorf("result %+v, want provider_failed because no call was answered", result)
	}
}
