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
	if testing.Short() {
		t.Skip("plays many ticks")
	}
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

// instanceScores has the scores of some instances of every task: ten as recorded, at full size
// twenty that are played now. Each lists nothing, random, greedy, scripted and the bound.
func instanceScores(t *testing.T) map[string][][]int64 {
	t.Helper()
	list := map[string][][]int64{}
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		for _, s := range tasks(t) {
			for seed := range uint64(2 * instances) {
				b := scoresOf(t, s, seed)
				list[s.ID] = append(list[s.ID], []int64{b.Nothing, b.Random, b.Greedy, b.Scripted, b.Bound})
			}
		}
		return list
	}
	f, err := os.Open(scoresPath)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		var scores []int64
		for _, cell := range row[2:] {
			n, err := strconv.ParseInt(cell, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			scores = append(scores, n)
		}
		list[row[0]] = append(list[row[0]], scores)
	}
	return list
}

// TestTasksTellPlayersApart: over the instances of a task the scores of greedy and of scripted agents
// vary, and on average who looks ahead further scores more. No instance has a score above its bound.
func TestTasksTellPlayersApart(t *testing.T) {
	const greedy, scripted, bound = 2, 3, 4
	list := instanceScores(t)
	ordered := 0
	for _, s := range tasks(t) {
		sums, distinct := make([]int64, bound+1), [bound + 1]map[int64]bool{}
		for _, scores := range list[s.ID] {
			for player, score := range scores {
				sums[player] += score
				if distinct[player] == nil {
					distinct[player] = map[int64]bool{}
				}
				distinct[player][score] = true
				if score > scores[bound] {
					t.Errorf("%s: player %d scores %d, the bound is %d", s.ID, player, score, scores[bound])
				}
			}
		}
		if len(distinct[greedy]) < 2 || len(distinct[scripted]) < 2 {
			t.Errorf("%s: the scores of greedy agents are %v, of scripted %v", s.ID, distinct[greedy], distinct[scripted])
		}
		if slices.IsSorted(sums) {
			ordered++
		}
		if 100*sums[scripted] < 15*sums[bound] {
			t.Errorf("%s: the scripted agents score %d in all, the bounds are %d", s.ID, sums[scripted], sums[bound])
		}
	}
	if n := len(tasks(t)); len(list) != n || ordered*30 < 26*n {
		t.Errorf("%d of %d tasks put the players in order; there are %d", ordered, len(list), n)
	}
}

// TestEmbeddedModelBeatsNothing: in at least 25 of 30 tasks the embedded model scores more than agents
// that wait, and nowhere more than the bound.
func TestEmbeddedModelBeatsNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many ticks")
	}
	beaten, all := 0, tasks(t)
	for _, s := range all {
		s = s.Instance(s.Seed)
		score, ok := EmbeddedScore(s.ID, s.Seed)
		nothing, bound := play(t, s, Nothing), BoundOf(s).Score
		if !ok || score > bound {
			t.Errorf("%s: the embedded model scores %d (%t), the bound is %d", s.ID, score, ok, bound)
		}
		if score > nothing {
			beaten++
		} else {
			t.Logf("%s: the embedded model scores %d, doing nothing %d", s.ID, score, nothing)
		}
	}
	if beaten*30 < 25*len(all) {
		t.Errorf("the embedded model beats doing nothing in %d of %d tasks", beaten, len(all))
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
