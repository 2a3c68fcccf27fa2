package baseline

import (
	_ "embed" // for the recorded scores
	"fmt"
	"math"
	"strconv"
	"strings"
)

// modelScores has what the embedded model scored in runs of the built-in tasks under default
// settings, by TestEmbeddedModelScores of the module's root. Its columns are task, seed,
// scripted_seed and score.
//
//go:embed testdata/embedded.csv
var modelScores string

// EmbeddedScore is what the embedded model scores in the instance of a seed of a built-in task, under
// default settings. ok is false if that is not recorded: it is for each task's own seed and for the
// seeds 0 to 9.
func EmbeddedScore(task string, seed uint64) (score int64, ok bool) {
	score, _, ok = recorded(modelScores, fmt.Sprintf("%s,%d,%d", task, seed, seed))
	return score, ok
}

// recorded finds the row of a table that begins with a key: a score, and what is behind it.
func recorded(table, key string) (score int64, rest string, ok bool) {
	_, row, ok := strings.Cut(table, "\n"+key+",")
	if !ok {
		return 0, "", false
	}
	row, _, _ = strings.Cut(row, "\n")
	number, rest, _ := strings.Cut(row, ",")
	score, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		panic("baseline: a recorded score cannot be read: " + err.Error())
	}
	return score, rest, true
}

// spreadSeeds are the seeds of the instances that [ScoreSpread] is about: from 0 to below it.
const spreadSeeds = 10

// ScoreSpread is the standard deviation of what the embedded model scores in ten instances of a
// built-in task, in the task's points. ok is false for other scenarios.
func ScoreSpread(task string) (deviation float64, ok bool) {
	var scores [spreadSeeds]float64
	mean := 0.0
	for seed := range scores {
		score, known := EmbeddedScore(task, uint64(seed))
		if !known {
			return 0, false
		}
		scores[seed] = float64(score)
		mean += float64(score) / spreadSeeds
	}
	squares := 0.0
	for _, score := range scores {
		squares += float64((score - mean) * (score - mean))
	}
	return math.Sqrt(squares / (spreadSeeds - 1)), true
}
