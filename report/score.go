package report

import (
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// taskFold computes the score from the events of complete ticks.
type taskFold struct {
	scenario world.Scenario
	scorer   *world.Scorer
	tick     int64
	// compared says that the scores of others were computed, or that there are none: no one else
	// plays a run in which rules changed.
	compared bool
}

// taskOf is the scenario whose task a run is scored by, nil if it has none; mixed says that rules changed on the
// way. A task belongs to its scenario's own number of agents. A scenario that this version cannot read has no task
// either: the rest of the trace still counts.
func taskOf(h trace.Header) (of *world.Scenario, mixed bool) {
	s := h.Settings
	rules := s.Rules
	for _, fork := range h.Forks {
		if changed := fork.Settings.Rules; changed != nil {
			rules, mixed = changed, mixed || fork.AtTick > 0
		}
	}
	written, err := scenario.Parse(s.Scenario, []byte(s.ScenarioTOML))
	if err != nil {
		return nil, mixed
	}
	played, err := scenario.Choice{Seed: s.Seed, Vary: s.Vary, Rules: rules}.Of(written)
	if err != nil || played.Task == nil || played.Agents.Count != int64(len(h.Agents)) {
		return nil, mixed
	}
	return &played, mixed
}

// Scorer returns what computes the score of a run from the events of its whole ticks, as reports do; nil if the run
// has none.
func Scorer(h trace.Header) *world.Scorer {
	of, _ := taskOf(h)
	if of == nil {
		return nil
	}
	return world.NewScorer(*of)
}
