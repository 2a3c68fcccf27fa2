package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/engine"
	rundir "example.com/agentworld/run"
)

// segmentsOf lists the closed segments of a run.
func segmentsOf(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "trace-*.jsonl.zst"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestTraceInSegmentsReadsLikeOne compares a run whose trace is spread over files with
// one in a single file, by everything that reads traces.
func TestTraceInSegmentsReadsLikeOne(t *testing.T) {
	slow(t)
	const ticks = 8
	single, _ := eventful(t, ticks)
	run(t, single)
	o, _ := eventful(t, ticks)
	o.SegmentBytes = 50 << 10
	run(t, o)
	names := segmentsOf(t, o.RunDir)
	if len(names) < 3 {
		t.Fatalf("only %d segments", len(names))
	}
	if diff := cmp.Diff(string(canonical(t, single.RunDir)), string(canonical(t, o.RunDir))); diff != "" {
		t.Errorf("the trace differs:\n%.3000s", diff)
	}
	if diff := cmp.Diff(timeless(t, single.RunDir), timeless(t, o.RunDir)); diff != "" {
		t.Errorf("the report differs:\n%s", diff)
	}
	requireReplays(t, o.RunDir, ticks)
	packed := int64(0)
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		packed += info.Size()
	}
	if plain := int64(len(readTrace(t, single.RunDir))); packed*4 > plain {
		t.Errorf("%d bytes are packed into %d, want a quarter at most", plain, packed)
	}
	// A finished run continues after its segments.
	longer, _ := eventful(t, ticks)
	longer.SegmentBytes = o.SegmentBytes
	if _, err := resume(t, o.RunDir, longer, ticks+4); err != nil {
		t.Fatal(err)
	}
	requireReplays(t, o.RunDir, ticks+4)
	if now := segmentsOf(t, o.RunDir); len(now) <= len(names) {
		t.Errorf("the resumed run has %d segments, had %d", len(now), len(names))
	}
}

// TestReaderHoldsOnToWhatItOpened reads a trace while one of its files is closed.
func TestReaderHoldsOnToWhatItOpened(t *testing.T) {
	o, _ := eventful(t, 6)
	o.SegmentBytes = 50 << 10
	var f io.ReadCloser
	o.Progress = func(p engine.Progress) {
		if f == nil {
			var err error
			if f, err = rundir.Dir(o.RunDir).Open(); err != nil {
				t.Error(err)
			}
		}
	}
	run(t, o)
	defer f.Close()
	got, err := io.ReadAll(f)
	if err != nil || len(segmentsOf(t, o.RunDir)) < 2 {
		t.Fatal(err)
	}
	all, err := rundir.Dir(o.RunDir).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	whole, err := io.ReadAll(all)
	if err != nil || !bytes.HasPrefix(whole, got) || len(got) < 50<<10 {
		t.Errorf("read %d bytes that are not the beginning of the trace: %v", len(got), err)
	}
}

// TestVanishedDirectoryEndsTheRun removes the run directory during the run: writing to a
// removed file succeeds, and all of it would be lost at the end.
func TestVanishedDirectoryEndsTheRun(t *testing.T) {
	o := options(t, "minimal", 50)
	o.Progress = func(p engine.Progress) {
		if p.Tick == 3 {
			if err := os.RemoveAll(o.RunDir); err != nil {
				t.Error(err)
			}
		}
	}
	result, err := engine.Run(context.Background(), o)
	if err == nil || result.TicksDone != 3 {
		t.Errorf("%+v, %v; want an end after tick 3", result, err)
	}
	if want := "was removed or replaced"; err == nil || !bytes.Contains([]byte(err.Error()), []byte(want)) {
		t.Errorf("%v, want %q in it", err, want)
	}
}

// TestOneProcessAtATime claims a run twice.
func TestOneProcessAtATime(t *testing.T) {
	o := options(t, "minimal", 2)
	unlock, err := rundir.Dir(o.RunDir).Lock()
	if err != nil {
		t.Fatal(err)
	}
	_, err = engine.Run(context.Background(), o)
	locked, ok := errors.AsType[*rundir.LockedError](err)
	if !ok || locked.PID != fmt.Sprint(os.Getpid()) {
		t.Fatalf("a run in use: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	// What a killed process leaves does not block.
	if err := os.WriteFile(filepath.Join(o.RunDir, rundir.LockFile), []byte("1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, o)
	if _, err := os.Stat(filepath.Join(o.RunDir, rundir.LockFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock file is left: %v", err)
	}
}
