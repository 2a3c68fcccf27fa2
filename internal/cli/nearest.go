package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/agentworld/internal/document"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
)

// offered says which names are allowed in place of a word, and which of them is near: none of
// those that differ in a number alone, as agents do.
func offered(word string, names []string) string {
	letters := func(name string) string { return strings.Trim(name, "0123456789") }
	other := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return letters(name) == letters(word) })
	return settings.DidYouMean(word, other) + "allowed: " + plaintext.Listed(names)
}

// latestRun is what the newest run below runsDirDefault is called. A directory of that name is
// reached as ./latest.
const latestRun = "latest"

// runNamed returns the run directory that an argument names: itself, or for [latestRun] the run
// that began last, of several in one second the last by name. It says which.
func (fl *files) runNamed(word string) (string, error) {
	if word != latestRun {
		return word, nil
	}
	runs, err := fl.runsBelow(runsDirDefault)
	if err != nil {
		return "", badInput("%s cannot be read: %w", runsDirDefault, cause(err))
	}
	newest, began := "", ""
	for _, dir := range runs {
		h, err := run.Dir(fl.path(dir)).Header()
		if err != nil || h.Timing == nil {
			continue
		}
		if newest == "" || h.Timing.StartedAt >= began { // runs come by name
			newest, began = dir, h.Timing.StartedAt
		}
	}
	if newest == "" {
		return "", badInput("there is no %s run: %s holds none; allowed: a run directory", latestRun, runsDirDefault)
	}
	plaintext.Fprintf(fl.notes, "%s: %s\n", latestRun, newest)
	return newest, nil
}

// nearestRun is the run directory that a mistyped one most likely stands for, beside it or below
// runsDirDefault, empty for none.
func (fl *files) nearestRun(dir string) string {
	for _, parent := range slices.Compact([]string{filepath.Dir(dir), runsDirDefault}) {
		runs, _ := fl.runsBelow(parent) // a place that cannot be read has none
		for i, other := range runs {
			runs[i] = filepath.Base(other)
		}
		if name := document.Nearest(filepath.Base(dir), runs); name != "" {
			return filepath.Join(parent, name)
		}
	}
	return ""
}

// runsBelow are the run directories in a directory, by name; none if it does not exist.
func (fl *files) runsBelow(parent string) (runs []string, err error) {
	entries, err := os.ReadDir(fl.path(parent))
	for _, e := range entries {
		dir := filepath.Join(parent, e.Name())
		if _, err := run.Dir(fl.path(dir)).Header(); err == nil {
			runs = append(runs, dir)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return runs, err
}

// noRun refuses a directory that holds no trace.
func (fl *files) noRun(dir string) error {
	mean := settings.DidYouMean(dir, []string{latestRun})
	if near := fl.nearestRun(dir); near != "" {
		mean = "did you mean " + shown(near) + "? "
	}
	return badInput("%s holds no trace; %sallowed: a run directory, which has a file %s, or %s", shown(dir), mean,
		run.TraceFile, latestRun)
}
