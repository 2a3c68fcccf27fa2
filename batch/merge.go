package batch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"example.com/agentworld/llmclient"
)

// ConflictError says that two directories have different results of one cell.
type ConflictError struct {
	Cell ID
	// Dirs are the directories, What says in what the results differ.
	Dirs [2]Dir
	What string
}

// Error names both directories.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("cell %s has different results in %s and %s: %s", e.Cell, e.Dirs[0], e.Dirs[1], e.What)
}

// Merge unites directories of one batch in d, which is new or has the same cells: results, the runs
// they come from, and runs that have not ended. It returns how many cells have a result then. A
// cell with equal results in two directories has one; different ones are a [ConflictError], and
// nothing is written before all are compared.
func (d Dir) Merge(from []Dir) (results int, err error) {
	dirs := from
	if _, _, err := d.Cells(); err == nil {
		dirs = append([]Dir{d}, from...)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	name, cells, err := dirs[0].Cells()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", dirs[0], err)
	}
	text, err := os.ReadFile(dirs[0].path(batchFile))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", dirs[0], err)
	}
	// best is where the result of a cell, or else its longest history of attempts, stands.
	best := map[ID]Dir{}
	for _, other := range dirs {
		_, same, err := other.Cells()
		if err != nil {
			return 0, fmt.Errorf("%s: %w", other, err)
		}
		if string(llmclient.Marshal(same)) != string(llmclient.Marshal(cells)) {
			return 0, fmt.Errorf("%s and %s have different cells; allowed: copies of one batch", dirs[0], other)
		}
		for _, c := range cells {
			at, known := best[c.ID]
			if !known {
				best[c.ID] = other
				continue
			}
			a, hasA, err := at.result(c.ID, resultFile)
			if err != nil {
				return 0, fmt.Errorf("%s: %w", at, err)
			}
			b, hasB, err := other.result(c.ID, resultFile)
			if err != nil {
				return 0, fmt.Errorf("%s: %w", other, err)
			}
			switch {
			case hasA && hasB && (a.Digest != b.Digest || a.Status != b.Status):
				return 0, &ConflictError{c.ID, [2]Dir{at, other}, fmt.Sprintf("%s with digest %.16s, and %s with digest %.16s", a.Status, a.Digest, b.Status, b.Digest)}
			case hasB && !hasA:
				best[c.ID] = other
			case !hasA && !hasB:
				if mine, theirs, err := latestOf(at, other, c.ID); err != nil {
					return 0, err
				} else if theirs > mine {
					best[c.ID] = other
				}
			}
		}
	}
	var planned []Planned
	for _, c := range cells {
		s, err := dirs[0].Settings(c.ID)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", dirs[0], err)
		}
		planned = append(planned, Planned{c, s})
	}
	if err := d.Create(name, planned); err != nil {
		return 0, err
	}
	if err := d.KeepFile(text); err != nil {
		return 0, err
	}
	for _, c := range cells {
		if err := d.take(best[c.ID], c.ID); err != nil {
			return 0, fmt.Errorf("copy cell %s from %s: %w", c.ID, best[c.ID], err)
		}
		if d.Done(c.ID) {
			results++
		}
	}
	all, err := d.Results(cells)
	if err != nil {
		return 0, err
	}
	return results, d.WriteResults(all)
}

// latestOf are the latest attempts at a cell in two directories.
func latestOf(a, b Dir, id ID) (mine, theirs int64, err error) {
	for _, of := range []struct {
		dir  Dir
		into *int64
	}{{a, &mine}, {b, &theirs}} {
		numbers, err := of.dir.attempts(id)
		if err != nil {
			return 0, 0, err
		}
		if len(numbers) > 0 {
			*of.into = numbers[len(numbers)-1]
		}
	}
	return mine, theirs, nil
}

// take copies a cell from another directory, its result last.
func (d Dir) take(from Dir, id ID) error {
	if from == d || d.Done(id) {
		return nil
	}
	numbers, err := from.attempts(id)
	if err != nil {
		return err
	}
	for _, n := range numbers {
		to := d.attempt(id, n)
		if _, err := os.Lstat(to); err == nil {
			continue // a copy of the same attempt
		}
		if err := copyRun(from.attempt(id, n), to); err != nil {
			return err
		}
	}
	for _, file := range []string{failureFile, resultFile} {
		r, ok, err := from.result(id, file)
		if err != nil {
			return err
		}
		if ok && file == resultFile {
			_, err = d.Finish(r)
		} else if ok {
			err = d.Fail(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
