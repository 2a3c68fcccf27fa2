package engine_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// capped is an eventful run with caps that refuse turns in it.
func capped(t *testing.T, ticks int64) (engine.Options, *tally) {
	o, counted := eventful(t, ticks)
	o.Prices = simulated()
	o.MaxOutputTokens = 1024
	o.Caps = trace.Caps{Agent: trace.Limit{Calls: 13}, Tick: trace.Limit{Cost: 70_000_000_000}}
	return o, counted
}

// stoppedFork forks f with a source that ends it after so many answers of its own.
func stoppedFork(t *testing.T, f engine.ForkOptions, answers int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	f.Source = &tally{Source: f.Source, after: answers, stop: cancel}
	result, err := engine.Fork(ctx, f)
	if err != nil || result.Status != trace.RunInterrupted {
		t.Fatalf("%+v, %v", result, err)
	}
}

// TestForkOfACappedRunInSegments forks a run that has caps and several trace files, stops
// the fork in its own ticks and resumes it. The fork changes nothing, so it must equal
// its parent, refusals included.
func TestForkOfACappedRunInSegments(t *testing.T) {
	slow(t)
	o, _ := capped(t, 10)
	o.SegmentBytes = 50 << 10
	parent := run(t, o)
	if n := len(segmentsOf(t, o.RunDir)); n < 2 {
		t.Fatalf("only %d segments", n)
	}
	if r := fold(t, o.RunDir); len(r.Cost.RefusedByCap) < 2 {
		t.Fatalf("refused %v: the test shows nothing", r.Cost.RefusedByCap)
	}
	want := canonical(t, o.RunDir)
	for _, c := range []struct {
		at      int64
		answers int
	}{{0, 3}, {3, 12}, {6, 1}} {
		again, _ := capped(t, 10)
		again.RunDir = o.RunDir
		f := forkOf(t, again, c.at)
		f.SegmentBytes = 25 << 10
		stoppedFork(t, f, c.answers)
		fresh, _ := capped(t, 10) // with counts of faults of its own, as another process has
		if result, err := resume(t, f.RunDir, fresh, 0); err != nil || result.Status != parent.Status {
			t.Fatalf("resume of the fork at tick %d, stopped after %d answers: %+v, %v", c.at, c.answers, result, err)
		}
		if !bytes.Equal(canonical(t, f.RunDir), want) {
			t.Errorf("the fork at tick %d, stopped after %d answers, has another canonical trace", c.at, c.answers)
		}
		requireReplays(t, f.RunDir, parent.TicksDone)
	}
}

// TestForkWithOtherCaps gives a fork caps that its parent did not have: they count from
// the fork on, also in a process that resumes it.
func TestForkWithOtherCaps(t *testing.T) {
	slow(t)
	o, _ := eventful(t, 12)
	run(t, o)
	spent := fold(t, o.RunDir).TraceCounts.ModelCalls
	fork := func(dir string) engine.ForkOptions {
		again, _ := eventful(t, 12)
		again.RunDir = o.RunDir
		f := forkOf(t, again, 5)
		f.RunDir, f.Prices, f.Caps = dir, simulated(), trace.Caps{Run: trace.Limit{Calls: 20, Cost: 900_000_000_000}}
		return f
	}
	whole := fork(t.TempDir())
	result, err := engine.Fork(context.Background(), whole)
	if err != nil || result.Status != trace.RunBudgetReached || result.TicksDone <= 5 {
		t.Fatalf("%+v, %v", result, err)
	}
	r := fold(t, whole.RunDir)
	if spent < 40 || len(r.Cost.Caps) != 2 || r.Cost.Caps[0].Spent < 10 || r.Cost.Caps[0].Spent > 20 || r.Cost.Currency != "USD" || !changed(r.Fork, "caps") {
		t.Errorf("cost %+v of a fork of a run with %d calls, changes %+v", r.Cost, spent, r.Fork.Changes)
	}
	requireReplays(t, whole.RunDir, result.TicksDone)
	stopped := fork(t.TempDir())
	stoppedFork(t, stopped, 8)
	fresh, _ := eventful(t, 12)
	if result, err := resume(t, stopped.RunDir, fresh, 0); err != nil || result.Status != trace.RunBudgetReached {
		t.Fatalf("%+v, %v", result, err)
	}
	if !bytes.Equal(canonical(t, stopped.RunDir), canonical(t, whole.RunDir)) {
		t.Error("a fork with caps comes out differently when it is stopped in between")
	}
}

// TestForkThatACapEndsAtOnce plays no tick of its own: it ends with the world as its parent
// left it.
func TestForkThatACapEndsAtOnce(t *testing.T) {
	o := options(t, "minimal", 4)
	run(t, o)
	f := forkOf(t, o, 1)
	f.Caps = trace.Caps{Tick: trace.Limit{Tokens: 1000}}
	if result := fork(t, f); result.Status != trace.RunBudgetReached || result.TicksDone != 1 {
		t.Fatalf("%+v", result)
	}
	requireReplays(t, f.RunDir, 1)
}

// TestForkWithModelsOfAgents gives one agent a model of its own from the fork on, which
// fails for good: only that agent stops, replays and resumes hold to it, and a fork of the
// fork can take it back.
func TestForkWithModelsOfAgents(t *testing.T) {
	slow(t)
	o := options(t, "isolated_five", 7)
	o.AgentsOverride = 3
	run(t, o)
	var mu sync.Mutex
	asked := map[string]bool{}
	f := forkOf(t, o, 4)
	f.AgentModels = []trace.AgentModel{{Agent: "agent-2", Model: "small", BaseURL: "http://small.test/v1", KeyEnv: "SMALL_KEY"}}
	f.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
		mu.Lock()
		asked[key.Agent+" "+r.Model] = true
		mu.Unlock()
		if r.Model == "small" {
			return llmclient.Failed(llmclient.ErrAuth, "no such key")
		}
		return o.Source.Respond(ctx, key, r)
	})
	if result := fork(t, f); result.Status != trace.RunCompleted {
		t.Fatalf("%+v", result)
	}
	for who := range asked {
		if strings.Contains(who, "small") != strings.HasPrefix(who, "agent-2 ") {
			t.Errorf("asked %s", who)
		}
	}
	samePrefix(t, o.RunDir, f.RunDir, 4)
	requireReplays(t, f.RunDir, 7)
	r := fold(t, f.RunDir)
	for _, a := range r.PerAgent {
		if (a.AgentID == "agent-2") != (a.StoppedAtTick == 5) {
			t.Errorf("%s stopped at tick %d", a.AgentID, a.StoppedAtTick)
		}
	}
	if !changed(r.Fork, "agent_models") || bytes.Contains(readTrace(t, f.RunDir), []byte("sk-")) {
		t.Errorf("changes %+v", r.Fork.Changes)
	}
	held, err := engine.ParentSettings(f.RunDir, 7, nil)
	if err != nil || len(held.AgentModels) != 1 || held.AgentModels[0] != f.AgentModels[0] {
		t.Errorf("after the fork agents have %+v, %v", held.AgentModels, err)
	}
	later := f.Options
	later.Source = o.Source
	if result, err := resume(t, f.RunDir, later, 9); err != nil || result.TicksDone != 9 {
		t.Fatalf("%+v, %v", result, err)
	}
	back := forkOf(t, later, 7)
	back.AgentModels = nil
	if result := fork(t, back); result.Status != trace.RunCompleted {
		t.Fatalf("%+v", result)
	}
	own := 0
	for key := range answered(t, readTrace(t, back.RunDir)) {
		if key.Agent == "agent-2" && key.Tick > 7 {
			own++
		}
	}
	if own == 0 {
		t.Error("agent-2 has a model again and does not ask it")
	}
	requireReplays(t, back.RunDir, 9)
}

// TestResumeOfAForkIsRefused where another model is named than the fork's, or where only
// the parent could answer.
func TestResumeOfAForkIsRefused(t *testing.T) {
	o := options(t, "llm_bootstrap", 6)
	run(t, o)
	f := forkOf(t, o, 4)
	f.Model = "another"
	fork(t, f)
	if _, err := resume(t, f.RunDir, o, 8); !errors.Is(err, engine.ErrOtherModel) {
		t.Errorf("with the parent's model: %v", err)
	}
	if result, err := resume(t, f.RunDir, f.Options, 8); err != nil || result.TicksDone != 8 {
		t.Errorf("with the fork's model: %+v, %v", result, err)
	}
	whole := readTrace(t, f.RunDir)
	early := cutAt(t, whole, bytes.Index(whole, []byte(`{"type":"tick_end","tick":3,`)))
	if _, err := resume(t, early, f.Options, 0); !errors.Is(err, engine.ErrNotResumable) || !strings.Contains(err.Error(), "only its parent can answer") {
		t.Errorf("before the fork: %v", err)
	}
	recorded, _ := replayedFrom(t, o, o.RunDir, nil)
	run(t, recorded)
	if _, err := resume(t, recorded.RunDir, recorded, 8); !errors.Is(err, engine.ErrNotResumable) || !strings.Contains(err.Error(), "come from the recording") {
		t.Errorf("a run on recorded answers: %v", err)
	}
}

// TestRefusalsByCapsAreNoAnswers: with the caps of the recorded run its answers give the
// same run, refused again by the caps; without them the refused requests have no answer,
// in a file of answers as in the run.
func TestRefusalsByCapsAreNoAnswers(t *testing.T) {
	o, _ := capped(t, 8)
	run(t, o)
	want := withoutHeader(canonical(t, o.RunDir))
	if r := fold(t, o.RunDir); len(r.Cost.RefusedByCap) == 0 {
		t.Fatal("no call was refused: the test shows nothing")
	}
	file := exported(t, o.RunDir)
	for _, path := range []string{o.RunDir, file} {
		same, _ := replayedFrom(t, o, path, nil)
		if result := run(t, same); result.Status != trace.RunCompleted {
			t.Fatalf("%+v", result)
		}
		if !bytes.Equal(withoutHeader(canonical(t, same.RunDir)), want) {
			t.Errorf("from %s: another canonical trace", filepath.Base(path))
		}
		free, _ := replayedFrom(t, o, path, nil)
		free.Caps = trace.Caps{}
		if result := run(t, free); result.Status != trace.RunReplayDiffers {
			t.Errorf("from %s, without caps: %+v", filepath.Base(path), result)
		}
	}
}
