package baseline

import (
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

var update = flag.Bool("update", false, "rewrite the scores of the embedded tasks")

// embedded returns a built-in scenario.
func embedded(t *testing.T, name string) world.Scenario {
	t.Helper()
	s, _, ok := scenario.Embedded(name)
	if !ok {
		t.Fatalf("there is no scenario %s", name)
	}
	return s
}

// tasks lists the built-in scenarios with a task.
func tasks(t *testing.T) []world.Scenario {
	t.Helper()
	var list []world.Scenario
	for _, name := range scenario.Names() {
		if s := embedded(t, name); s.Task != nil {
			list = append(list, s)
		}
	}
	return list
}

// play returns the score of a policy at the scenario's own seed.
func play(t *testing.T, s world.Scenario, p Policy) int64 {
	t.Helper()
	_, score, err := Play(s, s.Seed, s.Task.Ticks, p)
	if err != nil {
		t.Fatal(err)
	}
	return score
}

// scoresPath holds the scores of ten instances of every task.
const scoresPath = "testdata/scores.csv"

// instances are the seeds of those instances.
const instances = 10

// scoreRow is one line of it.
func scoreRow(id string, seed uint64, s Scores) string {
	return fmt.Sprintf("%s,%d,%d,%d,%d,%d,%d", id, seed, s.Nothing, s.Random, s.Greedy, s.Scripted, s.Bound)
}

// scoresOf plays an instance of a task.
func scoresOf(t *testing.T, s world.Scenario, seed uint64) Scores {
	t.Helper()
	scores, ok, err := ScoresOf(s.Instance(seed))
	if err != nil || !ok {
		t.Fatalf("%s, seed %d: %v, %v", s.ID, seed, ok, err)
	}
	return scores
}

// TestScoresAreAsRecorded plays instances of every task: one of each, at full size all.
func TestScoresAreAsRecorded(t *testing.T) {
	if *update {
		text := "task,seed,nothing,random,greedy,scripted,bound\n"
		for _, s := range tasks(t) {
			for seed := range uint64(instances) {
				text += scoreRow(s.ID, seed, scoresOf(t, s, seed)) + "\n"
			}
		}
		if err := os.WriteFile(scoresPath, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(scoresPath)
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(string(text), "\n")
	for n, s := range tasks(t) {
		for seed := range uint64(instances) {
			if os.Getenv("AGENT_WORLD_LONG") == "" && seed != uint64(n)%instances {
				continue
			}
			if row := scoreRow(s.ID, seed, scoresOf(t, s, seed)); !slices.Contains(rows, row) {
				t.Errorf("%s is not in %s; see -update", row, scoresPath)
			}
		}
	}
}

// TestTasksTellPlayersApart reads what players score in ten instances of each task: no two players
// that look ahead differently score alike in all, and who looks ahead further scores more.
func TestTasksTellPlayersApart(t *testing.T) {
	f, err := os.Open(scoresPath)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	players := rows[0][2:]
	sums, distinct := map[string][]int64{}, map[string]int{}
	seen := map[string]bool{}
	for _, row := range rows[1:] {
		if sums[row[0]] == nil {
			sums[row[0]] = make([]int64, len(players))
		}
		for i, cell := range row[2:] {
			n, err := strconv.ParseInt(cell, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			sums[row[0]][i] += n
			if of := row[0] + " " + players[i]; !seen[of+cell] {
				seen[of+cell] = true
				distinct[of]++
			}
		}
	}
	ordered := 0
	for _, s := range tasks(t) {
		sum := sums[s.ID]
		for _, player := range []string{"greedy", "scripted"} {
			if distinct[s.ID+" "+player] < 2 {
				t.Errorf("%s: %s agents score the same in every instance", s.ID, player)
			}
		}
		if slices.IsSorted(sum) {
			ordered++
		}
		if scripted, bound := sum[3], sum[4]; 100*scripted < 15*bound || scripted > bound {
			t.Errorf("%s: the scripted agents score %d in all, the bounds are %d", s.ID, scripted, bound)
		}
	}
	if len(sums) != len(tasks(t)) || ordered*30 < 26*len(sums) {
		t.Errorf("%d of %d tasks put the players in order; there are %d", ordered, len(sums), len(tasks(t)))
	}
}

// TestTasksCoverTheFamilies counts what the collection promises.
func TestTasksCoverTheFamilies(t *testing.T) {
	families, long := map[string]int{}, 0
	for _, s := range tasks(t) {
		families[s.Task.Family]++
		if s.Task.Ticks >= 200 {
			long++
		}
		if !strings.HasPrefix(s.ID, "task_"+s.Task.Family+"_") || !strings.HasSuffix(s.ID, fmt.Sprint("_", s.Task.Ticks)) {
			t.Errorf("%s is a task of the family %s with %d ticks", s.ID, s.Task.Family, s.Task.Ticks)
		}
	}
	for _, f := range world.Families() {
		if families[f] < 8 {
			t.Errorf("there are %d tasks of the family %s, want 8", families[f], f)
		}
	}
	if long < 4 {
		t.Errorf("%d tasks run 200 ticks or more, want 4", long)
	}
}

// solo lets only one agent act.
func solo(id string) Policy {
	return func(s world.Scenario) Decider {
		decide := Scripted(s)
		return func(v world.View) world.Action {
			if v.AgentID() != id {
				return world.Wait{}
			}
			return decide(v)
		}
	}
}

// TestCooperationNeedsSeveral plays the cooperation tasks with one active agent at
// a time: in at least six of them none of them scores anything.
func TestCooperationNeedsSeveral(t *testing.T) {
	impossible := 0
	for _, s := range tasks(t) {
		if s.Task.Family != "cooperation" {
			continue
		}
		best := int64(0)
		for _, start := range s.Survey(s.Seed).Starts {
			best = max(best, play(t, s, solo(start.Agent)))
		}
		if best == 0 {
			impossible++
		}
		if scripted := play(t, s, Scripted); best > scripted {
			t.Errorf("%s: one agent alone scores %d, together they score %d", s.ID, best, scripted)
		}
	}
	if impossible < 6 {
		t.Errorf("%d tasks are impossible for one agent, want 6", impossible)
	}
}

func TestPlayIsDeterministic(t *testing.T) {
	for _, s := range tasks(t)[:6] {
		first, a, err := Play(s, 7, 30, Scripted)
		if err != nil {
			t.Fatal(err)
		}
		second, b, err := Play(s, 7, 30, Scripted)
		if err != nil || a != b || first.Digest() != second.Digest() {
			t.Errorf("%s: two runs of one seed differ: %d and %d", s.ID, a, b)
		}
	}
}

// mustParse reads a scenario with its metric filled in.
func mustParse(t *testing.T, text, metric string) world.Scenario {
	t.Helper()
	s, err := scenario.Parse("test.toml", []byte(strings.ReplaceAll(text, "METRIC", metric)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
