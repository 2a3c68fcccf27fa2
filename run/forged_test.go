package run_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// forgedNumber is far beyond the files of any run, and small enough for a test of a reader that
// believes it to end.
const forgedNumber = 3_000_000

// allocated is how many bytes f takes from the heap.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// writeTrace writes records into a file of a run, with chains that fit.
func writeTrace(t *testing.T, dir run.Dir, records ...trace.Record) {
	t.Helper()
	f, err := os.Create(filepath.Join(string(dir), run.TraceFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := trace.NewChainedWriter(f, "")
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
}

// forgeIndex changes the index of a run and seals it again.
func forgeIndex(t *testing.T, dir run.Dir, change func(map[string]any)) {
	t.Helper()
	path := filepath.Join(string(dir), run.IndexFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, data, _ := strings.Cut(string(text), "\n")
	of := map[string]any{}
	if err := json.Unmarshal([]byte(data), &of); err != nil {
		t.Fatal(err)
	}
	change(of)
	forged := llmclient.Marshal(of)
	if err := os.WriteFile(path, fmt.Appendf(nil, "%s\n%s", llmclient.Hash(forged), forged), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestForgedNumbersTakeNoMemory reads runs whose files say that there are millions of them.
func TestForgedNumbersTakeNoMemory(t *testing.T) {
	for what, forge := range map[string]func(run.Dir){
		"the open file": func(d run.Dir) { writeTrace(t, d, trace.Segment{Number: forgedNumber}) },
		"a later line": func(d run.Dir) {
			writeTrace(t, d, header(0), trace.TickEnd{Tick: 1}, trace.Segment{Tick: 1, Number: forgedNumber}, trace.TickEnd{Tick: 2})
		},
		"a file's name": func(d run.Dir) {
			writeTrace(t, d)
			if err := os.WriteFile(filepath.Join(string(d), fmt.Sprintf("trace-%d.jsonl.zst", forgedNumber)), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"the name of the last possible file": func(d run.Dir) {
			writeTrace(t, d)
			if err := os.WriteFile(filepath.Join(string(d), "trace-9223372036854775807.jsonl.zst"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		dir := run.Dir(t.TempDir())
		forge(dir)
		if n := allocated(func() {
			if _, err := dir.Files(); err != nil {
				t.Errorf("%s: files: %v", what, err)
			}
			if _, _, err := dir.Index(false); err == nil {
				t.Errorf("%s: the run has an index", what)
			}
		}); n > 8<<20 {
			t.Errorf("%s: reading took %d bytes", what, n)
		}
		if what == "the name of the last possible file" {
			continue // which is none of a run
		}
		if n := allocated(func() {
			if err := dir.Clear(); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}); n > 8<<20 {
			t.Errorf("%s: removing took %d bytes", what, n)
		}
	}
}

// TestAForgedIndexIsReadAgain: an index with a hash that fits is still somebody's file.
func TestAForgedIndexIsReadAgain(t *testing.T) {
	dir, err := begin(t, 0)
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := dir.Index(true)
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(map[string]any){
		"file":            func(x map[string]any) { x["file"] = forgedNumber },
		"a negative file": func(x map[string]any) { x["file"] = -7 },
		"no columns":      func(x map[string]any) { x["offsets"], x["files"], x["chains"] = nil, nil, nil },
		"a file of ticks": func(x map[string]any) { x["files"].([]any)[2] = forgedNumber },
		"offset":          func(x map[string]any) { x["offset"] = int64(1) << 60 },
		"a negative tick": func(x map[string]any) { x["offsets"].([]any)[2] = -5 },
	} {
		forgeIndex(t, dir, change)
		if n := allocated(func() {
			x, _, err := dir.Index(false)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			for tick := int64(1); tick <= ticks; tick++ {
				f, err := dir.OpenFrom(x, tick)
				if err != nil {
					continue // said clearly
				}
				if _, err := trace.NewReader(f).Next(); err != nil && !errors.As(err, new(*trace.LineError)) {
					t.Errorf("%s: tick %d: %v", what, tick, err)
				}
				f.Close()
			}
			if !strings.HasPrefix(what, "a ") && !slices.Equal(x.Offsets, want.Offsets) {
				t.Errorf("%s: it was believed", what)
			}
		}); n > 16<<20 {
			t.Errorf("%s: reading took %d bytes", what, n)
		}
		if _, _, err := dir.Index(true); err != nil {
			t.Fatal(err)
		}
	}
}
