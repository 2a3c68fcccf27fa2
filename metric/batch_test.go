package metric_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld"
	"example.com/agentworld/batch"
	"example.com/agentworld/metric"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// arms are a batch of two arms, of which one asks its model in every tick.
func arms(seeds int, compare *agentworld.BatchCompare, gates ...agentworld.BatchGate) agentworld.Batch {
	b := agentworld.Batch{Name: "arms", Jobs: 2, Compare: compare, Gates: gates, Arms: []agentworld.Arm{
		{Name: "chained"}, {Name: "asked", Change: func(s *agentworld.Settings) { s.ChainSteps = 0 }}}}
	for i := range seeds {
		b.Seeds = append(b.Seeds, uint64(i+1))
	}
	return b
}

// playBatch plays what is left of a batch, and says how many cells that was.
func playBatch(t *testing.T, dir string, b agentworld.Batch, list ...metric.Metric) (s agentworld.BatchSummary, played int) {
	t.Helper()
	settings, err := agentworld.Defaults("minimal")
	if err != nil {
		t.Fatal(err)
	}
	settings.Ticks = 3
	b.Progress = func(p agentworld.BatchProgress) {
		if p.Ended != nil {
			played++
		}
	}
	s, _, err = agentworld.PlayBatch(t.Context(), agentworld.Options{Settings: settings, Dir: dir, Metrics: list}, b)
	if err != nil {
		t.Fatal(err)
	}
	return s, played
}

func atLeast(v float64) *float64 { return &v }

// TestAMetricThroughABatch: a metric that is younger than a batch has verdicts and gates, and replays no
// cell.
func TestAMetricThroughABatch(t *testing.T) {
	dir := t.TempDir()
	before, played := playBatch(t, dir, arms(6, nil))
	if played != 12 || len(before.OwnMetrics) != 0 {
		t.Fatalf("%d cells were played, with the metrics %v", played, before.OwnMetrics)
	}
	calls := parsed(t, `asked_for:lower=[inputs | select(.type == "model_call")] | length`)
	size := parsed(t, `size=[inputs | tojson | length] | add`)
	fails := parsed(t, `fails=if first(inputs).settings.seed == 3 then error("of seed 3") else 1 end`)
	how := &agentworld.BatchCompare{Primary: "asked_for", Metrics: []string{"size"}}
	gates := []agentworld.BatchGate{
		{Metric: "asked_for", Verdict: []string{"worse"}}, {Metric: "size", Verdict: []string{"higher"}},
		{Metric: "asked_for", AtLeast: atLeast(1)}, {Metric: "fails", AtLeast: atLeast(0)}, {Metric: "mined", AtLeast: atLeast(100)},
	}
	s, played := playBatch(t, dir, arms(6, how, gates...), calls, size, fails, mined)
	if played != 0 {
		t.Errorf("a metric replays %d cells", played)
	}
	for i, r := range s.Results {
		if r.ID != before.Results[i].ID || r.Attempt != 1 || r.Metrics.Map()["asked_for"] != r.Metrics.Map()["calls"] {
			t.Errorf("cell %s of attempt %d: %v", r.ID, r.Attempt, r.Metrics)
		}
	}
	verdicts := s.Comparisons[0].Metrics
	if len(verdicts) != 2 || verdicts[0].Metric != "asked_for" || verdicts[0].Outcome != "worse" || verdicts[0].Unit != "" ||
		verdicts[1].Metric != "size" || verdicts[1].Outcome != "higher" {
		t.Errorf("verdicts: %+v", verdicts)
	}
	var got []string
	for _, g := range s.Gates {
		got = append(got, string(g.Verdict))
	}
	if want := []string{"passed", "passed", "passed", "undecided", "failed"}; !slices.Equal(got, want) {
		t.Errorf("gates %v, want %v: %+v", got, want, s.Gates)
	}
	if len(s.Unmeasured) != 1 || s.Unmeasured[0].Metric != "fails" || s.Unmeasured[0].Runs != 2 ||
		!strings.Contains(s.Unmeasured[0].Why, "of seed 3") {
		t.Errorf("not measured: %+v", s.Unmeasured)
	}
	if len(s.OwnMetrics) != 4 || s.OwnMetrics[0].Version != calls.Own().Version || s.OwnMetrics[3].Version != "1" {
		t.Errorf("the summary says of the metrics: %+v", s.OwnMetrics)
	}
	header, _, _ := strings.Cut(string(s.CSV()), "\n")
	if !strings.HasSuffix(header, ",asked_for,size,fails,mined") || !strings.Contains(s.Text(0), "2 runs has no value: error: of seed 3") {
		t.Errorf("the CSV file begins %s, and the text is\n%s", header, s.Text(0))
	}
	for _, format := range batch.Formats {
		if !strings.Contains(string(s.Write(format)), "asked_for") && format != "markdown" {
			t.Errorf("%s does not name the metric", format)
		}
	}
}

// TestMeasuredOnce: what was computed is kept beside the cell, belongs to one function, and is computed again
// where it cannot be kept.
func TestMeasuredOnce(t *testing.T) {
	dir := t.TempDir()
	one, two := parsed(t, "n=1"), parsed(t, "n=2")
	b := arms(1, nil)
	value := func(s agentworld.BatchSummary) float64 { return s.Results[0].Metrics.Map()["n"] }
	s, _ := playBatch(t, dir, b)
	for _, of := range []struct {
		m    metric.Metric
		want float64
	}{{one, 1}, {two, 2}, {one, 1}} {
		if s, _ = playBatch(t, dir, b, of.m); value(s) != of.want {
			t.Errorf("n is %g, want %g", value(s), of.want)
		}
	}
	d := batch.Dir(dir)
	for _, r := range s.Results {
		if err := os.RemoveAll(d.Run(r.ID, r.Attempt)); err != nil {
			t.Fatal(err)
		}
	}
	if s, _ = playBatch(t, dir, b, two); value(s) != 2 {
		t.Errorf("without the run n is %g, which was computed before", value(s))
	}
	s, _ = playBatch(t, dir, b, parsed(t, "n=3"))
	if _, known := s.Results[0].Metrics.Get("n"); known || len(s.Unmeasured) != 1 || s.Unmeasured[0].Runs != 2 {
		t.Errorf("a value of another function counts: %v, %+v", s.Results[0].Metrics, s.Unmeasured)
	}
}

// TestAPageComputesNothing: whoever looks at the batch of a stranger runs no expression of its file.
func TestAPageComputesNothing(t *testing.T) {
	dir := t.TempDir()
	s, _ := playBatch(t, dir, arms(1, nil))
	d := batch.Dir(dir)
	const text = "name = \"arms\"\nscenarios = [\"minimal\"]\n[axes.arm.chained.run]\nchain_steps = 2\n" +
		"[axes.arm.asked.run]\nchain_steps = 0\n[metrics.n]\njq = \"1\"\n"
	if err := d.KeepFile([]byte(text)); err != nil {
		t.Fatal(err)
	}
	unmeasured := func() int {
		t.Helper()
		p, err := batch.PageOf(d, batch.LeaseDefault)
		if err != nil || p.Summary == nil {
			t.Fatalf("the page of the batch: %s, %v", p.Problem, err)
		}
		runs := 0
		for _, u := range p.Summary.Unmeasured {
			runs += u.Runs
		}
		return runs
	}
	if n := unmeasured(); n != 2 {
		t.Errorf("%d runs are not measured before anybody asked, want 2", n)
	}
	if err := d.Measure(t.Context(), metric.List{parsed(t, "n=1")}, s.Results, 1); err != nil {
		t.Fatal(err)
	}
	if n := unmeasured(); n != 0 {
		t.Errorf("%d runs are not measured after somebody asked", n)
	}
}

// TestReadingABatchWithoutTheCode: what results were measured by is compared, gated and decided by without
// what computed it.
func TestReadingABatchWithoutTheCode(t *testing.T) {
	ranged := mined
	ranged.Range = 2
	var cells []batch.Cell
	var results []batch.Result
	for seed := range uint64(30) {
		for arm, value := range map[string]float64{"one": 1, "two": 3} {
			c := batch.Cell{ID: batch.ID(fmt.Sprint(arm, seed)), Scenario: "minimal", Seed: seed, Repeat: 1,
				Labels: []batch.Label{{Axis: "arm", Value: arm}}}
			r := batch.Result{Cell: c, Status: trace.RunCompleted, Attempt: 1,
				Own: []report.OwnMetric{ranged.Own().With(&value, nil)}}
			cells = append(cells, c)
			results = append(results, r)
		}
	}
	slices.SortFunc(cells, func(a, b batch.Cell) int { return strings.Compare(string(a.ID), string(b.ID)) })
	known := batch.Settle(nil, results)
	if m, ok := known.Named("mined"); !ok || m.Computes() || m.Range != 2 {
		t.Fatalf("the results say of the metrics: %+v", known)
	}
	o := batch.Options{Dir: batch.Dir(t.TempDir()), Metrics: known, Jobs: 1,
		Compare: &batch.Compare{Primary: "mined", Baseline: "one", StopWhenDecided: true}}
	for n, want := range map[int]bool{4: false, 60: true} {
		if got, err := o.Decided(cells, results[:n]); err != nil || got != want {
			t.Errorf("decided after %d results: %v, %v", n, got, err)
		}
	}
	f := batch.File{Name: "arms", Compare: &batch.Compare{Primary: "mined", Baseline: "one"}, Metrics: known}
	s, err := batch.Summarize(f, cells, results)
	if err != nil || s.Comparisons[0].Metrics[0].Outcome != "better" || s.OwnMetrics[0].Version != "1" {
		t.Errorf("read without the code: %+v, %v", s.Comparisons, err)
	}
	if rows, err := known.Measure(t.Context(), run.Dir("nowhere")); err != nil || rows[0].Error == "" {
		t.Errorf("a metric that only records have is computed: %+v, %v", rows, err)
	}
}
