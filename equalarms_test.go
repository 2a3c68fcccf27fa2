package agentworld_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"example.com/agentworld"
	"example.com/agentworld/baseline"
	"example.com/agentworld/batch"
	"example.com/agentworld/report"
	"example.com/agentworld/world"
)

// lapsing is a seat that plays as the scripted agents do, and waits in three of ten turns; salt says in which.
func lapsing(salt string) agentworld.Seat {
	return agentworld.Seat{Name: "lapsing-" + salt, Version: "1", New: func(b agentworld.SeatBrief) agentworld.SeatPlayer {
		decide := baseline.Scripted(b.Brief)
		return agentworld.SeatAct(func(_ context.Context, o agentworld.Observation) (agentworld.Move, error) {
			action := decide(o.View)
			if world.Draw(b.Brief.Seed, o.View.Tick(), salt+" "+o.View.AgentID(), 10) < 3 {
				action = world.Wait{}
			}
			return agentworld.Move{Action: action}, nil
		})
	}}
}

// TestEqualArmsByScore plays two seats that lapse as often, in other turns, and compares their scores many times: a
// verdict of better or worse is a false alarm. There are 200 comparisons of each of three tasks.
func TestEqualArmsByScore(t *testing.T) {
	if os.Getenv("AGENT_WORLD_LONG") == "" {
		t.Skip("plays thousands of runs; set AGENT_WORLD_LONG=1")
	}
	const comparisons, pairs = 200, 6
	for _, task := range []string{"task_production_hardware_50", "task_production_data_60", "task_survival_low_start_60"} {
		settings, err := agentworld.Defaults(task)
		if err != nil {
			t.Fatal(err)
		}
		var seeds []uint64
		for seed := range uint64(comparisons * pairs) {
			seeds = append(seeds, 1+seed)
		}
		of := func(salt string) agentworld.Arm {
			return agentworld.Arm{Name: salt, Change: func(s *agentworld.Settings) {
				s.Seats = []agentworld.AgentSeat{{Agent: "*", Seat: "lapsing-" + salt}}
			}}
		}
		dir := t.TempDir()
		s, _, err := agentworld.PlayBatch(t.Context(), agentworld.Options{Settings: settings, Dir: dir, Seats: []agentworld.Seat{lapsing("one"), lapsing("other")}},
			agentworld.Batch{Name: "equal", Seeds: seeds, Jobs: 2, Arms: []agentworld.Arm{of("one"), of("other")}})
		if err != nil || s.Scored != 2*len(seeds) {
			t.Fatalf("%s: %d of %d runs have a score, %v", task, s.Scored, 2*len(seeds), err)
		}
		groups := map[string][]batch.Result{}
		for _, r := range s.Results {
			key := fmt.Sprint(r.Seed % uint64(comparisons))
			groups[key] = append(groups[key], r)
		}
		alarms, equal := 0, 0
		for _, results := range groups {
			var cells []batch.Cell
			for _, r := range results {
				cells = append(cells, r.Cell)
			}
			list, err := batch.Comparisons(&batch.Compare{}, report.AllMetrics(), cells, results)
			if err != nil || list[0].Metrics[0].Pairs != pairs {
				t.Fatalf("%s: %+v, %v", task, list, err)
			}
			if list[0].Metrics[0].Outcome.Differs() {
				alarms++
			}
			if list[0].Metrics[0].ArmMean == list[0].Metrics[0].BaselineMean {
				equal++
			}
		}
		t.Logf("%s: %d of %d comparisons of %d pairs are decided; in %d the means are equal", task, alarms, comparisons, pairs, equal)
		if alarms > comparisons*9/100 || equal > comparisons/2 { // a binomial of 200 and 5% is above 18 in 1% of cases
			t.Errorf("%s: %d of %d comparisons of equal arms are decided, %d have equal means", task, alarms, comparisons, equal)
		}
	}
}
