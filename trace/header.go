package trace

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"example.com/agentworld/llmclient"
)

// ModelSource says what answered under the model's name.
type ModelSource string

// UsageSource says where token counts come from.
type UsageSource string

// The sources of answers and of token counts.
const (
	// SourceLive is a real endpoint.
	SourceLive ModelSource = "live"
	// SourceScripted is the embedded scripted server: its results check wiring and
	// say nothing about models.
	SourceScripted ModelSource = "scripted"
	// SourceRecorded is a recording alone: no model was asked.
	SourceRecorded ModelSource = "recorded"
	// SourceMixed is a recording, and a model for what it could not answer.
	SourceMixed ModelSource = "mixed"
	// SourceNone is no model at all: a seat plays every agent.
	SourceNone ModelSource = "none"

	// UsageReported are counts that a provider billed.
	UsageReported UsageSource = "reported"
	// UsageUnreported are counts that a provider should have billed, and did so in no answer.
	UsageUnreported UsageSource = "unreported"
	// UsageSimulated are estimates by the scripted server.
	UsageSimulated UsageSource = "simulated"
)

// Header is the first record: everything needed to run the same world again
// without any other file. It holds no secret.
type Header struct {
	// Tick is the tick before the first one of the run, 0.
	Tick int64 `json:"tick"`
	// Format is [FormatVersion] of the writer.
	Format int `json:"format"`
	// The versions of what shaped the run; a replay across a change says so.
	EngineVersion string `json:"engine_version"`
	RulesVersion  string `json:"rules_version"`
	PromptVersion string `json:"prompt_version"`
	// ScenarioHash names the text of the scenario: the beginning of its SHA-256.
	ScenarioHash string `json:"scenario_hash,omitempty"`
	// WordsHash is [Settings.WordsHash].
	WordsHash string `json:"words_hash,omitempty"`
	// Settings are those the run began with.
	Settings Settings `json:"settings"`
	// Agents are in the world's order.
	Agents []HeaderAgent `json:"agents"`
	// Forks are where the run left others, in rising order of ticks; each says what held
	// after it.
	Forks []Fork `json:"forks,omitempty"`
	// Extract says what of a run is kept here, empty for a whole trace.
	Extract Extract `json:"extract,omitempty"`
	// Timing is nil in the canonical form.
	Timing *HeaderTiming `json:"timing,omitempty"`
}

// SettingsAt returns the settings that hold after a tick, by the forks up to there.
func (h Header) SettingsAt(tick int64) Settings {
	s := h.Settings
	for _, f := range h.Forks {
		if f.AtTick <= tick {
			s = f.Settings
		}
	}
	return s
}

// Latest returns the settings as they hold after the last fork.
func (h Header) Latest() Settings { return h.SettingsAt(math.MaxInt64) }

// RunName names a run in the evidence of lessons: a digest of the versions and settings
// that shaped it, and of the runs it left. How far it was to go, what it was expected to
// take and where it is stored are no part of it. Equal scripted runs have one name, since
// their decisions are the same; live runs differ by when they began.
func (h Header) RunName() string {
	left := make([]string, len(h.Forks))
	for i, f := range h.Forks {
		left[i] = f.RunName()
	}
	started := ""
	if h.Settings.Live() && h.Timing != nil {
		started = h.Timing.StartedAt
	}
	return runName(h.EngineVersion, h.RulesVersion, h.PromptVersion, h.Settings.shaping(), left, started)
}

func runName(parts ...any) string { return "run-" + llmclient.Hash(llmclient.Marshal(parts))[:12] }

// Recording is a run whose answers were given again in another one.
type Recording struct {
	// Name is the run directory or file, without the path to it.
	Name string `json:"name"`
	// Model, ModelSource and UsageSource are those of the recorded run.
	Model       string      `json:"model"`
	ModelSource ModelSource `json:"model_source"`
	UsageSource UsageSource `json:"usage_source"`
	// Asked is what answered for the model that was asked when there was no recorded
	// answer; empty when a request without one ended the run.
	Asked ModelSource `json:"asked,omitempty"`
}

// HeaderAgent introduces one agent.
type HeaderAgent struct {
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"`
	Persona string `json:"persona,omitempty"`
}

// HeaderTiming is what of a header depends on the clock or the machine.
type HeaderTiming struct {
	// StartedAt is in RFC 3339.
	StartedAt string `json:"started_at"`
	// Concurrency is the limit on concurrent turns. It is here because results do not
	// depend on it.
	Concurrency int `json:"concurrency"`
	// RecordingPath is where the recording of the header was on that machine, absolute;
	// empty without one.
	RecordingPath string `json:"recording_path,omitempty"`
	// SegmentBytes is the size at which a trace file is closed and the next one begun, 0
	// for never; nil in traces that do not say.
	SegmentBytes *int64 `json:"segment_bytes,omitempty"`
	// Extensions are those of the program that began the run. What of them shapes a run is recorded elsewhere.
	Extensions []Extension `json:"extensions,omitempty"`
	// Metrics are those of the user's own that the run was to be measured by. They change nothing about it.
	Metrics []MetricVersion `json:"metrics,omitempty"`
}

// Extension is what a program has beside what is its own.
type Extension struct {
	// Name of the extension.
	Name string `json:"name"`
	// Version of the extension, as its author says it.
	Version string `json:"version"`
}

// MetricVersion names a metric of somebody's own and the function that computes it: its version, or the hash
// of its jq expression.
type MetricVersion struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Switch changes prompt texts from a tick on; nil keeps a text as it is. As a
// record it says that the change took effect.
type Switch struct {
	Tick int64 `json:"tick"`
	// AgentID limits the change to one agent; empty means all of them.
	AgentID       string  `json:"agent_id,omitempty"`
	SystemPrompt  *string `json:"system_prompt,omitempty"`
	ShortTermGoal *string `json:"short_term_goal,omitempty"`
	LongTermGoal  *string `json:"long_term_goal,omitempty"`
	// Persona is the text of the persona; its name stays.
	Persona *string `json:"persona,omitempty"`
}

// switchesText says which texts change in which tick, and whose.
func switchesText(list []Switch) string {
	var all []string
	for _, s := range list {
		var texts []string
		for _, t := range []struct {
			name string
			text *string
		}{
			{"persona", s.Persona}, {"short-term goal", s.ShortTermGoal}, {"long-term goal", s.LongTermGoal},
			{"system prompt", s.SystemPrompt},
		} {
			if t.text != nil {
				texts = append(texts, fmt.Sprintf("%s %q", t.name, *t.text))
			}
		}
		all = append(all, fmt.Sprintf("%s from tick %d: %s", cmp.Or(s.AgentID, "all agents"), s.Tick,
			strings.Join(texts, ", ")))
	}
	return cmp.Or(strings.Join(all, "; "), "none")
}
