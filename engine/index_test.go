package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/engine"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
	"example.com/agentworld/trace/tracetest"
)

func loadIndex(t *testing.T, dir string, rebuild bool) *state.Index {
	t.Helper()
	x, _, err := rundir.Dir(dir).Index(rebuild)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestIndexCountsWhatTheReportCounts indexes a running run tick by tick, then after a
// resume, and compares with an index built at once and with the report.
func TestIndexCountsWhatTheReportCounts(t *testing.T) {
	slow(t)
	o, _ := eventful(t, 7)
	o.SegmentBytes = 100 << 10
	o.Progress = func(p engine.Progress) {
		if x := loadIndex(t, o.RunDir, false); x.Tick != p.Tick {
			t.Errorf("the index ends at tick %d, want %d", x.Tick, p.Tick)
		}
	}
	run(t, o)
	longer, _ := eventful(t, 7)
	longer.SegmentBytes = o.SegmentBytes
	if _, err := resume(t, o.RunDir, longer, 10); err != nil {
		t.Fatal(err)
	}
	x := loadIndex(t, o.RunDir, false)
	if diff := cmp.Diff(loadIndex(t, o.RunDir, true), x); diff != "" {
		t.Errorf("an index that grew differs from one made at once:\n%s", diff)
	}
	r := fold(t, o.RunDir)
	got := map[string]int64{
		"last": x.Tick, "asked": x.Asked, "resumes": x.Resumes, "input": x.Usage["scripted"].Input, "calls": x.Calls, "failed": x.Failed,
		"decided": x.Decided, "continued": x.Continued, "degraded": x.Degraded, "rejected": x.Rejected,
	}
	want := map[string]int64{
		"last": 10, "asked": 10, "resumes": 1, "input": r.Tokens.Input + r.Learning.Tokens.Input,
		"calls": r.TraceCounts.ModelCalls + r.Learning.Calls, "failed": r.TraceCounts.LLMErrors + r.Learning.Errors,
		"decided": r.TraceCounts.Traces - r.ContinuedDecisions, "continued": r.ContinuedDecisions, "degraded": r.DecisionCounts.WaitDegraded,
		"rejected": r.ActionFailure,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the index counts other than the report (-report +index):\n%s", diff)
	}
	for _, tick := range []int64{1, 4, 10} {
		requireOpensAt(t, x, o.RunDir, tick)
	}
}

// requireOpensAt demands that what is read from a tick on begins with that tick.
func requireOpensAt(t *testing.T, x *state.Index, dir string, tick int64) {
	t.Helper()
	f, err := rundir.Dir(dir).OpenFrom(x, tick)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for record, err := range trace.NewReader(f).All() {
		if err != nil {
			t.Fatal(err)
		}
		if end, ok := record.(trace.TickEnd); ok {
			if end.Tick != tick {
				t.Errorf("from tick %d on the first tick that ends is %d", tick, end.Tick)
			}
			return
		}
	}
	t.Errorf("nothing from tick %d on", tick)
}

// TestIndexIsMadeAnew spoils the index of a run in several ways: none is believed.
func TestIndexIsMadeAnew(t *testing.T) {
	o := options(t, "llm_bootstrap", 4)
	run(t, o)
	want := loadIndex(t, o.RunDir, false)
	file, traceFile := filepath.Join(o.RunDir, rundir.IndexFile), filepath.Join(o.RunDir, rundir.TraceFile)
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	other := options(t, "minimal", 4)
	run(t, other)
	loadIndex(t, other.RunDir, false)
	foreign, err := os.ReadFile(filepath.Join(other.RunDir, rundir.IndexFile))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"another run's": foreign, "cut": kept[:len(kept)/2], "empty": {},
		"changed": []byte(replaceLast(string(kept), `"offset":`, `"offset":-`)),
	} {
		if err := os.WriteFile(file, content, 0o644); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, loadIndex(t, o.RunDir, false)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, loadIndex(t, o.RunDir, false)); diff != "" {
		t.Errorf("deleted: %s", diff)
	}
	// Another trace of the same run: it ends earlier, or its last tick is another.
	whole := string(readTrace(t, o.RunDir))
	shorter := whole[:strings.LastIndex(whole, `{"type":"tick_end","tick":4`)]
	changed := replaceLast(whole, `"digest":"`+want.Digest[:1], `"digest":"x`)
	for name, tt := range map[string]struct {
		text, digest string
		last         int64
	}{"shorter": {shorter, "", 3}, "changed": {changed, "x" + want.Digest[1:], 4}} {
		loadIndex(t, o.RunDir, false)
		if err := os.WriteFile(traceFile, tracetest.Sealed([]byte(tt.text)), 0o644); err != nil {
			t.Fatal(err)
		}
		if x := loadIndex(t, o.RunDir, false); x.Tick != tt.last || tt.digest != "" && x.Digest != tt.digest {
			t.Errorf("%s: the index ends with tick %d, digest %s", name, x.Tick, x.Digest)
		}
		if err := os.WriteFile(traceFile, []byte(whole), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
