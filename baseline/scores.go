package baseline

import (
	"fmt"

	"example.com/agentworld/world"
)

// Scores are what the score of a run is compared with: what players score that need no model, and
// the bound. They hold for one instance of a task.
type Scores struct {
	// Score of agents that wait.
	Nothing int64 `json:"nothing"`
	// Score of agents that draw what they do.
	Random int64 `json:"random"`
	// Score of scripted agents that do not look ahead.
	Greedy int64 `json:"greedy"`
	// Score of the scripted agents.
	Scripted int64 `json:"scripted"`
	// Score of the best plan that is known for this instance; null if none is recorded, as for
	// other instances and rules.
	Best *int64 `json:"best"`
	// Score that no player can exceed under the rules.
	Bound int64 `json:"bound"`
	// Whether the bound is known to be loose: for the task's own instance it is more than half above the
	// best known score. It then says nothing about a player, and tables leave it out.
	BoundLoose bool `json:"bound_loose"`
	// How the bound follows from the rules.
	BoundWhy string `json:"bound_why"`
}

// scoredMost is how many agent-ticks are played at most: more would take minutes.
const scoredMost = 100_000

// ScoresOf plays a task at the scenario's own seed and computes its bound. ok is false for a
// scenario without a task, or with too many agents and ticks. The error is about the scenario, as
// [world.New] reports it.
func ScoresOf(s world.Scenario) (scores Scores, ok bool, err error) {
	if s.Task == nil || s.Agents.Count*s.Task.Ticks > scoredMost {
		return Scores{}, false, nil
	}
	s = s.Instance(s.Seed)
	for _, one := range []struct {
		policy Policy
		score  *int64
	}{{Nothing, &scores.Nothing}, {Random, &scores.Random}, {Greedy, &scores.Greedy}, {Scripted, &scores.Scripted}} {
		_, *one.score, err = Play(s, s.Seed, s.Task.Ticks, one.policy)
		if err != nil {
			return Scores{}, false, fmt.Errorf("scores: %w", err)
		}
	}
	scores.Best, err = bestOf(s)
	if err != nil {
		return Scores{}, false, fmt.Errorf("scores: %w", err)
	}
	b := BoundOf(s)
	scores.Bound, scores.BoundWhy = b.Score, b.Why
	scores.BoundLoose = BoundIsLoose(s.ID)
	return scores, true, nil
}
