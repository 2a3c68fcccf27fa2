package engine_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/report"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/trace/tracetest"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// forkOf returns the options of a fork of the run in parent that changes nothing.
func forkOf(t testing.TB, o engine.Options, atTick int64) engine.ForkOptions {
	t.Helper()
	settings, err := engine.ParentSettings(o.RunDir, atTick, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := engine.ForkOptions{Options: o, Parent: o.RunDir, AtTick: atTick}
	f.Settings, f.RunDir = settings, t.TempDir()
	return f
}

func fork(t testing.TB, o engine.ForkOptions) engine.Result {
	t.Helper()
	result, err := engine.Fork(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// foldFork is the report of a fork, compared with its parent.
func foldFork(t testing.TB, parent, dir string) report.Report {
	t.Helper()
	r := fold(t, dir)
	c, err := report.Compare(fold(t, parent), r, rundir.Dir(parent), rundir.Dir(dir), r.Fork.AtTick)
	if err != nil {
		t.Fatal(err)
	}
	r.Fork.Comparison = &c
	return r
}

// TestForkWithoutAChangeIsItsParent forks a run at its beginning, in the middle and
// before its last tick, with reflections, a playbook and a prompt switch in it.
func TestForkWithoutAChangeIsItsParent(t *testing.T) {
	slow(t)
	goal := "Make motors."
	o := options(t, "llm_bootstrap", 9)
	o.AgentsOverride, o.LearnEvery, o.PlaybookBullets = 3, 3, 6
	o.PromptSwitches = []trace.Switch{{Tick: 3, AgentID: "agent-2", ShortTermGoal: &goal}, {Tick: 7, ShortTermGoal: &goal}}
	run(t, o)
	want, whole := canonical(t, o.RunDir), fold(t, o.RunDir)
	for _, at := range []int64{0, 5, 8} {
		f := forkOf(t, o, at)
		asked := map[int64]bool{}
		f.Concurrency = 1
		f.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
			asked[key.Tick] = true
			return o.Source.Respond(ctx, key, r)
		})
		if result := fork(t, f); result.Status != trace.RunCompleted {
			t.Fatalf("fork at tick %d: %+v", at, result)
		}
		if !bytes.Equal(canonical(t, f.RunDir), want) {
			t.Errorf("a fork at tick %d without a change has another canonical trace", at)
		}
		for tick := range asked {
			if tick <= at {
				t.Errorf("fork at tick %d: the model was asked in tick %d", at, tick)
			}
		}
		r := foldFork(t, o.RunDir, f.RunDir)
		if r.Fork == nil || r.Fork.AtTick != at || len(r.Fork.Changes) != 0 || r.Fork.Comparison.TicksCompared != 9-at || r.Fork.Comparison.TicksDiffering != 0 {
			t.Errorf("fork at tick %d: report %+v", at, r.Fork)
		}
		if at > 0 && (r.Timing.AnswersRecorded == 0 || r.Timing.AnswersRecorded >= whole.TraceCounts.ModelCalls+whole.Learning.Calls) {
			t.Errorf("fork at tick %d: %d answers recorded", at, r.Timing.AnswersRecorded)
		}
		if !strings.Contains(r.Text(), "\nfork       of ") {
			t.Errorf("the summary does not mention the fork:\n%s", r.Text())
		}
		requireReplays(t, f.RunDir, 9)
	}
}

// TestForkChanges changes one thing at a time and demands that the parent's ticks
// stay, that the change is recorded, that it shows from the first tick on, and that the
// fork replays without its parent.
func TestForkChanges(t *testing.T) {
	slow(t)
	const at = 2
	parent := options(t, "llm_bootstrap", 4)
	parent.AgentsOverride = 2
	run(t, parent)
	recording := readTrace(t, parent.RunDir)
	book := "format = 2\n[[bullet]]\nid = 'res-00001'\ncontent = 'Mine before you build.'\n"
	for name, c := range map[string]struct {
		change func(*engine.ForkOptions)
		what   string
		// request is what every request of the first own tick holds.
		request string
	}{
		"goal":          {func(o *engine.ForkOptions) { o.ShortTermGoal = "Send messages." }, "short_term_goal", "Short term: Send messages."},
		"system prompt": {func(o *engine.ForkOptions) { o.SystemPrompt = "You are in a hurry." }, "system_prompt", "You are in a hurry."},
		"model":         {func(o *engine.ForkOptions) { o.Model = "another" }, "model", `"model":"another"`},
		"protocol":      {func(o *engine.ForkOptions) { o.Protocol = "lean" }, "protocol", `"name":"turn"`},
		"profile":       {func(o *engine.ForkOptions) { o.PromptProfile = "compact" }, "prompt_profile", ""},
		"rule":          {ruled(func(r *world.Rules) { r.MineCostPerKG = 7 }), "rules.mine_cost_per_kg", ""},
		"idle draw":     {ruled(func(r *world.Rules) { r.IdleDraw = 3 }), "rules.idle_draw", ""},
		"battery":       {ruled(func(r *world.Rules) { r.PowerCapacity = 400 }), "rules.power_capacity", "/400"},
		"heat":          {ruled(func(r *world.Rules) { r.HeatCapacity = 300 }), "rules.heat_capacity", "/300"},
		"goal of the world": {func(o *engine.ForkOptions) {
			o.Goals = []world.Goal{{ID: "far", Agent: "agent-2", Text: "Hold all the data.", Metric: "stock:data", AtLeast: 9000}}
		}, "goals.far", ""},
		"language": {func(o *engine.ForkOptions) { o.Language = "zh" }, "language", "短期"},
		"playbook": {func(o *engine.ForkOptions) { o.Playbook, o.PlaybookBullets = book, 6 }, "playbook", ""},
		"ticks":    {func(o *engine.ForkOptions) { o.Ticks = 6 }, "ticks", ""},
		"learning": {func(o *engine.ForkOptions) { o.LearnEvery = 4 }, "learn_every", ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := parent
			o.RunDir = t.TempDir()
			if err := os.WriteFile(filepath.Join(o.RunDir, rundir.TraceFile), recording, 0o644); err != nil {
				t.Fatal(err)
			}
			f := forkOf(t, o, at)
			c.change(&f)
			f.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
				if key.Tick == at+1 && !strings.Contains(string(r.Body()), c.request) {
					t.Errorf("a request of tick %d does not hold %q", key.Tick, c.request)
				}
				return o.Source.Respond(ctx, key, r)
			})
			if result := fork(t, f); result.Status != trace.RunCompleted || result.TicksDone != f.Ticks {
				t.Fatalf("%+v", result)
			}
			samePrefix(t, o.RunDir, f.RunDir, at)
			r := foldFork(t, parent.RunDir, f.RunDir)
			if len(r.Fork.Changes) == 0 || !changed(r.Fork, c.what) {
				t.Errorf("changes %+v, want %s among them", r.Fork.Changes, c.what)
			}
			if r.Fork.Comparison.TicksCompared != 2 || len(r.Fork.Parent) == 0 {
				t.Errorf("report %+v", r.Fork)
			}
			if err := os.RemoveAll(o.RunDir); err != nil {
				t.Fatal(err)
			}
			requireReplays(t, f.RunDir, f.Ticks)
		})
	}
}

// ruled changes the rules of a fork.
func ruled(change func(*world.Rules)) func(*engine.ForkOptions) {
	return func(o *engine.ForkOptions) {
		s, err := scenario.Parse(o.Scenario, []byte(o.ScenarioTOML))
		if err != nil {
			panic(err)
		}
		change(&s.Rules)
		o.Rules = &s.Rules
	}
}

func changed(f *report.ForkReport, what string) bool {
	for _, c := range f.Changes {
		if c.What == what && c.From != c.To {
			return true
		}
	}
	return false
}

// samePrefix compares the ticks up to at of two canonical traces.
func samePrefix(t *testing.T, a, b string, at int64) {
	t.Helper()
	cut := func(dir string) []byte {
		whole := withoutHeader(canonical(t, dir))
		end := bytes.Index(whole, []byte(`{"type":"tick_end","tick":`+strconv.FormatInt(at, 10)+","))
		if end < 0 {
			t.Fatalf("%s has no tick %d", dir, at)
		}
		return whole[:end]
	}
	if !bytes.Equal(cut(a), cut(b)) {
		t.Errorf("the ticks up to %d are not the parent's", at)
	}
}

// TestForkRuleShowsInTheWorld forks into a world where harvests heat five times as
// much.
func TestForkRuleShowsInTheWorld(t *testing.T) {
	slow(t)
	o := options(t, "llm_bootstrap", 16)
	run(t, o)
	f := forkOf(t, o, 7)
	ruled(func(r *world.Rules) { r.HeatFactor = 5 })(&f)
	fork(t, f)
	r := foldFork(t, f.Parent, f.RunDir)
	if r.Fork.Comparison.FirstDigestTick == nil || *r.Fork.Comparison.FirstDigestTick <= 7 || r.Fork.Comparison.TicksDiffering == 0 {
		t.Errorf("hotter harvests change nothing: %+v", r.Fork)
	}
	parent := fold(t, o.RunDir)
	hotter := false
	for i, a := range r.PerAgent {
		hotter = hotter || a.Heat > parent.PerAgent[i].Heat
	}
	if !hotter {
		t.Error("no agent is hotter at the end")
	}
	requireReplays(t, f.RunDir, 16)
}

// TestForkOfAFork leaves a fork before and after the point where it left its own
// parent.
func TestForkOfAFork(t *testing.T) {
	slow(t)
	o := options(t, "llm_bootstrap", 10)
	o.AgentsOverride = 2
	run(t, o)
	first := forkOf(t, o, 4)
	first.PromptProfile = "rich"
	fork(t, first)
	later := first.Options
	second := forkOf(t, later, 7)
	if second.PromptProfile != "rich" {
		t.Errorf("a fork after the first begins with profile %q", second.PromptProfile)
	}
	second.Protocol = "lean"
	fork(t, second)
	samePrefix(t, first.RunDir, second.RunDir, 7)
	requireReplays(t, second.RunDir, 10)
	if r := fold(t, second.RunDir); r.Fork.AtTick != 7 || len(r.Fork.Changes) != 1 || r.Fork.Changes[0].What != "protocol" {
		t.Errorf("the fork of a fork reports %+v", r.Fork)
	}
	back := forkOf(t, later, 2)
	if back.PromptProfile == "rich" {
		t.Error("a fork before the first begins with what the first changed")
	}
	fork(t, back)
	if !bytes.Equal(canonical(t, back.RunDir), canonical(t, o.RunDir)) {
		t.Error("a fork before the first fork does not lead back to the first run")
	}
}

// TestForkOfAForkWithOtherFaults: the answers reported as reused are those spoilt by the
// current faults, not those before the first fork.
func TestForkOfAForkWithOtherFaults(t *testing.T) {
	o := options(t, "minimal", 6)
	run(t, o)
	first := forkOf(t, o, 2)
	first.Faults = "repairable=20%"
	fork(t, first)
	second := forkOf(t, first.Options, 4)
	var want, got int
	for line := range bytes.Lines(readTrace(t, first.RunDir)) {
		if trace.TypeOf(line) != trace.TypeModelCall {
			continue
		}
		record, err := trace.Decode(bytes.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		if tick := record.(trace.ModelCall).Tick; tick > 2 && tick <= 4 {
			want++
		}
	}
	second.Reused = func(llmclient.Request, int) { got++ }
	if fork(t, second); got != want || want == 0 {
		t.Errorf("%d answers are told as used again, want %d", got, want)
	}
}

// TestForkAsksAnotherModel gives the fork the answers of another stub.
func TestForkAsksAnotherModel(t *testing.T) {
	o := options(t, "llm_bootstrap", 8)
	o.AgentsOverride = 2
	run(t, o)
	f := forkOf(t, o, 5)
	f.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
		return llmclient.Failed(llmclient.ErrServer, "down")
	})
	f.Model, f.ModelSource, f.BaseURL = "other", trace.SourceLive, "http://127.0.0.1:1/v1"
	result, err := engine.Fork(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	if result.Status != trace.RunProviderFailed && result.Status != trace.RunCompleted {
		t.Errorf("%+v", result)
	}
	r := foldFork(t, f.Parent, f.RunDir)
	if r.ModelSource != trace.SourceMixed || r.UsageSource != trace.UsageSimulated || r.Model != "other" {
		t.Errorf("report: model %s, %s, tokens %s", r.Model, r.ModelSource, r.UsageSource)
	}
	if r.Fork.Comparison.FirstDecisionTick == nil || *r.Fork.Comparison.FirstDecisionTick < 6 || r.Fork.Comparison.DecisionsDiffering == 0 {
		t.Errorf("a fork whose model fails decides as its parent: %+v", r.Fork)
	}
	for _, tick := range r.Fork.Comparison.Ticks {
		for _, d := range tick.Decisions {
			if d.A == d.B || tick.Tick <= 5 {
				t.Errorf("tick %d lists %+v as different", tick.Tick, d)
			}
		}
	}
}

// TestForkIsRefused names what is wrong and leaves only the directory.
func TestForkIsRefused(t *testing.T) {
	o := options(t, "llm_bootstrap", 4)
	run(t, o)
	for name, c := range map[string]struct {
		at     int64
		change func(*engine.ForkOptions)
		want   string
	}{
		"beyond the end": {5, func(o *engine.ForkOptions) { o.Ticks = 9 }, "tick 5; allowed: 0 to 4"},
		"negative":       {-1, func(*engine.ForkOptions) {}, "allowed: 0 to 4"},
		"no tick left":   {4, func(*engine.ForkOptions) {}, "4 ticks end at or before the fork"},
		"seed":           {2, func(o *engine.ForkOptions) { o.Seed++ }, "another world"},
		"agents":         {2, func(o *engine.ForkOptions) { o.AgentsOverride = 2 }, "cannot change the number of agents"},
		"no run":         {2, func(o *engine.ForkOptions) { o.Parent = o.RunDir }, "not a run directory"},
	} {
		at := min(max(c.at, 0), 4)
		f := forkOf(t, o, at)
		f.AtTick = c.at
		c.change(&f)
		if err := f.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if _, err := engine.Fork(context.Background(), f); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if left, _ := os.ReadDir(f.RunDir); len(left) != 0 {
			t.Errorf("%s: left %v behind", name, left)
		}
	}
}

// TestForkOfAChangedParentStops: a parent whose ticks are not derived as recorded cannot
// be forked.
func TestForkOfAChangedParentStops(t *testing.T) {
	o := options(t, "llm_bootstrap", 6)
	o.AgentsOverride = 2
	run(t, o)
	whole := string(readTrace(t, o.RunDir))
	for name, tampered := range map[string]string{
		"digest": strings.Replace(whole, `"digest":"`, `"digest":"0`, 1),
		"prompt": strings.Replace(whole, `Short term: `, `Short term: not `, 1),
		"answer": strings.Replace(whole, `"status":"completed","output"`, `"status":"incomplete","output"`, 1),
	} {
		if tampered == whole {
			t.Fatalf("%s: nothing to change", name)
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, rundir.TraceFile), tracetest.Sealed([]byte(tampered)), 0o644); err != nil {
			t.Fatal(err)
		}
		changed := o
		changed.RunDir = dir
		f := forkOf(t, changed, 4)
		var asked atomic.Bool
		f.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
			asked.Store(true)
			return o.Source.Respond(ctx, key, r)
		})
		_, err := engine.Fork(context.Background(), f)
		if name == "prompt" {
			// The text of a part is not what the request was found by.
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if !errors.Is(err, engine.ErrForkDiffers) || asked.Load() {
			t.Errorf("%s: %v, asked %v, want ErrForkDiffers before anything is asked", name, err, asked.Load())
		}
	}
}
