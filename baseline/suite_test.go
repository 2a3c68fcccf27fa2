package baseline

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"example.com/agentworld/world/scenario"
)

var suiteSeconds = flag.Int("suiteseconds", 0, "look for better plans of suites until each instance was given so many seconds")

// suitePlan is the best plan known for an instance of a suite, and for how many seconds of processor time it was
// looked for.
type suitePlan struct {
	task    string
	seed    uint64
	seconds int
	score   int64
	plan    Plan
}

// suitePlanList are those of all instances of a suite.
type suitePlanList []*suitePlan

// suitePlansPath is where the plans of a suite are.
func suitePlansPath(s scenario.Suite) string { return "testdata/plans-" + s.Name + ".csv" }

// suitePlans reads the plans of a suite, by task and seed. An instance without one has that of the scripted agents,
// with 0 seconds.
func suitePlans(t *testing.T, s scenario.Suite) (list suitePlanList) {
	t.Helper()
	known := map[string]*suitePlan{}
	text, err := os.ReadFile(suitePlansPath(s))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(string(text), "\n")
	for line := range strings.Lines(rows) {
		cells := strings.SplitN(strings.TrimSuffix(line, "\n"), ",", 5)
		if len(cells) != 5 {
			t.Fatalf("%s: %q is no plan", suitePlansPath(s), line)
		}
		p := &suitePlan{task: cells[0]}
		for _, number := range []struct {
			text string
			to   func(int64)
		}{
			{cells[1], func(n int64) { p.seed = uint64(n) }}, {cells[2], func(n int64) { p.seconds = int(n) }},
			{cells[3], func(n int64) { p.score = n }},
		} {
			n, err := strconv.ParseInt(number.text, 10, 64)
			if err != nil {
				t.Fatalf("%s: %v", suitePlansPath(s), err)
			}
			number.to(n)
		}
		p.plan, err = ParsePlan(cells[4])
		if err != nil {
			t.Fatalf("%s: %v", suitePlansPath(s), err)
		}
		known[cells[0]+","+cells[1]] = p
	}
	for _, task := range s.Tasks {
		for _, seed := range s.Seeds {
			p := known[fmt.Sprintf("%s,%d", task, seed)]
			if p == nil {
				p = &suitePlan{task: task, seed: seed}
			}
			list = append(list, p)
		}
	}
	return list
}

// TestSuiteReferences plays what is recorded of instances of suites: one of each task, at full size all. Every
// scale has two ends, no player scores more than the best, and the best no more than the bound. With -update it
// plays all and records them; the embedded model's are those that TestEmbeddedModelScores recorded.
func TestSuiteReferences(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many ticks")
	}
	for _, suite := range scenario.Suites() {
		text := "task,seed,nothing,random,greedy,scripted,embedded,best\n"
		recorded := ReferencesOf(suite.Name)
		for n, p := range suitePlans(t, suite) {
			sampled := n%len(suite.Seeds) == n/len(suite.Seeds)
			if !*update && !sampled && os.Getenv("AGENT_WORLD_LONG") == "" {
				continue
			}
			s := suite.World(p.task).Instance(p.seed)
			r := Reference{Nothing: play(t, s, Nothing), Random: play(t, s, Random), Greedy: play(t, s, Greedy),
				Scripted: play(t, s, Scripted), Best: play(t, s, p.plan.Policy())}
			ok := false
			r.Embedded, ok = EmbeddedScore(p.task, p.seed)
			if !ok {
				t.Errorf("%s, seed %d: the score of the embedded model is not recorded", p.task, p.seed)
			}
			if p.seconds > 0 && r.Best != p.score {
				t.Errorf("%s, seed %d: the plan scores %d, recorded %d; see -suiteseconds", p.task, p.seed, r.Best, p.score)
			}
			r.Best = max(r.Best, r.Random, r.Greedy, r.Scripted, r.Embedded)
			if bound := BoundOf(s).Score; r.Best <= r.Nothing || r.Best > bound {
				t.Errorf("%s, seed %d: best %d, nothing %d, bound %d", p.task, p.seed, r.Best, r.Nothing, bound)
			}
			text += fmt.Sprintf("%s,%d", p.task, p.seed)
			for _, score := range r.columns() {
				text += fmt.Sprintf(",%d", *score)
			}
			text += "\n"
			if !*update && recorded[p.task][p.seed] != r {
				t.Errorf("%s, seed %d: recorded is %+v, want %+v; see -update", p.task, p.seed, recorded[p.task][p.seed], r)
			}
		}
		if *update {
			if err := os.WriteFile("testdata/"+suite.Name+".csv", []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestSuiteTasksAreFit: a suite has up to twelve different tasks of all families, none of them unfit to compare
// players.
func TestSuiteTasksAreFit(t *testing.T) {
	for _, suite := range scenario.Suites() {
		families := map[string]int{}
		seen := map[string]bool{}
		for _, task := range suite.Tasks {
			s, ok := SensitivityOf(task)
			if !ok || s.Unfit() || seen[task] {
				t.Errorf("%s: %s is unfit, or there twice: %v", suite.Name, task, s)
			}
			seen[task] = true
			families[suite.World(task).Task.Family]++
		}
		if len(suite.Tasks) > 12 || len(families) != 3 || len(suite.Seeds) != 20 || suite.Seeds[0] < scenario.SuiteSeeds {
			t.Errorf("%s: %d tasks of %v, %d seeds from %d on", suite.Name, len(suite.Tasks), families, len(suite.Seeds),
				suite.Seeds[0])
		}
	}
}

// TestReferenceShare: the ends of a scale, and what is beyond them.
func TestReferenceShare(t *testing.T) {
	r := Reference{Nothing: 100, Best: 300}
	for score, want := range map[int64]float64{100: 0, 300: 1, 150: 0.25, 50: -0.25, 320: 1.1} {
		if got := r.Share(score); got != want {
			t.Errorf("share of %d: %v, want %v", score, got, want)
		}
	}
}
