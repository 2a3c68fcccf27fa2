package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/agentworld/batch"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// compareHelp is the long help of the compare command.
const compareHelp = `Say in what runs differ, and whether one side is better.

Each argument is a run, a cell of a batch (DIR/cells/ID), a directory of runs, or a batch with
its results. Two runs are compared tick by tick. Otherwise each argument is a side, the first one the baseline:
runs of the same scenario, seed and repeat are pairs, and every metric gets a verdict:
better, worse, equivalent or not worse (only with --margin, of a metric with a range),
identical, undecided with the difference that would have been found, or too few. A verdict
takes at least six instances. Three and more sides are compared in all pairs and get places.`

// compareFlags are the flags of the command.
type compareFlags struct {
	After   int64   `flag:"after-tick" doc:"of two runs, compare only the ticks after this one"`
	JSON    bool    `flag:"json" doc:"print one JSON object"`
	Primary string  `flag:"primary" doc:"metric that decides (default score, score_share of several scenarios)"`
	Margin  float64 `flag:"margin" doc:"difference of the primary metric that does not matter"`
	Range   float64 `flag:"range" doc:"how much the primary metric of two runs can differ at most (default what is known)"`
	Effect  float64 `flag:"effect" doc:"difference of the primary metric worth finding, for the number of further pairs"`
	Alpha   float64 `flag:"alpha" doc:"probability of a false better or worse"`
}

// compareCommand compares runs, directories of runs and batches.
func compareCommand(m *Main) *cobra.Command {
	f := compareFlags{Alpha: 0.05}
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
		RunE: func(_ *cobra.Command, args []string) error { return compareSides(m, args, f) },
	}
	addOptions(c.Flags(), &f)
	m.addMetricFlag(c.Flags())
	c.Flags().Lookup(metricFlag).Usage = "further metrics, with commas between (default score_share, goals_met, " +
		"degraded_share, parse_errors, calls, tokens, cost, and those of your own), or one of your own as NAME=JQ, " +
		"NAME:higher=JQ or NAME:lower=JQ; docs/metrics.md"
	return c
}

// compareSides chooses between the comparison of two runs and that of sides.
func compareSides(m *Main, args []string, f compareFlags) error {
	names, err := m.takeMetrics()
	if err != nil {
		return err
	}
	if f.After < 0 {
		return badInput("--after-tick %d is out of range; allowed: a tick from 0", f.After)
	}
	for i, arg := range args {
		if slices.Contains(args[:i], arg) {
			return badInput("%s is given twice; allowed: different runs", shown(arg))
		}
	}
	for i, arg := range args {
		if run, ok := batch.RunOfCell(m.path(arg)); ok {
			args[i] = filepath.Join(arg, run)
		}
	}
	if len(args) == 2 && m.isRun(args[0]) && m.isRun(args[1]) {
		c, reports, err := compareRuns(m, args[0], args[1], f.After)
		if err != nil {
			return err
		}
		if f.JSON {
			return m.printJSON(c)
		}
		return m.print(c.Text(args[0], args[1], reports[0], reports[1]) +
			"one pair of runs is too few for a verdict; a directory of runs, or a batch, has more\n")
	}
	if f.After > 0 {
		return badInput("--after-tick is for two runs; allowed: leave it out")
	}
	var cells []batch.Cell
	var results []batch.Result
	for _, arg := range args {
		side, err := sideOf(m, arg)
		if err != nil {
			return err
		}
		if len(side) == 0 {
			return badInput("%s holds no run with an end; allowed: a run, a directory of runs, or a batch", shown(arg))
		}
		for _, r := range side {
			r.ID = batch.ID(arg + " " + string(r.ID)) // the same run may be on two sides
			r.Labels = append([]batch.Label{{Axis: sideAxis, Value: arg}}, r.Labels...)
			cells, results = append(cells, r.Cell), append(results, r)
		}
	}
	own := batch.Settle(m.metrics.list, results)
	if len(names) == 0 {
		names = slices.Clone(batch.ShownMetrics)
		for _, o := range own {
			names = append(names, o.Name)
		}
	}
	how := &batch.Compare{Axis: sideAxis, Baseline: args[0], Primary: f.Primary, Metrics: names, Margin: f.Margin,
		Range: f.Range, Effect: f.Effect, Alpha: f.Alpha}
	s, err := batch.Summarize(batch.File{Name: strings.Join(args, " "), Compare: how, Metrics: own}, cells, results)
	if err != nil {
		return badInput("%w", err)
	}
	for _, one := range s.Comparisons {
		if one.Pairs == 0 {
			return badInput("%s and %s have no runs in common; allowed: runs of the same scenarios and seeds, and cells of a "+
				"batch that have the same labels, too", shown(one.Baseline), shown(one.Arm))
		}
	}
	if f.JSON {
		return m.printJSON(s)
	}
	return m.print(s.Text(m.outputColumns()))
}

// sideAxis is the axis of the arguments of a comparison.
const sideAxis = "side"

// isRun says that a directory holds a run.
func (fl *files) isRun(dir string) bool {
	f, err := run.Dir(fl.path(dir)).Open()
	if err != nil {
		return !errors.Is(err, run.ErrNoRun) && !errors.Is(err, fs.ErrNotExist)
	}
	_ = f.Close()
	return true
}

// sideOf reads the runs that an argument names: a run, the results of a batch, or all runs in
// a directory. A run that has no end counts as one that failed.
func sideOf(m *Main, arg string) ([]batch.Result, error) {
	info, err := os.Stat(m.path(arg))
	if err != nil {
		return nil, badInput("%s cannot be read: %w; allowed: a run, a directory of runs, or a batch", shown(arg), cause(err))
	}
	file := m.path(arg)
	if info.IsDir() {
		if _, cells, err := batch.Dir(file).Cells(); err == nil {
			results, err := batch.Dir(file).Results(cells) // its file of results is made when a process ends
			if err != nil {
				return nil, badInput("%s: %w", shown(arg), err)
			}
			return results, m.measureBatch(batch.Dir(file), m.metrics.list, results)
		}
		file = filepath.Join(file, batch.ResultsFile)
	}
	if f, err := os.Open(file); err == nil {
		defer f.Close()
		results, err := batch.ReadResults(f)
		if err != nil {
			return nil, badInput("%s: %w", shown(arg), err)
		}
		return results, nil
	}
	dirs := []string{arg}
	if !m.isRun(arg) {
		dirs = nil
		entries, err := os.ReadDir(m.path(arg))
		if err != nil {
			return nil, badInput("%s cannot be read: %w", shown(arg), cause(err))
		}
		for _, e := range entries {
			if dir := filepath.Join(arg, e.Name()); e.IsDir() && m.isRun(dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	var list []batch.Result
	repeats := map[string]int64{}
	for _, dir := range dirs {
		r, err := m.foldTrace(dir)
		if err != nil {
			return nil, err
		}
		instance := fmt.Sprintf("%s %d", r.Scenario, r.Seed)
		repeats[instance]++
		c := batch.Cell{ID: batch.ID(dir), Scenario: r.Scenario, Seed: r.Seed, Repeat: repeats[instance]}
		list = append(list, batch.ResultOf(c, 1, r, ""))
	}
	return list, nil
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
		err = badInput("%s and %s cannot be compared: %w", shown(a), shown(b), err)
	}
	return c, reports, err
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
