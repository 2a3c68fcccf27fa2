package run_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld/run"
)

// TestCreateRefusesWhatIsLeftOfARun puts single files of a run into a directory: a
// new run there would replace them.
func TestCreateRefusesWhatIsLeftOfARun(t *testing.T) {
	for _, c := range []struct {
		name    string
		refused bool
	}{
		{run.TraceFile, true},
		{"trace-000001.jsonl.zst", true},
		{"trace-000007.jsonl.zst", true},
		{run.ReportFile, true},
		{"trace-7.jsonl.zst", false}, // not written by any run
		{run.LockFile, false},        // a process that was killed at once leaves it
		{run.IndexFile, false},
		{"notes.txt", false},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, []byte("kept"), 0o644); err != nil {
			t.Fatal(err)
		}
		err := run.Dir(dir).Create()
		if (err != nil) != c.refused {
			t.Errorf("with %s: %v, want a refusal: %v", c.name, err, c.refused)
		}
		if c.refused && (err == nil || !strings.Contains(err.Error(), "already holds a run") || !strings.Contains(err.Error(), c.name)) {
			t.Errorf("with %s: %v, which does not say what is there", c.name, err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "kept" {
			t.Errorf("%s was touched: %q, %v", c.name, text, err)
		}
	}
}
