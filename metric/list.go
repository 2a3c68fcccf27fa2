package metric

import (
	"context"
	"encoding/json"
	"slices"

	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// List are metrics in the order in which they are shown.
type List []Metric

// Own says what they are.
func (l List) Own() (all []report.OwnMetric) {
	for _, m := range l {
		all = append(all, m.Own())
	}
	return all
}

// Known are the metrics of the list, and those of rows that records have under other names. What such a row
// is about can be compared and gated, and not computed.
func (l List) Known(rows ...report.OwnMetric) List {
	all := slices.Clone(l)
	for _, row := range report.Union(l.Own(), rows)[len(l):] {
		all = append(all, Metric{Name: row.Name, Version: row.Version, Unit: row.Unit, Better: row.Better,
			Range: row.Range})
	}
	return all
}

// Named is the metric of a name.
func (l List) Named(name string) (Metric, bool) {
	i := slices.IndexFunc(l, func(m Metric) bool { return m.Name == name })
	if i < 0 {
		return Metric{}, false
	}
	return l[i], true
}

// Check checks each of them, and that no two have the same name.
func (l List) Check() error {
	for _, m := range l {
		if err := m.Check(); err != nil {
			return err
		}
	}
	return report.CheckOwn(l.Own())
}

// Versions are their names and versions, as a header has them.
func (l List) Versions() (all []trace.MetricVersion) {
	for _, o := range l.Own() {
		all = append(all, trace.MetricVersion{Name: o.Name, Version: o.Version})
	}
	return all
}

// Measure computes them for a run, each by itself. What goes wrong with one is in its row; the error is that
// of ctx.
func (l List) Measure(ctx context.Context, of report.Trace) (rows []report.OwnMetric, err error) {
	rows = []report.OwnMetric{}
	for _, m := range l {
		row, err := m.measure(ctx, of)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Report folds a run into a report with these metrics, and after them with those that the report in its
// directory has, if that was made of the same trace: who reads a run need not have what computed them. One that
// the run was to be measured by and that nobody has is a row that says so. The error is one of [report.Of], with
// the report up to there, or that of ctx.
func (l List) Report(ctx context.Context, of run.Source) (report.Report, error) {
	r, err := report.Of(of)
	if err != nil {
		return r, err
	}
	rows, err := l.Measure(ctx, of)
	if err != nil {
		return r, err
	}
	for _, kept := range recorded(of.Dir, trace.Chain(r.Timing.TraceHead)) {
		if kept.Check() == nil {
			rows = append(rows, kept)
		}
	}
	return r.Measured(rows...), nil
}

// recorded are the metrics in the report of a run that was made of a trace with a head. A report that is
// damaged has none: it is made again.
func recorded(dir run.Dir, head trace.Chain) []report.OwnMetric {
	text, of, err := dir.Report()
	var told report.Report
	if err != nil || of != head || json.Unmarshal(text, &told) != nil {
		return nil
	}
	return told.OwnMetrics
}
