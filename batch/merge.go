package batch

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"example.com/agentworld/engine/budget"
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
// they come from, runs that have not ended, and what was taken of the budget. It returns how many
// cells have a result then. A cell with equal results in two directories has one; different ones are
// a [ConflictError], and nothing is written before all are compared.
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
	text, err := dirs[0].read(batchFile)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", dirs[0], err)
	}
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
			} else {
				best[c.ID], err = fuller(at, other, c.ID)
				if err != nil {
					return 0, err
				}
			}
		}
	}
	if err := d.Create(name, cells); err != nil {
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
		if err := d.takeMeasured(from, c.ID); err != nil {
			return 0, fmt.Errorf("copy the metrics of cell %s: %w", c.ID, err)
		}
	}
	for _, other := range from {
		if err := TakeLeases(d.Store(), other.Store()); err != nil {
			return 0, fmt.Errorf("copy the budget from %s: %w", other, err)
		}
	}
	for _, other := range from {
		if other.Thinned() {
			if err := d.replace(thinnedFile, nil); err != nil {
				return 0, err
			}
		}
	}
	all, err := d.Results(cells)
	if err != nil {
		return 0, err
	}
	return results, d.WriteResults(all)
}

// fuller is the one of two directories that has the result of a cell, or without one the latest
// attempt; a if they are equal. The error is a [ConflictError] if they have different results.
func fuller(a, b Dir, id ID) (Dir, error) {
	ours, hasA, err := a.result(id, ResultFile)
	if err != nil {
		return a, fmt.Errorf("%s: %w", a, err)
	}
	theirs, hasB, err := b.result(id, ResultFile)
	if err != nil {
		return a, fmt.Errorf("%s: %w", b, err)
	}
	switch {
	case hasA && hasB:
		if what := ours.Differs(theirs); what != "" {
			return a, &ConflictError{id, [2]Dir{a, b}, what}
		}
	case hasB:
		return b, nil
	case !hasA:
		latestA, latestB, err := latestOf(a, b, id)
		if err != nil || latestB > latestA {
			return b, err
		}
	}
	return a, nil
}

// TakeLeases brings into one store what the processes of another have leased of a budget. A name that both have
// is of the same processes, and grows: the larger one is the later one.
func TakeLeases(into, from Store) error {
	theirs, _, err := leases(from, 0)
	if err != nil || len(theirs) == 0 {
		return err
	}
	_, err = changeLeases(into, 0, func(ours map[string]budget.Amount) bool {
		changed := false
		for name, leased := range theirs {
			more := leased.AtLeast(ours[name])
			changed = changed || more != ours[name]
			ours[name] = more
		}
		return changed
	})
	return err
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

// takeMeasured adds what other copies of a result were measured by. A result is the same in all of them.
func (d Dir) takeMeasured(from []Dir, id ID) error {
	ours, has, err := d.result(id, ResultFile)
	if err != nil || !has {
		return err
	}
	rows := d.measured(ours)
	known := len(rows)
	for _, other := range from {
		for _, row := range other.measured(ours) {
			if !slices.ContainsFunc(rows, row.Same) {
				rows = append(rows, row)
			}
		}
	}
	if len(rows) > known {
		d.keepMeasured(ours, rows)
	}
	return nil
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
	result, _, err := from.result(id, ResultFile)
	if err != nil {
		return err
	}
	for _, n := range numbers {
		to := inAttempt(id, n)
		// A copy that was made while the attempt was played is half of it, and the attempt of the
		// result may be another one than ours of the same number.
		if d.folder().Exists(filepath.Join(to, endedFile)) && n != result.Attempt {
			continue
		}
		if err := d.folder().RemoveAll(to); err != nil {
			return err
		}
		if err := copyRun(from, inAttempt(id, n), d, to); err != nil {
			return err
		}
	}
	for _, file := range []string{failureFile, ResultFile} {
		r, ok, err := from.result(id, file)
		if err != nil {
			return err
		}
		if ok && file == ResultFile {
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
