//go:build unix

package run_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/agentworld/run"
)

// TestAPipeIsNoFileOfARun puts a pipe, to which no one writes, in the place of each file. The
// time is one that only a reader that waits for it needs.
func TestAPipeIsNoFileOfARun(t *testing.T) {
	for _, name := range []string{run.TraceFile, "trace-000001.jsonl.zst", run.ReportFile, run.IndexFile, run.LockFile, "waits.json", run.AsksFile} {
		dir, err := begin(t, 4000)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := dir.Index(true); err != nil {
			t.Fatal(err)
		}
		unlock, err := dir.Lock()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(string(dir), name)
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		done := make(chan []error)
		go func() {
			_, header := dir.Header()
			_, _, index := dir.Index(false)
			_, state := dir.State()
			_, files := dir.Files()
			_, asks := dir.Asks()
			_, create := dir.Waits(), dir.Create()
			if dir.Holder() == "" {
				t.Errorf("%s: nobody holds the run", name)
			}
			done <- []error{header, index, state, files, asks, create}
		}()
		select {
		case errs := <-done:
			said := ""
			for _, err := range errs {
				if err != nil {
					said += err.Error() + "\n"
				}
			}
			needed := name != run.IndexFile && name != run.LockFile && name != "waits.json"
			if needed && !strings.Contains(said, "regular file") {
				t.Errorf("%s: %s", name, said)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: the reader waits for a pipe", name)
		}
		if err := unlock(); err != nil {
			t.Fatal(err)
		}
	}
}
