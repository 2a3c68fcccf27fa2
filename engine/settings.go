package engine

import (
	"fmt"
	"sync"
	"time"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/reflect"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// Version names the engine's own behaviour: the order of a tick and what is
// recorded. A replay across a change of it says so.
const Version = "4"

// promptVersion names the wording of everything a run with these settings asks. It follows
// from texts of the program and takes as long as a turn, so it is made once for a kind of
// run.
func promptVersion(s trace.Settings) string {
	kind := fmt.Sprintf("%q %q %v", s.Protocol, s.Language, s.Learns())
	if known, ok := promptVersions.Load(kind); ok {
		return known.(string)
	}
	version := behavior.PromptVersion(s.Protocol, s.Language)
	if s.Learns() {
		version += "-" + reflect.Version()
	}
	promptVersions.Store(kind, version)
	return version
}

var promptVersions sync.Map

// scenarioOf is the scenario that s makes: its text, with the rules and the number of
// agents that replace those in it. The error names what in the text does not fit
// together.
func scenarioOf(s trace.Settings) (world.Scenario, error) {
	parsed, err := scenario.Parse(s.Scenario, []byte(s.ScenarioTOML))
	if err != nil {
		return parsed, err
	}
	if s.Rules != nil {
		parsed.Rules = *s.Rules
	}
	if s.AgentsOverride > 0 {
		parsed = parsed.WithAgents(s.AgentsOverride)
	}
	return parsed, nil
}

// seedPlaybook reads the lessons that agents start with. The error names the line
// that cannot be read.
func seedPlaybook(s trace.Settings) (*playbook.Playbook, error) {
	if s.Playbook == "" {
		return playbook.New(), nil
	}
	p, err := playbook.Parse([]byte(s.Playbook))
	if err != nil {
		return nil, fmt.Errorf("playbook: %w", err)
	}
	return p, nil
}

// playbookLimits bound every playbook of a run.
func playbookLimits(s trace.Settings) playbook.Limits {
	return playbook.Limits{BulletsMax: s.PlaybookSize}
}

// behaviorConfig returns the limits of turns under s.
func behaviorConfig(s trace.Settings) behavior.Config {
	return behavior.Config{Settings: s, CountTokens: tokens.Count}
}

// header is a trace's first record.
func (r *runner) header() trace.Header {
	h := trace.Header{
		Format: trace.FormatVersion, EngineVersion: Version, RulesVersion: world.RulesVersion, PromptVersion: promptVersion(r.Settings),
		Settings: r.Settings, Forks: r.Forks,
		Timing: &trace.HeaderTiming{
			StartedAt: r.reached.started.UTC().Format(time.RFC3339), Concurrency: r.Concurrency, RecordingPath: r.RecordingPath, SegmentBytes: &r.SegmentBytes,
		},
	}
	for n := range r.world.Agents() {
		h.Agents = append(h.Agents, trace.HeaderAgent{ID: r.world.AgentID(n), Name: r.world.Persona(n).Name, Persona: r.world.Persona(n).Text})
	}
	return h
}
