package cli

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"example.com/agentworld/dashboard"
	"example.com/agentworld/engine/ahead"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report/summary"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// traceCommand works on traces as files. Its canonical form is for comparing runs
// with any tool that compares files.
func traceCommand(m *Main) *cobra.Command {
	var output string
	canonical := &cobra.Command{
		Use:   "canonical RUN",
		Short: "print a run's trace without wall-clock data, in an order that concurrency does not change",
		Args:  oneArgument("a run directory"),
		RunE: func(_ *cobra.Command, args []string) error {
			if output == "" {
				return canonicalTrace(m, args[0], m.Stdout)
			}
			// A cut file would differ from every other and accuse the run.
			return m.writeFromTrace(args[0], output, func(w io.Writer) error { return canonicalTrace(m, args[0], w) })
		},
	}
	canonical.Flags().StringVarP(&output, "output", "o", "", "write to this file instead of stdout")
	cat := &cobra.Command{
		Use:   "cat RUN",
		Short: "print all lines of a run's trace, whatever files it is spread over",
		Args:  oneArgument("a run directory"),
		RunE:  func(_ *cobra.Command, args []string) error { return catTrace(m, args[0]) },
	}
	var head string
	verify := &cobra.Command{
		Use:   "verify RUN",
		Short: "check that a run's trace, report, questions, playbooks and recording are as they were written",
		Args:  oneArgument("a run directory"),
		RunE: func(c *cobra.Command, args []string) error {
			if hash, err := hex.DecodeString(head); c.Flags().Changed("head") && (err != nil || len(hash) != 8) {
				return badInput("--head %s is no head of a trace; allowed: the 16 digits that a run prints at its end", shown(head))
			}
			return verifyTrace(m, args[0], trace.Chain(strings.ToLower(head)))
		},
	}
	verify.Flags().StringVar(&head, "head", "", "the head that was kept of the trace: a line must have it")
	m.readsRuns(verify, nil)
	return group("trace", "work on traces", m.readsUnverified(canonical), m.readsUnverified(cat), verify)
}

// catTrace copies the lines of a run's trace to stdout as they are.
func catTrace(m *Main, runDir string) error {
	dir, err := m.openRun(runDir)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(m.Stdout)
	err = dir.CopyTrace(out)
	if flushed := out.Flush(); flushed != nil {
		return fmt.Errorf("print the trace of %s: %w", shown(runDir), cause(flushed))
	}
	if err != nil {
		return badInput("the trace of %s cannot be read: %w", shown(runDir), err)
	}
	return nil
}

// verifyTrace checks every line of a run's trace against its chain, the report against the
// trace, and the trace against a head that was kept elsewhere, empty for none.
func verifyTrace(m *Main, runDir string, head trace.Chain) error {
	dir, err := m.openRun(runDir)
	if err != nil {
		return err
	}
	of, err := dir.VerifyTrace(head)
	if err != nil {
		return badInput("%s is not as it was written: %w", shown(runDir), err)
	}
	if head != "" && of.Kept == 0 {
		return badInput("%s is not as it was written: no line of its trace has the head %s; its last line, %d, has %s",
			shown(runDir), shown(string(head)), of.Lines, of.Head)
	}
	said := fmt.Sprintf("verified  %s, %d bytes, %s\nhead      %s\n", plaintext.Count(of.Lines, "line"), of.Bytes,
		plaintext.Count(of.Tick, "tick"), of.Head)
	if head != "" && of.Kept < of.Lines {
		said += fmt.Sprintf("kept      %s is line %d; added since: %s\n", head, of.Kept,
			plaintext.Count(of.Lines-of.Kept, "line"))
	}
	rest, err := dir.VerifyRest()
	if err != nil {
		return badInput("%s is not as it was written: %w", shown(runDir), err)
	}
	asked, err := m.verifyAhead(dir.Dir)
	if err != nil {
		return err
	}
	for _, missing := range rest.Missing {
		plaintext.Fprintf(m.Stderr, "note: %s; it is not checked\n", missing)
	}
	return m.print(said + asked + verifiedText(rest))
}

// verifyAhead says how much of what was asked ahead of a run is as it was written. A resume uses nothing else of it.
func (m *Main) verifyAhead(dir run.Dir) (said string, err error) {
	of, err := dir.Identity()
	var kept *ahead.Kept
	if err == nil {
		kept, err = ahead.ReadLog(dir.OpenAhead, of)
	}
	switch {
	case err != nil:
		return "", badInput("%s cannot be read: %w", run.AheadFile, cause(err))
	case kept.Lines == 0:
		return "", nil
	case kept.Lost == 0:
		return fmt.Sprintf("ahead     %s, each as it was written\n", plaintext.Count(kept.Lines, "line")), nil
	}
	return fmt.Sprintf("ahead     %s, %d of them damaged, or of another run or an older version, which no resume uses\n",
		plaintext.Count(kept.Lines, "line"), kept.Lost), nil
}

// verifiedText says what beside the trace is as it was written, and what nothing vouches for.
func verifiedText(v run.Verified) string {
	var text strings.Builder
	if v.Report {
		text.WriteString("report    whole, and made of this trace\n")
	}
	if v.Questions > 0 {
		plaintext.Fprintf(&text, "asked     %s, each as it was written\n", plaintext.Count(v.Questions, "question"))
	}
	if v.Playbooks > 0 {
		plaintext.Fprintf(&text, "learned   %s, each as it was written\n", plaintext.Count(v.Playbooks, "playbook"))
	}
	if v.Recording != "" {
		plaintext.Fprintf(&text, "answers   %s of the recording %s\n", plaintext.Count(v.Lines, "line"), shown(v.Recording))
	}
	for _, file := range v.Uncovered {
		plaintext.Fprintf(&text, "unchecked %s\n", file)
	}
	return text.String()
}

// canonicalTrace writes the canonical form of a run's trace to w. Two runs with
// equal canonical traces are equal: same requests, decisions, events and digests.
// On an error w may hold a beginning of it.
func canonicalTrace(m *Main, runDir string, w io.Writer) error {
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
	if err != nil && !errors.Is(err, trace.ErrTorn) {
		return badInput("the trace of %s has no canonical form: %w", shown(runDir), err)
	}
	return nil
}

// reportCommand folds a trace again, for a run that was killed before it could or
// to read an old trace with a newer report. Without --json the summary is
// printed, the same text as at the end of a run.
func reportCommand(m *Main) *cobra.Command {
	var jsonPath, htmlPath string
	var all, prompts bool
	c := &cobra.Command{
		Use:   "report RUN",
		Short: "fold a run's trace into a report again",
		Args:  oneArgument("a run directory"),
		RunE: func(c *cobra.Command, args []string) error {
			if prompts && htmlPath == "" {
				return badInput("--prompts: there is no page to put them into; allowed: with --html")
			}
			if htmlPath == stdoutName && jsonPath == stdoutName {
				return badInput("--html - and --json - both print to stdout; allowed: one of them")
			}
			if htmlPath != "" && jsonPath != "" && sameFile(m.path(htmlPath), m.path(jsonPath)) {
				return badInput("--html and --json both go to %s; allowed: two files", shown(htmlPath))
			}
			if all && htmlPath == stdoutName {
				return badInput("--all and --html - both print to stdout; allowed: one of them")
			}
			if err := m.metrics.read(); err != nil {
				return err
			}
			r, err := foldReport(m, args[0])
			said := m.Stdout
			if htmlPath == stdoutName || jsonPath == stdoutName {
				said = m.Stderr
			}
			page := func(w io.Writer) error {
				err := dashboard.WriteFile(c.Context(), m.source(args[0]), prompts, w)
				switch {
				case err == nil:
					return nil
				case c.Context().Err() != nil:
					return failWith(exitInterrupted, errors.New("interrupted before the page was written"))
				}
				return m.unread(args[0], err)
			}
			data := func(w io.Writer) error { _, err := w.Write(r.JSON()); return err }
			for _, f := range []struct {
				what, name string
				fill       func(io.Writer) error
				owned      []keptPath
			}{{"page    ", htmlPath, page, nil}, {"report  ", jsonPath, data, []keptPath{m.ownReport(args[0])}}} {
				if err == nil && f.name != "" {
					err = m.writeFromTrace(args[0], f.name, f.fill, f.owned...)
				}
				if err == nil && f.name != "" && f.name != stdoutName {
					plaintext.Fprintf(said, "%s%s\n", f.what, f.name)
				}
			}
			switch {
			case err != nil:
				return err
			case htmlPath == stdoutName:
				m.showSummary(r, m.looksText(args[0], r))
			case jsonPath != "":
			case all:
				return printFigures(m, r)
			default:
				return m.printSummary(r, summary.Options{}, m.looksText(args[0], r))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&all, "all", false, "list every agent, and print all figures below the summary")
	c.Flags().StringVar(&jsonPath, "json", "", "write the report as JSON to this file, - for stdout")
	c.Flags().StringVar(&htmlPath, "html", "",
		"write the page of the run as one file, which needs no program, - for stdout")
	c.Flags().BoolVar(&prompts, "prompts", false, "with --html: put the exact prompts of the decisions in it, too")
	m.metrics.addFlag(c.Flags())
	return m.readsUnverified(c)
}
