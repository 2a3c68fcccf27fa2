package session

import (
	"fmt"

	"example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

// Defaults returns the settings of a scenario, an embedded one or a TOML file: its seed, a task's length,
// and defaults for the rest. The error names what is wrong with it.
func Defaults(name string) (trace.Settings, error) {
	settings := trace.DefaultSettings()
	s, text, embedded := scenario.Embedded(name)
	if embedded {
		name = s.ID
	} else {
		var err error
		text, err = run.ReadRegular(name, scenario.BytesMax)
		if err != nil {
			return settings, fmt.Errorf("%s is no embedded scenario, and no file: %w", name, err)
		}
		text, err = WholeScenario(name, name, text)
		if err != nil {
			return settings, err
		}
		s, err = scenario.Parse(name, text)
		if err != nil {
			return settings, err
		}
	}
	settings.Scenario = name
	settings.ScenarioTOML = string(text)
	settings.Seed = s.Seed
	settings.ScriptedSeed, settings.FaultSeed = s.Seed, s.Seed
	if s.Task != nil {
		settings.Ticks = s.Task.Ticks
	}
	return settings, nil
}
