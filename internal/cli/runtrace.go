package cli

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// openTrace opens the trace of a run directory, which is what every command that
// takes a RUN works on. The caller closes it. The error is bad input: the
// directory is not a run, or cannot be read.
func (m *Main) openTrace(runDir string) (io.ReadCloser, error) {
	// The path is shown as the user wrote it, not as it was resolved.
	f, err := run.Dir(m.path(runDir)).Open()
	switch {
	case errors.Is(err, run.ErrNoRun):
		return nil, m.noRun(runDir)
	case err != nil:
		return nil, badInput("the trace of %s cannot be read: %v", shown(runDir), cause(err))
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
		for i := range args {
			args[i], err = m.runNamed(args[i])
			if err != nil {
				return err
			}
			dir := args[i]
			r := &run.Reading{Unverified: unverified != nil && *unverified, RemakesReport: c.Name() == "report"}
			r.Note = func(err error) { plaintext.Fprintf(m.Stderr, "note: %s: %s\n", dir, err) }
			m.ending = append(m.ending, run.Dir(m.path(dir)).ReadAs(r))
		}
		return nil
	}
	return c
}

// checkRun refuses a directory that holds no trace, or one that cannot be read.
func (m *Main) checkRun(runDir string) error {
	f, err := m.openTrace(runDir)
	if err == nil {
		f.Close()
	}
	return err
}

// readRecords calls visit with the records in r, one at a time, so that memory does not
// grow with the run, until visit has seen enough. A torn last line, left by a killed process,
// ends the trace like its end does; any other line that is not a record is an error that
// names it, unless its type is skipped.
func readRecords(r io.Reader, visit func(trace.Record) bool, skipped []trace.Type) error {
	for lines := trace.NewReader(r); ; {
		line, err := lines.NextLine()
		if err == io.EOF || errors.Is(err, trace.ErrTorn) {
			return nil
		}
		if err != nil {
			return err
		}
		if slices.Contains(skipped, trace.TypeOf(line)) {
			continue
		}
		record, err := trace.Decode(line)
		if err != nil {
			return lines.Failed(err)
		}
		if !visit(record) {
			return nil
		}
	}
}

// eachRecord calls visit with the records of a run's trace in order, other than those of
// some types.
func (m *Main) eachRecord(runDir string, visit func(trace.Record), skipped ...trace.Type) error {
	f, err := m.openTrace(runDir)
	if err != nil {
		return err
	}
	defer f.Close()
	err = readRecords(f, func(r trace.Record) bool { visit(r); return true }, skipped)
	if err != nil {
		return badInput("the trace of %s cannot be read: %w", shown(runDir), err)
	}
	return nil
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
