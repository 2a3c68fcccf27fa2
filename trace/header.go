package trace

import "example.com/agentworld/llmclient/price"

// ModelSource says what stood behind the model's name.
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

	// UsageReported are counts that a provider billed.
	UsageReported UsageSource = "reported"
	// UsageSimulated are estimates by the scripted server.
	UsageSimulated UsageSource = "simulated"
)

// Header is the first record: everything needed to run the same world again
// without any other file. It holds no secret.
type Header struct {
	// Tick is the tick before the first one of the run: 0, or where a fork began.
	Tick int64 `json:"tick"`
	// Format is [FormatVersion] of the writer.
	Format int `json:"format"`
	// The versions of what shaped the run; a replay across a change says so.
	EngineVersion string `json:"engine_version"`
	RulesVersion  string `json:"rules_version"`
	PromptVersion string `json:"prompt_version"`
	SDKVersion    string `json:"sdk_version"`
	// Scenario is the scenario's name, ScenarioTOML its full text.
	Scenario     string `json:"scenario"`
	ScenarioTOML string `json:"scenario_toml"`
	Seed         uint64 `json:"seed"`
	// Playbook is the file of lessons that every agent starts with, in full; empty
	// for none.
	Playbook string `json:"playbook,omitempty"`
	// TicksRequested is how many ticks the run was asked for at first; a [Resume] may
	// ask for more. The canonical form leaves it out: how far a run is to go changes
	// nothing about how it goes.
	TicksRequested int64 `json:"ticks_requested,omitempty"`
	// Agents are in the world's order.
	Agents []HeaderAgent `json:"agents"`
	// Protocol is the shape of a turn, "full" or "lean".
	Protocol string `json:"protocol"`
	// Model is the run's model; an agent may name its own.
	Model       string      `json:"model"`
	ModelSource ModelSource `json:"model_source"`
	UsageSource UsageSource `json:"usage_source"`
	// BaseURL is the effective endpoint, without credentials.
	BaseURL  string   `json:"base_url"`
	Settings Settings `json:"settings"`
	// Recording is where recorded answers came from, nil when a model gave them all.
	Recording *Recording `json:"recording,omitempty"`
	// Forks are where the run left others, in rising order of ticks: what held before
	// the first is in the fields above, what held after each is in the fork.
	Forks []Fork `json:"forks,omitempty"`
	// Extract says what of a run is kept here, empty for a whole trace.
	Extract Extract `json:"extract,omitempty"`
	// Timing is nil in the canonical form.
	Timing *HeaderTiming `json:"timing,omitempty"`
}

// Recording is a run whose answers were given again in another one.
type Recording struct {
	// Name is the run directory or file, without the path to it.
	Name string `json:"name"`
	// Model, ModelSource and UsageSource are those of the recorded run.
	Model       string      `json:"model"`
	ModelSource ModelSource `json:"model_source"`
	UsageSource UsageSource `json:"usage_source"`
	// Asked is what stood behind the model that was asked when there was no recorded
	// answer; empty when a request without one ended the run.
	Asked ModelSource `json:"asked,omitempty"`
}

// HeaderAgent introduces one agent.
type HeaderAgent struct {
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"`
	Persona string `json:"persona,omitempty"`
	// Model and BaseURL are set where they differ from the run's.
	Model   string `json:"model,omitempty"`
	BaseURL string `json:"base_url,omitempty"`
	// KeyEnv names the environment variable that held the agent's own key, empty for
	// none; the key is never written.
	KeyEnv string `json:"key_env,omitempty"`
}

// Settings are the choices that shape turns. Two runs with equal headers apart
// from timing ask the same questions.
type Settings struct {
	// DecisionDeadlineMS bounds a turn, TimeoutMS a request, both in
	// milliseconds; 0 is no bound.
	DecisionDeadlineMS int64 `json:"decision_deadline_ms"`
	TimeoutMS          int64 `json:"timeout_ms"`
	// The limits of one turn, in calls, steps and rounds.
	ModuleCallsMax int `json:"module_calls_max"`
	ReasonStepsMax int `json:"reason_steps_max"`
	GuardRoundsMax int `json:"guard_rounds_max"`
	RepairsMax     int `json:"repairs_max"`
	// RepeatAdviceAfter is how many equal decisions in a row the prompt remarks on,
	// 0 for never.
	RepeatAdviceAfter int `json:"repeat_advice_after"`
	// ContextWindowTokens is the model's window, OutputTokensMax the bound on one
	// answer, 0 when the provider decides.
	ContextWindowTokens int `json:"context_window_tokens"`
	OutputTokensMax     int `json:"output_tokens_max"`
	// PromptProfile is how much a prompt tells: compact, balanced or rich.
	PromptProfile string `json:"prompt_profile"`
	// Faults is the plan by which the scripted server spoilt answers, FaultSeed the
	// seed of its choices; both are absent without faults. A replay needs neither:
	// what came of them is recorded.
	Faults    string `json:"faults,omitempty"`
	FaultSeed uint64 `json:"fault_seed,omitempty"`
	// Commit is how decisions were committed, "guidance" or "direct". GuardOff names
	// the layers of the guard that were left out to measure them; absent for none.
	Commit   string   `json:"commit"`
	GuardOff []string `json:"guard_off,omitempty"`
	// Language is the language of prompts.
	Language string `json:"language"`
	// The texts given for the run; empty means the built-in or scenario text.
	SystemPrompt  string `json:"system_prompt"`
	ShortTermGoal string `json:"short_term_goal"`
	LongTermGoal  string `json:"long_term_goal"`
	// AgentsOverride replaces the scenario's number of agents; 0 keeps it.
	AgentsOverride int `json:"agents_override"`
	// PromptSwitches are planned changes of the texts, by tick.
	PromptSwitches []Switch `json:"prompt_switches"`
	// PlaybookBullets bounds the lessons in a prompt, 0 for none. FreezePlaybook
	// says that nothing was learned; otherwise agents learn after each tick that
	// LearnEvery divides, 0 for never.
	PlaybookBullets int   `json:"playbook_bullets"`
	FreezePlaybook  bool  `json:"freeze_playbook"`
	LearnEvery      int64 `json:"learn_every"`
	// PlaybookSize is how many lessons a playbook may hold, 0 for the default.
	PlaybookSize int `json:"playbook_size,omitempty"`
	// Caps bound what the run may spend; absent without any. Prices are those of the
	// models asked, for as many as had one, and Estimate what the run was expected to
	// take.
	Caps     *Caps         `json:"caps,omitempty"`
	Prices   []price.Price `json:"prices,omitempty"`
	Estimate *Estimate     `json:"estimate,omitempty"`
}

// HeaderTiming is what of a header depends on the clock or the machine.
type HeaderTiming struct {
	// StartedAt is in RFC 3339.
	StartedAt string `json:"started_at"`
	// Concurrency is how many turns could run at once. It is here because results
	// do not depend on it.
	Concurrency int `json:"concurrency"`
	// RecordingPath is where the recording of the header was on that machine, absolute;
	// empty without one.
	RecordingPath string `json:"recording_path,omitempty"`
	// SegmentBytes is the size at which a trace file is closed and the next one begun, 0
	// for never; nil in traces that do not tell.
	SegmentBytes *int64 `json:"segment_bytes,omitempty"`
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
}

// RecordType implements [Record].
func (Header) RecordType() Type { return TypeHeader }

// RecordTick implements [Record].
func (h Header) RecordTick() int64 { return h.Tick }

func (h Header) untimed() Record {
	h.Timing, h.TicksRequested = nil, 0
	h.Forks = withChanges(h.Forks)
	return h
}

// RecordType implements [Record].
func (Switch) RecordType() Type { return TypeSwitch }

// RecordTick implements [Record].
func (s Switch) RecordTick() int64 { return s.Tick }

func (s Switch) untimed() Record { return s }
