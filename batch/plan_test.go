package batch

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"example.com/agentworld/baseline"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/report"
	"example.com/agentworld/report/stats"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

func TestPlan(t *testing.T) {
	cells, results := played(8, []string{"small", "large"}, func(arm string, seed int) (float64, bool) {
		if arm == "large" {
			return 10 + float64(seed%2)*4, true
		}
		return 10, true
	})
	c := &Compare{Effect: 2}
	p, err := PlanOf(c, report.AllMetrics(), cells, results, Question{Power: 0.8})
	if err != nil {
		t.Fatal(err)
	}
	// Differences of 0 and 4 in halves: a standard deviation of 2 sqrt(8/7).
	sd := 2 * math.Sqrt(8./7)
	want, err := stats.Design{Effect: 2, SD: sd, Alpha: 0.05}.Clusters(0.8)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Comparisons[0]; got.Clusters != want || math.Abs(got.SD-sd) > 1e-9 || got.PilotClusters != 8 {
		t.Errorf("%+v, want %d clusters at %v", got, want, sd)
	}
	if p.Cells != 2*want || p.Calls != int64(20*want) || p.Tokens != int64(2000*want) {
		t.Errorf("%+v", p)
	}
	if text := p.Text(); !strings.Contains(text, "large against small") || !strings.Contains(text, "instances") {
		t.Error(text)
	}
	for what, of := range map[string]struct {
		c       *Compare
		results []Result
	}{"worth finding": {&Compare{}, results}, "at least 4": {c, results[:6]}, "allowed: an axis": {&Compare{Effect: 1, Axis: "model", Baseline: "small"}, nil}} {
		cells := cells
		if of.results == nil {
			cells = cells[:1]
		}
		if _, err := PlanOf(of.c, report.AllMetrics(), cells, of.results, Question{Power: 0.8}); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("want %q: %v", what, err)
		}
	}
	if _, err := PlanOf(c, report.AllMetrics(), cells, results[:6], Question{Power: 0.8, Pilot: true}); err == nil || !strings.Contains(err.Error(), "the pilot has 3 instances in which both large and small have the metric score") {
		t.Errorf("a named pilot of three instances: %v", err)
	}
	same := &Compare{Primary: "calls"}
	if p, err := PlanOf(same, report.AllMetrics(), cells, results, Question{Effect: 1e-9, Power: 0.8}); err != nil || !strings.Contains(p.Text(), "a difference of 1e-09") || !strings.Contains(p.Text(), "are all equal") {
		t.Errorf("differences without a spread: %s, %v", p.Text(), err)
	}
	if p, err := PlanOf(c, report.AllMetrics(), cells, results, Question{Effect: 0.5, Power: 0.9}); err != nil || p.Clusters <= want {
		t.Errorf("a smaller difference and more power need %d clusters, %v", p.Clusters, err)
	}
}

// TestPlanOfOtherQuestions: with a margin and the bound of the scores a plan says when equal arms are found
// equivalent, as a rehearsal does; with stop_when_decided, after how many the batch is decided. Without a range
// it says what is not offered, and a claim about the mean has no plan.
func TestPlanOfOtherQuestions(t *testing.T) {
	cells, results := played(8, []string{"small", "large"}, func(arm string, seed int) (float64, bool) {
		if arm == "large" {
			return 10 + float64(seed%2), true
		}
		return 10, true
	})
	plan := func(c Compare) (PlannedComparison, string, error) {
		c.Effect = 2
		p, err := PlanOf(&c, report.AllMetrics(), cells, results, Question{Power: 0.8})
		if err != nil {
			return PlannedComparison{}, "", err
		}
		return p.Comparisons[0], p.Text(), nil
	}
	if one, text, err := plan(Compare{Margin: 2}); err != nil || one.EquivalenceClusters != 0 || !strings.Contains(text, "nothing bounds score") {
		t.Errorf("scores without a bound: %+v, %v\n%s", one, err, text)
	}
	if _, _, err := plan(Compare{Claim: claimMean}); err == nil || !strings.Contains(err.Error(), "range") {
		t.Errorf("a claim about the mean of scores without a bound: %v", err)
	}
	for i := range results {
		results[i].ScoreBound = 20
	}
	residuals := []float64{0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5, -0.5}
	o := stats.Options{Alpha: 0.05, Margin: 2, Range: 20}
	equal, _ := stats.Rehearsal{Options: o, Residuals: residuals, SD: 0.5}.Clusters(0.8)
	one, text, err := plan(Compare{Margin: 2})
	if err != nil || one.EquivalenceClusters != equal || one.Clusters != 6 || !strings.Contains(text, "6 instances, and "+fmt.Sprint(equal)+" instances to find equal arms equivalent within 2") {
		t.Errorf("%+v, %v, want %d clusters for equivalence\n%s", one, err, equal, text)
	}
	one, text, err = plan(Compare{StopWhenDecided: true})
	if err != nil || one.Clusters != 7 || !strings.Contains(text, "decided after 7 instances") {
		t.Errorf("%+v, %v\n%s", one, err, text)
	}
	if one, _, err = plan(Compare{Claim: claimMean}); err != nil || one.Clusters < 50 {
		t.Errorf("the mean of a tenth of the range: %+v, %v", one, err)
	}
}

// TestPlanWithoutAPilot takes the spread of a built-in task's scores from those of the embedded
// model, and what a cell takes from what is expected of it.
func TestPlanWithoutAPilot(t *testing.T) {
	cells, _ := played(8, []string{"small", "large"}, func(string, int) (float64, bool) { return 0, false })
	takes := Question{Power: 0.8, Currency: "EUR", Takes: func(c Cell) (trace.Usage, error) {
		return trace.Usage{Calls: int64(len(c.Label("model"))), InputTokens: 70, OutputTokens: 30, Cost: price.FromMicros(5)}, nil
	}}
	c := &Compare{Effect: 2}
	if _, err := PlanOf(c, report.AllMetrics(), cells, nil, takes); err == nil || !strings.Contains(err.Error(), "one built-in task") {
		t.Errorf("the spread of an unknown scenario is made up: %v", err)
	}
	for i := range cells {
		cells[i].Scenario = "task_survival_two_hops_150"
	}
	p, err := PlanOf(c, report.AllMetrics(), cells, nil, takes)
	if err != nil {
		t.Fatal(err)
	}
	deviation, _ := baseline.ScoreSpread(cells[0].Scenario)
	if got := p.Comparisons[0]; deviation < 10 || got.SD != deviation*math.Sqrt2 || got.PilotClusters != 0 || got.Clusters < 1000 {
		t.Errorf("%+v from a deviation of %v", got, deviation)
	}
	if p.Calls != 5*int64(p.Cells) || p.Tokens != 100*int64(p.Cells) || p.CostMicros != 5*int64(p.Cells) || p.Currency != "EUR" {
		t.Errorf("%+v", p)
	}
	if text := p.Text(); !strings.Contains(text, "without a pilot: ") || len(p.Notes) > 0 {
		t.Error(text)
	}
}

// TestUnfitTasksAreNamed: plans and comparisons name a task whose scores do not tell players apart, once,
// and no other.
func TestUnfitTasksAreNamed(t *testing.T) {
	unfit := ""
	for _, name := range scenario.Names() {
		if s, ok := baseline.SensitivityOf(name); ok && s.Unfit() {
			unfit = name
		}
	}
	if unfit == "" {
		t.Skip("every task is fit")
	}
	cells, results := played(8, []string{"small", "large"}, func(string, int) (float64, bool) { return 10, true })
	for _, tc := range []struct {
		task string
		want int
	}{{unfit, 1}, {"task_production_chips_40", 0}, {"of a user", 0}} {
		for i := range cells {
			cells[i].Scenario = tc.task
			results[i].Scenario = tc.task
		}
		list, err := Comparisons(nil, report.AllMetrics(), cells, results)
		if err != nil || len(list) != 1 {
			t.Fatalf("%v, %v", list, err)
		}
		plan, err := PlanOf(&Compare{Effect: 2}, report.AllMetrics(), cells, results, Question{Power: 0.8})
		if err != nil {
			t.Fatal(err)
		}
		for what, text := range map[string]string{"the comparison": strings.Join(list[0].Notes, "\n"), "the plan": plan.Text()} {
			if got := strings.Count(text, tc.task+" is unfit to compare players"); got != tc.want {
				t.Errorf("%s of %s says %d times that it is unfit, want %d:\n%s", what, tc.task, got, tc.want, text)
			}
		}
	}
}
