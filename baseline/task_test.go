package baseline

import (
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
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

// scoresPath holds the scores of some instances of every task.
const scoresPath = "testdata/scores.csv"

// scoreRow is one line of it: what plays an instance scores there.
type scoreRow struct {
	task string
	seed uint64
	Scores
	// waste15 and waste30 are the scores of scripted agents with 15% and 30% of their turns replaced
	// by waits.
	waste15, waste30 int64
}

// scoreColumns names the columns of the scores.
const scoreColumns = "task,seed,nothing,random,greedy,scripted,waste_15,waste_30,bound"

// numbers are the places of the scores of a row, in the order of the columns.
func (r *scoreRow) numbers() []*int64 {
	return []*int64{&r.Nothing, &r.Random, &r.Greedy, &r.Scripted, &r.waste15, &r.waste30, &r.Bound}
}

func (r scoreRow) String() string {
	text := fmt.Sprintf("%s,%d", r.task, r.seed)
	for _, n := range r.numbers() {
		text += fmt.Sprintf(",%d", *n)
	}
	return text
}

// rowOf plays an instance of a task.
func rowOf(t *testing.T, s world.Scenario, seed uint64) scoreRow {
	t.Helper()
	s = s.Instance(seed)
	scores, ok, err := ScoresOf(s)
	if err != nil || !ok {
		t.Fatalf("%s, seed %d: %v, %v", s.ID, seed, ok, err)
	}
	return scoreRow{s.ID, seed, scores, play(t, s, wasteful(Scripted, 15)), play(t, s, wasteful(Scripted, 30))}
}

// TestScoresAreAsRecorded plays instances of every task: one of each, at full size all.
func TestScoresAreAsRecorded(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many ticks")
	}
	list := instanceScores(t)
	for n, s := range tasks(t) {
		for seed := range uint64(SensitivityInstances) {
			if os.Getenv("AGENT_WORLD_LONG") == "" && seed != uint64(n)%SensitivityInstances {
				continue
			}
			if row := rowOf(t, s, seed).String(); int(seed) >= len(list[s.ID]) || list[s.ID][seed].String() != row {
				t.Errorf("%s is not in %s; see -update", row, scoresPath)
			}
		}
	}
}

// updateScores plays all instances and records them, at the first call.
var updateScores sync.Once

// instanceScores are the recorded scores of each task, by seed. With -update they are played first.
func instanceScores(t *testing.T) map[string][]scoreRow {
	t.Helper()
	if *update {
		updateScores.Do(func() {
			text := scoreColumns + "\n"
			for _, s := range tasks(t) {
				for seed := range uint64(SensitivityInstances) {
					text += rowOf(t, s, seed).String() + "\n"
				}
			}
			if err := os.WriteFile(scoresPath, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		})
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
	list := map[string][]scoreRow{}
	for _, cells := range rows[1:] {
		row := scoreRow{task: cells[0], seed: uint64(len(list[cells[0]]))}
		for i, n := range row.numbers() {
			*n, err = strconv.ParseInt(cells[2+i], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
		}
		list[row.task] = append(list[row.task], row)
	}
	return list
}

// TestTasksTellPlayersApart: over the instances of a task the scores of greedy and of scripted agents
// vary, and on average who looks ahead further scores more. Looking ahead makes a difference in all but
// eight tasks. No instance has a score above its bound.
func TestTasksTellPlayersApart(t *testing.T) {
	list := instanceScores(t)
	ordered := 0
	equal := 0
	for _, s := range tasks(t) {
		// In this order: nothing, random, greedy, scripted, bound.
		var sums [5]int64
		greedy, scripted, same := map[int64]bool{}, map[int64]bool{}, true
		for _, row := range list[s.ID] {
			for player, score := range []int64{row.Nothing, row.Random, row.Greedy, row.Scripted, row.Bound} {
				sums[player] += score
				if score > row.Bound {
					t.Errorf("%s: player %d scores %d, the bound is %d", s.ID, player, score, row.Bound)
				}
			}
			greedy[row.Greedy] = true
			scripted[row.Scripted] = true
			same = same && row.Greedy == row.Scripted
		}
		if len(greedy) < 2 || len(scripted) < 2 {
			t.Errorf("%s: the scores of greedy agents are %v, of scripted %v", s.ID, greedy, scripted)
		}
		if same {
			equal++
		}
		if slices.IsSorted(sums[:]) {
			ordered++
		}
		if 100*sums[3] < 15*sums[4] {
			t.Errorf("%s: the scripted agents score %d in all, the bounds are %d", s.ID, sums[3], sums[4])
		}
	}
	if n := len(tasks(t)); len(list) != n || ordered*30 < 26*n {
		t.Errorf("%d of %d tasks put the players in order; there are %d", ordered, len(list), n)
	}
	if equal > 8 {
		t.Errorf("greedy agents score what scripted ones do in %d tasks, want at most 8", equal)
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
	return func(b Brief) Decider {
		decide := Scripted(b)
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
