package engine_test

import (
	"bytes"
	"context"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
)

// TestToolChoicesFollowFromWholeTicks plays an endpoint that often does not keep to the tools that may
// be called: what the run makes of that is the same at any concurrency, and after a stop in the middle.
func TestToolChoicesFollowFromWholeTicks(t *testing.T) {
	plan, err := stub.ParseFaults("repairable=70%")
	if err != nil {
		t.Fatal(err)
	}
	same := options(t, "llm_bootstrap", 4)
	seed := uint64(faultSeed)
	play := func(concurrency int, stopped bool) []byte {
		o := same
		faults := stub.NewInjector(plan, seed)
		live := engine.Live(inProcess(t, stub.Options{Seed: 1, Faults: faults}, openai.Config{}))
		o.Source, o.Concurrency, o.RunDir = live, concurrency, t.TempDir()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		o.Progress = func(p engine.Progress) {
			if stopped && p.Tick == 2 {
				stop()
			}
		}
		if _, err := engine.Run(ctx, o); err != nil {
			t.Fatal(err)
		}
		if stopped {
			if _, err := resume(t, o.RunDir, o, 4); err != nil {
				t.Fatal(err)
			}
		}
		return canonical(t, o.RunDir)
	}
	want := play(1, false)
	// Which answers are spoilt depends on the requests: the first seed is taken that makes a choice be given up.
	for !bytes.Contains(want, []byte(`"without_allowed_tools"`)) {
		seed++
		if seed > faultSeed+30 {
			t.Fatal("no tool choice was given up with any of 30 seeds")
		}
		want = play(1, false)
	}
	for name, got := range map[string][]byte{"at another concurrency": play(8, false), "resumed": play(8, true)} {
		if !bytes.Equal(got, want) {
			t.Errorf("the run is another one %s", name)
		}
	}
}
