package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/agentworld/batch"
)

// batchReportCommand writes the summary of a batch in one of several forms.
func batchReportCommand(m *Main) *cobra.Command {
	var format, out string
	c := &cobra.Command{
		Use: "report DIR", Short: "sum up a batch: means, verdicts, gates; its exit code is that of the gates",
		Args: oneArgument("the directory of a batch"),
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains(batch.Formats, format) {
				return badInput("--format %s: unknown; allowed: %s", shown(format), strings.Join(batch.Formats, ", "))
			}
			m.collectMore()
			dir := batch.Dir(m.path(args[0]))
			if err := m.metrics.read(); err != nil {
				return err
			}
			f, cells, results, err := dir.File(m.metrics.list)
			if err != nil {
				return noBatch(m, "", args[0], err)
			}
			if err := measureBatch(m, dir, f.Metrics, results); err != nil {
				return err
			}
			s, err := batch.Summarize(f, cells, results)
			if err != nil {
				return badInput("%w", err)
			}
			if err := m.writeSummary(s, format, out, keptPath{what: "the batch", path: string(dir)}); err != nil {
				return err
			}
			return reasons{}.conclude(s, false)
		},
	}
	c.Flags().StringVar(&format, "format", "text", strings.Join(batch.Formats, ", "))
	c.Flags().StringVar(&out, "out", "", "write to this file instead of stdout")
	m.metrics.addFlag(c.Flags())
	return c
}

// writeSummary writes a summary in a format to a file, or to stdout if none is named. What is kept is not written
// over.
func (m *Main) writeSummary(s batch.Summary, format, out string, kept ...keptPath) error {
	text := []byte(s.Text(m.columnsOf(out)))
	if format != "text" {
		text = s.Write(format)
	}
	return m.writeTo("the summary ", out, whole(text), kept...)
}
