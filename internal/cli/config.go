package cli

import (
	"time"

	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/trace"
)

// config is a run's settings, read and within their ranges. A zero field means
// what the setting's row in settingTable says of its absence. The fields are
// still the user's words: whether they fit each other, and the files they name,
// is for newPlan to find out.
type config struct {
	// Scenario is a name or a path.
	Scenario string
	// Ticks is at least 1.
	Ticks int64
	// Seed and Agents are the scenario's own when unset, Agents being 0 then.
	Seed   optionalSeed
	Agents int64
	// Concurrency is how many agents decide at the same time. It changes how long
	// a run takes and nothing else.
	Concurrency int64
	// Protocol is full or lean.
	Protocol string

	// Model is empty for a scripted run, which Offline forces.
	Model   string
	Offline bool
	// ScriptedMode is a mode of the scripted stub that tests need, empty for
	// none.
	ScriptedMode string
	// ScriptedSeed is the seed of the scripted stub, the run's when unset.
	ScriptedSeed optionalSeed
	// BaseURL is as the user wrote it and has been parsed once; empty means OpenAI.
	BaseURL string
	// APIKey is empty when none is set.
	APIKey openai.Secret
	// AgentModels are the agents with a model of their own; see parseAgentModels.
	AgentModels string
	// RequestsPerMinute and TokensPerMinute bound what is sent to one endpoint; 0 is
	// no bound.
	RequestsPerMinute, TokensPerMinute int64
	// Timeout bounds the first attempt of a call, DecisionDeadline a whole turn; a
	// deadline of 0 is none.
	Timeout          time.Duration
	DecisionDeadline time.Duration
	// RetryBackoff is the longest wait before the first retry of a call.
	RetryBackoff time.Duration
	// Faults is the plan by which the scripted stub spoils answers, empty for
	// none; FaultSeed is the run's seed when unset.
	Faults    string
	FaultSeed optionalSeed
	// ContextWindow is in tokens.
	ContextWindow int64
	// ModuleCallsMax and RepairsMax bound one decision.
	ModuleCallsMax int64
	RepairsMax     int64
	// RepeatAdviceAfter is in decisions, 0 for never.
	RepeatAdviceAfter int64

	// PriceTable is the path of a table of prices, empty for the built-in one alone.
	PriceTable string
	// Caps bound what the run may spend.
	Caps trace.Caps

	// The texts are empty where the built-in or the scenario's own hold.
	SystemPrompt  string
	ShortTermGoal string
	LongTermGoal  string
	// Commit is guidance or direct. GuardOff names layers of the guard between commas.
	Commit, GuardOff string
	// PromptProfile is compact, balanced or rich.
	PromptProfile string
	// PromptLanguage is en or zh.
	PromptLanguage string
	// PromptSwitches is a JSON list or the path of one.
	PromptSwitches string

	// Playbook is the path of a playbook, empty for none.
	Playbook string
	// PlaybookBullets is how many lessons a prompt shows at most.
	PlaybookBullets int64
	// FreezePlaybook keeps it as it is; LearnEvery is in ticks, 0 for never.
	FreezePlaybook bool
	LearnEvery     int64
	// PlaybookSize is how many lessons a playbook may hold.
	PlaybookSize int64

	// ReplayFrom is the path of a recording, empty for none, ReplayMiss what a request
	// without a recorded answer comes to: error or ask.
	ReplayFrom string
	ReplayMiss string

	// ReportJSON and RunDir are paths as the user wrote them, empty for none and
	// for a new name.
	ReportJSON string
	RunDir     string
	// SegmentMB is the size of a trace file in megabytes, 0 for any.
	SegmentMB int64
	// PrintLLMIO shows the model calls, LLMIOMaxChars of each request and answer.
	PrintLLMIO    bool
	LLMIOMaxChars int64
	// Otel exports telemetry also where no variable asks for it.
	Otel bool
	// Quiet leaves out progress, not what concerns money or failures.
	Quiet bool
}

// scriptedNormal is the scripted stub in its normal mode.
const scriptedNormal = "normal"

// scripted returns the mode of the stub.
func (c config) scripted() stub.Mode {
	if c.ScriptedMode == scriptedNormal {
		return stub.ModeNormal
	}
	return stub.Mode(c.ScriptedMode)
}

// scriptedModes are the names of all modes.
func scriptedModes() []string {
	names := []string{scriptedNormal}
	for _, m := range stub.Modes() {
		names = append(names, string(m))
	}
	return names
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
// is not allowed, where it stands and what would be, on one line:
//
//	config.toml:8: run.ticks: "0" is out of range; allowed: a whole number from 1 to 10000000
//
// Values are checked in the order of the table, so which one is named first does
// not depend on where they were set.
func newConfig(values []value) (config, error) {
	var c config
	keys := keysOf(values)
	for _, v := range values {
		if v.text == "" {
			continue
		}
		if err := misplacedKey(v, keys); err != nil {
			return config{}, err
		}
		if err := v.setting.read(v.text, v.setting.into(&c)); err != nil {
			return config{}, badInput("%s: %v", v.where(), err)
		}
	}
	return c, nil
}
