package cli

import (
	"github.com/spf13/cobra"

	"example.com/agentworld/batch"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/session"
	"example.com/agentworld/trace"
)

// batchPlanCommand says how large a batch has to be.
func batchPlanCommand(m *Main) *cobra.Command {
	var pilot string
	var effect, power float64
	var asJSON bool
	c := &cobra.Command{
		Use: "plan FILE", Short: "say how many instances a comparison needs, and what they take, by a pilot",
		Long: `Say how many instances a comparison needs to find a difference, and with a margin to
find equal arms equivalent, and what they take.

The spread of the differences is that of a pilot: a small batch of the same file, by default
the one in the directory of the batch as far as it was played. Four instances are the least;
ten or more make the figure trustworthy. Without a pilot, the score of a built-in task is taken
to vary as that of the embedded model does, and the cost is estimated from the first prompts.`,
		Args: oneArgument("a batch file"),
		RunE: func(c *cobra.Command, args []string) error {
			m.collectMore()
			if !(power >= 0.5 && power < 1) {
				return badInput("--power %g is out of range; allowed: 0.5 to below 1", power)
			}
			if err := m.metrics.read(); err != nil {
				return err
			}
			b, err := readBatch(m, args[0], true, c.Flags(), 0)
			if err != nil {
				return err
			}
			for _, note := range b.steady() {
				plaintext.Fprintf(m.Stderr, "note: %s\n", note)
			}
			cells, dir := b.planned.Cells, batchDir(m, pilot, b.file.Name)
			if pilot != "" {
				_, cells, err = dir.Cells()
				if err != nil {
					return noBatch(m, "--pilot ", pilot, err)
				}
			}
			results, err := dir.Results(cells)
			if err != nil {
				return badInput("%w", err)
			}
			if err := measureBatch(m, dir, b.file.Metrics, results); err != nil {
				return err
			}
			q := batch.Question{Effect: effect, Power: power, Pilot: pilot != "", Currency: b.currency}
			if pilot == "" {
				q.Takes = b.expect
			}
			p, err := batch.PlanOf(b.file.Compare, m.metrics.known(), cells, results, q)
			if err != nil {
				return badInput("%w", err)
			}
			if asJSON {
				return m.printJSON(p)
			}
			return m.print(p.Text())
		},
	}
	c.Flags().StringVar(&pilot, "pilot", "", "directory of a batch that was played as a pilot (default that of this file)")
	c.Flags().Float64Var(&effect, "effect", 0, "difference of the primary metric to find (default that of the file)")
	c.Flags().Float64Var(&power, "power", 0.8, "probability of finding it, 0.5 to below 1")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	m.metrics.addFlag(c.Flags())
	return c
}

// expect is what the run of a cell is expected to take.
func (b *plannedBatch) expect(c batch.Cell) (trace.Usage, error) {
	of := b.planOf(c).asked
	var err error
	of.Settings, err = b.planned.Settings(c)
	if err != nil {
		return trace.Usage{}, err
	}
	s, err := session.New(of) // what the first one prepared is not kept
	if err != nil {
		return trace.Usage{}, err
	}
	return s.Expect().Likely, nil
}
