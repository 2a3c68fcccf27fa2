package batch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/agentworld/metric"
	"example.com/agentworld/trace"
)

// thinnable is a batch of two cells with runs; the result of the second is for the test to write.
func thinnable(t *testing.T) (d Dir, cells []Cell, finish func(Cell)) {
	t.Helper()
	cells = planned(1, 2)
	d = created(t, cells)
	for _, c := range cells {
		writeRun(t, d.Run(c.ID, 1), trace.DefaultSettings())
		err := errors.Join(os.WriteFile(d.attempt(c.ID, 1, logFile), []byte("tick 1\n"), 0o600), os.WriteFile(d.attempt(c.ID, 1, endedFile), nil, 0o600))
		if err != nil {
			t.Fatal(err)
		}
	}
	finish = func(c Cell) {
		t.Helper()
		if _, err := d.Finish(Result{Cell: c, Attempt: 1, Status: trace.RunCompleted, Metrics: MetricsOf(map[string]float64{"score": 3})}); err != nil {
			t.Fatal(err)
		}
	}
	finish(cells[0])
	return d, cells, finish
}

// reported is what is said of a batch, with metrics of a list.
func reported(t *testing.T, d Dir, list metric.List) Summary {
	t.Helper()
	f, cells, results, err := d.File(list)
	if err == nil {
		err = d.Measure(t.Context(), f.Metrics, results, 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := Summarize(f, cells, results)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestThin: a batch that is not finished is refused, a look removes nothing, and what a thinned batch reports is what
// it reported before, also after a kill in the middle. What it no longer has, it says.
func TestThin(t *testing.T) {
	d, cells, finish := thinnable(t)
	list := metric.List{{Name: "one", JQ: "1"}}
	thin := func(remove bool) (Thinned, error) { return d.Thin(t.Context(), list, time.Minute, 1, remove) }
	if _, err := thin(true); err == nil || !strings.Contains(err.Error(), "1 of 2 cells have no result") {
		t.Errorf("an unfinished batch is thinned: %v", err)
	}
	finish(cells[1])
	would, err := thin(false)
	if err != nil || would.Cells != 2 || would.Runs != 2 || would.Bytes < 100 {
		t.Errorf("a look says %+v, %v", would, err)
	}
	if d.Thinned() || !d.holdsRun(cells[0].ID, 1) {
		t.Error("a look removes something")
	}
	before := reported(t, d, list)
	if mean := before.Arms[0].Metrics; len(before.Unmeasured) > 0 || len(mean) < 2 {
		t.Fatalf("before: %+v, %+v", mean, before.Unmeasured)
	}
	// A kill after the first cell.
	var killed Thinned
	if err := errors.Join(d.replace(thinnedFile, nil), d.thin(cells[0].ID, &killed, true)); err != nil {
		t.Fatal(err)
	}
	if got := reported(t, d, list); string(got.JSON()) != string(before.JSON()) {
		t.Errorf("in the middle: %s", got.JSON())
	}
	rest, err := thin(true)
	if err != nil || rest.Runs != 1 || killed.Bytes+rest.Bytes != would.Bytes {
		t.Errorf("%+v is removed after %+v, %v; said was %+v", rest, killed, err, would)
	}
	if got := reported(t, d, list); string(got.JSON()) != string(before.JSON()) {
		t.Errorf("after: %s", got.JSON())
	}
	for _, c := range cells {
		entries, err := os.ReadDir(d.cell(c.ID))
		if err != nil || len(entries) != len(keptInCell) {
			t.Errorf("%s has %v, %v", c.ID, entries, err)
		}
		if !ThinnedAround(d.Run(c.ID, 1)) || !ThinnedAround(d.cell(c.ID)) {
			t.Error("a run that is gone does not say why")
		}
	}
	if ThinnedAround(string(d)) || ThinnedAround(filepath.Dir(string(d))) {
		t.Error("what is no run was thinned")
	}
	if s, err := d.Status(time.Minute); err != nil || !s.Thinned || s.Done != 2 {
		t.Errorf("the status is %+v, %v", s, err)
	}
	other := reported(t, d, metric.List{{Name: "two", JQ: "2"}})
	if len(other.Unmeasured) != 1 || other.Unmeasured[0].Runs != 2 || !strings.Contains(other.Unmeasured[0].Why, "batch thin") {
		t.Errorf("a metric that the runs would be needed for: %+v", other.Unmeasured)
	}
	changed := metric.List{{Name: "one", JQ: "1 + 0"}}
	f, cells, results, err := d.File(changed)
	if err != nil {
		t.Fatal(err)
	}
	d.Recall(f.Metrics, results) // as a page does, which computes none
	if s, err := Summarize(f, cells, results); err != nil || len(s.Unmeasured) != 1 || !strings.Contains(s.Unmeasured[0].Why, "batch thin") {
		t.Errorf("a changed metric: %+v, %v", s.Unmeasured, err)
	}
}

// TestAMetricOfAReportIsNoneOfTheBatch: a metric that one report was asked for is not in the next, unless the batch
// file is about it by then.
func TestAMetricOfAReportIsNoneOfTheBatch(t *testing.T) {
	d, cells, finish := thinnable(t)
	finish(cells[1])
	has := func(list metric.List) bool {
		return len(reported(t, d, list).OwnMetrics) == 1
	}
	if !has(metric.List{{Name: "one", JQ: "1"}}) {
		t.Error("a report has no metric that it is asked for")
	}
	if has(nil) {
		t.Error("the next report has it, too")
	}
	text, err := d.read(batchFile)
	if err == nil {
		err = d.KeepFile(append(text, "[[gates]]\nmetric = \"one\"\nat_least = 1.0\n"...))
	}
	if err != nil {
		t.Fatal(err)
	}
	if s := reported(t, d, nil); len(s.OwnMetrics) != 1 || s.Verdict != Passed {
		t.Errorf("a file that names it has %v, %s", s.OwnMetrics, s.Verdict)
	}
}
