package engine_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"example.com/agentworld/engine"
	rundir "example.com/agentworld/run"
)

// TestForkTakesOverItsUnfinishedPrefix kills a fork in the ticks it inherits, and forks
// again into the same directory. A fork that has begun its own ticks, and a fork of
// another parent, are kept.
func TestForkTakesOverItsUnfinishedPrefix(t *testing.T) {
	slow(t)
	o := options(t, "llm_bootstrap", 6)
	run(t, o)
	f := forkOf(t, o, 4)
	fork(t, f)
	want, whole := canonical(t, f.RunDir), readTrace(t, f.RunDir)
	inPrefix := bytes.Index(whole, []byte(`{"type":"tick_end","tick":3,`))
	behind := bytes.Index(whole, []byte(`{"type":"tick_end","tick":5,`))
	for _, c := range []struct {
		at    int
		taken bool
	}{{inPrefix, true}, {50, true}, {0, true}, {behind, false}, {len(whole), false}} {
		again := f
		again.RunDir = cutAt(t, whole, c.at)
		for _, name := range []string{rundir.LockFile} {
			if err := os.WriteFile(filepath.Join(again.RunDir, name), []byte("1\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := engine.CreateForkDir(again); (err == nil) != c.taken {
			t.Fatalf("a fork cut at byte %d is taken over: %v, %v", c.at, err == nil, err)
		}
		if !c.taken {
			if !bytes.Equal(readTrace(t, again.RunDir), whole[:c.at]) {
				t.Error("a fork with ticks of its own was touched")
			}
			continue
		}
		if _, err := engine.Fork(context.Background(), again); err != nil {
			t.Fatalf("cut at byte %d: %v", c.at, err)
		}
		if !bytes.Equal(canonical(t, again.RunDir), want) {
			t.Errorf("cut at byte %d: the fork comes out otherwise", c.at)
		}
		for _, name := range []string{rundir.LockFile} {
			if _, err := os.Stat(filepath.Join(again.RunDir, name)); err == nil {
				t.Errorf("%s is left", name)
			}
		}
	}
	other := options(t, "minimal", 6)
	run(t, other)
	stranger := forkOf(t, other, 4)
	stranger.RunDir = cutAt(t, whole, inPrefix)
	if err := engine.CreateForkDir(stranger); err == nil {
		t.Error("a fork of another parent was taken over")
	}
}
