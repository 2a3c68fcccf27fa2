package agentworld

import (
	"context"
	"fmt"
	"slices"

	"example.com/agentworld/batch"
	"example.com/agentworld/metric"
	"example.com/agentworld/run"
)

// Side is some runs that are compared with those of other sides.
type Side = batch.Side

// ReadSide reads the runs at a path: those of a batch directory or of its results.jsonl, a run directory, or all runs
// in a directory. Metrics of your own are computed of runs that do not have them. The error says which metric cannot
// be, or what cannot be read, or is that of ctx.
func ReadSide(ctx context.Context, path string, metrics ...Metric) (Side, error) {
	list := metric.List(metrics)
	if err := list.Check(); err != nil {
		return Side{}, err
	}
	reader := batch.SideReader{
		Fold: func(dir string) (Report, error) { return list.Report(ctx, run.Dir(dir).As(nil)) },
		Measure: func(d batch.Dir, results []batch.Result) error {
			return d.Measure(ctx, list, results, 1)
		},
	}
	return reader.Read(path, path)
}

// CompareSides compares sides with the first one, and with each other if there are three or more. Pairs are runs of
// the same world, seed and repeat. by names what is compared, such as "model", "version" or "world.personas": sides
// that differ in anything else get no verdict, and the summary says in what. Without metrics, those are judged that
// every table shows. The error says what cannot be compared.
func CompareSides(how BatchCompare, by []string, sides ...Side) (BatchSummary, error) {
	if len(sides) < 2 {
		return BatchSummary{}, fmt.Errorf("compare sides: there is %d; allowed: two and more", len(sides))
	}
	declared, err := batch.Declared(by)
	if err != nil {
		return BatchSummary{}, fmt.Errorf("compare sides: %w", err)
	}
	name := ""
	var all [][]batch.Result
	for i, side := range sides {
		of := func(other Side) bool { return other.Name == side.Name }
		if side.Name == "" || len(side.Results) == 0 || slices.ContainsFunc(sides[:i], of) {
			return BatchSummary{}, fmt.Errorf("compare sides: side %d, %q, has no name of its own or no runs", i+1, side.Name)
		}
		name += " " + side.Name
		all = append(all, side.Results)
	}
	own := batch.Settle(nil, all...)
	if len(how.Metrics) == 0 {
		how.Metrics = slices.Clone(batch.ShownMetrics)
		for _, o := range own {
			how.Metrics = append(how.Metrics, o.Name)
		}
	}
	s, err := batch.CompareSides(batch.File{Name: name[1:], Compare: &how, Metrics: own}, declared, sides)
	if err != nil {
		return BatchSummary{}, fmt.Errorf("compare sides: %w", err)
	}
	return s, nil
}
