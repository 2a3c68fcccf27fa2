package access

import (
	"fmt"
	"slices"

	"example.com/agentworld/trace"
)

// UnknownModelError says that sampling is set for a model that a live run does not ask.
type UnknownModelError struct {
	// Entry counts from 1.
	Entry  int
	Model  string
	Models []string
}

// Error implements error.
func (e *UnknownModelError) Error() string {
	return fmt.Sprintf("llm.sampling_json: entry %d: no model %q is asked", e.Entry, e.Model)
}

// CheckSampling refuses how agents and models are asked that settings name one by one: an agent has
// to be one of agents, unless that is nil, and a model one that a live run asks.
func CheckSampling(s trace.Settings, agents []string) error {
	for i, f := range s.Sampling {
		switch {
		case f.Agent != "" && agents != nil && !slices.Contains(agents, f.Agent):
			return &UnknownAgentError{Key: "llm.sampling_json", Entry: i + 1, Agent: f.Agent, Agents: agents}
		case f.Model != "" && s.Live() && !slices.Contains(s.Models(), f.Model):
			return &UnknownModelError{Entry: i + 1, Model: f.Model, Models: s.Models()}
		}
	}
	if err := s.ValidateSampling(); err != nil && len(s.Sampling) > 0 {
		return Refuse("llm.sampling_json", "%w", err)
	}
	return nil
}
