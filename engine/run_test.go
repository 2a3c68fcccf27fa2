package engine_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/report"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

func TestTraceIsTheSameAtAnyConcurrency(t *testing.T) {
	slow(t)
	base := options(t, "llm_bootstrap", ticksUpTo(5, 15))
	var first []byte
	for _, concurrency := range []int{1, 32} {
		o := base
		o.Concurrency, o.RunDir = concurrency, t.TempDir()
		run(t, o)
		got := canonical(t, o.RunDir)
		if first == nil {
			first = got
		}
		if !bytes.Equal(got, first) {
			t.Errorf("concurrency %d gives another canonical trace", concurrency)
		}
	}
	o := base
	o.Seed, o.RunDir = base.Seed+1, t.TempDir()
	run(t, o)
	if bytes.Equal(canonical(t, o.RunDir), first) {
		t.Error("another seed gives the same canonical trace")
	}
}

func TestMainScenarioReachesItsGoals(t *testing.T) {
	slow(t)
	o := options(t, "llm_bootstrap", 30)
	for _, seed := range []uint64{o.Seed, 11, 222, 3333}[:ticksUpTo(1, 4)] {
		run := o
		run.Seed, run.RunDir = seed, t.TempDir()
		r := requireIndustry(t, run)
		if seed == o.Seed {
			requireSizes(t, r)
		}
	}
}

// TestGeneratedBeltReachesItsGoals runs the generated belts of several seeds: where
// an agent wakes up there is always enough.
func TestGeneratedBeltReachesItsGoals(t *testing.T) {
	slow(t)
	o := options(t, "fragments", 30)
	for _, seed := range []uint64{o.Seed, 4, 44}[:ticksUpTo(2, 3)] {
		r := o
		r.Seed, r.RunDir = seed, t.TempDir()
		if result := run(t, r); result.Status != trace.RunCompleted {
			t.Fatalf("seed %d: run status %s: %s", seed, result.Status, result.Reason)
		}
		if got := fold(t, r.RunDir).AgentsMeetingGoal; got != 3 {
			t.Errorf("seed %d: %d agents met their goal, want 3", seed, got)
		}
	}
}

// TestMainScenarioRenamedAndMoved proves that neither the engine nor the scripted
// policy knows the embedded scenario: every id and name is another, and all
// places are shifted by the same distance.
func TestMainScenarioRenamedAndMoved(t *testing.T) {
	slow(t)
	o := options(t, "llm_bootstrap", 30)
	s, err := scenario.Parse(o.Scenario, []byte(o.ScenarioTOML))
	if err != nil {
		t.Fatal(err)
	}
	text := o.ScenarioTOML
	for _, p := range s.Places {
		text = strings.ReplaceAll(text, strconv.Quote(p.Name), strconv.Quote(rot13(p.Name)))
		text = regexp.MustCompile(`\b`+regexp.QuoteMeta(p.ID)+`\b`).ReplaceAllString(text, "site."+rot13(p.ID))
	}
	o.Scenario, o.ScenarioTOML = "renamed", strings.ReplaceAll(text, ", y = 0,", ", y = 3,")
	requireIndustry(t, o)
}

func rot13(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, s)
}

// requireIndustry runs o and checks what the main job promises.
func requireIndustry(t *testing.T, o engine.Options) report.Report {
	t.Helper()
	if result := run(t, o); result.Status != trace.RunCompleted {
		t.Fatalf("run status %s: %s", result.Status, result.Reason)
	}
	r := fold(t, o.RunDir)
	if r.ActiveTicks != 30 || r.WorldTime != 30 {
		t.Errorf("active ticks %d, world time %d, want 30 and 30", r.ActiveTicks, r.WorldTime)
	}
	c := r.TraceCounts
	if c.LLMErrors != 0 || c.ParseErrors != 0 || c.PromptSectionClipped != 0 || r.DecisionCounts.WaitDegraded != 0 {
		t.Errorf("llm errors %d, parse errors %d, clipped %d, degraded waits %d, want none",
			c.LLMErrors, c.ParseErrors, c.PromptSectionClipped, r.DecisionCounts.WaitDegraded)
	}
	for _, kind := range []string{"plan", "module_call", "decision_draft", "decision"} {
		if c.StepTypeCounts[kind] == 0 {
			t.Errorf("no %s step", kind)
		}
	}
	for _, action := range []string{"mine_compound", "refine_compound", "build_factory", "schedule_recipe"} {
		if r.ActionKindSuccessCounts[action] == 0 {
			t.Errorf("seed %d: no %s succeeded", o.Seed, action)
		}
	}
	if first, ok := r.FirstActionTick["schedule_recipe"]; !ok || first > 15 {
		t.Errorf("seed %d: first schedule_recipe at tick %d, want 15 or earlier", o.Seed, first)
	}
	if r.AgentsMeetingGoal == 0 {
		t.Errorf("seed %d: no agent met its goal", o.Seed)
	}
	return r
}

type sourceFunc func(context.Context, trace.CallKey, llmclient.Request) llmclient.Answer

func (f sourceFunc) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	return f(ctx, key, r)
}

func TestInterruptedRunIsWholeUpToItsLastTick(t *testing.T) {
	o := options(t, "llm_bootstrap", 30)
	ctx, cancel := context.WithCancel(context.Background())
	live := o.Source
	o.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
		if key.Tick == 4 && key.Step == 2 {
			cancel()
		}
		return live.Respond(ctx, key, r)
	})
	result, err := engine.Run(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if result.Status != trace.RunInterrupted || result.TicksDone != 3 {
		t.Errorf("result %+v, want interrupted after 3 ticks", result)
	}
	if r := fold(t, o.RunDir); r.RunStatus != trace.RunInterrupted || r.WorldTime != 3 {
		t.Errorf("report says %s after %d ticks", r.RunStatus, r.WorldTime)
	}
	requireReplays(t, o.RunDir, 3)
}

func TestFatalFailureEndsTheRun(t *testing.T) {
	o := options(t, "llm_bootstrap", 30)
	var calls atomic.Int64
	o.Source = sourceFunc(func(ctx context.Context, _ trace.CallKey, _ llmclient.Request) llmclient.Answer {
		calls.Add(1)
		return llmclient.Answer{Failure: &llmclient.Failure{Kind: llmclient.ErrAuth, Status: 401}, Attempts: 1}
	})
	result := run(t, o)
	if result.Status != trace.RunProviderFailed || result.TicksDone != 0 {
		t.Errorf("result %+v, want provider_failed before the first tick", result)
	}
	if calls.Load() > 5 {
		t.Errorf("%d calls after a refused key", calls.Load())
	}
	if r := fold(t, o.RunDir); r.RunStatus != trace.RunProviderFailed {
		t.Errorf("report says %s", r.RunStatus)
	}
}

func TestNameFailuresAreFatalOnlyBeforeTheFirstAnswer(t *testing.T) {
	o := options(t, "minimal", 6)
	live := o.Source
	o.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
		if key.Tick == 3 {
			return llmclient.Failed(llmclient.ErrDNS, "injected")
		}
		return live.Respond(ctx, key, r)
	})
	if result := run(t, o); result.Status != trace.RunCompleted {
		t.Errorf("a passing DNS failure in tick 3 ends the run: %+v", result)
	}
	o.RunDir = t.TempDir()
	o.Source = sourceFunc(func(context.Context, trace.CallKey, llmclient.Request) llmclient.Answer {
		return llmclient.Failed(llmclient.ErrDNS, "injected")
	})
	if result := run(t, o); result.Status != trace.RunProviderFailed {
		t.Errorf("a name that never resolved does not end the run: %+v", result)
	}
}

func TestProviderDownEndsTheRun(t *testing.T) {
	o := options(t, "llm_bootstrap", 30)
	o.Source = sourceFunc(func(context.Context, trace.CallKey, llmclient.Request) llmclient.Answer {
		return llmclient.Failed(llmclient.ErrTimeout, "injected")
	})
	result := run(t, o)
	if result.Status != trace.RunProviderFailed || result.TicksDone != 2 || !strings.Contains(result.Reason, "provider_down") {
		t.Errorf("result %+v, want provider_down after the tenth failed turn, in tick 2", result)
	}
	requireReplays(t, o.RunDir, 2)
}

func TestSlowAgentWaitsAtItsDeadline(t *testing.T) {
	o := options(t, "llm_bootstrap", 3)
	o.DecisionDeadlineMS = 2000
	synctest.Test(t, func(t *testing.T) {
		live := engine.Live(inProcess(t, stub.Options{Seed: 1}, openai.Config{}))
		o.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
			if key.Agent != "agent-2" {
				return live.Respond(ctx, key, r)
			}
			<-ctx.Done()
			if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
				t.Errorf("the turn ended with %v", ctx.Err())
			}
			return llmclient.Failed(llmclient.ErrDeadline, "")
		})
		run(t, o)
	})
	r := fold(t, o.RunDir)
	if got := r.DecisionCounts.WaitDegradedByReason["llm_error:deadline"]; got != 3 || r.DecisionCounts.WaitDegraded != 3 {
		t.Errorf("degraded waits %v, want 3 for deadline", r.DecisionCounts.WaitDegradedByReason)
	}
	requireReplays(t, o.RunDir, 3)
}

func TestPromptSwitchTakesEffectAtItsTick(t *testing.T) {
	o := options(t, "llm_bootstrap", 5)
	goal := "Only watch."
	o.PromptSwitches = []trace.Switch{{Tick: 3, AgentID: "agent-1", ShortTermGoal: &goal}}
	live := o.Source
	o.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
		has := strings.Contains(string(r.Body()), goal)
		if want := key.Agent == "agent-1" && key.Tick >= 3; has != want {
			t.Errorf("%s in tick %d: new goal in the prompt %v, want %v", key.Agent, key.Tick, has, want)
		}
		return live.Respond(ctx, key, r)
	})
	run(t, o)
	requireReplays(t, o.RunDir, 5)
}

func TestInstructionsAndToolsAreConstant(t *testing.T) {
	for _, protocol := range []string{"full", "lean"} {
		o := options(t, "llm_bootstrap", 6)
		o.Protocol = protocol
		live := o.Source
		seen := make(chan [2]string, 10_000)
		o.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
			tools := ""
			for _, tool := range r.Tools {
				tools += string(tool.Wire())
			}
			seen <- [2]string{key.Agent, r.Instructions + tools}
			return live.Respond(ctx, key, r)
		})
		run(t, o)
		close(seen)
		static := map[string]string{}
		for s := range seen {
			if before, ok := static[s[0]]; ok && before != s[1] {
				t.Errorf("protocol %s: instructions or tools of %s changed", protocol, s[0])
			}
			static[s[0]] = s[1]
		}
		if len(static) != 5 {
			t.Errorf("protocol %s: %d agents asked, want 5", protocol, len(static))
		}
	}
}

func TestSettingsAreCheckedBeforeAnythingIsWritten(t *testing.T) {
	bad := func(change func(*engine.Options)) engine.Options {
		o := options(t, "minimal", 3)
		change(&o)
		return o
	}
	for name, o := range map[string]engine.Options{
		"ticks":        bad(func(o *engine.Options) { o.Ticks = 0 }),
		"protocol":     bad(func(o *engine.Options) { o.Protocol = "chatty" }),
		"window":       bad(func(o *engine.Options) { o.ContextWindowTokens = 100 }),
		"switch":       bad(func(o *engine.Options) { o.PromptSwitches = []trace.Switch{{Tick: 0}} }),
		"playbook":     bad(func(o *engine.Options) { o.Playbook = "format = 2\nversion = x\n" }),
		"bullets":      bad(func(o *engine.Options) { o.PlaybookBullets = 51 }),
		"learn every":  bad(func(o *engine.Options) { o.LearnEvery = -1 }),
		"switch agent": bad(func(o *engine.Options) { o.PromptSwitches = []trace.Switch{{Tick: 1, AgentID: "nobody"}} }),
	} {
		if _, err := engine.Run(context.Background(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := os.Stat(filepath.Join(o.RunDir, rundir.TraceFile)); err == nil {
			t.Errorf("%s: a trace was written", name)
		}
	}
}
