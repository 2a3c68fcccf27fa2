package openenv

import (
	"time"

	"example.com/agentworld/baseline"
)

// Manifest is what a client can rely on.
type Manifest struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Protocol is the version of OpenEnv, Version that of the program.
	Protocol string `json:"protocol"`
	Version  string `json:"version,omitempty"`
	// Agent is the client's, Others who plays each of the others: a seat or a model.
	Agent  string            `json:"agent"`
	Others map[string]string `json:"others"`
	// Ticks is the length of an episode, Metric what its score counts.
	Ticks  int64            `json:"ticks"`
	Metric string           `json:"metric"`
	Splits map[string]int64 `json:"splits"`
	// Own is the task's own instance, which the numbers below are about; Reward bounds the rewards, and Floor is
	// the score of an agent that only waits, nil if that depends on models.
	Own    instance `json:"instance"`
	Reward Range    `json:"reward_range"`
	Floor  *int64   `json:"floor"`
	// Oracle is the score of the best plan on file, which moves all agents; nil if there is none, or if it takes
	// offers of others, which a client is not shown. No instance of test has one.
	Oracle *int64 `json:"oracle"`
	// Deadline is how long others may take in a step, in seconds. Whoever does not answer makes no move, and is
	// counted in the state's deadlines.
	Deadline float64 `json:"deadline_s"`
	// Idle is how long a session may be silent, in seconds, Sessions how many there may be.
	Idle     float64 `json:"idle_s"`
	Sessions int     `json:"sessions"`
	// Malformed is which unreadable move in a row costs the agent its turn.
	Malformed int `json:"malformed_moves"`
}

// manifest says what is served.
func (t *task) manifest(o Options) (Manifest, error) {
	own := instance{splitTrain, int64(t.of.Seed)}
	m := Manifest{Name: t.of.ID, Description: t.of.Text, Protocol: Protocol, Agent: t.agent, Others: t.others(),
		Ticks: t.of.Task.Ticks, Metric: t.of.Task.Metric, Splits: instances, Own: own,
		Deadline: o.Deadline.Seconds(), Idle: o.Idle.Round(time.Second).Seconds(), Sessions: o.Sessions,
		Malformed: malformedMax}
	spec, err := t.spec(own)
	if err != nil {
		return m, err
	}
	m.Reward = spec.Reward
	m.Floor = spec.Floor
	if _, score, known := baseline.BestPlan(t.of.ID, t.of.Seed); known && !t.of.Terms {
		m.Oracle = &score
	}
	return m, nil
}

// spec is an instance as the Task API describes it.
type spec struct {
	ID string `json:"id"`
	instance
	Seed   uint64 `json:"seed"`
	Reward Range  `json:"reward_range"`
	Floor  *int64 `json:"floor"`
}

// spec describes an instance, for which its world is played once.
func (t *task) spec(i instance) (spec, error) {
	s := spec{ID: i.id(), instance: i, Seed: i.seed()}
	floor, known, err := t.floor(i)
	if err != nil {
		return s, err
	}
	if known {
		s.Floor = &floor
	}
	s.Reward, err = t.rewards(i)
	return s, err
}
