package report

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/report/stats"
	"example.com/agentworld/trace"
)

// OwnMetric is a metric of somebody's own, with its value in a run. Without a value it says what the metric
// is: two that have the same name and version have equal values for equal runs.
type OwnMetric struct {
	// Name of the metric.
	Name string `json:"name"`
	// Version of the function that computes it, or for a jq expression jq: and the beginning of its hash.
	Version string `json:"version"`
	// What it counts.
	Unit string `json:"unit"`
	// Which values are better: higher or lower; empty if neither is.
	Better Direction `json:"better"`
	// How much two runs can differ at most; 0 if that is not known.
	Range float64 `json:"range"`
	// Value in the run; null if it is not counted there or could not be computed.
	Value *float64 `json:"value"`
	// Why it could not be computed; empty if it was.
	Error string `json:"error"`
}

// The bounds of what somebody says of a metric, in characters.
const (
	ownNameMax    = 32
	ownVersionMax = 64
	ownUnitMax    = 32
)

// NameAllowed says what the name of a metric of somebody's own may be.
var NameAllowed = fmt.Sprintf("1 to %d of a-z, 0-9 and _, which none of this program's metrics has", ownNameMax)

// Check says what is wrong with the description of a metric.
func (o OwnMetric) Check() error {
	taken := slices.ContainsFunc(metrics, func(m Metric) bool { return m.Name == o.Name })
	named := o.Name != "" && len(o.Name) <= ownNameMax &&
		strings.Trim(o.Name, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
	switch {
	case !named:
		return fmt.Errorf("metric %q: the name is not allowed; allowed: %s", plain(o.Name), NameAllowed)
	case taken:
		return fmt.Errorf("metric %s: this program has a metric of that name; allowed: another name", o.Name)
	case !visible(o.Version, ownVersionMax) || o.Version == "":
		return fmt.Errorf("metric %s: version %q; allowed: 1 to %d visible characters", o.Name, plain(o.Version),
			ownVersionMax)
	case !visible(o.Unit, ownUnitMax):
		return fmt.Errorf("metric %s: unit %q; allowed: up to %d visible characters", o.Name, plain(o.Unit), ownUnitMax)
	case o.Better != Higher && o.Better != Lower && o.Better != Neither:
		return fmt.Errorf("metric %s: better = %q; allowed: higher, lower, or leave it out", o.Name, plain(string(o.Better)))
	case !(o.Range >= 0 && o.Range <= stats.ScoreMax):
		return fmt.Errorf("metric %s: range %v; allowed: numbers from 0 to %g, 0 if it is not known", o.Name, o.Range,
			stats.ScoreMax)
	}
	return nil
}

// visible says that a text is one line without control characters, of at most so many bytes.
func visible(text string, most int) bool {
	return len(text) <= most && plaintext.Line(text) == text
}

// CheckOwn checks several metrics: each by itself, and that no two have the same name.
func CheckOwn(list []OwnMetric) error {
	for i, o := range list {
		if err := o.Check(); err != nil {
			return err
		}
		if slices.ContainsFunc(list[:i], func(before OwnMetric) bool { return before.Name == o.Name }) {
			return fmt.Errorf("metric %s is given twice; allowed: each name once", o.Name)
		}
	}
	return nil
}

// With is the metric with a value, which it returns only if a comparison can take it.
func (o OwnMetric) With(value *float64, err error) OwnMetric {
	if err == nil && value != nil && !(math.Abs(*value) <= stats.ScoreMax) {
		err = fmt.Errorf("the value is %g; allowed: finite numbers up to %g", *value, stats.ScoreMax)
	}
	if err != nil {
		o.Value, o.Error = nil, plaintext.Line(plain(err.Error()))
		return o
	}
	o.Value, o.Error = value, ""
	return o
}

// NotMeasured is the error of a metric that was not computed, since nobody asked for it or something else than
// the metric failed. It may be computed later.
func NotMeasured(why error) error { return fmt.Errorf("%s%w", notMeasured, why) }

// ErrUnknown says that a run was to be measured by a metric that nobody has who measures it.
var ErrUnknown = NotMeasured(errors.New("it was not given, and this program does not have it"))

// unmeasured are the metrics that a header names, until somebody measures the run: what is dropped is said. What
// fails its check, which can only be in a trace that somebody changed, is left out.
func unmeasured(named []trace.MetricVersion) []OwnMetric {
	rows := []OwnMetric{}
	for _, m := range named {
		if row := (OwnMetric{Name: m.Name, Version: m.Version}); row.Check() == nil {
			rows = append(rows, row.With(nil, ErrUnknown))
		}
	}
	return rows
}

// Measured is the report with rows of metrics in place of its own of the same names. Of rows of one name the
// first counts.
func (r Report) Measured(rows ...OwnMetric) Report {
	all := []OwnMetric{}
	for _, row := range slices.Concat(rows, r.OwnMetrics) {
		if !slices.ContainsFunc(all, func(before OwnMetric) bool { return before.Name == row.Name }) {
			all = append(all, row)
		}
	}
	r.OwnMetrics = all
	return r
}

// notMeasured begins the error of such a metric.
const notMeasured = "not measured: "

// Measured says that the metric was computed, with or without a value.
func (o OwnMetric) Measured() bool { return !strings.HasPrefix(o.Error, notMeasured) }

// Failure is why there is no value; nil if nothing went wrong.
func (o OwnMetric) Failure() error {
	if o.Error == "" {
		return nil
	}
	return errors.New(o.Error)
}

// Same says that two have the same name and version.
func (o OwnMetric) Same(other OwnMetric) bool {
	return o.Name == other.Name && o.Version == other.Version
}

// metric is it as one of the program's.
func (o OwnMetric) metric() Metric {
	return Metric{Name: o.Name, Unit: o.Unit, Doc: "a metric of your own", Better: o.Better, Range: o.Range,
		of: func(r Report) (float64, bool) {
			i := slices.IndexFunc(r.OwnMetrics, o.Same)
			if i < 0 || r.OwnMetrics[i].Value == nil {
				return 0, false
			}
			return *r.OwnMetrics[i].Value, true
		}}
}

// Union are the metrics of several lists without their values, each name once: as the first list says what it
// is. What fails its check, which can only be in a file that somebody changed, is left out.
func Union(lists ...[]OwnMetric) (all []OwnMetric) {
	for _, o := range slices.Concat(lists...) {
		known := func(before OwnMetric) bool { return before.Name == o.Name }
		if !slices.ContainsFunc(all, known) && o.Check() == nil {
			all = append(all, o.With(nil, nil))
		}
	}
	return all
}

// ownFailure is why the run has no value of a metric of somebody's own; nil if that is not known.
func (r Report) ownFailure(name string) error {
	for _, o := range r.OwnMetrics {
		if o.Name == name {
			return o.Failure()
		}
	}
	return nil
}

// OwnText lists the metrics of somebody's own; empty without one.
func (r Report) OwnText() string {
	return listed(r.OwnMetrics, len(r.OwnMetrics), ", ", func(o OwnMetric) string {
		switch {
		case !o.Measured():
			return plain(o.Name) + " " + plain(o.Error)
		case o.Error != "":
			return fmt.Sprintf("%s failed (%s)", plain(o.Name), plain(o.Error))
		case o.Value == nil:
			return plain(o.Name) + " not counted"
		}
		text := plain(o.Name) + " " + figure(o.Value)
		if o.Unit != "" {
			text += " " + plain(o.Unit)
		}
		return text
	})
}
