package baseline

import (
	_ "embed" // for the recorded facts
	"fmt"
	"strconv"
	"strings"
)

// SensitivityInstances is the most instances that a [Sensitivity] looks at.
const SensitivityInstances = 20

// Sensitivity says how well the scores of a task tell players apart. Scripted agents play against
// themselves with a share of their turns replaced by waits, on the instances of the seeds from 0. The
// verdict's own test compares the scores, at 5%.
type Sensitivity struct {
	// At15 and At30 are the fewest instances from which on the agents that wait in 15% and 30% of
	// their turns are found worse; 0 if [SensitivityInstances] do not suffice.
	At15, At30 int64
}

// Unfit says that the task does not even tell apart who wastes 30% of its turns: a comparison of players
// in it says little.
func (s Sensitivity) Unfit() bool { return s.At30 == 0 }

// String is the sensitivity for people, such as "7, 6" or ">20, 11".
func (s Sensitivity) String() string {
	told := func(instances int64) string {
		if instances == 0 {
			return fmt.Sprintf(">%d", SensitivityInstances)
		}
		return fmt.Sprint(instances)
	}
	return told(s.At15) + ", " + told(s.At30)
}

// taskFacts has what is known of the built-in tasks, by TestTaskFactsAreAsRecorded. Its columns are task,
// at_15, at_30 and loose_bound.
//
//go:embed testdata/tasks.csv
var taskFacts string

// SensitivityOf is the sensitivity of a built-in task. ok is false for other scenarios.
func SensitivityOf(task string) (s Sensitivity, ok bool) {
	s, _, ok = factsOf(task)
	return s, ok
}

// BoundIsLoose says that the bound of a built-in task is known to be loose: see [Scores.BoundLoose].
func BoundIsLoose(task string) bool {
	_, loose, _ := factsOf(task)
	return loose
}

// factsOf is what is recorded of a task: its sensitivity, and whether its bound is loose.
func factsOf(task string) (s Sensitivity, looseBound, ok bool) {
	at15, rest, ok := recorded(taskFacts, task)
	if !ok {
		return s, false, false
	}
	number, loose, _ := strings.Cut(rest, ",")
	at30, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("baseline: the sensitivity of %s cannot be read: %v", task, err))
	}
	return Sensitivity{at15, at30}, loose == "true", true
}
