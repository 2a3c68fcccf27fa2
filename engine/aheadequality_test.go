package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

// sampled reports whether a case is played: all are at full size, and otherwise one of so many.
func sampled(one uint32, of ...any) bool {
	h := fnv.New32a()
	fmt.Fprint(h, of...)
	return os.Getenv("AGENT_WORLD_LONG") != "" || h.Sum32()%one == 0
}

// inBubble plays a run on the clock of a bubble, where answers take up to ten seconds and faults are those of a
// plan, and returns its canonical trace and what was asked ahead.
func inBubble(t *testing.T, o engine.Options, seed uint64, faults string) ([]byte, *trace.AheadTiming) {
	t.Helper()
	plan, err := stub.ParseFaults(faults)
	if err != nil {
		t.Fatal(err)
	}
	o.RunDir = t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		server := stub.Options{Seed: seed, Faults: stub.NewInjector(plan, seed)}
		client := inProcess(t, server, openai.Config{Steady: true, BackoffBase: time.Millisecond})
		defer client.Close()
		live := engine.Live(client)
		o.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
			h := r.Hash()
			select {
			case <-time.After(time.Duration(1+int(h[0])%10*10+int(h[1])%10) * 100 * time.Millisecond):
			case <-ctx.Done():
			}
			return live.Respond(ctx, key, r)
		})
		run(t, o)
	})
	defer os.RemoveAll(o.RunDir)
	return canonical(t, o.RunDir), aheadOf(t, o.RunDir)
}

// TestAheadIsLockstepEverywhere plays every scenario at every depth and concurrency, with and without faults, at
// three seeds: each trace is that of a run that waits. A fiftieth of it is played unless all is asked for.
func TestAheadIsLockstepEverywhere(t *testing.T) {
	slow(t)
	cases, used := 0, int64(0)
	for _, name := range scenario.Names() {
		for _, faults := range []string{"", "repairable=15%,http_500=5%,empty_body=3%,unusable=3%"} {
			for seed := range uint64(3) {
				o := options(t, name, ticksUpTo(8, 12))
				o.Seed += seed
				o.ChainSteps = trace.DefaultSettings().ChainSteps
				var want []byte
				for _, depth := range []int{1, 2, 4, 8} {
					for _, concurrency := range []int{1, 8, 64} {
						if !sampled(50, name, faults, seed, depth, concurrency) {
							continue
						}
						if want == nil {
							want, _ = inBubble(t, o, seed, faults)
						}
						with := o
						with.Concurrency = concurrency
						with.Ahead = engine.Ahead{Depth: depth, WastePermille: 50}
						got, asked := inBubble(t, with, seed, faults)
						if !bytes.Equal(got, want) {
							t.Errorf("%s, seed %d, faults %q, depth %d, concurrency %d: the trace is another one",
								name, seed, faults, depth, concurrency)
						}
						cases++
						if asked != nil {
							used += asked.Used
						}
					}
				}
			}
		}
	}
	t.Logf("%d cases, %d calls asked ahead were used", cases, used)
	if used == 0 {
		t.Error("no answer that was asked ahead was used")
	}
}

// TestAheadIsLockstepInBelts plays belts of a thousand seeds, a fiftieth of them unless all are asked for.
func TestAheadIsLockstepInBelts(t *testing.T) {
	slow(t)
	cases, used := 0, int64(0)
	for seed := range uint64(1000) {
		if !sampled(50, seed) {
			continue
		}
		o := options(t, "asteroid_fragment_bootstrap", 8)
		o.Seed, o.AgentsOverride = seed, 3+int(seed%10)
		o.ChainSteps = trace.DefaultSettings().ChainSteps
		want, _ := inBubble(t, o, seed, "")
		o.Concurrency = 64
		o.Ahead = engine.Ahead{Depth: 1 + int(seed%8), WastePermille: 50}
		got, asked := inBubble(t, o, seed, "")
		if !bytes.Equal(got, want) {
			t.Errorf("seed %d: the trace is another one", seed)
		}
		cases++
		used += asked.Used
	}
	t.Logf("%d belts, %d calls asked ahead were used", cases, used)
	if used == 0 {
		t.Error("no answer that was asked ahead was used")
	}
}
