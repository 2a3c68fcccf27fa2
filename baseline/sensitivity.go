package baseline

import (
	_ "embed" // for the recorded sensitivities
	"fmt"
	"strconv"
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

// sensitivities has those of the built-in tasks, by TestSensitivityIsAsRecorded. Its columns are task,
// at_15 and at_30.
//
//go:embed testdata/sensitivity.csv
var sensitivities string

// SensitivityOf is the sensitivity of a built-in task. ok is false for other scenarios.
func SensitivityOf(task string) (s Sensitivity, ok bool) {
	at15, rest, ok := recorded(sensitivities, task)
	if !ok {
		return s, false
	}
	at30, err := strconv.ParseInt(rest, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("baseline: the sensitivity of %s cannot be read: %v", task, err))
	}
	return Sensitivity{at15, at30}, true
}
