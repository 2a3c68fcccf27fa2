package cli

import (
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// compareCommand compares two runs.
func (m *Main) compareCommand() *cobra.Command {
	var after int64
	var asJSON bool
	c := &cobra.Command{
		Use:   "compare A B",
		Short: "show in what two runs differ: decisions, outcomes, goals, spending",
		Args:  arguments(2, "two run directories"),
		RunE: func(_ *cobra.Command, args []string) error {
			if after < 0 {
				return badInput("--after-tick %d is out of range; allowed: a tick from 0", after)
			}
			c, reports, err := m.compareRuns(args[0], args[1], after)
			if err != nil {
				return err
			}
			if asJSON {
				return m.printJSON(c)
			}
			_, err = io.WriteString(m.Stdout, c.Text(args[0], args[1], reports[0], reports[1]))
			return err
		},
	}
	c.Flags().Int64Var(&after, "after-tick", 0, "compare only the ticks after this one")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// compareRuns reads both traces twice, for their reports and side by side.
func (m *Main) compareRuns(a, b string, after int64) (c report.Comparison, reports [2]report.Report, err error) {
	var readers [2]*trace.Reader
	for i, dir := range []string{a, b} {
		if reports[i], err = m.foldTrace(dir); err != nil {
			return c, reports, err
		}
		f, err := m.openTrace(dir)
		if err != nil {
			return c, reports, err
		}
		defer f.Close()
		readers[i] = trace.NewReader(f)
	}
	if c, err = report.Compare(reports[0], reports[1], readers[0], readers[1], after); err != nil {
		err = badInput("%s and %s cannot be compared: %w", shown(a), shown(b), err)
	}
	return c, reports, err
}

// parentOf returns the directory of the run that a fork left. It looks for that run under
// its name next to the fork, and returns "" if it is not there.
func (m *Main) parentOf(runDir string, left trace.ForkParent) string {
	dir := filepath.Join(filepath.Dir(m.path(runDir)), filepath.Base(left.Name))
	h, err := run.Dir(dir).Header()
	if err != nil || h.RunName() != left.Run {
		return ""
	}
	return dir
}
