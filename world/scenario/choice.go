package scenario

import (
	"errors"

	"example.com/agentworld/world"
)

// HeldOutSeeds is the first of the seeds that are held out, up to the last one before [SuiteSeeds]. No
// test, document or default here uses an instance of one, so that nothing is tuned to them: a result that
// is published should come from them, or from a suite.
const HeldOutSeeds = 1_000_000

// SuiteSeeds is the first of the seeds of suites, whose instances are public by design.
const SuiteSeeds = 2_000_000

// Choice is what a run adds to the text of a scenario.
type Choice struct {
	// Seed draws the instance.
	Seed uint64
	// Vary draws it also where the scenario varies on request only. It is an error if the
	// scenario does not vary at all.
	Vary bool
	// Rules take the place of the instance's, if a fork changed some; nil for its own.
	Rules *world.Rules
	// Goals take the place of the instance's, for as many agents as there are, if somebody changed some; nil for
	// its own.
	Goals []world.Goal
	// Agents is another number of agents than the scenario's, 0 for its own.
	Agents int
	// Language is the code of the language of prompts. Personas and goals are in it if the scenario has
	// them in it.
	Language string
}

// Instance reads the text of a scenario, as [Parse] does, and returns what a run with these
// choices plays.
func Instance(name string, text []byte, c Choice) (world.Scenario, error) {
	s, err := Parse(name, text)
	if err != nil {
		return s, err
	}
	return c.Of(s)
}

// Of is what a run with these choices plays of a scenario.
func (c Choice) Of(s world.Scenario) (world.Scenario, error) {
	if c.Vary {
		if s.Vary == nil {
			return s, errors.New("vary: the scenario has no table [vary]; every seed is the same instance")
		}
		vary := *s.Vary
		vary.OnRequest = false
		s.Vary = &vary
	}
	s = s.In(c.Language).Instance(c.Seed)
	if c.Rules != nil {
		s.Rules = *c.Rules
	}
	if c.Agents > 0 {
		s = s.WithAgents(c.Agents)
	}
	if c.Goals != nil {
		s.Goals = c.Goals
	}
	return s, nil
}
