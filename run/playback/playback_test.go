package playback_test

import (
	"errors"
	"io"
	"path/filepath"
	"testing"

	"example.com/agentworld"
	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/run"
	"example.com/agentworld/run/playback"
	"example.com/agentworld/trace"
)

// played records a run of the embedded model and returns its directory.
func played(t *testing.T, scenario string, ticks int64) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	settings, err := agentworld.Defaults(scenario)
	if err != nil {
		t.Fatal(err)
	}
	settings.Ticks = ticks
	if _, err := agentworld.Run(t.Context(), agentworld.Options{Settings: settings, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// eachTick plays the run in dir again and calls see after every tick.
func eachTick(t *testing.T, dir string, see func(*playback.Playback), change func(trace.Record) trace.Record) error {
	t.Helper()
	f, err := run.Dir(dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := trace.NewReader(f)
	h, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	p, err := playback.Begin(h)
	if err != nil {
		return err
	}
	for {
		record, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			record = change(record)
		}
		whole, err := p.Add(record)
		if err != nil {
			return err
		}
		if whole {
			see(p)
		}
	}
}

// TestEveryTickHasTheRecordedDigest plays runs again, and each tick a second time in a fork of the
// world before.
func TestEveryTickHasTheRecordedDigest(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many ticks")
	}
	t.Parallel()
	for scenario, ticks := range map[string]int64{"llm_bootstrap": 12, "task_cooperation_barter_60": 60, "asteroid_fragment_bootstrap": 15} {
		dir, done := played(t, scenario, ticks), int64(0)
		var again *playback.Playback
		var tick []trace.Record
		keep := func(r trace.Record) trace.Record {
			tick = append(tick, r)
			return r
		}
		err := eachTick(t, dir, func(p *playback.Playback) {
			done++
			if again == nil {
				again = playback.Continue(p.World().Fork())
				tick = nil
			}
			for _, r := range tick {
				if _, err := again.Add(r); err != nil {
					t.Fatalf("%s: tick %d played again: %v", scenario, done, err)
				}
			}
			tick = nil
			if again.World().Digest() != p.World().Digest() {
				t.Fatalf("%s: tick %d played again: digest %s, want %s", scenario, done, again.World().Digest(), p.World().Digest())
			}
		}, keep)
		if err != nil || done != ticks {
			t.Errorf("%s: %d of %d ticks, %v", scenario, done, ticks, err)
		}
	}
}

// TestAForkChangesTheRules plays a fork with another rule again.
func TestAForkChangesTheRules(t *testing.T) {
	parent := played(t, "minimal", 4)
	settings, err := engine.ParentSettings(parent, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	of, err := playback.Scenario(settings)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := of.Rules.With("idle_draw", of.Rules.IdleDraw+3)
	if err != nil {
		t.Fatal(err)
	}
	settings.Rules = &rules
	dir := filepath.Join(t.TempDir(), "fork")
	forkRun(t, parent, dir, settings)
	if err := eachTick(t, dir, func(*playback.Playback) {}, nil); err != nil {
		t.Errorf("with the other rule: %v", err)
	}
	err = eachTick(t, dir, func(*playback.Playback) {}, func(r trace.Record) trace.Record {
		if _, fork := r.(trace.Fork); fork {
			return trace.Blob{}
		}
		return r
	})
	if !errors.Is(err, playback.ErrDiffers) {
		t.Errorf("without the fork's record: %v", err)
	}
}

// TestAnotherActionIsFound changes what the first decision did.
func TestAnotherActionIsFound(t *testing.T) {
	dir, first := played(t, "minimal", 3), true
	err := eachTick(t, dir, func(*playback.Playback) {}, func(r trace.Record) trace.Record {
		if d, ok := r.(trace.Decision); ok && first {
			first, d.Executed = false, []byte(`{"action":"wait"}`)
			return d
		}
		return r
	})
	if !errors.Is(err, playback.ErrDiffers) {
		t.Errorf("a changed action: %v, want %v", err, playback.ErrDiffers)
	}
	err = eachTick(t, dir, func(*playback.Playback) {}, func(r trace.Record) trace.Record {
		if d, ok := r.(trace.Decision); ok {
			d.AgentID = "agent-9"
			return d
		}
		return r
	})
	if !errors.Is(err, playback.ErrDiffers) {
		t.Errorf("an agent that does not exist: %v, want %v", err, playback.ErrDiffers)
	}
}

// forkRun forks a run after tick 2 and lets the embedded model continue it.
func forkRun(t *testing.T, parent, dir string, settings trace.Settings) {
	t.Helper()
	model, err := stub.Start(t.Context(), "", stub.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	client, err := openai.New(openai.Config{BaseURL: model.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	o := engine.ForkOptions{Options: engine.Options{Settings: settings, RunDir: dir, Source: engine.Live(client), Concurrency: 1}, Parent: parent, AtTick: 2}
	o.Settings.Ticks = 4
	if err := engine.CreateForkDir(o); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Fork(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}
