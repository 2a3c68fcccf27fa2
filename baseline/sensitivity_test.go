package baseline

import (
	"fmt"
	"os"
	"testing"

	"example.com/agentworld/report/stats"
	"example.com/agentworld/world"
)

// factsPath holds what is known of the tasks.
const factsPath = "testdata/tasks.csv"

// wasteful plays a policy with a share of its turns replaced by waits, in percent. Which they are
// follows from the scenario's seed.
func wasteful(p Policy, percent int64) Policy {
	return func(b Brief) Decider {
		decide := p(b)
		return func(v world.View) world.Action {
			if world.Draw(b.Seed, v.Tick(), v.AgentID()+" waste", 100) < percent {
				return world.Wait{}
			}
			return decide(v)
		}
	}
}

// toldFrom is the number of instances from which on the verdict finds a player worse than the scripted
// agents, by their scores instance by instance; 0 if it does not with all of them.
func toldFrom(t *testing.T, scripted, player []int64) (n int) {
	t.Helper()
	var pairs []stats.Pair
	for i := range scripted {
		pairs = append(pairs, stats.Pair{Cluster: fmt.Sprint(i), A: float64(player[i]), B: float64(scripted[i])})
		verdicts, err := stats.CompareAll([]stats.Metric{{Pairs: pairs}})
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case verdicts[0].Outcome != stats.Worse:
			n = 0
		case n == 0:
			n = i + 1
		}
	}
	return n
}

// TestTaskFactsAreAsRecorded judges the recorded scores of all tasks, and compares their bounds with the
// best plans known.
func TestTaskFactsAreAsRecorded(t *testing.T) {
	list := instanceScores(t)
	text := "task,at_15,at_30,loose_bound\n"
	unfit := 0
	for _, s := range tasks(t) {
		var scripted, waste15, waste30 []int64
		for _, row := range list[s.ID] {
			scripted = append(scripted, row.Scripted)
			waste15 = append(waste15, row.waste15)
			waste30 = append(waste30, row.waste30)
		}
		if len(scripted) != SensitivityInstances {
			t.Fatalf("%s: the scores of %d instances are recorded, want %d", s.ID, len(scripted), SensitivityInstances)
		}
		want := Sensitivity{int64(toldFrom(t, scripted, waste15)), int64(toldFrom(t, scripted, waste30))}
		if want.Unfit() {
			unfit++
		}
		_, best, _ := BestPlan(s.ID, s.Seed)
		loose := 2*BoundOf(s.Instance(s.Seed)).Score > 3*best
		text += fmt.Sprintf("%s,%d,%d,%t\n", s.ID, want.At15, want.At30, loose)
		got, gotLoose, ok := factsOf(s.ID)
		if !*update && (!ok || got != want || gotLoose != loose) {
			t.Errorf("%s: recorded are %+v, %t, %t; want %+v, %t; see -update", s.ID, got, gotLoose, ok, want, loose)
		}
	}
	if *update {
		if err := os.WriteFile(factsPath, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if unfit > 4 {
		t.Errorf("%d tasks are unfit to compare players, want at most 4", unfit)
	}
}

// TestToldFrom: a difference is told when the exact test can, and not while chance would do.
func TestToldFrom(t *testing.T) {
	same := []int64{9, 9, 9, 9, 9, 9, 9, 9}
	for _, tc := range []struct {
		name   string
		player []int64
		want   int
	}{
		{"always worse", []int64{8, 8, 8, 8, 8, 8, 8, 8}, 6},
		{"equal", same, 0},
		{"better", []int64{10, 10, 10, 10, 10, 10, 10, 10}, 0},
		{"worse at first", []int64{8, 8, 8, 8, 8, 8, 20, 20}, 0},
		{"better once", []int64{8, 10, 8, 8, 8, 8, 8, 8}, 0},
		{"much worse later", []int64{8, 10, 7, 6, 5, 4, 4, 4}, 7},
	} {
		if got := toldFrom(t, same, tc.player); got != tc.want {
			t.Errorf("%s: told from %d instances on, want %d", tc.name, got, tc.want)
		}
	}
}

// TestWastefulWaits: as many turns are waits as asked for, and the others are the policy's.
func TestWastefulWaits(t *testing.T) {
	s := embedded(t, "task_production_chips_200")
	turns := 0
	waits := 0
	digs := func(Brief) Decider {
		return func(world.View) world.Action { return world.Mine{MassG: 1000} }
	}
	counted := func(b Brief) Decider {
		decide := wasteful(digs, 30)(b)
		return func(v world.View) world.Action {
			action := decide(v)
			turns++
			if action == (world.Wait{}) {
				waits++
			}
			return action
		}
	}
	play(t, s, counted)
	if share := 100 * waits / turns; share < 27 || share > 33 {
		t.Errorf("%d of %d turns are waits, want 30%%", waits, turns)
	}
}
