package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/agentworld/batch"
	"example.com/agentworld/dashboard"
	"example.com/agentworld/explain"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// compareHelp is the long help of the compare command.
const compareHelp = `Say in what runs differ, and whether one side is better.

Each argument is a run, a cell of a batch (DIR/cells/ID), a directory of runs, a batch, or the
results.jsonl of one. Two runs are compared tick by tick; --format html gives what the page says of
them, in one file. Otherwise each argument is a side, the
first one the baseline: runs of the same world, seed and repeat are pairs, and every metric gets a
verdict: better, worse, equivalent or not worse (only with --margin, of a metric with a range),
identical, undecided with the difference that would have been found, or too few. A verdict
takes at least six instances. Three and more sides are compared in all pairs and get places.

--by says what is compared, such as model, version, world or world.personas. Sides that differ in
anything else get no verdict, and the first lines say in what.

Exit codes: 0, 6 if a side is worse in the primary metric or a gate does not hold, 7 if there is no
verdict or a gate is undecided.`

// compareFlags are the flags of the command.
type compareFlags struct {
	After   int64   `flag:"after-tick" doc:"of two runs, compare only the ticks after this one"`
	By      string  `flag:"by" doc:"what is compared, with commas between: version, model, world, world.PART or another setting"`
	JSON    bool    `flag:"json" doc:"print one JSON object"`
	Format  string  `flag:"format" doc:"text, json, csv, junit, markdown or html"`
	Out     string  `flag:"out" doc:"write to this file instead of stdout"`
	Primary string  `flag:"primary" doc:"metric that decides (default score, score_share of several scenarios)"`
	Margin  float64 `flag:"margin" doc:"difference of the primary metric that does not matter"`
	Range   float64 `flag:"range" doc:"how much the primary metric of two runs can differ at most (default what is known)"`
	Effect  float64 `flag:"effect" doc:"difference of the primary metric worth finding, for the number of further pairs"`
	Alpha   float64 `flag:"alpha" doc:"probability of a false better or worse"`
	gates   []string
	// ofSides are the flags that were given and are for sides alone.
	ofSides []string
}

// compareCommand compares runs, directories of runs and batches.
func compareCommand(m *Main) *cobra.Command {
	f := compareFlags{Alpha: 0.05, Format: "text"}
	c := &cobra.Command{
		Use:   "compare A B [C...]",
		Short: "say in what runs differ, and whether one side is better",
		Long:  compareHelp,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return badInput("compare takes at least two arguments, runs or directories of runs; got %d", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			for _, name := range []string{"by", "primary", "margin", "range", "effect", "alpha", "gate"} {
				if c.Flags().Changed(name) {
					f.ofSides = append(f.ofSides, name)
				}
			}
			return compareArguments(c.Context(), m, args, f)
		},
	}
	addOptions(c.Flags(), &f)
	c.Flags().StringArrayVar(&f.gates, "gate", nil,
		"condition on the sides after the first, such as calls<=100 for a mean or score=better,equivalent for "+
			"verdicts; more than once for several (default: the primary metric is not worse)")
	m.metrics.addFlag(c.Flags())
	c.Flags().Lookup(metricFlag).Usage = "further metrics, with commas between (default score_share, goals_met, " +
		"degraded_share, parse_errors, calls, tokens, cost, and those of your own), or one of your own as NAME=JQ, " +
		"NAME:higher=JQ or NAME:lower=JQ; docs/metrics.md"
	return c
}

// compareArguments chooses between the comparison of two runs and that of sides.
func compareArguments(ctx context.Context, m *Main, args []string, f compareFlags) error {
	names, err := m.metrics.take()
	if err != nil {
		return err
	}
	if f.After < 0 {
		return badInput("--after-tick %d is out of range; allowed: a tick from 0", f.After)
	}
	if !slices.Contains(batch.Formats, f.Format) {
		return badInput("--format %s: unknown; allowed: %s", shown(f.Format), strings.Join(batch.Formats, ", "))
	}
	for i, arg := range args {
		same := func(other string) bool { return sameFile(m.path(other), m.path(arg)) }
		if slices.ContainsFunc(args[:i], same) {
			return badInput("%s is given twice; allowed: different runs", shown(arg))
		}
	}
	for i, arg := range args {
		if run, ok := batch.RunOfCell(m.path(arg)); ok {
			args[i] = filepath.Join(arg, run)
		}
	}
	if len(args) == 2 && batch.IsRun(m.path(args[0])) && batch.IsRun(m.path(args[1])) {
		if len(names) > 0 {
			f.ofSides = append(f.ofSides, metricFlag+" "+names[0])
		}
		return compareTwo(ctx, m, args[0], args[1], f)
	}
	if f.After > 0 {
		return badInput("--after-tick is for two runs; allowed: leave it out")
	}
	var by []string
	if slices.Contains(f.ofSides, "by") {
		by, err = batch.Declared(strings.Split(f.By, ","))
		if err != nil {
			return badInput("--by: %w", err)
		}
	}
	return compareSides(m, args, names, by, f)
}

// compareTwo compares two runs tick by tick.
func compareTwo(ctx context.Context, m *Main, a, b string, f compareFlags) error {
	const sides = "is for sides of several runs; allowed: directories of runs, or batches"
	if len(f.ofSides) > 0 {
		return badInput("--%s %s", f.ofSides[0], sides)
	}
	if f.Format == "html" && !f.JSON {
		var page bytes.Buffer
		if err := dashboard.WriteComparison(ctx, [2]string{m.path(a), m.path(b)}, f.After, &page); err != nil {
			return incomparable(a, b, err)
		}
		return m.writeMade("the comparison ", f.Out, func(int) []byte { return page.Bytes() })
	}
	if f.Format != "text" && f.Format != "json" {
		return badInput("--format %s %s, and text, json or html for two runs", f.Format, sides)
	}
	c, reports, err := compareRuns(m, a, b, f.After)
	if err != nil {
		return err
	}
	text := c.Text(a, b, reports[0], reports[1], explain.ActionText)
	base, arm := batch.ResultOf(batch.Cell{}, 1, reports[0], ""), batch.ResultOf(batch.Cell{}, 1, reports[1], "")
	if differs := batch.Between(base, arm); differs != "" {
		text = "differs: " + differs + "\n\n" + text
	}
	text += "one pair of runs is too few for a verdict; a directory of runs, or a batch, has more\n"
	made := []byte(text)
	if f.JSON || f.Format == "json" {
		made, err = indentedJSON(c)
	}
	if err != nil {
		return err
	}
	return m.writeMade("the comparison ", f.Out, func(int) []byte { return made })
}

// compareSides compares directories of runs and batches on some metrics, and says whether the gates hold. by declares
// what is compared.
func compareSides(m *Main, args, names, by []string, f compareFlags) error {
	var sides []batch.Side
	var all [][]batch.Result
	for _, arg := range args {
		side, err := sideOf(m, arg)
		if err != nil {
			return err
		}
		sides, all = append(sides, side), append(all, side.Results)
	}
	own := batch.Settle(m.metrics.list, all...)
	asked := slices.Clone(names)
	for _, o := range m.metrics.fromFlags {
		asked = append(asked, o.Name)
	}
	if err := hasValues(sides, asked, report.AllMetrics(own.Own()...)); err != nil {
		return err
	}
	if len(names) == 0 {
		names = slices.Clone(batch.ShownMetrics)
		for _, o := range own {
			names = append(names, o.Name)
		}
	}
	gates, err := gatesOf(f.gates, report.AllMetrics(own.Own()...), args[1:])
	if err != nil {
		return err
	}
	how := &batch.Compare{Primary: f.Primary, Metrics: names, Margin: f.Margin, Range: f.Range,
		Effect: f.Effect, Alpha: f.Alpha}
	s, err := batch.CompareSides(batch.File{Name: strings.Join(args, " "), Compare: how, Metrics: own, Gates: gates}, by,
		sides)
	if err != nil {
		return badInput("%w", err)
	}
	for _, one := range s.Comparisons {
		if one.Pairs == 0 {
			return badInput("%s and %s have no runs in common (%s); allowed: runs of the same worlds and seeds, and cells of a "+
				"batch that have the same labels, too", shown(one.Baseline), shown(one.Arm), playedBy(sides, one))
		}
	}
	if f.JSON {
		f.Format = "json"
	}
	if err := m.writeSummary(s, f.Format, f.Out); err != nil {
		return err
	}
	return concludeComparison(s, len(gates) > 0, f.By)
}

// playedBy says which worlds two sides played.
func playedBy(sides []batch.Side, of batch.Comparison) string {
	var texts []string
	for _, name := range []string{of.Baseline, of.Arm} {
		for _, side := range sides {
			var worlds []string
			for _, r := range side.Results {
				worlds = append(worlds, shown(r.Scenario))
			}
			slices.Sort(worlds)
			if side.Name == name {
				texts = append(texts, strings.Join(slices.Compact(worlds), ", "))
			}
		}
	}
	return strings.Join(texts, " against ")
}

// hasValues refuses metrics that a user asked for and that are not known, or that no run of a side has a value of.
func hasValues(sides []batch.Side, asked []string, known report.MetricList) error {
	for _, name := range asked {
		if _, ok := known.Named(name); !ok {
			return badInput("--%s %s: %w", metricFlag, shown(name), known.Unknown(name))
		}
		for _, side := range sides {
			if !slices.ContainsFunc(side.Results, func(r batch.Result) bool { return r.Has(name) }) {
				return badInput("--%s %s: no result of %s has a value of it; allowed: metrics that both sides have, and runs or a "+
					"batch directory to compute one of your own of", metricFlag, shown(name), shown(side.Name))
			}
		}
	}
	return nil
}

// gatesOf reads conditions on each of some sides: bounds of means, and verdicts.
func gatesOf(texts []string, known report.MetricList, sides []string) (gates []batch.Gate, err error) {
	for _, text := range texts {
		g := batch.Gate{}
		if b, err := report.ParseBound(text, known); err == nil {
			g.Metric = b.Metric.Name
			if b.Least {
				g.AtLeast = &b.Value
			} else {
				g.AtMost = &b.Value
			}
		} else if name, verdicts, found := strings.Cut(text, "="); found && !strings.HasSuffix(name, "<") &&
			!strings.HasSuffix(name, ">") {
			g.Metric = strings.TrimSpace(name)
			for v := range strings.SplitSeq(verdicts, ",") {
				g.Verdict = append(g.Verdict, strings.TrimSpace(v))
			}
		} else {
			return nil, badInput("--gate %s: %w; or METRIC=VERDICT,VERDICT", shown(text), err)
		}
		for _, side := range sides {
			g.Arm = side
			gates = append(gates, g)
		}
	}
	return gates, nil
}

// concludeComparison is the exit code of a comparison with its reasons: that of the gates, or without any whether a
// side is worse, or has no verdict since it differs in what is not compared. by is what the user declared.
func concludeComparison(s batch.Summary, gated bool, by string) error {
	if gated {
		return gateReasons(s.Verdict).error()
	}
	var end reasons
	for _, one := range s.Comparisons {
		switch {
		case one.Baseline != s.Comparisons[0].Baseline: // two sides beside the baseline
		case one.Worse():
			end.add(exitGate, "%s is worse than %s in %s", shown(one.Arm), shown(one.Baseline), one.Metrics[0].Metric)
		case one.Why != "":
			end.add(exitUndecided, "%s has no verdict: %s%s", shown(one.Arm), one.Why, declareHint(one, by))
		}
	}
	return end.error()
}

// declareHint says how what differs can be declared beside what is; empty if nothing else does.
func declareHint(one batch.Comparison, by string) string {
	var names []string
	if by != "" {
		names = strings.Split(by, ",")
	}
	declared := len(names)
	for _, what := range one.Undeclared() {
		group, _, _ := strings.Cut(what, ".")
		if !slices.Contains(names, group) {
			names = append(names, group)
		}
	}
	if len(names) == declared {
		return ""
	}
	return "; --by " + strings.Join(names, ",") + " compares it"
}

// sideOf reads the runs that an argument names: a run, the results of a batch, or all runs in a directory.
func sideOf(m *Main, arg string) (batch.Side, error) {
	const allowed = "allowed: a run, a directory of runs, a batch, or its results.jsonl"
	reader := batch.SideReader{Fold: m.foldTrace, Measure: func(d batch.Dir, results []batch.Result) error {
		return measureBatch(m, d, m.metrics.list, results)
	}}
	side, err := reader.Read(arg, m.path(arg))
	_, outside := errors.AsType[*fs.PathError](err)
	_, told := errors.AsType[*failure](err)
	switch {
	case err == nil || told:
		return side, err
	case errors.Is(err, batch.ErrNoRuns):
		return side, badInput("%s holds no run with an end; %s", shown(arg), allowed)
	case outside:
		return side, badInput("%s cannot be read: %w; %s", shown(arg), cause(err), allowed)
	}
	return side, badInput("%s: %w", shown(arg), err)
}

// compareRuns reads both traces twice, for their reports and side by side.
func compareRuns(m *Main, a, b string, after int64) (c report.Comparison, reports [2]report.Report, err error) {
	for i, dir := range []string{a, b} {
		reports[i], err = m.foldTrace(dir)
		if err != nil {
			return c, reports, err
		}
	}
	c, err = report.Compare(reports[0], reports[1], m.source(a), m.source(b), after)
	if err != nil {
		err = incomparable(a, b, err)
	}
	return c, reports, err
}

// incomparable is why two runs were not compared: bad input unless the comparison was interrupted, or the system could
// not read what is there and may be read.
func incomparable(a, b string, err error) error {
	failed := fmt.Errorf("%s and %s cannot be compared: %w", shown(a), shown(b), cause(err))
	_, outside := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, context.Canceled):
		return failWith(exitInterrupted, failed)
	case outside && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission):
		return failed
	}
	return failWith(exitBadInput, failed)
}

// parentOf returns the directory of the run that a fork left. It looks for that run under
// its name next to the fork, and returns "" if it is not there.
func (fl *files) parentOf(runDir string, left trace.ForkParent) string {
	dir := filepath.Join(filepath.Dir(fl.path(runDir)), filepath.Base(left.Name))
	h, err := run.Dir(dir).Header()
	if err != nil || h.RunName() != left.Run {
		return ""
	}
	return dir
}
