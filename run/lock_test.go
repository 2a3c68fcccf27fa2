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

// TestRemovingAClaimLetsNobodyIn removes and replaces the claim of a run that a process works on: no other
// process gets in.
func TestRemovingAClaimLetsNobodyIn(t *testing.T) {
	dir := run.Dir(filepath.Join(t.TempDir(), "run"))
	if err := dir.Create(); err != nil {
		t.Fatal(err)
	}
	unlock, err := dir.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if by := dir.Holder(); by != strconv.Itoa(os.Getpid()) {
		t.Errorf("%q works on the run", by)
	}
	mine := filepath.Join(string(dir), run.ClaimName+"-1")
	for name, change := range map[string]func() error{
		"nothing":  func() error { return nil },
		"removed":  func() error { return os.RemoveAll(mine) },
		"replaced": func() error { return errors.Join(os.RemoveAll(mine), os.WriteFile(mine, []byte("1\n"), 0o600)) },
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
	if err := errors.Join(os.RemoveAll(mine), unlock()); err != nil {
		t.Fatal(err)
	}
	if unlock, err = dir.Lock(); err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
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
