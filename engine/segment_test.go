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
	const ticks = 10
	single, _ := eventful(t, ticks)
	run(t, single)
	o, _ := eventful(t, ticks)
	o.SegmentBytes = 100 << 10
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
	// A finished run goes on behind its segments.
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

// TestReaderHoldsOnToWhatItOpened reads a trace of which a file is closed meanwhile.
func TestReaderHoldsOnToWhatItOpened(t *testing.T) {
	o, _ := eventful(t, 6)
	o.SegmentBytes = 100 << 10
	var f io.ReadCloser
	o.Progress = func(p engine.Progress) {
		if f == nil {
			var err error
			if f, err = engine.OpenTrace(o.RunDir); err != nil {
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
	all, err := engine.OpenTrace(o.RunDir)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	whole, err := io.ReadAll(all)
	if err != nil || !bytes.HasPrefix(whole, got) || len(got) < 50<<10 {
		t.Errorf("read %d bytes that are not the beginning of the trace: %v", len(got), err)
	}
}

// TestRotationEndedAtAnyStep ends the run at each step of its second rotation, where a
// kill could: nothing is lost, and the run goes on.
func TestRotationEndedAtAnyStep(t *testing.T) {
	const ticks = 8
	whole, _ := eventful(t, ticks)
	run(t, whole)
	want := string(canonical(t, whole.RunDir))
	for _, step := range []string{"compress", "replace", "reopen"} {
		o, _ := eventful(t, ticks)
		o.SegmentBytes = 100 << 10
		seen, killed := 0, errors.New("killed")
		restore := engine.AtRotation(func(name string) error {
			if name != step {
				return nil
			}
			if seen++; seen == 2 {
				return killed
			}
			return nil
		})
		_, err := engine.Run(context.Background(), o)
		restore()
		if !errors.Is(err, killed) {
			t.Fatalf("%s: the run did not end there: %v", step, err)
		}
		before := fold(t, o.RunDir).WorldTime
		again, counted := eventful(t, ticks)
		again.SegmentBytes = o.SegmentBytes
		if _, err := resume(t, o.RunDir, again, 0); err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		if got := string(canonical(t, o.RunDir)); got != want {
			t.Errorf("%s: the trace differs: %.3000s", step, cmp.Diff(want, got))
		}
		for _, key := range counted.asked {
			if key.Tick <= before {
				t.Errorf("%s: %v was asked again", step, key)
			}
		}
	}
}

// fullDisk takes so many bytes and then no more, like a disk that fills up: the last
// write gets in part of what it should.
type fullDisk struct {
	*os.File
	left *int
}

var errFull = errors.New("no space left on device")

func (d fullDisk) Write(p []byte) (int, error) {
	if len(p) <= *d.left {
		*d.left -= len(p)
		return d.File.Write(p)
	}
	n, err := d.File.Write(p[:*d.left])
	*d.left = 0
	return n, errors.Join(err, errFull)
}

// TestFullDiskLosesNothing fills the disk at several points. The run ends with the
// cause; what was written stays readable, and the run goes on when there is room.
func TestFullDiskLosesNothing(t *testing.T) {
	const ticks = 5
	whole, _ := eventful(t, ticks)
	run(t, whole)
	want, size := string(canonical(t, whole.RunDir)), len(readTrace(t, whole.RunDir))
	for _, left := range []int{size / 3, size / 2, size - 100} {
		o, _ := eventful(t, ticks)
		room := left
		restore := engine.OnDisk(func(f *os.File) engine.Storage { return fullDisk{f, &room} })
		_, err := engine.Run(context.Background(), o)
		restore()
		if !errors.Is(err, errFull) {
			t.Fatalf("room for %d bytes: %v", left, err)
		}
		if got := len(readTrace(t, o.RunDir)); got != left {
			t.Errorf("%d bytes on a disk with room for %d", got, left)
		}
		if r := fold(t, o.RunDir); r.RunStatus != "unfinished" {
			t.Errorf("the run is %s", r.RunStatus)
		}
		again, _ := eventful(t, ticks)
		if _, err := resume(t, o.RunDir, again, 0); err != nil {
			t.Fatal(err)
		}
		if got := string(canonical(t, o.RunDir)); got != want {
			t.Errorf("room for %d bytes: the trace differs: %.3000s", left, cmp.Diff(want, got))
		}
	}
}

// TestVanishedDirectoryEndsTheRun removes the run directory while the run goes on:
// writing to a removed file succeeds, and all of it would be lost at the end.
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
	unlock, err := engine.LockRun(o.RunDir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = engine.Run(context.Background(), o)
	locked, ok := errors.AsType[*engine.LockedError](err)
	if !ok || locked.PID != fmt.Sprint(os.Getpid()) {
		t.Fatalf("a run in use: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	// What a killed process leaves does not block.
	if err := os.WriteFile(filepath.Join(o.RunDir, engine.LockFile), []byte("1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, o)
	if _, err := os.Stat(filepath.Join(o.RunDir, engine.LockFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock file is left: %v", err)
	}
}
