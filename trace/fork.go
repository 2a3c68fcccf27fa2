package trace

import "example.com/agentworld/world"

// Fork is where a run left the one it was forked from. Up to AtTick the run is its
// parent's, derived again from recorded answers; from Tick on it is its own. All forks
// of a run stand in its header, so that the run can be derived from that alone; as a
// record a fork says that it took effect.
type Fork struct {
	// Tick is the first tick of the run's own, AtTick+1.
	Tick int64 `json:"tick"`
	// AtTick is the last tick that is the parent's, 0 for none.
	AtTick int64 `json:"at_tick"`
	// Parent is the run that was left.
	Parent ForkParent `json:"parent"`
	// Changes are what holds differently from Tick on; empty when only the model is
	// asked again.
	Changes []Change `json:"changes"`
	// After is everything that holds from Tick on.
	After ForkSettings `json:"after"`
}

// ForkParent names a run that was forked.
type ForkParent struct {
	// Name is its directory, without the path to it.
	Name string `json:"name"`
	// Run is its name in the evidence of lessons, a digest of what shaped it.
	Run string `json:"run"`
	// Digest is that of the world after AtTick, empty for tick 0.
	Digest string `json:"digest,omitempty"`
}

// Change is one setting that a fork changed, for people. Long texts are cut.
type Change struct {
	// What is the setting's name, such as "model" or "rules.move_cost_per_km".
	What string `json:"what"`
	From string `json:"from"`
	To   string `json:"to"`
}

// ForkSettings are the fields of a [Header] that a fork may change, with its rules.
type ForkSettings struct {
	PromptVersion string      `json:"prompt_version"`
	Playbook      string      `json:"playbook,omitempty"`
	Protocol      string      `json:"protocol"`
	Model         string      `json:"model"`
	ModelSource   ModelSource `json:"model_source"`
	UsageSource   UsageSource `json:"usage_source"`
	BaseURL       string      `json:"base_url"`
	// AgentModels are the agents with a model or endpoint of their own, without their
	// names and personas.
	AgentModels []HeaderAgent `json:"agent_models,omitempty"`
	Settings    Settings      `json:"settings"`
	Rules       world.Rules   `json:"rules"`
}

// Fork returns the header as it holds after f: that of a run which had these settings
// from the start. It keeps the scenario's text, whose rules are not those of f.
func (h Header) Fork(f Fork) Header {
	a := f.After
	h.PromptVersion, h.Playbook, h.Protocol, h.Settings = a.PromptVersion, a.Playbook, a.Protocol, a.Settings
	h.Model, h.ModelSource, h.UsageSource, h.BaseURL = a.Model, a.ModelSource, a.UsageSource, a.BaseURL
	h.Recording = nil
	agents := make([]HeaderAgent, len(h.Agents))
	for i, agent := range h.Agents {
		agent.Model, agent.BaseURL, agent.KeyEnv = "", "", ""
		for _, own := range a.AgentModels {
			if own.ID == agent.ID {
				agent.Model, agent.BaseURL, agent.KeyEnv = own.Model, own.BaseURL, own.KeyEnv
			}
		}
		agents[i] = agent
	}
	h.Agents = agents
	return h
}

// Latest returns the header as it holds after the last fork.
func (h Header) Latest() Header {
	for _, f := range h.Forks {
		h = h.Fork(f)
	}
	return h
}

// withChanges leaves out the forks that changed nothing.
func withChanges(forks []Fork) []Fork {
	var kept []Fork
	for _, f := range forks {
		if len(f.Changes) > 0 {
			kept = append(kept, f)
		}
	}
	return kept
}

// RecordType implements [Record].
func (Fork) RecordType() Type { return TypeFork }

// RecordTick implements [Record].
func (f Fork) RecordTick() int64 { return f.Tick }

func (f Fork) untimed() Record { return f }
