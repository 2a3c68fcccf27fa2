package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// traceCommand works on traces as files. Its canonical form is for comparing runs
// with any tool that compares files.
func (m *Main) traceCommand() *cobra.Command {
	var output string
	canonical := &cobra.Command{
		Use:   "canonical RUN",
		Short: "print a run's trace without wall-clock data, in an order that concurrency does not change",
		Args:  oneArgument("a run directory"),
		RunE: func(_ *cobra.Command, args []string) error {
			if output == "" {
				return m.canonicalTrace(args[0], m.Stdout)
			}
			// A cut file would differ from every other and accuse the run.
			return m.writeFromTrace(args[0], output, func(f *os.File) error { return m.canonicalTrace(args[0], f) })
		},
	}
	canonical.Flags().StringVarP(&output, "output", "o", "", "write to this file instead of stdout")
	cat := &cobra.Command{
		Use:   "cat RUN",
		Short: "print all lines of a run's trace, whatever files it is spread over",
		Args:  oneArgument("a run directory"),
		RunE:  func(_ *cobra.Command, args []string) error { return m.catTrace(args[0]) },
	}
	return group("trace", "work on traces", canonical, cat)
}

// catTrace copies a run's trace to stdout as it is.
func (m *Main) catTrace(runDir string) error {
	f, err := m.openTrace(runDir)
	if err != nil {
		return err
	}
	defer f.Close()
	// A trace of another format is refused, as everywhere; other lines need not be records.
	var begin bytes.Buffer
	if _, err := trace.NewReader(io.TeeReader(f, &begin)).Next(); errors.Is(err, trace.ErrFormat) {
		return badInput("the trace of %s cannot be read: %w", shown(runDir), err)
	}
	_, err = io.Copy(m.Stdout, io.MultiReader(&begin, f))
	if run.Damaged(err) {
		return badInput("the trace of %s cannot be read: %w", shown(runDir), err)
	}
	if err != nil {
		return fmt.Errorf("print the trace of %s: %w", shown(runDir), cause(err))
	}
	return nil
}

// canonicalTrace writes the canonical form of a run's trace to w. Two runs with
// equal canonical traces are equal: same requests, decisions, events and digests.
// On an error w may hold a beginning of it.
func (m *Main) canonicalTrace(runDir string, w io.Writer) error {
	f, err := m.openTrace(runDir)
	if err != nil {
		return err
	}
	defer f.Close()
	buffered := bufio.NewWriter(w)
	err = trace.Canonical(f, buffered)
	if flushed := buffered.Flush(); flushed != nil {
		return fmt.Errorf("write the canonical trace: %w", cause(flushed))
	}
	if errors.Is(err, trace.ErrTorn) {
		plaintext.Fprintf(m.Stderr, "note: the run was cut short; its last line is torn and left out\n")
		return nil
	}
	if err != nil {
		return badInput("the trace of %s has no canonical form: %w", shown(runDir), err)
	}
	return nil
}

// reportCommand folds a trace again, for a run that was killed before it could or
// to read an old trace with a newer report. Without --json the summary is
// printed, the same text as at the end of a run.
func (m *Main) reportCommand() *cobra.Command {
	var jsonPath string
	c := &cobra.Command{
		Use:   "report RUN",
		Short: "fold a run's trace into a report again",
		Args:  oneArgument("a run directory"),
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := m.foldReport(args[0])
			if err != nil {
				return err
			}
			switch jsonPath {
			case "":
				_, err = io.WriteString(m.Stdout, r.Text())
			case "-":
				_, err = m.Stdout.Write(r.JSON())
			default:
				if err := m.writeFromTrace(args[0], jsonPath, func(f *os.File) error { _, err := f.Write(r.JSON()); return err }); err != nil {
					return err
				}
				_, err = plaintext.Fprintf(m.Stdout, "report  %s\n", jsonPath)
			}
			return err
		},
	}
	c.Flags().StringVar(&jsonPath, "json", "", "write the report as JSON to this file, - for stdout")
	return c
}
