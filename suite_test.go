package agentworld_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"example.com/agentworld"
	"example.com/agentworld/baseline"
	"example.com/agentworld/world/scenario"
)

// TestBestPlaysAreAllowed: the best play known of an instance of a suite scores the same under the rules that
// bind players, as moves of a seat. It is one of each task, at full size all.
func TestBestPlaysAreAllowed(t *testing.T) {
	for _, suite := range scenario.Suites() {
		text, err := os.ReadFile("baseline/testdata/plans-" + suite.Name + ".csv")
		if err != nil {
			t.Fatal(err)
		}
		_, rows, _ := strings.Cut(string(text), "\n")
		n := 0
		for row := range strings.Lines(rows) {
			cells := strings.SplitN(strings.TrimSuffix(row, "\n"), ",", 5)
			sampled := n%len(suite.Seeds) == n/len(suite.Seeds)
			n++
			if !sampled && os.Getenv("AGENT_WORLD_LONG") == "" {
				continue
			}
			seed, err := strconv.ParseUint(cells[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := baseline.ParsePlan(cells[4])
			if err != nil {
				t.Fatal(err)
			}
			if got := playPlan(t, suite, cells[0], seed, plan); fmt.Sprint(got) != cells[3] {
				t.Errorf("%s, seed %d: the best play scores %d as a seat, recorded %s", cells[0], seed, got, cells[3])
			}
		}
		if n != len(suite.Tasks)*len(suite.Seeds) {
			t.Errorf("%s has %d plans, want one for each instance", suite.Name, n)
		}
	}
}

// playPlan is the score of a plan whose moves are those of seats.
func playPlan(t *testing.T, suite scenario.Suite, task string, seed uint64, plan baseline.Plan) int64 {
	t.Helper()
	settings, err := agentworld.Defaults(task)
	if err != nil {
		t.Fatal(err)
	}
	settings.Seed = seed
	world := suite.World(task).Instance(seed)
	o := agentworld.Options{Settings: settings, Dir: filepath.Join(t.TempDir(), "run")}
	for _, agent := range world.AgentIDs() {
		decide := plan.Policy()(baseline.BriefOf(world))
		o.Seat("plan-"+agent, func(_ context.Context, o agentworld.Observation) (agentworld.Move, error) {
			return agentworld.Move{Action: decide(o.View)}, nil
		}, agent)
	}
	result, err := agentworld.Run(context.Background(), o)
	if err != nil || result.Report.Task == nil || !result.Report.Task.Complete {
		t.Fatalf("%s, seed %d: %v", task, seed, err)
	}
	return result.Report.Task.Score
}
