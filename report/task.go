package report

import "example.com/agentworld/world"

// TaskScore is how a run did in its scenario's task, between what doing nothing
// scores and what the rules allow. The baselines hold for the scenario's own seed.
type TaskScore struct {
	// What the task asks for: production, survival or cooperation.
	Family string `json:"family"`
	// What the score measures.
	Metric string `json:"metric"`
	// Score of the run, of its complete ticks.
	Score int64 `json:"score"`
	// Score of agents that do nothing.
	BaselineNothing int64 `json:"baseline_nothing"`
	// Score of the built-in scripted agents.
	BaselineScripted int64 `json:"baseline_scripted"`
	// Score that the rules allow nobody to exceed.
	UpperBound int64 `json:"upper_bound"`
	// Ticks of a run that counts; a shorter run gains nothing by being short.
	Ticks int64 `json:"ticks"`
	// First tick that counts.
	From int64 `json:"from"`
}

// taskFold computes the score from the events of complete ticks. The events of a
// tick wait for its end, because a tick that was cut off is played again when the
// run is resumed.
type taskFold struct {
	scorer  *world.Scorer
	waiting []world.Event
	tick    int64
}
