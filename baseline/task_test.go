package baseline

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

var update = flag.Bool("update", false, "rewrite the numbers of the embedded tasks")

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

// TestTaskNumbers plays every task and demands the numbers that its file states.
func TestTaskNumbers(t *testing.T) {
	for _, s := range tasks(t) {
		stated := *s.Task
		nothing, scripted, bound := play(t, s, Nothing), play(t, s, Scripted), BoundOf(s)
		if *update {
			rewrite(t, s.ID, nothing, scripted, bound)
			continue
		}
		if stated.BaselineNothing != nothing || stated.BaselineScripted != scripted || stated.UpperBound != bound.Score {
			t.Errorf("%s states %d, %d and %d; played and computed are %d, %d and %d; see -update", s.ID,
				stated.BaselineNothing, stated.BaselineScripted, stated.UpperBound, nothing, scripted, bound.Score)
		}
		if stated.Derivation != bound.Why {
			t.Errorf("%s derives its bound by %q, computed is %q", s.ID, stated.Derivation, bound.Why)
		}
		if scripted <= nothing || bound.Score < scripted {
			t.Errorf("%s: want nothing %d < scripted %d <= bound %d", s.ID, nothing, scripted, bound.Score)
		}
	}
}

// rewrite puts numbers into the file of an embedded task.
func rewrite(t *testing.T, id string, nothing, scripted int64, bound Bound) {
	path := "../world/scenario/files/tasks/" + id + ".toml"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for field, value := range map[string]string{
		"baseline_nothing": fmt.Sprint(nothing), "baseline_scripted": fmt.Sprint(scripted),
		"upper_bound": fmt.Sprint(bound.Score), "derivation": fmt.Sprintf("%q", bound.Why),
	} {
		line := regexp.MustCompile(`(?m)^` + field + ` = .*$`)
		text = line.ReplaceAllLiteral(text, []byte(field+" = "+value))
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
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
		if best > s.Task.BaselineScripted {
			t.Errorf("%s: one agent alone scores %d, together they score %d", s.ID, best, s.Task.BaselineScripted)
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
