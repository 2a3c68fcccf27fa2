package run_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld/internal/folder"
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

// syncing is a disk that reports whenever the names in a directory are synced.
type syncing struct {
	run.SystemDisk
	see func(dir string)
}

func (s syncing) SyncDir(in folder.Dir) error {
	s.see(string(in))
	return s.SystemDisk.SyncDir(in)
}

// TestNewNamesAreSynced: a power failure leaves the directory of a new run and the name of
// its trace, in which answers are synced.
func TestNewNamesAreSynced(t *testing.T) {
	root := t.TempDir()
	dir := run.Dir(filepath.Join(root, "runs", "one"))
	var synced []string
	defer run.OnDisk(syncing{see: func(at string) {
		if _, err := os.Stat(filepath.Join(string(dir), run.TraceFile)); err == nil {
			at += " with the trace"
		}
		synced = append(synced, strings.TrimPrefix(at, root))
	}})()
	if err := dir.Create(); err != nil {
		t.Fatal(err)
	}
	l, err := dir.CreateLog()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(synced, ", "), "/runs, , /runs/one with the trace"; filepath.ToSlash(got) != want {
		t.Errorf("synced %q, want %q", got, want)
	}
}

// TestClearLeavesNothingOfARun: and what others keep there stays.
func TestClearLeavesNothingOfARun(t *testing.T) {
	dir := t.TempDir()
	books := filepath.Join(dir, run.PlaybookDir)
	for _, kept := range []bool{true, false} {
		if err := os.MkdirAll(books, 0o755); err != nil {
			t.Fatal(err)
		}
		names := []string{run.TraceFile, run.ReportFile, run.ControlFile, "trace-000001.jsonl.zst", filepath.Join(run.PlaybookDir, "agent-1.toml")}
		note := filepath.Join(books, "notes.txt")
		if kept {
			names = append(names, filepath.Join(run.PlaybookDir, "notes.txt"))
		}
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := run.Dir(dir).Clear(); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(note); (err == nil) != kept {
			t.Errorf("a note in the directory of playbooks: %v", err)
		}
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 && !kept {
			t.Errorf("%v are left, %v", left, err)
		}
	}
}
