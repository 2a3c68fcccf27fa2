package cli

import (
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"example.com/agentworld/report"
	"example.com/agentworld/run/playback"
	"example.com/agentworld/trace"
)

// exportCommand writes what a run did in a form for other programs: a table of every agent in
// every tick.
func (m *Main) exportCommand() *cobra.Command {
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
				return m.exportTable(args[0], agent, m.Stdout)
			}
			return m.writeFromTrace(args[0], path, func(f *os.File) error { return m.exportTable(args[0], agent, f) })
		},
	}
	c.Flags().StringVar(&path, "csv", "", "file to write, - for stdout")
	c.Flags().StringVar(&agent, "agent", "", "only the rows of this agent")
	return m.readsUnverified(c)
}

func (m *Main) exportTable(runDir, agent string, w io.Writer) error {
	out := report.NewTableCSV(w)
	if _, err := m.eachRow(runDir, agent, out.Row); err != nil {
		return err
	}
	return out.Flush()
}

// eachRow calls visit with the rows of a run's table, those of one agent unless agent is empty,
// and returns the run's header. An error of visit ends it.
func (m *Main) eachRow(runDir, agent string, visit func(report.Row) error) (header trace.Header, err error) {
	f, err := m.openTrace(runDir)
	if err != nil {
		return header, err
	}
	defer f.Close()
	var wanted func(string) bool
	if agent != "" {
		wanted = func(id string) bool { return id == agent }
	}
	table := report.NewTable(wanted, visit)
	var failed error
	err = readRecords(f, func(r trace.Record) bool {
		if h, ok := r.(trace.Header); ok {
			header = h
			if agent != "" && !isAgent(h, agent) {
				failed = noAgent(h, agent)
				return false
			}
		}
		failed = table.Add(r)
		return failed == nil
	}, []trace.Type{trace.TypeBlob, trace.TypeModelCall, trace.TypeStep})
	switch {
	case err != nil:
		return header, badInput("the trace of %s cannot be read: %w", shown(runDir), err)
	case errors.Is(failed, playback.ErrDiffers):
		return header, badInput("%s: %w", shown(runDir), failed)
	}
	return header, failed
}
