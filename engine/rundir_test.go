package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	rundir "example.com/agentworld/run"
)

// TestCreateRunDirRefusesWhatIsLeftOfARun puts single files of a run into a directory: a
// new run there would replace them.
func TestCreateRunDirRefusesWhatIsLeftOfARun(t *testing.T) {
	for _, c := range []struct {
		name    string
		refused bool
	}{
		{rundir.TraceFile, true},
		{"trace-000001.jsonl.zst", true},
		{"trace-000007.jsonl.zst", true},
		{rundir.ReportFile, true},
		{"trace-7.jsonl.zst", false}, // not written by any run
		{rundir.LockFile, false},     // a process that was killed at once leaves it
		{rundir.IndexFile, false},
		{"notes.txt", false},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, []byte("kept"), 0o644); err != nil {
			t.Fatal(err)
		}
		err := rundir.Dir(dir).Create()
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
