package agentworld_test

import (
	"iter"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld"
)

// TestCompareSides: sides that another program reads are judged as the command line does, in what is declared.
func TestCompareSides(t *testing.T) {
	var sides []agentworld.Side
	for _, seat := range []string{"wait", "greedy"} {
		settings, err := agentworld.Defaults("task_production_chips_40")
		if err != nil {
			t.Fatal(err)
		}
		settings.Ticks = 3
		settings.Seats = []agentworld.AgentSeat{{Agent: "*", Seat: seat}}
		dir := filepath.Join(t.TempDir(), seat)
		_, _, err = agentworld.PlayBatch(t.Context(), agentworld.Options{Settings: settings, Dir: dir},
			agentworld.Batch{Name: seat, Seeds: []uint64{1, 2, 3, 4, 5, 6}, Arms: []agentworld.Arm{{Name: "only"}}})
		if err != nil {
			t.Fatal(err)
		}
		one := agentworld.Metric{Name: "one", Version: "1", Better: agentworld.HigherIsBetter,
			Fold: func(iter.Seq[agentworld.Record]) (float64, bool) { return 1, true }}
		side, err := agentworld.ReadSide(t.Context(), dir, one)
		if err != nil || len(side.Results) != 6 {
			t.Fatalf("%s: %d runs, %v", seat, len(side.Results), err)
		}
		sides = append(sides, side)
	}
	how := agentworld.BatchCompare{Primary: "action_kinds"}
	s, err := agentworld.CompareSides(how, []string{"seats"}, sides...)
	if err != nil || len(s.Comparisons) != 1 || s.Comparisons[0].Metrics[0].Outcome != "better" || s.Comparisons[0].Pairs != 6 {
		t.Errorf("%+v, %v", s.Comparisons, err)
	}
	has := func(metric string) bool {
		for _, v := range s.Comparisons[0].Metrics {
			if v.Metric == metric {
				return true
			}
		}
		return false
	}
	if !has("one") || !has("calls") {
		t.Errorf("not all metrics are judged: %+v", s.Comparisons[0].Metrics)
	}
	if s, err = agentworld.CompareSides(how, nil, sides...); err != nil || s.Comparisons[0].Why == "" {
		t.Errorf("what is not declared gets a verdict: %+v, %v", s.Comparisons, err)
	}
	for _, c := range []struct {
		by    []string
		sides []agentworld.Side
		want  string
	}{{nil, sides[:1], "two and more"}, {nil, []agentworld.Side{sides[0], sides[0]}, "no name of its own"}, {[]string{"seat"}, sides, "did you mean \"seats\""}} {
		if _, err := agentworld.CompareSides(how, c.by, c.sides...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if _, err := agentworld.ReadSide(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "no run") {
		t.Errorf("an empty directory: %v", err)
	}
}
