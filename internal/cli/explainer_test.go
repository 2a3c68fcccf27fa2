package cli

import (
	"path/filepath"
	"testing"

	"example.com/agentworld/explain"
	"example.com/agentworld/run"
)

// TestTranscriptsHoldWholePrompts reads decisions across a stretch of parts and several
// files: the prompts of their calls can be shown.
func TestTranscriptsHoldWholePrompts(t *testing.T) {
	slow(t)
	p := newProcess(t, nil, "llm_bootstrap", "--ticks", "70", "--run-dir", "run", "--trace-segment-mb", "1", "--quiet", "--protocol", "lean")
	if code := p.run(t); code != exitCompleted {
		t.Fatal(p.output())
	}
	if files, err := filepath.Glob(filepath.Join(p.dir, "run", "trace-*.zst")); err != nil || len(files) == 0 {
		t.Fatal("the trace is in one file")
	}
	found := 0
	for _, tick := range []int64{1, 40, 63, 64, 69, 70} {
		dir := run.Dir(filepath.Join(p.dir, "run"))
		got, err := explain.ReadDecision(dir, tick, "agent-2")
		if err != nil || got.Decision == nil {
			continue // the agent decided nothing then
		}
		found++
		if err := got.ReadCalls(dir); err != nil || len(got.Calls) != len(got.Turn.Calls) {
			t.Errorf("tick %d: %v", tick, err)
		}
	}
	if found < 4 {
		t.Errorf("only %d decisions", found)
	}
}
