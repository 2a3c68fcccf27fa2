package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/engine"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// TestLostOpenFile removes the open file of a trace, or all but a part of its first line,
// as a disk can. The closed segments are still read, and a resume continues after them
// without repeating a request.
func TestLostOpenFile(t *testing.T) {
	slow(t)
	const ticks = 8
	o, _ := eventful(t, ticks)
	o.SegmentBytes = 60 << 10
	run(t, o)
	whole, want := o.RunDir, string(canonical(t, o.RunDir))
	if _, _, err := rundir.Dir(whole).Index(false); err != nil { // one that knows too much
		t.Fatal(err)
	}
	for name, lose := range map[string]func(path string) error{
		"missing": os.Remove,
		"empty":   func(path string) error { return os.Truncate(path, 0) },
		"torn":    func(path string) error { return os.Truncate(path, 20) },
	} {
		o.RunDir = copied(t, whole)
		if err := lose(filepath.Join(o.RunDir, rundir.TraceFile)); err != nil {
			t.Fatal(err)
		}
		left := fold(t, o.RunDir)
		if left.RunStatus != "unfinished" || left.WorldTime < 2 || left.WorldTime >= ticks {
			t.Fatalf("%s: %s with %d ticks, want some of them", name, left.RunStatus, left.WorldTime)
		}
		if x, _, err := rundir.Dir(o.RunDir).Index(false); err != nil || x.Tick != left.WorldTime {
			t.Fatalf("%s: the index ends with %d, %v; the report with %d", name, x.Tick, err, left.WorldTime)
		}
		requireReplays(t, o.RunDir, left.WorldTime)
		if err := rundir.Dir(o.RunDir).Create(); err == nil {
			t.Errorf("%s: the directory is free for another run", name)
		}
		again, counted := eventful(t, ticks)
		again.SegmentBytes = o.SegmentBytes
		if _, err := resume(t, o.RunDir, again, 0); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := string(canonical(t, o.RunDir)); got != want {
			t.Errorf("%s: the trace differs: %.3000s", name, cmp.Diff(want, got))
		}
		for _, key := range counted.asked {
			if key.Tick <= left.WorldTime {
				t.Errorf("%s: %v was asked again", name, key)
			}
		}
		cut, err := os.ReadFile(filepath.Join(o.RunDir, rundir.CutFile))
		if name == "torn" && len(cut) != 21 || name != "torn" && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %d bytes were kept of what was cut, %v", name, len(cut), err)
		}
	}
}

// TestLostOpenFileKeepsCaps loses the open file of a run whose caps were changed in a
// closed one: they hold on.
func TestLostOpenFileKeepsCaps(t *testing.T) {
	slow(t)
	o, _ := capped(t, 6)
	o.SegmentBytes = 60 << 10
	run(t, o)
	s, err := engine.PrepareResume(o.RunDir, engine.ResumeOptions{
		UntilTick: 12, Model: o.Model, ModelSource: o.ModelSource, BaseURL: o.BaseURL, Caps: func(c trace.Caps) trace.Caps { c.Agent.Calls = 60; return c },
	})
	if err != nil {
		t.Fatal(err)
	}
	again, _ := capped(t, 12)
	again.SegmentBytes = o.SegmentBytes
	if _, err := s.Run(context.Background(), again); err != nil {
		t.Fatal(err)
	}
	wanted := s.CapsWanted()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	want := string(canonical(t, o.RunDir))
	if err := os.Remove(filepath.Join(o.RunDir, rundir.TraceFile)); err != nil {
		t.Fatal(err)
	}
	last, err := engine.PrepareResume(o.RunDir, engine.ResumeOptions{Model: o.Model, ModelSource: o.ModelSource, BaseURL: o.BaseURL})
	if err != nil {
		t.Fatal(err)
	}
	if before, _ := last.CapsBefore(); !last.State.Open.FileLost || before != wanted || last.State.Tick <= 6 {
		t.Fatalf("caps %+v after tick %d, want %+v after the change", before, last.State.Tick, wanted)
	}
	if err := last.Close(); err != nil {
		t.Fatal(err)
	}
	fresh, _ := capped(t, 12)
	if _, err := resume(t, o.RunDir, fresh, 0); err != nil {
		t.Fatal(err)
	}
	if got := string(canonical(t, o.RunDir)); got != want {
		t.Errorf("the trace differs: %.3000s", cmp.Diff(want, got))
	}
}
