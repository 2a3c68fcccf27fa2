package run_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"example.com/agentworld/run"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// TestLockFilesLetNobodyIn removes, replaces and links the lock file of a run that a
// process works on: no other process gets in, and the target of a link is not written.
func TestLockFilesLetNobodyIn(t *testing.T) {
	root := t.TempDir()
	dir := run.Dir(filepath.Join(root, "run"))
	if err := dir.Create(); err != nil {
		t.Fatal(err)
	}
	mine, other := filepath.Join(string(dir), run.LockFile), filepath.Join(root, "other")
	if err := os.WriteFile(other, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, mine); err != nil { // before anybody has the lock
		t.Fatal(err)
	}
	if by := dir.Holder(); by != "" {
		t.Errorf("%s is named as the holder of a free run", by)
	}
	if _, err := dir.Lock(); !errors.Is(err, run.ErrIrregular) {
		t.Errorf("a run with a linked lock file is locked: %v", err)
	}
	if err := os.Remove(mine); err != nil {
		t.Fatal(err)
	}
	unlock, err := dir.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if by := dir.Holder(); by != strconv.Itoa(os.Getpid()) {
		t.Errorf("%q works on the run", by)
	}
	for name, change := range map[string]func() error{
		"nothing":  func() error { return nil },
		"removed":  func() error { return os.Remove(mine) },
		"replaced": func() error { return errors.Join(remove(mine), os.WriteFile(mine, []byte("1\n"), 0o600)) },
		"linked":   func() error { return errors.Join(remove(mine), os.Link(other, mine)) },
		"symlink":  func() error { return errors.Join(remove(mine), os.Symlink(other, mine)) },
		"a directory": func() error {
			return errors.Join(remove(mine), os.Mkdir(mine, 0o700))
		},
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		again, err := dir.Lock()
		if _, locked := errors.AsType[*run.LockedError](err); !locked {
			t.Errorf("%s: %v, want a refusal", name, err)
		}
		if err == nil {
			_ = again()
		}
	}
	if err := errors.Join(remove(mine), unlock()); err != nil {
		t.Fatal(err)
	}
	if unlock, err = dir.Lock(); err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(other); string(text) != "kept" {
		t.Errorf("what the lock file was linked to holds %q, %v", text, err)
	}
}

func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// reportOf is a report that was made of a trace with a head.
func reportOf(head trace.Chain) []byte {
	return state.SealReport(fmt.Appendf(nil, `{"timing": {"trace_head": %q, "report_hash": ""}}`, head))
}

// TestRunsArePrivate: only the owner can read anything of a run.
func TestRunsArePrivate(t *testing.T) {
	dir := run.Dir(filepath.Join(t.TempDir(), "runs", "one"))
	if err := dir.Create(); err != nil {
		t.Fatal(err)
	}
	unlock, err := dir.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	l, err := dir.CreateLog()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Write(header(4 << 10)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(play(l, 0), dir.KeepPlaybook("agent-1", []byte("x"))); err != nil {
		t.Fatal(err)
	}
	if err := dir.KeepReport(reportOf(l.Head())); err != nil {
		t.Fatal(err)
	}
	if err := dir.KeepReport(reportOf("0123456789abcdef")); err == nil {
		t.Error("a report of another trace was kept")
	}
	if _, _, err := dir.Index(false); err != nil {
		t.Fatal(err)
	}
	files := 0
	err = filepath.WalkDir(filepath.Dir(string(dir)), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[entry.IsDir()]; err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has %v, want %v", path, info.Mode().Perm(), want)
		}
		files++
		return err
	})
	if err != nil || files < 7 {
		t.Errorf("%d files and directories, %v", files, err)
	}
}
