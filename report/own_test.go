package report

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// gifts is a metric of somebody's own.
var gifts = OwnMetric{Name: "gifts", Version: "1", Unit: "gifts", Better: Higher}

func value(v float64) *float64 { return &v }

func TestOwnMetricChecks(t *testing.T) {
	for _, of := range []struct {
		want   string
		change func(*OwnMetric)
	}{
		{"the name is not allowed", func(o *OwnMetric) { o.Name = "Gifts" }},
		{"the name is not allowed", func(o *OwnMetric) { o.Name = "accepted.trade" }},
		{"the name is not allowed", func(o *OwnMetric) { o.Name = strings.Repeat("a", 33) }},
		{"a metric of that name", func(o *OwnMetric) { o.Name = "score" }},
		{"version", func(o *OwnMetric) { o.Version = "" }},
		{"version", func(o *OwnMetric) { o.Version = "a\x1b[2J" }},
		{"unit", func(o *OwnMetric) { o.Unit = "a\nb" }},
		{"allowed: higher, lower", func(o *OwnMetric) { o.Better = "more" }},
		{"range -1", func(o *OwnMetric) { o.Range = -1 }},
		{"range NaN", func(o *OwnMetric) { o.Range = math.NaN() }},
	} {
		o := gifts
		of.change(&o)
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), of.want) {
			t.Errorf("%+v: %v, want %q", o, err, of.want)
		}
	}
	if err := CheckOwn([]OwnMetric{gifts, gifts}); err == nil || !strings.Contains(err.Error(), "given twice") {
		t.Errorf("two of one name: %v", err)
	}
	// What a stranger wrote into a report is no metric of this program.
	forged := OwnMetric{Name: "score", Version: "1", Value: value(1e9)}
	r := Report{Task: &TaskScore{Score: 3, Complete: true}, OwnMetrics: []OwnMetric{forged}}
	if got := r.Metrics()["score"]; got != 3 {
		t.Errorf("a metric of a stranger's report replaces the score: %g", got)
	}
}

func TestOwnMetricValues(t *testing.T) {
	r := Report{OwnMetrics: []OwnMetric{gifts.With(value(7), nil), {Name: "failed", Version: "1", Error: "it took too long"},
		{Name: "absent", Version: "1"}}}
	if got := r.Metrics(); got["gifts"] != 7 || len(got) != len((Report{}).Metrics())+1 {
		t.Errorf("metrics of a run: %v", got)
	}
	for text, want := range map[string]string{
		"gifts>=7": "", "gifts>=8": "gifts is 7, and must be at least 8",
		"failed>=0": "failed, which must be at least 0, has no value: it took too long", "absent<=1": "the run has no absent",
	} {
		b, err := ParseBound(text, AllMetrics(Union(r.OwnMetrics)...))
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Broken(r); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if _, err := ParseBound("gifs>=1", AllMetrics(gifts)); err == nil || !strings.Contains(err.Error(), "gifts") {
		t.Errorf("a misspelt name: %v", err)
	}
	if got, want := r.OwnText(), "gifts 7 gifts, failed failed (it took too long), absent not counted"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), 1e101} {
		if o := gifts.With(&v, nil); o.Value != nil || o.Error == "" {
			t.Errorf("a value of %g is taken", v)
		}
	}
	if o := gifts.With(nil, errors.New("no\nline")); strings.Contains(o.Error, "\n") {
		t.Errorf("an error of several lines: %q", o.Error)
	}
}

// TestOwnMetricOfTwoVersions: values of different functions are not set against each other.
func TestOwnMetricOfTwoVersions(t *testing.T) {
	other := gifts
	other.Version = "2"
	for _, of := range []struct {
		b    OwnMetric
		want bool
	}{{gifts, true}, {other, false}} {
		list := metricsOf(Report{OwnMetrics: []OwnMetric{gifts.With(value(1), nil)}},
			Report{OwnMetrics: []OwnMetric{of.b.With(value(2), nil)}})
		last := list[len(list)-1]
		if last.Metric != "gifts" || *last.A != 1 || (last.B != nil) != of.want {
			t.Errorf("version %s against 1: %+v", of.b.Version, last)
		}
	}
}
