package batch

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/report"
	"example.com/agentworld/report/stats"
	"example.com/agentworld/trace"
)

// lossless are arms whose scores are between 0 and 20, of which large is better.
func lossless(arm string, seed int) float64 {
	if arm == "large" {
		return 11 + float64(seed%3)
	}
	return 5 + float64(seed%2)
}

// withLost are the cells and results of 16 instances, of which some runs were lost.
func withLost(lost map[string][]int, ranged bool) ([]Cell, []Result) {
	cells, results := played(16, []string{"small", "large"}, func(arm string, seed int) (float64, bool) {
		return lossless(arm, seed), !slices.Contains(lost[arm], seed)
	})
	for i := range results {
		if ranged {
			results[i].ScoreNothing, results[i].ScoreBound = 0, 20
		}
		if results[i].Scored() {
			share := lossless(results[i].Label("model"), int(results[i].Seed)) / 20
			results[i].Metrics = results[i].Metrics.With("accepted_share", share)
		}
	}
	return cells, results
}

func TestLostRuns(t *testing.T) {
	for _, tc := range []struct {
		name   string
		lost   map[string][]int
		ranged bool
		change func(*Compare)
		// score and share are the verdicts on both, why is in the reason for none on score.
		score, share stats.Outcome
		why          string
	}{
		{"none", nil, true, nil, stats.Better, stats.Better, ""},
		{"one of the better arm", map[string][]int{"large": {3}}, true, nil, stats.Better, stats.Better, ""},
		{"one of each", map[string][]int{"large": {3}, "small": {7}}, true, nil, stats.Better, stats.Better, ""},
		{"one pair", map[string][]int{"large": {3}, "small": {3}}, true, nil, stats.Better, stats.Better, ""},
		{"so many that it depends", map[string][]int{"large": {1, 2, 3, 4, 5}}, true, nil, NoVerdict, NoVerdict,
			"undecided if all went against large, better if all went for it"},
		{"as many, with no known range", map[string][]int{"large": {1, 2, 3, 4, 5}}, false, nil, stats.Better, NoVerdict, ""},
		{"one arm far more often", map[string][]int{"large": {1, 2, 3, 4, 5, 6, 7}}, false, nil, NoVerdict, NoVerdict,
			"one arm fails more often than the other, 7 and 0 of 16 runs"},
		{"a range of the file", map[string][]int{"large": {3}}, false, func(c *Compare) { c.Range = 8 }, stats.Better,
			stats.Better, ""},
		{"a range of the file, and so many", map[string][]int{"large": {1, 2, 3, 4, 5}}, false,
			func(c *Compare) { c.Range = 20 }, NoVerdict, NoVerdict, "if all went against large"},
		{"it stops when it is decided", map[string][]int{"large": {3}}, true,
			func(c *Compare) { c.StopWhenDecided = true }, stats.Better, NoVerdict, ""},
		{"it stops when it is decided, and so many were lost", map[string][]int{"large": {1, 2, 3, 4, 5}}, true,
			func(c *Compare) { c.StopWhenDecided = true }, NoVerdict, NoVerdict, "if all went against large"},
	} {
		cells, results := withLost(tc.lost, tc.ranged)
		c := &Compare{Axis: "model", Baseline: "small", Metrics: []string{"accepted_share"}}
		if tc.change != nil {
			tc.change(c)
		}
		list, err := Comparisons(c, report.AllMetrics(), cells, results)
		if err != nil {
			t.Fatal(err)
		}
		score, share := list[0].Metrics[0], list[0].Metrics[1]
		if score.Outcome != tc.score || share.Outcome != tc.share || !strings.Contains(score.Why, tc.why) {
			t.Errorf("%s: score is %s (%s), the share %s; want %s (%s), %s", tc.name, score.Outcome, score.Why, share.Outcome,
				tc.score, tc.why, tc.share)
		}
		s, err := Summarize(File{Compare: c}, cells, results)
		if err != nil || tc.why != "" && !strings.Contains(s.Text(0), tc.why) || tc.why != "" &&
			!strings.Contains(string(s.JUnit()), tc.why) {
			t.Errorf("%s: the table does not say why: %v\n%s", tc.name, err, s.Text(0))
		}
	}
}

// TestAVerdictHoldsWhateverWasLost gives lost runs scores drawn from their range: a verdict that was told without
// them is the one that is told with them.
func TestAVerdictHoldsWhateverWasLost(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	told := map[stats.Outcome]int{}
	for range 60 {
		lost := map[string][]int{}
		for _, arm := range []string{"small", "large"} {
			for range draw.IntN(3) {
				lost[arm] = append(lost[arm], 1+draw.IntN(16))
			}
		}
		shift := draw.Float64() * 6
		cells, results := withLost(lost, true)
		for i := range results {
			if results[i].Scored() && results[i].Label("model") == "large" {
				score := max(0, scoreOf(results[i])-shift-4*draw.Float64())
				results[i].Metrics = results[i].Metrics.With("score", score)
			}
		}
		outcome := func() stats.Outcome {
			list, err := Comparisons(&Compare{Axis: "model", Baseline: "small"}, report.AllMetrics(), cells, results)
			if err != nil {
				t.Fatal(err)
			}
			return list[0].Metrics[0].Outcome
		}
		want := outcome()
		told[want]++
		if want == NoVerdict {
			continue
		}
		for i := range results {
			if !results[i].Scored() {
				results[i].Status = trace.RunCompleted
				results[i].Metrics = results[i].Metrics.With("score", 20*draw.Float64())
			}
		}
		if got := outcome(); got != want {
			t.Errorf("%s without the lost runs %v, %s with them", want, lost, got)
		}
	}
	if told[stats.Better] < 5 || told[stats.Undecided] < 5 || told[NoVerdict] < 5 {
		t.Errorf("the draws show little: %v", told)
	}
}
