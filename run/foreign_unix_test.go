//go:build unix

package run_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"example.com/agentworld/run"
)

// foreign puts something into the place of a file of a run, and is false where this system or user
// cannot make it. outside is a directory with a file of somebody else.
var foreign = map[string]func(path, outside string) error{
	"a link":           func(path, outside string) error { return os.Symlink(filepath.Join(outside, "kept"), path) },
	"a dangling link":  func(path, outside string) error { return os.Symlink(filepath.Join(outside, "new"), path) },
	"a link inside":    func(path, _ string) error { return os.Symlink("notes.txt", path) },
	"a hard link":      func(path, outside string) error { return os.Link(filepath.Join(outside, "kept"), path) },
	"a pipe":           func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
	"a directory":      func(path, _ string) error { return os.Mkdir(path, 0o700) },
	"an endless file":  func(path, _ string) error { return syscall.Mknod(path, syscall.S_IFCHR|0o600, 1<<8|5) },
	"a link to itself": func(path, _ string) error { return os.Symlink(filepath.Base(path), path) },
	"a socket": func(path, _ string) error {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		if err != nil {
			return err
		}
		l.SetUnlinkOnClose(false)
		return l.Close()
	},
}

// TestForeignThingsInARunDirectory puts each kind of thing into each place of a run directory: a
// writer refuses all, a reader all but a second name of a file, and nothing outside is touched. The
// time is one that only a call that waits for the other end needs.
func TestForeignThingsInARunDirectory(t *testing.T) {
	places := []string{
		run.TraceFile, "trace-000001.jsonl.zst", run.ReportFile, run.IndexFile, run.CutFile, run.LockFile, run.ClaimFile, run.ClaimFile + ".9",
		run.ControlFile, "waits.json", run.AsksFile, run.PlaybookDir, filepath.Join(run.PlaybookDir, "agent-1.toml"),
	}
	whole, err := begin(t, 4000)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := whole.Index(true); err != nil {
		t.Fatal(err)
	}
	for _, place := range places {
		for kind, put := range foreign {
			if place == run.PlaybookDir && (kind == "a directory" || kind == "a hard link") {
				continue // as it should be, and what no system can do
			}
			name := place + ", " + kind
			outside, dir := t.TempDir(), run.Dir(filepath.Join(t.TempDir(), "run"))
			if err := os.CopyFS(string(dir), os.DirFS(string(whole))); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(string(dir), place)
			err = errors.Join(
				os.WriteFile(filepath.Join(outside, "kept"), []byte("kept"), 0o600), os.WriteFile(filepath.Join(string(dir), "notes.txt"), []byte("kept"), 0o600),
				os.RemoveAll(path), os.MkdirAll(filepath.Dir(path), 0o700))
			if err != nil {
				t.Fatal(err)
			}
			if err := put(path, outside); err != nil {
				if kind == "an endless file" || kind == "a socket" {
					continue // for root alone, or too long a name
				}
				t.Fatal(err)
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				lookAtForeign(t, name, dir, kind != "a hard link")
			}()
			select {
			case <-done:
			case <-time.After(30 * time.Second):
				t.Fatalf("%s: somebody waits for what is no file", name)
			}
			for _, file := range []string{filepath.Join(outside, "kept"), filepath.Join(string(dir), "notes.txt")} {
				if text, err := os.ReadFile(file); string(text) != "kept" {
					t.Errorf("%s: %s holds %q, %v", name, file, text, err)
				}
			}
			if left, err := os.ReadDir(outside); len(left) != 1 {
				t.Errorf("%s: outside there is %v, %v", name, left, err)
			}
		}
	}
}

// lookAtForeign uses a run directory in every way. A writer is refused, and a reader if that is given.
func lookAtForeign(t *testing.T, name string, dir run.Dir, reader bool) {
	_, header := dir.Header()
	_, _, index := dir.Index(false)
	_, state := dir.State()
	_, files := dir.Files()
	for what, err := range map[string]error{"header": header, "index": index, "state": state, "files": files} {
		if reader && !errors.Is(err, run.ErrIrregular) {
			t.Errorf("%s: the %s is read: %v", name, what, err)
		}
	}
	_, _ = dir.Asks()
	_, _ = dir.Waits(), dir.Holder()
	_, err := dir.Lock()
	if !errors.Is(err, run.ErrIrregular) {
		t.Errorf("%s: the run is locked: %v", name, err)
	}
	if err := dir.Create(); err == nil {
		t.Errorf("%s: a run is begun", name)
	}
	// Each of these writes one file: all others are none of its business.
	dir.KeepWaits([]byte("{}"))
	_ = dir.KeepReport(reportOf("0123456789abcdef"))
	_ = dir.KeepAsk([]byte(`{"a":1}`))
	_ = dir.KeepPlaybook("agent-1", []byte("x"))
	if l, err := dir.CreateLog(); err == nil {
		t.Errorf("%s: a second trace is begun", name)
		_ = l.Close()
	}
}

// TestALinkedRunDirectory: the path of a run itself may be a link.
func TestALinkedRunDirectory(t *testing.T) {
	dir, err := begin(t, 4000)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "latest")
	if err := os.Symlink(string(dir), link); err != nil {
		t.Fatal(err)
	}
	unlock, err := run.Dir(link).Lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Lock(); err == nil {
		t.Error("a run is locked by two of its paths")
	}
	_, _, err = run.Dir(link).Index(true)
	if err := errors.Join(err, run.Dir(link).KeepAsk([]byte(`{"a":1}`)), unlock()); err != nil {
		t.Error(err)
	}
}

// TestARunKilledBeforeItsFirstRecord: what is left of it is taken over by the next run there.
func TestARunKilledBeforeItsFirstRecord(t *testing.T) {
	for _, begun := range []string{"-", "", `{"type":"hea`, "\x00\x00\x00"} {
		dir := run.Dir(filepath.Join(t.TempDir(), "run"))
		if err := dir.Create(); err != nil {
			t.Fatal(err)
		}
		unlock, err := dir.Lock()
		if err != nil {
			t.Fatal(err)
		}
		if err := unlock(); err != nil {
			t.Fatal(err)
		}
		if begun != "-" {
			if err := os.WriteFile(filepath.Join(string(dir), run.TraceFile), []byte(begun), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := dir.Create(); err != nil {
			t.Errorf("%q: %v", begun, err)
			continue
		}
		l, err := dir.CreateLog()
		if err != nil {
			t.Errorf("%q: %v", begun, err)
			continue
		}
		if err := errors.Join(l.Write(header(0)), l.Close()); err != nil {
			t.Errorf("%q: %v", begun, err)
		}
		if _, err := dir.Header(); err != nil {
			t.Errorf("%q: %v", begun, err)
		}
		if err := dir.Create(); err == nil {
			t.Errorf("%q: a run with its first record is taken over", begun)
		}
	}
}
