package batch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"example.com/agentworld/internal/folder"
	"example.com/agentworld/metric"
	"example.com/agentworld/plaintext"
)

// thinnedFile is the file of a batch whose runs were removed.
const thinnedFile = "thinned"

// ErrThinned says that a run of a batch is not there any more.
var ErrThinned = errors.New("its run was removed by batch thin, and its result was kept")

// keptInCell is what a thinned cell has.
var keptInCell = []string{ResultFile, measuredFile}

// Thinned is what thinning a batch removes.
type Thinned struct {
	// Cells counts the cells, Runs the attempts at them that are removed, Bytes what their files and logs take.
	Cells int
	Runs  int
	Bytes int64
}

// Thin removes of a finished batch what no report needs: runs, logs and recorded answers. Results stay, with the
// metrics of a list, which are computed before. Without remove it only says what would go. It may be killed at any
// time, and called again. The error says that the batch is not finished, or what cannot be read or removed.
func (d Dir) Thin(ctx context.Context, list metric.List, lease time.Duration, jobs int, remove bool) (Thinned, error) {
	f, cells, results, err := d.File(list)
	if err != nil {
		return Thinned{}, err
	}
	if err := d.finished(f, cells, results, lease); err != nil {
		return Thinned{}, err
	}
	if remove {
		err = d.Measure(ctx, f.Metrics, results, jobs)
		if err == nil {
			err = d.allMeasured(f.Metrics, results)
		}
		if err == nil {
			err = d.WriteResults(results)
		}
		if err == nil { // before the first run is removed, so that a reader of a missing run is told why
			err = d.replace(thinnedFile, nil)
		}
	}
	out := Thinned{Cells: len(cells)}
	for _, r := range results {
		if err == nil && Final(r.Status) {
			err = d.thin(r.ID, &out, remove)
		}
		if err != nil {
			return out, fmt.Errorf("thin the batch: %w", err)
		}
	}
	return out, nil
}

// finished refuses a batch in which something is left to play.
func (d Dir) finished(f File, cells []Cell, results []Result, lease time.Duration) error {
	s, err := d.Status(lease)
	if err != nil {
		return err
	}
	if s.Playing > 0 {
		return fmt.Errorf("%d of %s are played; allowed: a batch that is finished", s.Playing,
			plaintext.Count(len(cells), "cell"))
	}
	if s.Done == len(cells) {
		return nil
	}
	over, err := Options{Dir: d, Compare: f.Compare, Metrics: f.Metrics}.Decided(cells, results)
	if err == nil && !over {
		err = fmt.Errorf("%d of %s have no result; allowed: a batch that is finished, which batch run does",
			len(cells)-s.Done, plaintext.Count(len(cells), "cell"))
	}
	return err
}

// allMeasured refuses results without the value of a metric that their runs, which are there, can still be asked for.
func (d Dir) allMeasured(list metric.List, results []Result) error {
	for _, r := range results {
		for _, o := range r.Own {
			m, known := list.Named(o.Name)
			if known && m.Computes() && o.Failure() != nil && d.holdsRun(r.ID, r.Attempt) {
				return fmt.Errorf("metric %s of cell %s: %w; nothing was removed; allowed: an expression that each run "+
					"gives, or none of that name", o.Name, r.ID, o.Failure())
			}
		}
	}
	return nil
}

// thin removes what a cell with a result does not need.
func (d Dir) thin(id ID, out *Thinned, remove bool) error {
	entries, err := d.folder().List(inCell(id))
	if err != nil {
		return err
	}
	out.Runs += len(folder.Numbered(entries, attemptPrefix))
	for _, e := range entries {
		if slices.Contains(keptInCell, e.Name()) {
			continue
		}
		name := inCell(id, e.Name())
		err := filepath.WalkDir(d.path(name), func(_ string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			info, err := e.Info()
			if err == nil {
				out.Bytes += info.Size()
			}
			return err
		})
		if err == nil && remove {
			err = d.folder().RemoveAll(name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Thinned says that runs of the batch were removed, all or some.
func (d Dir) Thinned() bool {
	info, err := d.folder().Stat(thinnedFile)
	return err == nil && info.Mode().IsRegular()
}

// ThinnedAround says that a path is in a cell of a batch whose runs were removed.
func ThinnedAround(path string) bool {
	for dir := filepath.Clean(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if filepath.Base(filepath.Dir(dir)) == cellsDir {
			return Dir(filepath.Dir(filepath.Dir(dir))).Thinned()
		}
	}
	return false
}
