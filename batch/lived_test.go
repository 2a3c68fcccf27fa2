package batch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/report"
	"example.com/agentworld/report/stats"
	"example.com/agentworld/trace"
)

// livedRuns are arms whose runs have so many ticks with an action, calls for each of them, and agents that died.
func livedRuns(of func(arm string, seed int) (ticks, callsPerTick float64, down int)) ([]Cell, []Result) {
	cells, results := played(12, []string{"base", "arm"}, func(string, int) (float64, bool) { return 1, true })
	for i := range results {
		r := &results[i]
		ticks, calls, down := of(r.Label("model"), int(r.Seed))
		r.Metrics = r.Metrics.With(report.MetricAgentTicks, ticks)
		r.Metrics = r.Metrics.With(report.MetricAgentsDown, float64(down))
		r.Metrics = r.Metrics.With("calls", calls*ticks)
	}
	return cells, results
}

// TestArmsThatDie: who is dead calls nobody, and is not better for it.
func TestArmsThatDie(t *testing.T) {
	cost := func(seed int) float64 { return 3 + float64(seed%3)/10 }
	for _, tc := range []struct {
		name string
		of   func(arm string, seed int) (float64, float64, int)
		want stats.Outcome
		unit string
	}{
		{"all live, and one needs fewer calls", func(arm string, seed int) (float64, float64, int) {
			if arm == "arm" {
				return 100 - float64(seed), cost(seed) - 1, 0
			}
			return 100, cost(seed), 0
		}, stats.Better, "calls"},
		{"all live, and one sleeps by choice", func(arm string, seed int) (float64, float64, int) {
			if arm == "arm" {
				return 50 - float64(seed), cost(seed), 0
			}
			return 100, cost(seed), 0
		}, stats.Better, "calls"},
		{"one dies, and called as often before", func(arm string, seed int) (float64, float64, int) {
			if arm == "arm" {
				return 50 - float64(seed), cost(seed + 1), 1
			}
			return 100, cost(seed), 0
		}, NoVerdict, "calls per active tick"},
		{"one dies, and called more often before", func(arm string, seed int) (float64, float64, int) {
			if arm == "arm" {
				return 50 - float64(seed), cost(seed) + 1, 1
			}
			return 100, cost(seed), 0
		}, NoVerdict, "calls per active tick"},
		{"one dies, and called less often before", func(arm string, seed int) (float64, float64, int) {
			if arm == "arm" {
				return 50 - float64(seed), cost(seed) - 1, 1
			}
			return 100, cost(seed), 0
		}, NoVerdict, "calls per active tick"},
		{"one loses an agent late, and called less often before", func(arm string, seed int) (float64, float64, int) {
			if arm == "arm" {
				return 98, cost(seed) - 1, 1
			}
			return 100, cost(seed), 0
		}, stats.Better, "calls per active tick"},
	} {
		cells, results := livedRuns(tc.of)
		f := File{Compare: &Compare{Axis: "model", Baseline: "base", Metrics: []string{"calls"}}}
		s, err := Summarize(f, cells, results)
		if err != nil {
			t.Fatal(err)
		}
		v := s.Comparisons[0].Metrics[1]
		if v.Outcome != tc.want || v.Unit != tc.unit || v.PerTick != strings.Contains(s.Text(0), "calls per active tick") {
			t.Errorf("%s: %s in %s, want %s in %s\n%s", tc.name, v.Outcome, v.Unit, tc.want, tc.unit, s.Text(0))
		}
		if said := strings.Contains(s.Text(0), "in 12 and 0 of 12 runs agents ran out of power"); said != v.PerTick {
			t.Errorf("%s: the table does not say who died:\n%s", tc.name, s.Text(0))
		}
		f.Compare = &Compare{Axis: "model", Baseline: "base", Primary: "calls", StopWhenDecided: true, Range: 1000}
		s, err = Summarize(f, cells, results)
		if err != nil {
			t.Fatal(err)
		}
		one := s.Comparisons[0]
		if stops := one.Why == ""; stops == v.PerTick || !stops && one.Metrics[0].Outcome != NoVerdict {
			t.Errorf("%s: a sum that is to end the batch: %s, %q", tc.name, one.Metrics[0].Outcome, one.Why)
		}
	}
}

// TestRunsThatEndEarlyAreScored: what a run ended by says whether it counts.
func TestRunsThatEndEarlyAreScored(t *testing.T) {
	advanced := &report.Advanced{FromTick: 31, ToTick: 40, Score: 12, Why: "cap on tokens"}
	for _, tc := range []struct {
		status   trace.RunStatus
		advanced *report.Advanced
		failures int64
		scored   bool
		spoilt   bool
	}{
		{trace.RunBudgetReached, advanced, 0, true, false},
		{trace.RunNoUsableAnswers, advanced, 0, true, false},
		{trace.RunCompleted, advanced, 0, true, false},
		{trace.RunBudgetReached, nil, 0, false, false}, // it could not be played on
		{trace.RunBudgetReached, advanced, 10, false, true},
		{trace.RunProviderFailed, nil, 10, false, false},
		{trace.RunInterrupted, nil, 0, false, false},
	} {
		var r report.Report
		r.RunStatus, r.Advanced, r.WorldTime, r.TicksRequested = tc.status, tc.advanced, 30, 40
		r.Task = &report.TaskScore{Ticks: 40}
		r.TraceCounts.ModelCalls = 100
		r.TraceCounts.LLMErrorsByKind = report.Counts{"server_error": tc.failures}
		got := ResultOf(Cell{}, 1, r, "")
		score, known := got.Metrics.Get("score")
		if got.Scored() != tc.scored || got.CutShort != tc.scored || known != tc.scored || got.Spoilt != tc.spoilt {
			t.Errorf("%s, %d failures: scored %v, cut short %v, score %v, spoilt %v", tc.status, tc.failures, got.Scored(),
				got.CutShort, known, got.Spoilt)
		}
		if tc.scored && (score != 12 || got.Reason != "scored: advanced from tick 31, cap on tokens") {
			t.Errorf("%s: score %v, %q", tc.status, score, got.Reason)
		}
	}
}

// cappedArms are equal arms over 20 instances: what their runs would score is drawn from one law. end says what
// becomes of a run, given its rank among those of its arm, the worst first.
func cappedArms(draw *rand.Rand, end func(r *Result, rank int)) ([]Cell, []Result) {
	hard := make([]float64, 21)
	for seed := range hard {
		hard[seed] = 3 * draw.NormFloat64()
	}
	cells, results := played(20, []string{"base", "arm"}, func(_ string, seed int) (float64, bool) {
		return 20 + hard[seed] + 4*draw.NormFloat64(), true
	})
	for _, arm := range []string{"base", "arm"} {
		var own []*Result
		for i := range results {
			if results[i].Label("model") == arm {
				own = append(own, &results[i])
			}
		}
		slices.SortFunc(own, func(a, b *Result) int {
			return int(1e6 * (scoreOf(*a) - scoreOf(*b)))
		})
		for rank, r := range own {
			end(r, rank)
		}
	}
	return cells, results
}

// scoreOf is the score of a run, 0 without one.
func scoreOf(r Result) float64 {
	score, _ := r.Metrics.Get("score")
	return score
}

// capped ends a run at a cap of its own, with a part of its score.
func capped(r *Result, part float64) {
	r.Status, r.CutShort = trace.RunBudgetReached, true
	r.Metrics = r.Metrics.With("score", part*scoreOf(*r))
}

// TestEqualArmsWithTheWorstCapped counts how often arms that are equal are told apart, when the worst runs end at a
// cap: those of one arm, which were stuck and lose nothing by it, or those of both, which lose the rest. Of 2,000
// comparisons at most 130 may be told apart. Without scores for capped runs, as if an endpoint had failed, far more
// are: the check can fail.
func TestEqualArmsWithTheWorstCapped(t *testing.T) {
	comparisons, most := 40, 5
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		comparisons, most = 2000, 130
	}
	alarms := func(end func(r *Result, rank int)) (n int) {
		draw := rand.New(rand.NewPCG(7, 11))
		for range comparisons {
			cells, results := cappedArms(draw, end)
			list, err := Comparisons(&Compare{Axis: "model", Baseline: "base"}, report.AllMetrics(), cells, results)
			if err != nil {
				t.Fatal(err)
			}
			if list[0].Metrics[0].Outcome.Differs() {
				n++
			}
		}
		return n
	}
	stuck := func(r *Result, rank int) {
		if r.Label("model") == "arm" && rank < 5 {
			capped(r, 1)
		}
	}
	both := func(r *Result, rank int) {
		if rank < 4+rank%2 {
			capped(r, float64(rank+1)/8)
		}
	}
	vanished := func(r *Result, rank int) {
		if r.Label("model") == "arm" && rank < 5 {
			r.Status, r.Metrics = trace.RunProviderFailed, Metrics{}
		}
	}
	ofOne, ofBoth, lost := alarms(stuck), alarms(both), alarms(vanished)
	got := fmt.Sprintf("of %d comparisons of equal arms: %d alarms with the worst five of one capped, %d with the worst "+
		"of both, %d where they vanish", comparisons, ofOne, ofBoth, lost)
	t.Log(got)
	if ofOne > most || ofBoth > most || lost < comparisons/8 {
		t.Errorf("%s; at most %d are allowed", got, most)
	}
}
