package batch

import (
	"strings"
	"testing"

	"example.com/agentworld/report/stats"
)

// TestPicturesOfABatch: the differences that a batch compares and the places of its arms are drawn with their names and
// bounds, and a batch without them is refused.
func TestPicturesOfABatch(t *testing.T) {
	verdict := stats.Verdict{Outcome: stats.Better, Difference: 2, Interval: &stats.Interval{Low: 1, High: 3}, Level: 0.025}
	s := Summary{Ranked: "score", Ranks: []ArmRank{{Arm: "lean", Mean: 4, Rank: stats.Rank{Low: 1, High: 2}}, {Arm: "full", Mean: 3, Rank: stats.Rank{Low: 2, High: 3}}},
		Comparisons: []Comparison{{Arm: "lean", Baseline: "full", Metrics: []MetricVerdict{{Metric: "score", Primary: true, Verdict: verdict}, {Metric: "calls"}}}}}
	intervals, err := s.Plot(PlotIntervals)
	if err != nil || strings.Count(string(intervals), "<circle") != 1 || !strings.Contains(string(intervals), ">lean - full<") || !strings.Contains(string(intervals), ">better (97.5%)<") {
		t.Errorf("intervals: %v\n%s", err, intervals)
	}
	ranks, err := s.Plot(PlotRanks)
	if err != nil || strings.Count(string(ranks), "<circle") != 4 || !strings.Contains(string(ranks), ">mean 4<") {
		t.Errorf("ranks: %v\n%s", err, ranks)
	}
	_, unranked := Summary{}.Plot(PlotRanks)
	_, uncompared := Summary{}.Plot(PlotIntervals)
	_, unknown := s.Plot("other")
	if unranked == nil || uncompared == nil || unknown == nil {
		t.Error("a batch that compares nothing is drawn, or a picture that is none")
	}
	if got := s.Plots(); len(got) != 2 || Summary.Plots(Summary{}) != nil {
		t.Errorf("the pictures are %q", got)
	}
}
