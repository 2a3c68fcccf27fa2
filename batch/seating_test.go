package batch

import (
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/agentworld/report"
	"example.com/agentworld/report/stats"
	"example.com/agentworld/trace"
)

// swapped is a batch in which two players share a world, in both seatings.
const swapped = `name = "shared"
scenarios = ["minimal"]
seeds = "1-12"
[axes.seating.straight.agents]
agent-1 = "small@https://one.example,key_env=K"
agent-2 = "large"
[axes.seating.other.agents]
agent-1 = "large"
agent-2 = "small@https://one.example,key_env=K"
[metrics.held_1]
jq = "1"
better = "higher"
range = 100
[metrics.held_2]
jq = "2"
better = "higher"
range = 100
[compare]
seats = { agent-1 = "held_1", agent-2 = "held_2" }
[[gates]]
metric = "held_1"
arm = "large"
verdict = ["better"]
`

// sharedWorlds is the summary of that batch, where the first seat is worth 30 and the large player so much more.
func sharedWorlds(t *testing.T, seed uint64, more float64, change func([]Result) []Result) Summary {
	t.Helper()
	f, err := Parse([]byte(swapped), nil)
	if err != nil {
		t.Fatal(err)
	}
	draws := rand.New(rand.NewPCG(seed, 1))
	var cells []Cell
	var results []Result
	for c := range f.Combinations() {
		c.Cell.ID = ID(c.Cell.Name())
		first, second := 30+10*draws.Float64(), 10*draws.Float64()
		if c.Cell.Label("seating") == "straight" {
			second += more
		} else {
			first += more
		}
		cells = append(cells, c.Cell)
		results = append(results, Result{Cell: c.Cell, Status: trace.RunCompleted, Metrics: MetricsOf(map[string]float64{"held_1": first, "held_2": second})})
	}
	s, err := Summarize(f, cells, change(results))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPlayersThatShareAWorld: players are compared by seats, over both seatings of each instance, so that a seat that
// is worth more than any player favours none. Equal ones are told apart in at most one of twenty cases, a better one
// is found, whoever the baseline is.
func TestPlayersThatShareAWorld(t *testing.T) {
	all := func(list []Result) []Result { return list }
	alarms := 0
	const games = 100
	for seed := range uint64(games) {
		if sharedWorlds(t, seed, 0, all).Comparisons[0].Metrics[0].Outcome.Differs() {
			alarms++
		}
	}
	if alarms > 9 { // a binomial of 100 and 5% is above it in 3% of cases; the seeds are fixed
		t.Errorf("equal players are told apart in %d of %d cases", alarms, games)
	}
	s := sharedWorlds(t, 1, 6, all)
	one := s.Comparisons[0]
	v := one.Metrics[0]
	if len(s.Comparisons) != 1 || one.Arm != "large" || one.Baseline != "small" || v.Outcome != stats.Better || v.Clusters != 12 {
		t.Errorf("a better player: %+v", one)
	}
	if v.Difference < 4 || v.Difference > 8 || v.Interval == nil || v.Interval.Low <= 0 {
		t.Errorf("the difference is %v in %v, want about 6", v.Difference, v.Interval)
	}
	if s.Verdict != Passed || !strings.Contains(s.Text(0), "players that shared a world: large against small in the seats agent-1 (held_1) and agent-2 (held_2)") {
		t.Errorf("%s:\n%s", s.Verdict, s.Text(0))
	}
	half := func(list []Result) []Result { return list[:len(list)-1] } // an instance without its other seating says nothing
	if v := sharedWorlds(t, 1, 6, half).Comparisons[0]; v.Open != 1 || v.Metrics[0].Clusters != 11 {
		t.Errorf("a seating alone: %+v", v)
	}
	if v := sharedWorlds(t, 1, -6, all).Comparisons[0].Metrics[0]; v.Outcome != stats.Worse {
		t.Errorf("a worse player: %+v", v)
	}
}

// TestSeatsThatCannotBeCompared are refused with what is allowed, at their line.
func TestSeatsThatCannotBeCompared(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`agent-1 = "large"`, `agent-1 = "huge"`, "line 19: compare: no two values of axis \"seating\" have the same players the other way round"},
		{`, agent-2 = "held_2" }`, ` }`, "seats has 1; allowed: two agents"},
		{`agent-2 = "held_2"`, `agent-2 = "held_1"`, "are not two metrics of one kind"},
		{`agent-2 = "held_2"`, `agent-2 = "held"`, `unknown metric "held"`},
		{"[compare]", "[compare]\nprimary = \"calls\"", "seats have their metrics"},
		{`arm = "large"`, `arm = "other"`, `no value "other" of the compared axis; allowed: large`},
	} {
		if !strings.Contains(swapped, c.old) {
			t.Fatalf("no %s", c.old)
		}
		_, err := Parse([]byte(strings.Replace(swapped, c.old, c.new, 1)), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.new, err, c.want)
		}
	}
	if _, err := Comparisons(&Compare{Axis: "seating", Seats: map[string]string{"a": "calls", "b": "tokens"}}, report.AllMetrics(), planned(1, 2), nil); err == nil {
		t.Error("seats of no file are compared")
	}
}
