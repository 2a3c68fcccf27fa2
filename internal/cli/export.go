package cli

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"example.com/agentworld/explain"
)

// exportCommand writes what a run did in a form for other programs: a table of every agent in
// every tick.
func exportCommand(m *Main) *cobra.Command {
	var path, agent string
	c := &cobra.Command{
		Use:   "export RUN --csv FILE",
		Short: "write a table with a row per tick and agent: place, stocks, charge, heat, action, outcome",
		Args:  oneArgument("a run directory"),
		RunE: func(_ *cobra.Command, args []string) error {
			switch path {
			case "":
				return badInput("export needs --csv; allowed: a file, or - for stdout")
			case "-":
				return exportTable(m, args[0], agent, m.Stdout)
			}
			return m.writeFromTrace(args[0], path, func(f *os.File) error { return exportTable(m, args[0], agent, f) })
		},
	}
	c.Flags().StringVar(&path, "csv", "", "file to write, - for stdout")
	c.Flags().StringVar(&agent, "agent", "", "only the rows of this agent")
	return m.readsUnverified(c)
}

func exportTable(m *Main, runDir, agent string, w io.Writer) error {
	dir, err := m.openRun(runDir)
	if err != nil {
		return err
	}
	out := explain.NewTableCSV(w)
	for r, err := range explain.TableOf(dir, agent).Rows() {
		if err != nil {
			return m.unread(runDir, err)
		}
		if err := out.Row(r); err != nil {
			return err
		}
	}
	return out.Flush()
}
