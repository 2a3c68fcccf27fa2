package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"example.com/agentworld/batch"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/session/access"
)

// batchHelp is the long help of the batch commands.
const batchHelp = `Play a matrix of runs, keep their results, and say which arm is better.

A batch file names scenarios, seeds, repeats and axes of settings; docs/batch.md describes it.
"batch run aw-1 --model M" plays a suite, whose results can be cited; see docs/suite.md.
Every combination is a cell, one run. "batch run FILE" plays what has no result yet, also after
a kill: the same command continues. Several processes may run the same command, on one
machine or over a shared directory; --shard 1/4 to 4/4 divide the cells between them.

Exit codes: 0 all gates hold, 2 bad input, 3 cells failed, 4 the budget is used up, 6 a gate does
not hold, 7 a gate is undecided, 130 interrupted. If several apply, the first of 2, 130, 3, 4, 6, 7.`

// batchFlags are the flags of "batch run".
type batchFlags struct {
	Dir     string `flag:"dir" doc:"directory of the batch (default .tmp/batches/<name>)"`
	Shard   string `flag:"shard" doc:"play a part of the cells, such as 2/4"`
	Jobs    int    `flag:"jobs" doc:"runs at the same time, 1 to 256"`
	Retries int    `flag:"retries" doc:"further attempts at a cell after a failure of the endpoint or the machine, 0 to 100"`
	Quiet   bool   `flag:"quiet" doc:"no progress lines"`
	Repeats int    `flag:"repeats" doc:"runs of each instance of a suite, 2 for a noise floor (default 1)"`
	// EstimateOnly says what the cells would take instead of playing them.
	EstimateOnly bool `flag:"estimate-only" doc:"say what the cells would take and cost, and play nothing"`
	players      players
}

// batchCommand plays batches and reports on them.
func batchCommand(m *Main) *cobra.Command {
	f := batchFlags{Jobs: 1, Retries: 1}
	runs := &cobra.Command{
		Use: "run FILE|SUITE", Short: "play the cells of a batch file, or of a suite, that have no result yet",
		Long: batchHelp, Args: oneArgument("a batch file or a suite"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := m.metrics.read(); err != nil {
				return err
			}
			return runBatch(m, c, args[0], f)
		},
	}
	addOptions(runs.Flags(), &f)
	addPlayerFlags(runs.Flags())
	m.metrics.addFlag(runs.Flags())
	f.players = addPlayers(m, runs.Flags())
	var asJSON bool
	status := &cobra.Command{
		Use: "status DIR", Short: "say how far a batch is: cells done, played, stale, failed",
		Args: oneArgument("the directory of a batch"),
		RunE: func(_ *cobra.Command, args []string) error { return batchStatus(m, args[0], asJSON) },
	}
	status.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	var into, html string
	merge := &cobra.Command{
		Use: "merge DIR... --into DIR", Short: "unite copies of a batch directory from several machines",
		RunE: func(_ *cobra.Command, args []string) error { return mergeBatches(m, args, into, html) },
	}
	merge.Flags().StringVar(&into, "into", "", "directory for all results, new or one of a batch")
	merge.Flags().StringVar(&html, "html", "",
		"write the page of all results as one file, which needs no program, - for stdout")
	c := group("batch", "play a matrix of runs and say which arm is better",
		m.withEngines(withTools(m, batchPlanCommand(m))), m.withEngines(withTools(m, runs)),
		status, merge, batchReportCommand(m), batchThinCommand(m))
	c.Long = batchHelp
	return c
}

// batchDir is the directory of a batch: as named, or after the batch.
func batchDir(m *Main, named, name string) batch.Dir {
	if named == "" {
		safe := strings.TrimLeft(fileSafe(name), ".")
		if safe == "" {
			safe = "batch"
		}
		named = filepath.Join(".tmp", "batches", safe)
	}
	return batch.Dir(m.path(named))
}

// parseShard reads a shard such as 2/4; empty is the whole batch.
func parseShard(text string) (s batch.Shard, err error) {
	if text == "" {
		return batch.Shard{}, nil
	}
	index, of, _ := strings.Cut(text, "/")
	s.Index, _ = strconv.Atoi(index)
	s.Of, _ = strconv.Atoi(of)
	if s.Index < 1 || s.Of < 1 || s.Index > s.Of || s.Of > batch.CellsMost {
		return s, badInput("--shard %s: not understood; allowed: I/N, a part from 1/N to N/N", shown(text))
	}
	return s, nil
}

// runBatch plays what is left of a batch, and reports on all of it.
func runBatch(m *Main, c *cobra.Command, name string, f batchFlags) error {
	ctx := c.Context()
	shard, err := parseShard(f.Shard)
	if err != nil {
		return err
	}
	others, flag, err := f.players.chosen()
	switch {
	case err != nil:
		return err
	case others != nil && f.Jobs == 0: // others do the work
	case f.Jobs < 1 || f.Jobs > 256:
		allowed := "1 to 256"
		for _, name := range f.players.names {
			allowed += ", and 0 with --" + name
		}
		return badInput("--jobs %d is out of range; allowed: %s", f.Jobs, allowed)
	case f.Retries < 0 || f.Retries > 100:
		return badInput("--retries %d is out of range; allowed: 0 to 100", f.Retries)
	}
	if others != nil && f.Shard != "" {
		return badInput("--shard and --%s are two ways to divide a batch; give one of them", flag)
	}
	if others != nil && len(m.engines) > 0 {
		return badInput("--engine and --%s: another program sends no coordinator its answers, so what a lost worker had "+
			"paid for would be paid again; allowed: one of them, or --engine with --shard over a shared directory", flag)
	}
	b, err := readBatch(m, name, f.EstimateOnly, c.Flags(), f.Repeats)
	if err != nil {
		return err
	}
	expected := ""
	if b.live || f.EstimateOnly {
		expected, err = b.expected()
	}
	if err != nil || f.EstimateOnly {
		_ = m.print(expected)
		return err
	}
	dir := batchDir(m, f.Dir, b.file.Name)
	if batch.IsRun(string(dir)) {
		return badInput("--dir %s is the directory of a run; allowed: a directory of its own", shown(f.Dir))
	}
	if err := dir.Create(b.file.Name, b.planned.Cells); err != nil {
		return badInput("%w; allowed: a directory of its own in a writable place", err)
	}
	if err := dir.KeepFile(b.text); err != nil {
		return err
	}
	printer := &batchPrinter{Printer: m.newProgressPrinter(f.Quiet), cells: b.planned.Cells, began: m.Now(),
		now: m.Now, part: shard.Of > 1}
	// Several runs at once share one limit for each endpoint.
	shared := access.NewLimiters(f.Jobs)
	o := batch.Options{
		Dir: dir, Drain: ctx, Cells: b.planned.Cells, Settings: b.planned.Settings,
		Jobs: f.Jobs, Shard: shard, Retries: f.Retries, Lease: m.lease(),
		Compare: b.file.Compare, Metrics: b.file.Metrics,
		Counts: b.limit.Tokens > 0 || b.limit.Cost > 0, Progress: printer.show,
		Play: func(ctx context.Context, a batch.Attempt) (batch.Result, error) {
			p := b.planOf(a.Cell)
			if p.by != nil {
				return playEngine(ctx, m, a, p)
			}
			p.asked.Access.Limiters = shared
			return playCell(ctx, m, a, p.config, batch.Caller{Config: p.asked, Notice: func(n access.Notice) {
				// Which keys are not sent was said when the cells were planned.
				if _, withheld := n.(access.Withheld); !withheld {
					printer.Note(noticeText(n))
				}
			}})
		},
	}
	if others == nil && (b.limit.Calls+b.limit.Tokens > 0 || b.limit.Cost > 0) {
		ledger, err := batch.OpenLedger(dir.Store(), b.limit, shard, "")
		if err != nil {
			return badInput("%s: %w", name, err)
		}
		defer func() {
			if err := ledger.Close(); err != nil {
				plaintext.Fprintf(m.Stderr, "note: %s\n", errorText(err))
			}
		}()
		o.Spender = ledger
	}
	plaintext.Fprintf(m.Stderr, "batch: %s, %s, in %s\n", b.file.Name, plaintext.Count(len(b.planned.Cells), "cell"),
		m.shownPath(string(dir)))
	if len(b.environment) > 0 {
		plaintext.Fprintf(m.Stderr, "note: of all cells the environment says %s\n", strings.Join(b.environment, ", "))
	}
	if b.live {
		plaintext.Fprintf(m.Stderr, "model: live, as the file says\n%s", expected)
	}
	for _, remark := range slices.Concat(batch.Remarks(b.file.Compare, m.metrics.known(), b.planned.Cells), b.steady(),
		b.foresight(others != nil)) {
		plaintext.Fprintf(m.Stderr, "note: %s\n", remark)
	}
	m.collectLess()
	calls, done := m.drained(ctx, shared.Traffic, printer.Note)
	var ending batch.Ending
	if others != nil {
		ending, err = others.Play(calls, extensions{m}.program(c.Flags()), o, b.limit)
		err = refusal(err)
	} else {
		ending, err = batch.Play(calls, o)
	}
	done()
	printer.Finish()
	if _, told := errors.AsType[*failure](err); told {
		return err
	}
	if err != nil {
		return fmt.Errorf("batch: %w; the same command continues it", err)
	}
	return concludeBatch(m, dir, b, shard, ending)
}

// shownPath is a path of this program as a user would write it.
func (fl *files) shownPath(path string) string {
	if inside, err := filepath.Rel(fl.dir, path); err == nil && !strings.HasPrefix(inside, "..") {
		return inside
	}
	return path
}

// lease is how long a process may be silent before its cells are taken over. A variable shortens it
// for file systems whose clock is right and machines that never pause.
func (e *environment) lease() time.Duration {
	text, _ := e.LookupEnv(settings.EnvPrefix + "BATCH_LEASE_MS")
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 100 {
		return settings.Millis(n)
	}
	return batch.LeaseDefault
}

// concludeBatch prints the summary and says how the batch ended.
func concludeBatch(m *Main, dir batch.Dir, b *plannedBatch, shard batch.Shard, ending batch.Ending) error {
	cells := b.planned.Cells
	results, err := dir.Results(cells)
	if err != nil {
		return err
	}
	if err := measureBatch(m, dir, b.file.Metrics, results); err != nil {
		return err
	}
	if len(b.file.Metrics) > 0 { // the file of results says them, too
		if err := dir.WriteResults(results); err != nil {
			return err
		}
	}
	s, err := batch.Summarize(b.file, cells, results)
	if err != nil {
		return badInput("%w", err)
	}
	left, all := s.Cells-s.Scored-s.Failed, plaintext.Count(s.Cells, "cell")
	if shard.Of > 1 && left > 0 {
		// Gates are about the whole batch; a shard has no say in them.
		s.Gates, s.Verdict = nil, batch.Passed
	}
	_ = m.print(s.Text(m.outputColumns()))
	var end reasons
	switch ending {
	case batch.Interrupted:
		end.add(exitInterrupted, "interrupted with %d of %s to play; the same command continues it", left, all)
	case batch.BudgetReached:
		end.add(exitBudget, "the budget of %s is used up with %d of %s to play; the same command with a higher budget "+
			"continues it", b.file.Budget.Text(), left, all)
	}
	return end.conclude(s, ending == batch.DecidedEarly)
}

// armsShown bounds the arms of the line.
const armsShown = 8

// noBatch refuses a directory that a user names for a batch, and says where its files cannot be read.
func noBatch(m *Main, what, name string, err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok && !errors.Is(err, fs.ErrNotExist) &&
		!errors.Is(err, syscall.ENOTDIR) {
		return badInput("%s%s: %s cannot be read: %w; allowed: the directory of a batch", what, shown(name),
			shown(m.shownPath(p.Path)), p.Err)
	}
	return badInput("%s%s is no batch: %w; allowed: the directory of a batch", what, shown(name), cause(err))
}

// batchStatus prints how far a batch is.
func batchStatus(m *Main, name string, asJSON bool) error {
	m.collectMore()
	dir := batch.Dir(m.path(name))
	s, err := dir.Status(m.lease())
	if err != nil {
		return noBatch(m, "", name, err)
	}
	if asJSON {
		return m.printJSON(s)
	}
	var b strings.Builder
	plaintext.Fprintf(&b, "batch    %s\ncells    %d: %d done (%d without a score, %d cut short), %d failed, %d played "+
		"now, %d stale, %d to play\n", s.Name, len(s.Cells), s.Done, s.Unscored, s.CutShort, s.Failed, s.Playing, s.Stale,
		s.Waiting)
	plaintext.Fprintf(&b, "taken    %s, %s", plaintext.Count(s.Calls, "call"), plaintext.Count(s.Tokens, "token"))
	if s.Currency != "" {
		plaintext.Fprintf(&b, ", %s %s", price.FromMicros(s.CostMicros), s.Currency)
	}
	b.WriteString(" by cells with a result\n")
	if s.Leased != (budget.Amount{}) {
		plaintext.Fprintf(&b, "budget   %s, %s spent or leased, with those of unfinished cells\n",
			plaintext.Count(s.Leased[budget.Calls], "call"), plaintext.Count(s.Leased[budget.Tokens], "token"))
	}
	for _, c := range s.Cells {
		if c.State == "done" || c.State == "waiting" {
			continue
		}
		plaintext.Fprintf(&b, "%-8s %s %s", c.State, c.Cell.ID, c.Cell.Name())
		if c.Owner != "" {
			plaintext.Fprintf(&b, ", attempt %d on %s", c.Attempt, c.Owner)
		}
		if c.Reason != "" {
			plaintext.Fprintf(&b, ": %s", c.Reason)
		}
		b.WriteString("\n")
	}
	if s.Thinned {
		b.WriteString("thinned  the runs were removed, the results were kept\n")
	}
	return m.print(b.String())
}

// mergeBatches unites directories of the same batch, and writes the page of all to a file if one
// is named.
func mergeBatches(m *Main, args []string, into, html string) error {
	if len(args) == 0 || into == "" {
		return badInput("batch merge needs the directories of a batch, and --into with the one for all of them")
	}
	if err := m.distinct(append([]string{into}, args...), "directories"); err != nil {
		return err
	}
	var from []batch.Dir
	for _, arg := range args {
		from = append(from, batch.Dir(m.path(arg)))
	}
	kept := []keptPath{{what: "the batch", path: m.path(into)}}
	for _, dir := range from {
		kept = append(kept, keptPath{what: "a batch", path: string(dir)})
	}
	page, err := m.output("the page ", html, kept...)
	if err != nil {
		return err
	}
	added, err := batch.Dir(m.path(into)).Merge(from)
	if err != nil {
		page.made.discard()
		return badInput("the batches cannot be merged: %w", err)
	}
	m.noteMade("the page ", page)
	said := m.beside(page)
	if html != "" {
		made, err := batch.PageOf(batch.Dir(m.path(into)), m.lease())
		if err == nil {
			err = m.write(page, func(w io.Writer) error { _, err := w.Write(made.HTML()); return err })
		}
		if err != nil {
			page.made.discard()
			return err
		}
		plaintext.Fprintf(said, "page    %s\n", html)
	}
	plaintext.Fprintf(said, "%s in %s\n", plaintext.Count(added, "result"), into)
	return nil
}
