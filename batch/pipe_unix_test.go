//go:build unix

package batch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/agentworld/run"
)

// TestAPipeIsNoFileOfABatch puts a pipe, to which no one writes, in the place of each file that a
// look at a batch reads. The time is one that only a reader that waits for it needs.
func TestAPipeIsNoFileOfABatch(t *testing.T) {
	for _, name := range []string{cellsFile, batchFile, workersPlaying, ResultFile, failureFile, ownerFile, LeaseKey(1)} {
		cells := planned(1)
		id := cells[0].ID
		d := created(t, cells)
		path := d.path(name)
		switch name {
		case ResultFile, failureFile:
			path = d.cell(id, name)
		case ownerFile:
			path = d.attempt(id, 1, name)
		}
		if err := errors.Join(os.RemoveAll(path), os.MkdirAll(filepath.Dir(path), 0o700), syscall.Mkfifo(path, 0o600)); err != nil {
			t.Fatal(err)
		}
		reads := func() error {
			_, status := d.Status(time.Minute)
			_, cells, _, file := d.File(nil)
			list, results := d.Results(cells)
			for _, r := range list { // a file of one cell is a failure of that cell
				if strings.Contains(r.Reason, run.ErrIrregular.Error()) {
					results = run.ErrIrregular
				}
			}
			RunOfCell(d.cell(id))
			return errors.Join(status, file, results)
		}
		// A reader that waits for the other end of a pipe never returns. The owner is only for people.
		if err := reads(); name != ownerFile && !errors.Is(err, run.ErrIrregular) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
