package report

import (
	"strings"
	"testing"
)

func TestBounds(t *testing.T) {
	r := Report{Task: &TaskScore{Score: 12, Complete: true}, TraceCounts: TraceCounts{ParseErrors: 3}, ActionKindSuccessCounts: Counts{"mine_compound": 4}}
	for text, want := range map[string]string{
		"score>=12": "", "score <= 12": "", "score>=12.5": "score is 12, and must be at least 12.5", "parse_errors<=2": "parse_errors is 3, and must be at most 2",
		"accepted.mine_compound>=4": "", "accepted.refine_compound>=1": "accepted.refine_compound is 0", "score_share>=0": "has no score_share",
	} {
		b, err := ParseBound(text, AllMetrics())
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Broken(r); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"": "no condition", "score": "no condition", "score=3": "no condition", "scores>=3": "unknown metric", "score>=x": "no number", "score>=NaN": "no number"} {
		if _, err := ParseBound(text, AllMetrics()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	r.Task.Complete, r.Task.Ticks, r.WorldTime = false, 40, 5
	if b, err := ParseBound("score>=1", AllMetrics()); err != nil || !strings.Contains(b.Broken(r), "cut short, after 5 of the 40 ticks") {
		t.Errorf("a run that was cut short: %q, %v", b.Broken(r), err)
	}
	if b, _ := ParseBound("score>=0", AllMetrics()); b.Broken(r) == "" {
		t.Error("a task that was cut short keeps a bound on its score")
	}
	r.Advanced = &Advanced{FromTick: 6, Score: 3, Why: "cap on calls"}
	if b, _ := ParseBound("score>=4", AllMetrics()); b.Broken(r) != "score is 3, and must be at least 4; scored: advanced from tick 6, cap on calls" {
		t.Errorf("a run that was advanced: %q", b.Broken(r))
	}
}
