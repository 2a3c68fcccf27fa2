package cli

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/agentworld/explain"
	"example.com/agentworld/explain/export"
	"example.com/agentworld/internal/document"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
)

// exportHelp is the long help of the export command.
const exportHelp = `Write what runs did in a form for other programs.

The argument is a run, a directory of runs, a batch or one of its cells. docs/data.md lists all
tables with their columns and units.

  export RUN --out data                   all tables as CSV files
  export BATCH --table trades             one table, of all runs of a batch
  export RUN --format jsonl --out data    the same, a JSON object a line
  export RUN --format messages            decisions as conversations
  export BATCH --plot ranks --out a.svg   a picture

Files appear whole or not at all. What of a run is missing is said on stderr and in the table runs.
A run that was changed is exported only with --unverified, as far as it can be read.`

// formatMessages is the format of conversations, beside those of tables.
const formatMessages = "messages"

// plotNames are the pictures.
var plotNames = []string{"score", "intervals", "ranks"}

// exportFlags are the flags of the command.
type exportFlags struct {
	Format string `flag:"format" doc:"csv, jsonl or messages"`
	Table  string `flag:"table" doc:"only these tables, with commas between"`
	Agent  string `flag:"agent" doc:"only rows about this agent"`
	Plot   string `flag:"plot" doc:"score, intervals or ranks: a picture in place of data"`
	Out    string `flag:"out" doc:"directory for several tables, else a file, - for stdout"`
}

// exportCommand writes tables, conversations and pictures of runs.
func exportCommand(m *Main) *cobra.Command {
	f := exportFlags{Format: string(export.CSV)}
	c := &cobra.Command{
		Use:   "export RUN|DIR|BATCH",
		Short: "write tables, conversations for trainers, or pictures of runs",
		Long:  exportHelp,
		Args:  oneArgument("a run, a directory of runs, or a batch"),
	}
	addOptions(c.Flags(), &f)
	c.RunE = func(c *cobra.Command, args []string) error {
		if f.Plot != "" {
			if c.Flags().Changed("format") || f.Table != "" || f.Agent != "" {
				return badInput("--plot is a picture; allowed: leave out --format, --table and --agent")
			}
			return exportPlot(m, args[0], f)
		}
		return exportRows(m, args[0], f)
	}
	return m.readsUnverified(c)
}

// exportRows writes tables or conversations.
func exportRows(m *Main, arg string, f exportFlags) error {
	formats := []string{string(export.CSV), string(export.JSONLines), formatMessages}
	if !slices.Contains(formats, f.Format) {
		return badInput("--format %s: unknown; %s", shown(f.Format), document.Offer(f.Format, formats, ""))
	}
	tables, err := f.tables()
	if err != nil {
		return err
	}
	e, err := newExporting(m, arg, f.Agent)
	if err != nil {
		return err
	}
	if f.Format == formatMessages {
		return e.writeTo("", f.Out, e.conversations, e.kept...)
	}
	format := export.Format(f.Format)
	if len(tables) == 1 {
		return e.writeTo("", f.Out, func(w io.Writer) error {
			return e.tables(format, tables, func(string) (io.Writer, error) { return w, nil })
		}, e.kept...)
	}
	if f.Out == "" || f.Out == stdoutName {
		return badInput("%d tables need a directory; allowed: --out DIR, or one of them with --table: %s", len(tables),
			strings.Join(export.TableNames(), ", "))
	}
	return e.toDirectory(f.Out, format, tables)
}

// tables are those that are asked for.
func (f exportFlags) tables() (list []export.Table, err error) {
	if f.Table == "" {
		return export.Tables, nil
	}
	if f.Format == formatMessages {
		return nil, badInput("--table is for csv and jsonl; allowed: leave it out")
	}
	for name := range strings.SplitSeq(f.Table, ",") {
		t, known := export.TableNamed(strings.TrimSpace(name))
		if !known {
			return nil, badInput("--table %s: unknown; %s", shown(name), document.Offer(name, export.TableNames(), ""))
		}
		if !slices.ContainsFunc(list, func(other export.Table) bool { return other.Name == t.Name }) {
			list = append(list, t)
		}
	}
	return list, nil
}

// tables writes tables, each to what open returns for its name.
func (e *exporting) tables(format export.Format, tables []export.Table,
	open func(table string) (io.Writer, error)) error {
	var resources []string
	states := func(t export.Table) bool { return t.Name == export.StatesTable }
	if format == export.CSV && slices.ContainsFunc(tables, states) {
		resources = e.resources()
	}
	e.writers = nil
	of := map[string]*export.Writer{}
	for _, t := range tables {
		w, err := open(t.Name)
		if err != nil {
			return err
		}
		of[t.Name] = export.NewWriter(w, format, t, resources)
		e.writers = append(e.writers, of[t.Name])
	}
	row := func(r export.Row) error {
		e.failed = of[export.TableOf(r)].Row(r)
		return e.failed
	}
	for _, one := range e.runs {
		summary, err := e.recording(one).Rows(tables, row)
		if err := e.missing(one, &summary, err); err != nil {
			return err
		}
		if w := of[export.RunsTable]; w != nil {
			if err := w.Row(summary); err != nil {
				return err
			}
		}
	}
	for _, w := range e.writers {
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// conversations writes each turn as a line.
func (e *exporting) conversations(w io.Writer) error {
	for _, one := range e.runs {
		summary, err := e.recording(one).Conversations(func(c export.Conversation) error {
			e.failed = export.WriteLine(w, c)
			return e.failed
		})
		if err := e.missing(one, &summary, err); err != nil {
			return err
		}
	}
	return nil
}

// missing says what of a run is missing, in its row and on stderr. What is damaged is an error, unless the user asked
// for what can be read.
func (e *exporting) missing(one exportedRun, summary *export.RunRow, err error) error {
	if summary.Missing != "" {
		e.note("%s: %s", one.name, summary.Missing)
	}
	replay, differs := errors.AsType[*export.ReplayError](err)
	part, incomplete := errors.AsType[*explain.PartError](err)
	switch {
	case err == nil:
	case e.failed != nil:
		return e.failed
	case e.ctx.Err() != nil:
		return failWith(exitInterrupted, errors.New("interrupted before the export was complete"))
	case differs && !e.unverified:
		return badInput("%s: %w; allowed: other tables with --table, or --unverified", one.name, replay)
	case differs:
		e.lacks(one, summary, replay.Error())
	case !run.Damaged(err) && !incomplete:
		return e.unread(one.name, err)
	case !e.unverified && incomplete:
		return badInput("%s: %w", one.name, part)
	case !e.unverified:
		return e.unread(one.name, err)
	default:
		e.lacks(one, summary, err.Error()+"; what follows is missing")
	}
	for _, past := range *one.readPast {
		summary.Missing = joinMissing(summary.Missing, past)
	}
	return nil
}

// lacks notes that something of a run is missing.
func (e *exporting) lacks(one exportedRun, summary *export.RunRow, what string) {
	e.note("%s: %s", one.name, what)
	summary.Missing = joinMissing(summary.Missing, plaintext.Line(what))
}

// joinMissing are two remarks in one cell.
func joinMissing(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}
