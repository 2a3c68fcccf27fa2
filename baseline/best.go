package baseline

import (
	_ "embed" // for the recorded plans
	"fmt"

	"example.com/agentworld/world"
)

// bestPlans has the best plan known for each built-in task at its own seed, by a search of
// TestBestPlansAreAsRecorded. Its columns are task, seed, score and plan.
//
//go:embed testdata/best.csv
var bestPlans string

// BestPlan is the best plan on file of a built-in task, with its score. Only a task's own seed has one; those of
// suites are no part of this.
func BestPlan(task string, seed uint64) (p Plan, score int64, ok bool) {
	score, text, ok := recorded(bestPlans, fmt.Sprintf("%s,%d", task, seed))
	if !ok {
		return p, 0, false
	}
	p, err := ParsePlan(text)
	if err != nil {
		panic("baseline: a recorded plan cannot be read: " + err.Error())
	}
	return p, score, true
}

// bestOf plays the recorded plan of an instance. It is nil if there is none, or if the plan does
// not score what is recorded, as in a world with other rules.
func bestOf(s world.Scenario) (*int64, error) {
	p, recorded, ok := BestPlan(s.ID, s.Seed)
	if !ok {
		return nil, nil
	}
	_, score, err := Play(s, s.Seed, s.Task.Ticks, p.Policy())
	if err != nil || score != recorded {
		return nil, err
	}
	return &score, nil
}
