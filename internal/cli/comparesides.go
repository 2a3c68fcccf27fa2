package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"example.com/agentworld/batch"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
)

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
	if err := m.writeSummary(s, f.Format, f.Out); err != nil {
		return err
	}
	return concludeComparison(s, len(gates) > 0, f.By)
}

// playedBy says which worlds two sides played, and with which seeds if the worlds are the same.
func playedBy(sides []batch.Side, of batch.Comparison) string {
	var worlds, seeds []string
	for _, side := range sides {
		if side.Name != of.Baseline && side.Name != of.Arm {
			continue
		}
		var names, numbers []string
		for _, r := range side.Results {
			names = append(names, shown(r.Scenario))
			numbers = append(numbers, fmt.Sprint(r.Seed))
		}
		slices.Sort(names)
		slices.Sort(numbers)
		worlds = append(worlds, strings.Join(slices.Compact(names), ", "))
		seeds = append(seeds, "seed "+plaintext.Listed(slices.Compact(numbers)))
	}
	if len(slices.Compact(slices.Clone(worlds))) == 1 {
		worlds = seeds
	}
	return strings.Join(worlds, " against ")
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
