package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/agentworld/batch"
	"example.com/agentworld/dashboard"
	"example.com/agentworld/explain"
	"example.com/agentworld/plaintext"
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
			if f.JSON && c.Flags().Changed("format") && f.Format != "json" {
				return badInput("--json and --format %s are two formats; allowed: one of them", shown(f.Format))
			}
			if f.JSON {
				f.Format = "json"
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
	if err := m.distinct(args, "runs"); err != nil {
		return err
	}
	for i, arg := range args {
		if run, ok := batch.RunOfCell(m.path(arg)); ok {
			args[i] = filepath.Join(arg, run)
		}
	}
	runs := !slices.ContainsFunc(args, func(arg string) bool { return !batch.IsRun(m.path(arg)) })
	if runs && len(args) == 2 {
		if len(names) > 0 {
			f.ofSides = append(f.ofSides, metricFlag+" "+names[0])
		}
		return compareTwo(ctx, m, args[0], args[1], f)
	}
	if f.After > 0 {
		return badInput("--after-tick is for two runs; allowed: leave it out")
	}
	if runs {
		plaintext.Fprintf(m.Stderr, "note: each run is a side of one run, too few for a verdict; two runs are compared tick "+
			"by tick\n")
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

// distinct refuses a path that is given twice, under whatever name. what are they.
func (fl *files) distinct(args []string, what string) error {
	for i, arg := range args {
		same := func(other string) bool { return sameFile(fl.path(other), fl.path(arg)) }
		if slices.ContainsFunc(args[:i], same) {
			return badInput("%s is given twice; allowed: different %s", shown(arg), what)
		}
	}
	return nil
}

// compareTwo compares two runs tick by tick.
func compareTwo(ctx context.Context, m *Main, a, b string, f compareFlags) error {
	const sides = "is for sides of several runs; allowed: directories of runs, or batches"
	if len(f.ofSides) > 0 {
		return badInput("--%s %s", f.ofSides[0], sides)
	}
	if !slices.Contains([]string{"text", "json", "html"}, f.Format) {
		return badInput("--format %s %s, and text, json or html for two runs", f.Format, sides)
	}
	var reports [2]report.Report
	var err error
	for i, dir := range []string{a, b} {
		reports[i], err = m.foldTrace(dir)
		if err != nil {
			return err
		}
	}
	if f.Format == "html" {
		var page bytes.Buffer
		of := [2]dashboard.Compared{{Run: m.source(a), Report: reports[0]}, {Run: m.source(b), Report: reports[1]}}
		if err := dashboard.WriteComparison(ctx, of, f.After, &page); err != nil {
			return incomparable(a, b, err)
		}
		return m.writeTo("the comparison ", f.Out, whole(page.Bytes()))
	}
	c, err := report.Compare(reports[0], reports[1], m.source(a), m.source(b), f.After)
	if err != nil {
		return incomparable(a, b, err)
	}
	text := c.Text(a, b, reports[0], reports[1], explain.ActionText)
	base, arm := batch.ResultOf(batch.Cell{}, 1, reports[0], ""), batch.ResultOf(batch.Cell{}, 1, reports[1], "")
	if differs := batch.Between(base, arm); differs != "" {
		text = "differs: " + differs + "\n\n" + text
	}
	text += "one pair of runs is too few for a verdict; a directory of runs, or a batch, has more\n"
	made := []byte(text)
	if f.Format == "json" {
		made, err = indentedJSON(c)
	}
	if err != nil {
		return err
	}
	return m.writeTo("the comparison ", f.Out, whole(made))
}

// incomparable is why two runs were not compared: bad input unless the comparison was interrupted.
func incomparable(a, b string, err error) error {
	failed := fmt.Errorf("%s and %s cannot be compared: %w", shown(a), shown(b), cause(err))
	if errors.Is(err, context.Canceled) {
		return failWith(exitInterrupted, failed)
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
