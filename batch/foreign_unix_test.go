//go:build unix

package batch

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/agentworld/engine/budget"
	"example.com/agentworld/trace"
)

// TestForeignLinksInABatch puts links into each place of a batch directory, and uses it in every way:
// nothing outside is read as a part of it, or touched.
func TestForeignLinksInABatch(t *testing.T) {
	cells := planned(1)
	id := cells[0].ID
	result := Result{Cell: cells[0], Attempt: 1, Status: trace.RunCompleted}
	places := []string{
		cellsFile, batchFile, ResultsFile, workersPlaying, cellsDir, inCell(id), inCell(id, ResultFile), inCell(id, failureFile),
		inAttempt(id, 1), inAttempt(id, 1, ownerFile), inAttempt(id, 1, endedFile), inAttempt(id, 1, abandonedFile), inAttempt(id, 1, runDir),
		inAttempt(id, 2), budgetDir, LeaseKey(1),
	}
	for _, place := range places {
		for kind, link := range map[string]func(outside, path string) error{
			"a link to a file":      func(outside, path string) error { return os.Symlink(filepath.Join(outside, "kept"), path) },
			"a link to a directory": os.Symlink,
			"a link to nothing":     func(outside, path string) error { return os.Symlink(filepath.Join(outside, "new"), path) },
			"a hard link":           func(outside, path string) error { return os.Link(filepath.Join(outside, "kept"), path) },
		} {
			outside, d := t.TempDir(), created(t, cells)
			path := d.path(place)
			err := errors.Join(
				os.WriteFile(filepath.Join(outside, "kept"), []byte("kept"), 0o600), os.MkdirAll(d.attempt(id, 1), 0o700),
				os.RemoveAll(path), os.MkdirAll(filepath.Dir(path), 0o700))
			if err != nil {
				t.Fatal(err)
			}
			writeRun(t, filepath.Join(outside, "run"), trace.DefaultSettings())
			if err := link(outside, path); err != nil {
				t.Fatal(err)
			}
			before := list(t, outside)
			use(t, d, cells, result)
			if after := list(t, outside); after != before {
				t.Errorf("%s, %s: outside there was %s, and is %s", place, kind, before, after)
			}
			if place == inAttempt(id, 1, runDir) || place == inAttempt(id, 1) {
				if d.holdsRun(id, 1) {
					t.Errorf("%s, %s: a run outside is continued", place, kind)
				}
			}
		}
	}
}

// list is what a directory holds, with the content of files.
func list(t *testing.T, dir string) (all string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		all += path + "\n"
		if e.Type().IsRegular() {
			text, err := os.ReadFile(path)
			all += string(text) + "\n"
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// use uses a batch directory in every way. What fails is told, and is no matter here.
func use(t *testing.T, d Dir, cells []Cell, result Result) {
	t.Helper()
	id := cells[0].ID
	const lease = time.Millisecond
	time.Sleep(2 * lease) // whoever seems to have the cell is silent
	_, _ = d.Status(lease)
	_, _ = d.Results(cells)
	_, _ = d.Begin(cells)
	c, err := d.claim(id, lease)
	if err == nil && c != nil {
		_, _ = c.adopt()
		_ = c.release()
	}
	_ = d.Abandon(id, 1)
	_ = d.Fail(result)
	_ = d.KeepFile([]byte("name = \"other\"\n"))
	_ = d.KeepPlaying(map[ID]int64{id: 1})
	l, err := OpenLedger(d.Store(), trace.Limit{Calls: 10}, Shard{}, "")
	if err == nil {
		_, _ = l.Reserve(t.Context(), budget.Amount{1})
		_ = l.Close()
	}
	_ = Dir(filepath.Join(t.TempDir(), "into")).takeAll(d)
	_, _ = d.Finish(result)
	_ = d.WriteResults([]Result{result})
	_ = d.Create("b", cells)
	RunOfCell(d.cell(id))
}

// takeAll merges another directory into this one.
func (d Dir) takeAll(from Dir) error {
	_, err := d.Merge([]Dir{from})
	return err
}
