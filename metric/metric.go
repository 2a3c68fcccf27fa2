// Package metric computes metrics of somebody's own: numbers of a run that this program does not know.
//
//	gifts, err := metric.Parse("gifts:higher=reduce inputs as $r (0; if $r.type == \"event\" then . + 1 else . end)")
//	report, err := metric.List{gifts}.Report(ctx, run.Dir("runs/first"))
//
// A [Metric] is a Go function over the canonical records of a run, or a jq expression over the same records
// as JSON. It is computed from a run that has been played, so it changes no run, and a run of yesterday can
// have a metric of today. A metric that fails has an error in place of its value; the run, its report and
// its other metrics are whole.
package metric

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"example.com/agentworld/internal/jq"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/report"
	"example.com/agentworld/trace"
)

// Metric is a number a run. It has a Fold or a JQ, and not both; one that only records have has neither.
type Metric struct {
	// Name is 1 to 32 of a-z, 0-9 and _, and none of this program's metrics.
	Name string
	// Version names the function of a Fold: another one has another version. A JQ has none: its hash is one.
	Version string
	// Unit is what it counts, up to 32 characters.
	Unit string
	// Better says which values are better. Without it two arms differ, and neither is better.
	Better report.Direction
	// Range is how much two runs can differ at most; 0 if that is not known.
	Range float64
	// Fold computes the value of the canonical records of a run, see [trace.Canonical]; counted is false for a
	// run that has none. A panic is an error of this metric. Nothing ends a function that does not return. Several
	// goroutines may call it, each for a run.
	Fold func(records iter.Seq[trace.Record]) (value float64, counted bool)
	// JQ is a jq expression over the stream of the canonical records, with "input" and "inputs". It returns a
	// number, or null for not counted. It has no environment, modules or clock, and takes at most 10 s and
	// 256 MB.
	JQ string
}

// Parse reads a metric as a flag has it: NAME=EXPRESSION, NAME:higher=EXPRESSION or NAME:lower=EXPRESSION,
// with an expression of jq.
func Parse(text string) (Metric, error) {
	head, expression, found := strings.Cut(text, "=")
	if !found {
		return Metric{}, fmt.Errorf("%q is no metric; allowed: NAME=JQ, NAME:higher=JQ or NAME:lower=JQ", text)
	}
	name, better, _ := strings.Cut(head, ":")
	m := Metric{Name: strings.TrimSpace(name), Better: report.Direction(strings.TrimSpace(better)), JQ: expression}
	return m, m.Check()
}

// Own is what the metric is, as a report says it.
func (m Metric) Own() report.OwnMetric {
	version := m.Version
	if m.JQ != "" {
		version = "jq:" + llmclient.Hash([]byte(m.JQ))[:16]
	}
	return report.OwnMetric{Name: m.Name, Version: version, Unit: m.Unit, Better: m.Better, Range: m.Range}
}

// Check says what is wrong with the metric, before a run is played for it.
func (m Metric) Check() error {
	if (m.Fold == nil) == (m.JQ == "") {
		return fmt.Errorf("metric %q: allowed: a function or a jq expression, one of them", m.Name)
	}
	if m.JQ != "" && m.Version != "" {
		return fmt.Errorf("metric %q: a jq expression has its hash as its version; allowed: leave the version out", m.Name)
	}
	if err := m.Own().Check(); err != nil || m.Fold != nil {
		return err
	}
	if _, err := jq.Parse(m.JQ); err != nil {
		return fmt.Errorf("metric %s: %w", m.Name, err)
	}
	return nil
}

// Computes says that the metric can be computed here.
func (m Metric) Computes() bool { return m.Fold != nil || m.JQ != "" }

// measure is the metric with its value in a run. The error is that of ctx.
func (m Metric) measure(ctx context.Context, of report.Trace) (report.OwnMetric, error) {
	var value *float64
	err := report.ErrUnknown
	switch {
	case m.JQ != "":
		value, err = m.evaluate(ctx, of)
	case m.Fold != nil:
		value, err = m.fold(of)
	}
	return m.Own().With(value, err), ctx.Err()
}

// fold calls the function of the metric. A panic of it is an error.
func (m Metric) fold(of report.Trace) (value *float64, err error) {
	f, err := of.Open()
	if err != nil {
		return nil, report.NotMeasured(err)
	}
	defer f.Close()
	var unread error
	defer func() {
		if bug := recover(); bug != nil {
			value, err = nil, fmt.Errorf("it panicked: %v", bug)
		}
	}()
	v, counted := m.Fold(func(yield func(trace.Record) bool) {
		for record, err := range trace.CanonicalRecords(f) {
			if err != nil {
				unread = whole(err)
				return
			}
			if !yield(record) {
				return
			}
		}
	})
	switch {
	case unread != nil:
		return nil, report.NotMeasured(unread)
	case !counted:
		return nil, nil
	}
	return &v, nil
}

// evaluate evaluates the expression of the metric.
func (m Metric) evaluate(ctx context.Context, of report.Trace) (*float64, error) {
	expression, err := jq.Parse(m.JQ)
	if err != nil {
		return nil, err
	}
	f, err := of.Open()
	if err != nil {
		return nil, report.NotMeasured(err)
	}
	defer f.Close()
	value, err := expression.Eval(ctx, jq.Default, func(w io.Writer) error { return whole(trace.Canonical(f, w)) })
	_, wrong := errors.AsType[jq.WrongError](err)
	if err != nil && !wrong && !errors.Is(err, jq.ErrTime) && !errors.Is(err, jq.ErrMemory) {
		return nil, report.NotMeasured(err)
	}
	return value, err
}

// whole is an error of reading a trace. That its last line is torn is none: a process that was killed leaves
// such a run, and the report takes it as it is.
func whole(err error) error {
	if errors.Is(err, trace.ErrTorn) {
		return nil
	}
	return err
}
