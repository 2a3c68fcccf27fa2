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
// at least as much as the scripted agents, and no more than the bound. With -update it first records
// what the plans score under today's rules, with -search PLAYS also better plans, if it finds some. It
// begins with those recorded. Small tasks get up to four times as many plays, and tasks of up to
// [sequenceMost] agent-ticks a search for sequences; 3,000 take two hours.
func TestBestPlansAreAsRecorded(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many ticks")
	}
	all := tasks(t)
	if *update {
		improvePlans(t, all)
	}
	for i, s := range all {
		if testing.Short() && i%6 != 0 {
			continue
		}
		s = s.Instance(s.Seed)
		p, recorded, ok := BestPlan(s.ID, s.Seed)
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

// improvePlans records what the plans score, searches for better ones and writes each that is found at once.
func improvePlans(t *testing.T, all []world.Scenario) {
	var writing sync.Mutex
	rows := make([]string, len(all))
	var starts []Plan
	record := func(i int, p Plan, score int64) {
		writing.Lock()
		defer writing.Unlock()
		rows[i] = fmt.Sprintf("%s,%d,%d,%s\n", all[i].ID, all[i].Seed, score, p)
		if err := os.WriteFile(bestPath, []byte("task,seed,score,plan\n"+strings.Join(rows, "")), 0o644); err != nil {
			t.Error(err)
		}
	}
	// A plan of other rules may have become worse than none.
	for i, s := range all {
		s = s.Instance(s.Seed)
		p, _, _ := BestPlan(s.ID, s.Seed)
		score, scripted := play(t, s, p.Policy()), play(t, s, Scripted)
		if score < scripted {
			p, score = Plan{}, scripted
		}
		record(i, p, score)
		starts = append(starts, p)
	}
	t.Run("search", func(t *testing.T) {
		for i, s := range all {
			if *searchPlays == 0 {
				break
			}
			t.Run(s.ID, func(t *testing.T) {
				t.Parallel()
				s := s.Instance(s.Seed)
				size := int(s.Task.Ticks) * int(s.Agents.Count)
				x := newSearch(s, uint64(*searchPlays))
				p, score := x.climb(t, starts[i], *searchPlays*max(1, min(300/size, 4)))
				record(i, p, score)
				if size > sequenceMost {
					return
				}
				raw, got := newAnnealing(s, uint64(*searchPlays), score).cool(t, p, *searchPlays*sequencePlays)
				raw, got = x.pruned(t, raw, got)
				t.Logf("%s: %d by a plan, %d by a sequence", s.ID, score, got)
				if got > score {
					record(i, raw, got)
				}
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
	_, recorded, _ := BestPlan(s.ID, s.Seed)
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
