//go:build unix

package baseline

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// cpu is the processor time that this process has taken: how far a search comes in it does not depend on
// what else the machine does.
func cpu(t testing.TB) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// TestSuiteSearch looks for better plans of the instances of suites, one after the other, until each was given
// -suiteseconds of processor time. An instance that had as many by an earlier search is passed over, so it can be
// stopped and continued at any time.
func TestSuiteSearch(t *testing.T) {
	if *suiteSeconds == 0 {
		t.Skip("takes hours; see -suiteseconds")
	}
	for _, suite := range scenario.Suites() {
		all := suitePlans(t, suite)
		for _, p := range all {
			if left := *suiteSeconds - p.seconds; left > 0 {
				*p = searchFor(t, suite.World(p.task).Instance(p.seed), all.plansOf(t, p.task), *p, left)
				all.write(t, suite)
			}
		}
	}
}

// searchFor looks for a better plan of an instance for some seconds. It begins with the best of those of all
// instances of the task and of what greedy agents do. Then four tenths of the time go to changes of the plan, and
// nearly all of the rest to its sequence of actions.
func searchFor(t *testing.T, s world.Scenario, known []Plan, now suitePlan, seconds int) suitePlan {
	began := cpu(t)
	x := newSearch(s, s.Seed+uint64(now.seconds)<<32)
	p, score := now.plan, play(t, s, now.plan.Policy())
	try := func(next Plan, got int64) {
		if got > score {
			p, score = next, got
		}
	}
	for _, other := range known {
		try(other, play(t, s, other.Policy()))
	}
	// playsIn is how many plays fit into a share of the time that is left.
	playsIn := func(share float64, play func()) int {
		const tries = 3
		before := cpu(t)
		for range tries {
			play()
		}
		now := cpu(t)
		each := (now - before).Seconds() / tries
		left := float64(seconds) - (now - began).Seconds()
		return int(share * max(left, 0) / max(each, 1e-6))
	}
	// A climb plays a sixth more than it is asked to.
	climbed, got := x.climb(t, p, playsIn(0.4, func() { x.worth(t, p) })*6/7)
	try(climbed, got)
	a := newAnnealing(s, x.random.Uint64(), max(score, 1))
	start := p
	greedy := a.plan(a.done(t, Greedy))
	if got := play(t, s, greedy.Policy()); got > score {
		start = greedy
	}
	q := a.done(t, start.Policy())
	raw, got := a.cool(t, start, playsIn(0.9, func() { a.play(t, q) }))
	if got > score {
		try(x.pruned(t, raw, got))
	}
	return suitePlan{now.task, now.seed, now.seconds + seconds, score, p}
}

// plansOf are the plans that may be good for a task: those found so far, and that of the task's own seed.
func (l suitePlanList) plansOf(t *testing.T, task string) (list []Plan) {
	for _, p := range l {
		if p.task == task && p.seconds > 0 {
			list = append(list, p.plan)
		}
	}
	own, _, _ := BestPlan(task, embedded(t, task).Seed)
	return append(list, own)
}

// write writes the plans that are known.
func (l suitePlanList) write(t *testing.T, s scenario.Suite) {
	t.Helper()
	text := "task,seed,seconds,score,plan\n"
	for _, p := range l {
		if p.seconds > 0 {
			text += fmt.Sprintf("%s,%d,%d,%d,%s\n", p.task, p.seed, p.seconds, p.score, p.plan)
		}
	}
	path := suitePlansPath(s)
	err := os.WriteFile(path+".new", []byte(text), 0o644)
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		t.Fatal(err)
	}
}
