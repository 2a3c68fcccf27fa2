package metric_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld"
	"example.com/agentworld/metric"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// mined counts accepted actions, by a function.
var mined = metric.Metric{Name: "mined", Version: "1", Unit: "actions", Better: report.Higher,
	Fold: func(records iter.Seq[trace.Record]) (n float64, counted bool) {
		for r := range records {
			if d, is := r.(trace.Decision); is && bytes.Contains(d.Outcome, []byte(`"accepted":true`)) {
				n++
			}
		}
		return n, true
	}}

// parsed is a metric as a flag has it.
func parsed(t *testing.T, text string) metric.Metric {
	t.Helper()
	m, err := metric.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// play plays a short run and returns its directory.
func play(t *testing.T, metrics ...metric.Metric) (dir string, of report.Report) {
	t.Helper()
	settings, err := agentworld.Defaults("minimal")
	if err != nil {
		t.Fatal(err)
	}
	settings.Ticks = 5
	dir = filepath.Join(t.TempDir(), "run")
	r, err := agentworld.Run(t.Context(), agentworld.Options{Settings: settings, Dir: dir, Metrics: metrics})
	if err != nil {
		t.Fatal(err)
	}
	return dir, r.Report
}

// canonical is the canonical trace of a run.
func canonical(t *testing.T, dir string) string {
	t.Helper()
	f, err := run.Dir(dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var text bytes.Buffer
	if err := trace.Canonical(f, &text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestMetricsOfARun: a function and an expression say the same of the same records; one that fails leaves
// the run and the others whole.
func TestMetricsOfARun(t *testing.T) {
	panics := metric.Metric{Name: "panics", Version: "1",
		Fold: func(iter.Seq[trace.Record]) (float64, bool) { panic("of \x1b[2J its author") }}
	infinite := metric.Metric{Name: "infinite", Version: "1",
		Fold: func(iter.Seq[trace.Record]) (float64, bool) { return math.Inf(1), true }}
	first := metric.Metric{Name: "first", Version: "1", Fold: func(records iter.Seq[trace.Record]) (float64, bool) {
		for r := range records { // and no further
			_, is := r.(trace.Header)
			return 1, is
		}
		return 0, false
	}}
	dir, r := play(t, panics, infinite, mined, first,
		parsed(t, `mined_jq:higher=[inputs | select(.type == "decision" and .outcome.accepted)] | length`),
		parsed(t, `ticks=last(inputs | select(.type == "tick_end")).tick`), parsed(t, `absent=null`),
		parsed(t, `words="five"`), parsed(t, `large="x" * 1e9 | length`),
		parsed(t, `clock=[inputs | .. | .timing? | select(. != null)] | length`))
	want := "panics failed (it panicked: of [2J its author), infinite failed (the value is +Inf; allowed: finite numbers " +
		"up to 1e+100), mined 5 actions, first 1, mined_jq 5, ticks 5, absent not counted, words failed (it returned " +
		"\"five\"; allowed: a number, or null for not counted), large failed (it took more than the memory that it is " +
		"allowed, 256 MB), clock 0"
	if text := r.Text(); !strings.Contains(text, "\nmetrics    "+want+"\n") {
		t.Errorf("the report says\n%s\nwant the metrics\n%s", text, want)
	}
	if string(r.RunStatus) != "completed" || r.ActionSuccess != 5 {
		t.Errorf("the run is %s with %d actions", r.RunStatus, r.ActionSuccess)
	}
	other, _ := play(t)
	if canonical(t, dir) != canonical(t, other) {
		t.Error("metrics change the canonical trace of a run")
	}
	h, err := run.Dir(dir).Header()
	if err != nil || len(h.Timing.Metrics) != 10 || h.Timing.Metrics[2] != (trace.MetricVersion{Name: "mined", Version: "1"}) {
		t.Errorf("the header names %v, %v", h.Timing.Metrics, err)
	}
	if v := h.Timing.Metrics[4].Version; !strings.HasPrefix(v, "jq:") || len(v) != len("jq:")+16 {
		t.Errorf("the version of an expression is %q", v)
	}
}

// TestReadWithoutTheCode: what a run was measured by is read without what computed it, and a younger metric
// measures an older run.
func TestReadWithoutTheCode(t *testing.T) {
	dir, _ := play(t, mined)
	read := func(list ...metric.Metric) []report.OwnMetric {
		t.Helper()
		r, err := metric.List(list).Report(t.Context(), run.Dir(dir).As(nil))
		if err != nil {
			t.Fatal(err)
		}
		return r.OwnMetrics
	}
	if rows := read(); len(rows) != 1 || rows[0].Name != "mined" || *rows[0].Value != 5 || rows[0].Better != report.Higher {
		t.Errorf("without the code: %+v", rows)
	}
	younger := parsed(t, "mined:lower=3")
	if rows := read(younger, parsed(t, "seven=7")); len(rows) != 2 || *rows[0].Value != 3 || *rows[1].Value != 7 ||
		rows[0].Better != report.Lower {
		t.Errorf("another function of the same name, and a new one: %+v", rows)
	}
	// A report that is damaged, or of another trace, vouches for nothing.
	name := filepath.Join(dir, run.ReportFile)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(text, []byte(`"value": 5`), []byte(`"value": 6`), 1)
	if bytes.Equal(changed, text) {
		t.Fatal("the report does not hold the value")
	}
	if err := os.WriteFile(name, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	reading := &run.Reading{RemakesReport: true, Note: func(error) {}}
	r, err := metric.List{}.Report(t.Context(), run.Dir(dir).As(reading))
	if err != nil || len(r.OwnMetrics) != 1 || r.OwnMetrics[0].Value != nil || r.OwnMetrics[0].Measured() {
		t.Errorf("of a report that somebody changed: %+v, %v", r.OwnMetrics, err)
	}
}

// TestResumedWithoutTheCode: a run that goes on where one of its metrics is missing says so, and is measured
// again by who has it.
func TestResumedWithoutTheCode(t *testing.T) {
	dir, _ := play(t, mined, parsed(t, "seven=7"))
	further, err := agentworld.Resume(t.Context(), agentworld.Options{Dir: dir, Metrics: metric.List{parsed(t, "seven=7")}},
		agentworld.Continued{UntilTick: 7})
	if err != nil {
		t.Fatal(err)
	}
	const want = "\nmetrics    seven 7, mined not measured: it was not given, and this program does not have it\n"
	if text := further.Report.Text(); !strings.Contains(text, want) {
		t.Errorf("the summary of the resumed run has no line %q:\n%s", want, text)
	}
	r, err := metric.List{mined}.Report(t.Context(), run.Dir(dir).As(nil))
	if err != nil || len(r.OwnMetrics) != 2 || r.OwnMetrics[0].Value == nil || *r.OwnMetrics[0].Value != 7 {
		t.Errorf("measured again: %+v, %v", r.OwnMetrics, err)
	}
}

// TestRefusals: what cannot be is said before a run is played.
func TestRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"gifts": "allowed: NAME=JQ", "score=1": "this program has a metric of that name", "a b=1": "name is not allowed",
		"gifts=": "a function or a jq expression", "gifts=now": "there is no clock", "gifts:up=1": "allowed: higher, lower",
		"gifts=$ENV.HOME": "there is no environment", `gifts=import "x" as x; 1`: "no modules", "accepted.mine=1": "name is not",
	} {
		if _, err := metric.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	both := mined
	both.JQ = "1"
	versioned := metric.Metric{Name: "v", Version: "2", JQ: "1"}
	for _, list := range []metric.List{{both}, {mined, mined}, {versioned}, {{Name: "none", Version: "1"}}} {
		settings, err := agentworld.Defaults("minimal")
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "run")
		o := agentworld.Options{Settings: settings, Dir: dir, Metrics: list}
		if _, err := agentworld.Run(t.Context(), o); err == nil {
			t.Errorf("a run with %+v is played", list)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the directory of a refused run is there: %v", err)
		}
	}
}

// broken is a trace that cannot be opened, or that breaks off.
type broken struct{ text string }

func (b broken) Open() (io.ReadCloser, error) {
	if b.text == "" {
		return nil, errors.New("disk on fire")
	}
	return io.NopCloser(strings.NewReader(b.text)), nil
}

// TestUnreadable: where the records cannot be read there is no value, and no wrong one.
func TestUnreadable(t *testing.T) {
	dir, _ := play(t)
	whole, err := os.ReadFile(filepath.Join(dir, run.TraceFile))
	if err != nil {
		t.Fatal(err)
	}
	counts := parsed(t, "n=[inputs] | length")
	for text, want := range map[string]string{
		"": "disk on fire", "no trace\n": "line 1", strings.Replace(string(whole), "\n", "\nno record\n", 1): "line 2",
	} {
		rows, err := metric.List{mined, counts}.Measure(t.Context(), broken{text})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if row.Value != nil || !strings.Contains(row.Error, want) {
				t.Errorf("%.20q: %+v, want an error with %q", text, row, want)
			}
		}
	}
	// A process that was killed leaves a torn line: what is before counts, as in the report.
	rows, err := metric.List{mined, counts}.Measure(t.Context(), broken{string(whole[:len(whole)-9])})
	if err != nil || rows[0].Error != "" || *rows[0].Value != 5 || rows[1].Error != "" {
		t.Errorf("a torn trace: %+v, %v", rows, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (metric.List{counts}).Measure(ctx, run.Dir(dir)); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}
