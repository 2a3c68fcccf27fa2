package engine_test

import (
	"context"
	"strings"
	"testing"

	"agentworld/engine"
	"agentworld/llmclient"
	"agentworld/llmclient/tokens"
	"agentworld/trace"
)

// TestSmallestWindowHoldsOverWholeRuns counts every request of a run on the
// smallest supported window.
func TestSmallestWindowHoldsOverWholeRuns(t *testing.T) {
	for _, protocol := range []string{"full", "lean"} {
		o := options(t, "llm_bootstrap", 12)
		o.Protocol, o.ContextWindow = protocol, 4000
		live := o.Source
		o.Source = sourceFunc(func(ctx context.Context, key engine.CallKey, r llmclient.Request) llmclient.Answer {
			n := tokens.Count(r.Instructions) + r.OutputTokensMax
			for _, tool := range r.Tools {
				n += tokens.Count(string(tool.Wire()))
			}
			for _, it := range r.Input {
				n += tokens.Count(string(it.Raw))
			}
			if n > 4000 {
				t.Errorf("%s, %s in tick %d step %d: %d tokens with the answer, the window has 4,000", protocol, key.Agent, key.Tick, key.Step, n)
			}
			return live.Respond(ctx, key, r)
		})
		run(t, o)
		if r := fold(t, o.RunDir); r.DecisionCounts.WaitDegraded != 0 {
			t.Errorf("%s: degraded waits %v", protocol, r.DecisionCounts.WaitDegradedByReason)
		}
	}
}

func TestTextsThatDoNotFitTheWindowAreRefused(t *testing.T) {
	long := strings.Repeat("Think about power, heat and hardware. ", 400)
	for name, change := range map[string]func(*engine.Options){
		"system prompt": func(o *engine.Options) { o.SystemPrompt = long },
		"goal":          func(o *engine.Options) { o.ShortTermGoal = long },
		"switch":        func(o *engine.Options) { o.Switches = []trace.Switch{{Tick: 2, SystemPrompt: &long}} },
	} {
		o := options(t, "minimal", 3)
		o.ContextWindow = 4000
		change(&o)
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), "context window") {
			t.Errorf("%s: error %v, want one about the context window", name, err)
		}
		o.ContextWindow = 0
		if err := o.Check(); err != nil {
			t.Errorf("%s in the default window: %v", name, err)
		}
	}
}

// TestInterruptedRunReportsItsLastWholeTick compares the end of an interrupted run
// with a run that was asked for exactly that many ticks.
func TestInterruptedRunReportsItsLastWholeTick(t *testing.T) {
	whole := options(t, "llm_bootstrap", 13)
	run(t, whole)
	cut := whole
	cut.Ticks, cut.RunDir = 30, t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cut.Source = sourceFunc(func(c context.Context, key engine.CallKey, r llmclient.Request) llmclient.Answer {
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
	o.Source = sourceFunc(func(context.Context, engine.CallKey, llmclient.Request) llmclient.Answer {
		return llmclient.Failed(llmclient.ErrConnection, "refused")
	})
	if result := run(t, o); result.Status != trace.RunProviderFailed || !strings.Contains(result.Reason, "no call was answered") {
		t.Errorf("result %+v, want provider_failed because no call was answered", result)
	}
}
