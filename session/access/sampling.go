package access

import (
	"fmt"
	"slices"

	"example.com/agentworld/trace"
)

// CheckSampling refuses how agents and models are asked that settings name one by one: an agent has
// to be one of agents, unless that is nil, and a model one that a live run asks.
func CheckSampling(s trace.Settings, agents []string) error {
	for i, f := range s.Sampling {
		entry := fmt.Sprintf("entry %d", i+1)
		switch {
		case f.Agent != "" && agents != nil && !slices.Contains(agents, f.Agent):
			return &UnknownError{Key: "llm.sampling_json", Entry: entry, Name: f.Agent, Names: agents}
		case f.Model != "" && s.Live() && !slices.Contains(s.Models(), f.Model):
			return &UnknownError{Key: "llm.sampling_json", Entry: entry, Model: true, Name: f.Model, Names: s.Models()}
		}
	}
	if err := s.ValidateSampling(); err != nil && len(s.Sampling) > 0 {
		return Refuse("llm.sampling_json", "%w", err)
	}
	return nil
}
