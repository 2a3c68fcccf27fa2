package cli

import (
	"runtime"

	"github.com/spf13/cobra"

	"example.com/agentworld/batch"
	"example.com/agentworld/plaintext"
)

// batchThinCommand removes the runs of a finished batch.
func batchThinCommand(m *Main) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "thin DIR", Short: "remove the runs of a finished batch, and keep its results",
		Long: `Remove what no report of a finished batch needs: runs, logs and recorded answers.
Results stay, and so do the metrics of your own that the file or --metric names, which are
computed before. Reports, verdicts, comparisons and pages stay as they are; explain, replay
and metrics that nobody has asked for yet need the runs.

Without --yes nothing is removed, and what would be is told.`,
		Args: oneArgument("the directory of a batch"),
		RunE: func(_ *cobra.Command, args []string) error { return thinBatch(m, args[0], yes) },
	}
	c.Flags().BoolVar(&yes, "yes", false, "remove them")
	m.metrics.addFlag(c.Flags())
	return c
}

// thinBatch removes the runs of a batch, or says what that would free.
func thinBatch(m *Main, name string, yes bool) error {
	m.collectMore()
	if err := m.metrics.read(); err != nil {
		return err
	}
	dir := batch.Dir(m.path(name))
	if _, _, err := dir.Cells(); err != nil {
		return noBatch(m, "", name, err)
	}
	gone, err := dir.Thin(m.measuring(), m.metrics.list, m.lease(), runtime.GOMAXPROCS(0), yes)
	if err != nil {
		return badInput("%s cannot be thinned: %w", shown(name), err)
	}
	what := plaintext.Count(gone.Runs, "run") + " with " + sizeText(gone.Bytes)
	if !yes {
		plaintext.Fprintf(m.Stdout, "%s would be removed, and %s kept; --yes removes them\n", what,
			plaintext.Count(gone.Cells, "result"))
		return nil
	}
	plaintext.Fprintf(m.Stdout, "%s removed, %s kept\n", what, plaintext.Count(gone.Cells, "result"))
	return nil
}
