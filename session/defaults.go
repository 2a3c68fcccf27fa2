package session

import (
	"fmt"
	"io"
	"os"

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
		text, err = readScenario(name)
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

// readScenario reads a file as far as it is not too large for a scenario.
func readScenario(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, scenario.BytesMax+1))
}
