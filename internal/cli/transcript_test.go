package cli

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/trace"
)

// TestIndexedTranscriptIsTheWholeOne compares decisions found by way of the index with
// those found by reading the trace from its start, across a stretch of parts and several
// files.
func TestIndexedTranscriptIsTheWholeOne(t *testing.T) {
	slow(t)
	p := newProcess(t, nil, "llm_bootstrap", "--ticks", "70", "--run-dir", "run", "--trace-segment-mb", "1", "--quiet", "--protocol", "lean")
	if code := p.run(t); code != exitCompleted {
		t.Fatal(p.output())
	}
	if files, err := filepath.Glob(filepath.Join(p.dir, "run", "trace-*.zst")); err != nil || len(files) == 0 {
		t.Fatal("the trace is in one file")
	}
	var all []*transcript
	for _, tick := range []int64{1, 40, 63, 64, 69, 70} {
		all = append(all, &transcript{tick: tick, agent: "agent-2"})
	}
	err := p.eachRecord("run", func(r trace.Record) {
		for _, want := range all {
			want.add(r)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, want := range all {
		tick := want.tick
		got, ok := p.indexedTranscript("run", tick, "agent-2")
		if want.decision == nil {
			continue
		}
		if !ok {
			t.Errorf("tick %d is not found by way of the index", tick)
			continue
		}
		found++
		if diff := cmp.Diff(want.decision, got.decision); diff != "" {
			t.Errorf("tick %d: %s", tick, diff)
		}
		if diff := cmp.Diff(want.calls, got.calls); diff != "" {
			t.Errorf("tick %d: %s", tick, diff)
		}
		for _, c := range got.calls {
			if _, err := got.prompt(c); err != nil {
				t.Errorf("tick %d: %v", tick, err)
			}
		}
	}
	if found < 4 {
		t.Errorf("only %d decisions to compare", found)
	}
}
