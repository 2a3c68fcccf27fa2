package engine_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// TestForkEndsChains: a fork that changes more than caps and length ends every order and chain at its
// tick, and says so; one that changes no more leaves them alone. Both replay.
func TestForkEndsChains(t *testing.T) {
	slow(t)
	o := options(t, "llm_bootstrap", 12)
	o.ChainSteps = world.ThenMax
	run(t, o)
	under := func(dir string, tick int64) (agents int) {
		for _, d := range recordsOf(t, dir).decisions {
			if d.Tick == tick && d.DecidedBy == trace.ByStanding {
				agents++
			}
		}
		return agents
	}
	ended := func(dir string) int {
		return bytes.Count(readTrace(t, dir), []byte(`"detail":"`+world.StopChanged+`"`))
	}
	at := int64(1)
	for under(o.RunDir, at+1) == 0 {
		at++
	}
	longer := forkOf(t, o, at)
	longer.Ticks = 14
	fork(t, longer)
	if n := ended(longer.RunDir); n != 0 || under(longer.RunDir, at+1) != under(o.RunDir, at+1) {
		t.Errorf("a longer fork ended %d chains", n)
	}
	f := forkOf(t, o, at)
	f.ShortTermGoal = "Send messages."
	fork(t, f)
	if n := ended(f.RunDir); n == 0 || under(f.RunDir, at+1) != 0 {
		t.Errorf("%d chains ended, %d agents went on in tick %d", n, under(f.RunDir, at+1), at+1)
	}
	if text := foldFork(t, o.RunDir, f.RunDir).Text(); !strings.Contains(text, "orders and chains ended there") {
		t.Errorf("the report does not say so:\n%s", text)
	}
	requireReplays(t, f.RunDir, 12)
	requireReplays(t, longer.RunDir, 14)
}

// TestChainsReplayAndResume: a run with chains replays, and resumes in the middle of one as if it had
// never stopped.
func TestChainsReplayAndResume(t *testing.T) {
	o := options(t, "llm_bootstrap", 10)
	o.ChainSteps = world.ThenMax
	run(t, o)
	requireReplays(t, o.RunDir, 10)
	want := canonical(t, o.RunDir)
	if !bytes.Contains(want, []byte(`"chain_step":2`)) {
		t.Fatal("no chain went on")
	}
	cut := o
	cut.RunDir = t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	cut.Progress = func(p engine.Progress) {
		if p.Tick == 3 {
			stop()
		}
	}
	if _, err := engine.Run(ctx, cut); err != nil {
		t.Fatal(err)
	}
	if _, err := resume(t, cut.RunDir, cut, 10); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(canonical(t, cut.RunDir), want) {
		t.Error("the resumed run is another one")
	}
}
