package cli

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/agentworld/batch"
	"example.com/agentworld/explain"
	"example.com/agentworld/internal/document"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
	"example.com/agentworld/run/playback"
)

// openTrace opens the trace of a run directory, which is what every command that
// takes a RUN works on. The caller closes it. The error is bad input: the
// directory is not a run, or cannot be read.
func (fl *files) openTrace(runDir string) (io.ReadCloser, error) {
	// The path is shown as the user wrote it, not as it was resolved.
	f, err := fl.source(runDir).Open()
	switch {
	case errors.Is(err, run.ErrNoRun):
		return nil, fl.noRun(runDir)
	case err != nil:
		return nil, badInput("the trace of %s cannot be read: %w", shown(runDir), cause(err))
	}
	return f, nil
}

// readsUnverified gives a command that reads runs the flag to read one that was changed.
func (m *Main) readsUnverified(c *cobra.Command) *cobra.Command {
	return m.readsRuns(c, c.Flags().Bool("unverified", false, "read a run also if its records were changed, and say so"))
}

// readsRuns lets a command tell what is wrong with the runs among its arguments, but does not
// keep it from reading them. Arguments can be [latestRun]. unverified may be nil.
func (m *Main) readsRuns(c *cobra.Command, unverified *bool) *cobra.Command {
	c.PreRunE = func(c *cobra.Command, args []string) (err error) {
		m.readings = map[string]*run.Reading{}
		for i := range args {
			args[i], err = m.runNamed(args[i])
			if err != nil {
				return err
			}
			dir := args[i]
			r := &run.Reading{Unverified: unverified != nil && *unverified, RemakesReport: c.Name() == "report"}
			r.Note = func(err error) { plaintext.Fprintf(m.Stderr, "note: %s: %s\n", dir, err) }
			m.readings[m.path(dir)] = r
		}
		return nil
	}
	return c
}

// checkRun refuses a directory that holds no trace, or one that cannot be read.
func (fl *files) checkRun(runDir string) error {
	f, err := fl.openTrace(runDir)
	if err == nil {
		f.Close()
	}
	return err
}

// openRun returns a run that can be read. The error is bad input: the directory holds no trace, or one
// that cannot be opened.
func (fl *files) openRun(runDir string) (run.Source, error) {
	return fl.source(runDir), fl.checkRun(runDir)
}

// source is a run in the way that the command reads it.
func (fl *files) source(runDir string) run.Source {
	return run.Dir(fl.path(runDir)).As(fl.readings[fl.path(runDir)])
}

// unread says why something of a run cannot be shown, and what can be.
func (fl *files) unread(runDir string, err error) error {
	switch e := err.(type) {
	case *explain.NoAgentError:
		return badInput("no agent %s in this run; %s", shown(e.Agent), offered(e.Agent, e.Agents))
	case *explain.NoDecisionError:
		return noDecision(e)
	case *explain.NoStepError:
		return badInput("%w; allowed: 1 to %d", err, e.Last)
	case *explain.NoTickError:
		return badInput("%w; allowed: 1 to %d", err, e.Last)
	case *explain.NoSourceError:
		return noSource(e)
	case *explain.ManySourcesError:
		return advise(badInput("%s is another source for each of %s; allowed: one of them with --agent", shown(e.ID),
			plaintext.Listed(e.Agents)), sourceAdvice(runDir, e.ID, e.Agents[0]))
	case *explain.PartError:
		return badInput("%w", err)
	}
	if errors.Is(err, playback.ErrDiffers) {
		return badInput("%s: %w", shown(runDir), err)
	}
	allowed := ""
	if r := fl.readings[fl.path(runDir)]; r != nil && !r.Unverified && run.Damaged(err) {
		allowed = "; allowed: another run, or --unverified for what of it can be read"
	}
	return badInput("the trace of %s cannot be read: %w%s", shown(runDir), err, allowed)
}

// noDecision explains that there is no such decision and which there are. An agent decides only in ticks
// in which it is due, so asking for another one is the ordinary mistake.
func noDecision(e *explain.NoDecisionError) error {
	switch {
	case e.Last == 0:
		return badInput("the trace holds no decision yet")
	case len(e.Decided) == 0:
		return badInput("no decision in tick %d; the trace has decisions from tick %d to %d", e.Tick, e.First, e.Last)
	}
	return badInput("%s made no decision in tick %d, being under way, waiting or without power; decisions then: %s",
		e.Agent, e.Tick, plaintext.Listed(e.Decided))
}

// noSource explains that no decision had the source in view, and which id was most likely meant.
func noSource(e *explain.NoSourceError) error {
	of := cmp.Or(e.Agent, "this run")
	if len(e.Known) == 0 {
		return badInput("no decision of %s had a source in view", of)
	}
	return badInput("no decision of %s had the source %s in view or named it; %sallowed: an id in square brackets, as "+
		"explain shows with --tick and --agent", of, shown(e.ID), settings.DidYouMean(e.ID, e.Known))
}

// scenarioCharsMax bounds the scenario's share of a run directory's name, in
// characters; file systems allow 255 bytes for the whole.
const scenarioCharsMax = 40

// nameRunDir returns the run directory: the one named, or a new name under
// runsDirDefault made of the UTC time, the scenario and three random bytes, so that
// runs started in the same second stay apart and listings sort by time.
func (m *Main) nameRunDir(named, scenario string) (string, error) {
	if named != "" {
		base := filepath.Base(named)
		if base == "." || base == ".." {
			return named, nil
		}
		if err := plaintext.FileName(base); err != nil {
			return "", badInput("the run directory %s: %w", shown(named), err)
		}
		return named, nil
	}
	var random [3]byte
	if _, err := io.ReadFull(m.Random, random[:]); err != nil {
		return "", fmt.Errorf("name the run directory: %w", err)
	}
	stamp := m.Now().UTC().Format("20060102T150405Z")
	return filepath.Join(runsDirDefault, stamp+"-"+scenarioWord(scenario)+"-"+hex.EncodeToString(random[:])), nil
}

// scenarioWord is a scenario's name or path as part of the name of a file: of its last element the
// letters, digits and underscores.
func scenarioWord(scenario string) string {
	word := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			return r
		}
		return '_'
	}, strings.TrimSuffix(filepath.Base(scenario), ".toml"))
	return word[:min(len(word), scenarioCharsMax)]
}

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
	if batch.ThinnedAround(fl.path(dir)) {
		return badInput("%s: %w; allowed: a run that is there; batch report says what the batch has", shown(dir),
			batch.ErrThinned)
	}
	mean := settings.DidYouMean(dir, []string{latestRun})
	if near := fl.nearestRun(dir); near != "" {
		mean = "did you mean " + shown(near) + "? "
	}
	return badInput("%s holds no trace; %sallowed: a run directory, which has a file %s, or %s", shown(dir), mean,
		run.TraceFile, latestRun)
}
