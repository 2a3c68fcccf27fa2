package batch

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/metric"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
)

// measuredFile is the file of a cell with what its run was measured by after its result was written. It has
// nothing that the run does not have, and may be deleted at any time.
const measuredFile = "metrics.json"

// measured is the content of measuredFile.
type measured struct {
	// Attempt is the one whose run has the values.
	Attempt int64              `json:"attempt"`
	Metrics []report.OwnMetric `json:"metrics"`
}

// Measure gives results the metrics of a list: as they were when the cell was played, as an earlier call
// computed them, or computed now from the run of the cell, so many at a time. No cell is played for it. What
// goes wrong with a metric of a run is in its row. The error is that of ctx.
func (d Dir) Measure(ctx context.Context, list metric.List, results []Result, jobs int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, jobs))
	for i := range results {
		r := &results[i]
		if len(list) == 0 || !r.Scored() {
			continue
		}
		group.Go(func() error { return d.measure(ctx, list, r) })
	}
	return group.Wait()
}

// measure is [Dir.Measure] of one result.
func (d Dir) measure(ctx context.Context, list metric.List, r *Result) error {
	measured := func(m metric.Metric) bool {
		return slices.ContainsFunc(r.Own, func(o report.OwnMetric) bool { return m.Own().Same(o) && o.Measured() })
	}
	missing := func() metric.List { return slices.DeleteFunc(slices.Clone(list), measured) }
	if len(missing()) > 0 {
		kept := d.measured(*r)
		r.Own = append(r.Own, kept...)
		todo := slices.DeleteFunc(missing(), func(m metric.Metric) bool { return !m.Computes() })
		if len(todo) > 0 {
			rows, err := todo.Measure(ctx, run.Dir(d.Run(r.ID, r.Attempt)))
			if err != nil {
				return err
			}
			if err := d.unmeasured(r); err != errUnmeasured {
				for i, o := range rows {
					rows[i] = o.With(nil, err)
				}
			}
			r.Own = append(rows, r.Own...)
			d.keepMeasured(*r, slices.Concat(rows, kept)) // who knows none of them takes the newest of a name
		}
	}
	r.settle(list, func() error { return d.unmeasured(r) })
	return nil
}

// unmeasured is why a result has no value of a metric that nobody computed.
func (d Dir) unmeasured(r *Result) error {
	if d.Thinned() && !d.holdsRun(r.ID, r.Attempt) {
		return report.NotMeasured(ErrThinned)
	}
	return errUnmeasured
}

// keepMeasured keeps what a run was measured by. Where that cannot be written, it is computed again when it is
// asked for.
func (d Dir) keepMeasured(r Result, rows []report.OwnMetric) {
	rows = slices.DeleteFunc(rows, func(o report.OwnMetric) bool { return !o.Measured() })
	_ = d.replace(inCell(r.ID, measuredFile), llmclient.Marshal(measured{r.Attempt, rows}))
}

// Recall gives results the metrics of a list as far as they were computed before.
func (d Dir) Recall(list metric.List, results []Result) {
	for i := range results {
		if r := &results[i]; r.Scored() && len(list) > 0 {
			r.Own = append(r.Own, d.measured(*r)...)
			r.settle(list, func() error { return d.unmeasured(r) })
		}
	}
}

// measured are the metrics that a result got after it was written.
func (d Dir) measured(r Result) []report.OwnMetric {
	var m measured
	text, err := d.read(inCell(r.ID, measuredFile))
	if err != nil || json.Unmarshal(text, &m) != nil || m.Attempt != r.Attempt {
		return nil
	}
	return m.Metrics
}

// settle puts the metrics of a list first, in its order, with their values beside ours. A value of the same
// name that another function computed is none. why says why there is none of a metric that nobody computed.
func (r *Result) settle(list metric.List, why func() error) {
	if len(list) == 0 {
		return
	}
	var rows []report.OwnMetric
	figures := r.Metrics.Map()
	for _, o := range list.Own() {
		delete(figures, o.Name)
		row := o
		if i := slices.IndexFunc(r.Own, o.Same); i >= 0 {
			row = o.With(r.Own[i].Value, r.Own[i].Failure())
		} else {
			row = o.With(nil, why())
		}
		rows = append(rows, row)
		if row.Value != nil {
			figures[row.Name] = *row.Value
		}
	}
	for _, o := range r.Own {
		if _, listed := list.Named(o.Name); !listed {
			rows = append(rows, o)
		}
	}
	r.Own = rows
	r.Metrics = MetricsOf(figures)
}

// errUnmeasured is why a result has no value of a metric that nobody has computed yet.
var errUnmeasured = report.NotMeasured(errors.New("nobody has asked for it yet"))

// Settle gives results that are of no batch directory, of one side or several, the metrics of a list, as far as they
// have them. It returns the list with those that only results have.
func Settle(list metric.List, sides ...[]Result) metric.List {
	for _, results := range sides {
		list = list.Known(recorded(results)...)
	}
	for _, results := range sides {
		for i := range results {
			if results[i].Scored() {
				results[i].settle(list, func() error { return errNoRun })
			}
		}
	}
	return list
}

// errNoRun is why a result of no batch directory has no value of a metric.
var errNoRun = report.NotMeasured(errors.New("no value was recorded, and there is no run here to compute it of"))

// Has says that the run of a result has a value of a metric, or was measured by it and is not counted.
func (r *Result) Has(metric string) bool {
	_, known := r.Metrics.Get(metric)
	return known || strings.HasPrefix(metric, report.AcceptedPrefix) ||
		slices.ContainsFunc(r.Own, func(o report.OwnMetric) bool { return o.Name == metric && o.Measured() })
}

// recorded are the metrics of somebody's own that some result has, without values.
func recorded(results []Result) (all []report.OwnMetric) {
	for _, r := range results {
		all = report.Union(all, r.Own)
	}
	return all
}
