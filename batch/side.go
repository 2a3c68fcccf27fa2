package batch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/agentworld/report"
	"example.com/agentworld/run"
)

// Side is some runs that are compared with those of other sides. Where runs have the repeat 0, they are counted.
type Side struct {
	Name    string
	Results []Result
}

// SideReader reads sides from where their runs are. Fold is the report of the run in a directory, below the name of
// the side. Measure, when set, gives the results of a batch directory the metrics that they do not have.
type SideReader struct {
	Fold    func(dir string) (report.Report, error)
	Measure func(d Dir, results []Result) error
}

// Read reads the runs at a path: those of a batch directory or of its results.jsonl, a run directory, or all runs in a
// directory. A run that has no end counts as one that failed. The error says what cannot be read, or that there is no
// run.
func (of SideReader) Read(name, path string) (Side, error) {
	results, err := of.results(name, path)
	if err == nil && len(results) == 0 {
		err = ErrNoRuns
	}
	return Side{name, results}, err
}

// ErrNoRuns says that there are no runs where those of a side should be.
var ErrNoRuns = errors.New("there is no run with an end")

// results are those of [SideReader.Read].
func (of SideReader) results(name, path string) ([]Result, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("look for runs: %w", err)
	}
	file := path
	if info.IsDir() {
		if _, cells, err := Dir(path).Cells(); err == nil {
			results, err := Dir(path).Results(cells) // its file of results is made when a process ends
			if err == nil && of.Measure != nil {
				err = of.Measure(Dir(path), results)
			}
			return results, err
		}
		file = filepath.Join(path, ResultsFile)
	}
	f, err := run.OpenRegular(file)
	if err == nil {
		defer f.Close()
		return ReadResults(f)
	}
	if file == path || !errors.Is(err, fs.ErrNotExist) { // a file that the user names, or one that is there
		return nil, fmt.Errorf("look for runs: %w", err)
	}
	if IsRun(path) {
		return of.runs(name)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("look for runs: %w", err)
	}
	var dirs []string
	for _, e := range entries {
		if e.IsDir() && IsRun(filepath.Join(path, e.Name())) {
			dirs = append(dirs, filepath.Join(name, e.Name()))
		}
	}
	return of.runs(dirs...)
}

// runs are the results of runs in directories.
func (of SideReader) runs(dirs ...string) (list []Result, err error) {
	for _, dir := range dirs {
		r, err := of.Fold(dir)
		if err != nil {
			return nil, err
		}
		one := ResultOf(Cell{ID: ID(dir), Scenario: r.Scenario, Seed: r.Seed}, 1, r, "")
		one.WallMS = r.Timing.WallMS
		list = append(list, one)
	}
	return list, nil
}

// IsRun says that a directory holds a run.
func IsRun(dir string) bool {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return false
	}
	f, err := run.Dir(dir).Open()
	if err != nil {
		return !errors.Is(err, run.ErrNoRun) && !errors.Is(err, fs.ErrNotExist)
	}
	_ = f.Close()
	return true
}
