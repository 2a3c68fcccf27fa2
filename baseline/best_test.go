package baseline

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"example.com/agentworld/world"
)

// bestPath holds the best plans known.
const bestPath = "testdata/best.csv"

// TestBestPlansAreAsRecorded plays the best plan known for each task: it scores what is recorded,
// at least as much as the scripted agents, and no more than the bound. With -update -search PLAYS
// it looks for better ones first, beginning with those recorded. Small tasks get up to four times
// as many plays; 3,000 take half an hour.
func TestBestPlansAreAsRecorded(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many ticks")
	}
	all := tasks(t)
	if *update && *searchPlays > 0 {
		improvePlans(t, all)
	}
	for i, s := range all {
		if testing.Short() && i%6 != 0 {
			continue
		}
		s = s.Instance(s.Seed)
		p, recorded, ok := recordedPlan(s.ID, s.Seed)
		if !ok {
			t.Errorf("%s has no plan; see -update and -search", s.ID)
			continue
		}
		best, scripted, bound := play(t, s, p.Policy()), play(t, s, Scripted), BoundOf(s).Score
		if best != recorded || best < scripted || best > bound {
			t.Errorf("%s: the best plan scores %d; recorded %d, scripted %d, bound %d", s.ID, best, recorded, scripted, bound)
		}
		if again, err := ParsePlan(p.String()); err != nil || again.String() != p.String() {
			t.Errorf("%s: the plan %q is read as %q, %v", s.ID, p, again, err)
		}
	}
}

// String is the plan in one line without commas, as [ParsePlan] reads it.
func (p Plan) String() string {
	var items []string
	for _, t := range p.tastes {
		items = append(items, fmt.Sprintf("%s %s=%d", t.agent, t.name, t.value))
	}
	for _, o := range p.orders {
		verb := "do"
		if o.not {
			verb = "not"
		}
		items = append(items, fmt.Sprintf("%s %d+%d %s %s", o.agent, o.from, o.ticks, verb, strings.Join(o.what, " ")))
	}
	return strings.Join(items, "; ")
}

// improvePlans searches for better plans and writes each that is found at once.
func improvePlans(t *testing.T, all []world.Scenario) {
	var writing sync.Mutex
	rows := make([]string, len(all))
	record := func(i int, p Plan, score int64) {
		writing.Lock()
		defer writing.Unlock()
		rows[i] = fmt.Sprintf("%s,%d,%d,%s\n", all[i].ID, all[i].Seed, score, p)
		if err := os.WriteFile(bestPath, []byte("task,seed,score,plan\n"+strings.Join(rows, "")), 0o644); err != nil {
			t.Error(err)
		}
	}
	for i, s := range all {
		if p, score, ok := recordedPlan(s.ID, s.Seed); ok {
			record(i, p, score)
		}
	}
	t.Run("search", func(t *testing.T) {
		for i, s := range all {
			t.Run(s.ID, func(t *testing.T) {
				t.Parallel()
				s := s.Instance(s.Seed)
				from, recorded, _ := recordedPlan(s.ID, s.Seed)
				plays := *searchPlays * int(max(1, min(300/(s.Agents.Count*s.Task.Ticks), 4)))
				p, score := newSearch(s, uint64(*searchPlays)).climb(t, from, plays)
				t.Logf("%s: %d, before %d", s.ID, score, recorded)
				record(i, p, score)
			})
		}
	})
	text, err := os.ReadFile(bestPath)
	if err != nil {
		t.Fatal(err)
	}
	bestPlans = string(text)
}

// TestPlansAreRefused: what is neither a taste nor an order is named.
func TestPlansAreRefused(t *testing.T) {
	for _, text := range []string{"agent-1", "agent-1 greed=3", "* queue=0", "agent-1 3 do wait", "agent-1 3+x do wait", "agent-1 3+1 try wait"} {
		if _, err := ParsePlan("* queue=2; " + text); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestBestIsOfOneInstance: other seeds and rules have no best plan.
func TestBestIsOfOneInstance(t *testing.T) {
	s := embedded(t, "task_production_chips_40")
	_, recorded, _ := recordedPlan(s.ID, s.Seed)
	if scores, _, err := ScoresOf(s); err != nil || scores.Best == nil || *scores.Best != recorded {
		t.Errorf("at the own seed: %+v, %v", scores, err)
	}
	dear := s.Instance(s.Seed)
	dear.Rules.BuildHardware *= 4
	for name, other := range map[string]world.Scenario{"another seed": s.Instance(s.Seed + 1), "another rule": dear} {
		if scores, _, err := ScoresOf(other); err != nil || scores.Best != nil {
			t.Errorf("%s: %+v, %v", name, scores, err)
		}
	}
}
