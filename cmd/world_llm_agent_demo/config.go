package main

import (
	"time"

	"agentworld/llmclient/openai"
)

// config is a run's settings, read and within their ranges. A zero field means
// what the setting's row in settingTable says of its absence.
type config struct {
	Scenario    string
	Ticks       int64
	Seed        optionalSeed
	Agents      int64
	Concurrency int64
	Protocol    string

	Model            string
	BaseURL          string
	APIKey           openai.Secret
	Offline          bool
	Timeout          time.Duration
	DecisionDeadline time.Duration
	ContextWindow    int64
	ModuleCallsMax   int64
	RepairsMax       int64

	SystemPrompt   string
	ShortTermGoal  string
	LongTermGoal   string
	PromptSwitches string

	ReportJSON    string
	RunDir        string
	PrintLLMIO    bool
	LLMIOMaxChars int64
	Quiet         bool
}

// optionalSeed is a seed that may be left to the scenario.
type optionalSeed struct {
	Set   bool
	Value uint64
}

// or returns the seed, or other where none was set.
func (s optionalSeed) or(other uint64) uint64 {
	if s.Set {
		return s.Value
	}
	return other
}

// newConfig reads the values into a config. The error names the first value that
// is not allowed, where it stands and what would be.
func newConfig(values []value) (config, error) {
	var c config
	for _, v := range values {
		if v.text == "" {
			continue
		}
		if err := v.setting.read(v.text, v.setting.into(&c)); err != nil {
			return config{}, badInput("%s: %v", v.where(), err)
		}
	}
	return c, nil
}
