package engine

import (
	"fmt"
	"runtime/debug"
	"time"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/behavior/reflect"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// Version names the engine's own behaviour: the order of a tick and what is
// recorded. A replay across a change of it says so.
const Version = "3"

// Settings are everything about a run that its trace must know to replay it. Two
// runs with equal settings and equal answers are equal.
type Settings struct {
	// ScenarioName and ScenarioTOML are the scenario as given; Scenario is it
	// parsed, without overrides.
	ScenarioName string
	ScenarioTOML []byte
	Scenario     world.Scenario
	// Agents replaces the scenario's number of agents; 0 keeps it.
	Agents int
	Seed   uint64
	// Ticks is how many ticks to run, at least 1.
	Ticks int64
	// Protocol is "full" or "lean".
	Protocol string
	Model    string
	// ModelSource is live, scripted, recorded or mixed, BaseURL the effective endpoint,
	// empty where none is asked.
	ModelSource trace.ModelSource
	BaseURL     string
	// AgentModels are the agents that use another model or endpoint, each once.
	AgentModels []AgentModel
	// Recording is where recorded answers come from, see [Recorded]; nil for none.
	// RecordingPath is where it is, absolute, for whoever goes on with the run; it says
	// nothing about the run itself.
	Recording     *trace.Recording
	RecordingPath string
	// Forks change all of this at a tick, in rising order of ticks; see [Fork].
	Forks []trace.Fork
	// SystemPrompt, ShortTermGoal and LongTermGoal replace the built-in text and
	// the personas' goals; empty keeps them.
	SystemPrompt, ShortTermGoal, LongTermGoal string
	// Switches change those texts from a tick on, in rising order of ticks.
	Switches []trace.Switch
	// Timeout bounds a request, DecisionDeadline a turn; 0 is no bound.
	Timeout, DecisionDeadline time.Duration
	// PromptProfile is compact, balanced or rich; empty means the default of
	// [behavior.Config].
	PromptProfile string
	// PromptLanguage is en or zh; empty means the default of [behavior.Config].
	PromptLanguage string
	// ContextWindow is the model's window in tokens, OutputTokensMax the bound on
	// one answer; 0 means the default of [behavior.Config].
	ContextWindow, OutputTokensMax int
	// Faults is the plan of faults of the scripted server and FaultSeed its seed. They
	// are recorded so that a run can be repeated; the engine injects nothing itself.
	Faults    string
	FaultSeed uint64
	// ModuleCallsMax and RepairsMax bound a turn; 0 means the default.
	ModuleCallsMax, RepairsMax int
	// RepeatAdviceAfter is how many equal decisions in a row the prompt remarks on;
	// 0 means the default and [behavior.RepeatAdviceOff] never.
	RepeatAdviceAfter int
	// Commit is guidance or direct; empty means the default of [behavior.Config].
	Commit string
	// GuardOff are the layers of the guard left out; nil for none.
	GuardOff []policy.Layer
	// Playbook is the file of lessons every agent starts with; empty for none.
	// PlaybookBullets bounds those in a prompt, 0 for none.
	Playbook        []byte
	PlaybookBullets int
	// FreezePlaybook keeps every playbook as it is. Otherwise agents learn after
	// each tick that LearnEvery divides; 0 is never.
	FreezePlaybook bool
	LearnEvery     int64
	// PlaybookSize is how many bullets a playbook may hold; 0 is the default of
	// [playbook.Limits].
	PlaybookSize int
	// Caps bound what the run may spend. Prices are those of its models, for as many as
	// have one; a cap on cost needs them all. Estimate is what the run is expected to
	// take, nil where nobody asked; it changes nothing.
	Caps     trace.Caps
	Prices   []price.Price
	Estimate *trace.Estimate
}

// promptVersion names the wording of everything a run asks.
func promptVersion(protocol, language string, learns bool) string {
	version := behavior.PromptVersion(behavior.Protocol(protocol), modules.Language(language))
	if learns {
		version += "-" + reflect.Version()
	}
	return version
}

// seedPlaybook reads the lessons that agents start with. The error names the line
// that cannot be read.
func (s Settings) seedPlaybook() (*playbook.Playbook, error) {
	if len(s.Playbook) == 0 {
		return playbook.New(), nil
	}
	p, err := playbook.Parse(s.Playbook)
	if err != nil {
		return nil, fmt.Errorf("playbook: %w", err)
	}
	return p, nil
}

// checkPlaybook reports what about the playbook cannot be used.
func (s Settings) checkPlaybook() error {
	if s.PlaybookSize < 0 {
		return fmt.Errorf("playbook size %d: must not be negative", s.PlaybookSize)
	}
	if s.LearnEvery < 0 {
		return fmt.Errorf("learn every %d ticks: must not be negative", s.LearnEvery)
	}
	_, err := s.seedPlaybook()
	return err
}

// behaviorConfig returns the limits of turns under s.
func (s Settings) behaviorConfig() behavior.Config {
	return behavior.Config{
		Protocol: behavior.Protocol(s.Protocol), Profile: behavior.Profile(s.PromptProfile), Language: modules.Language(s.PromptLanguage), Model: s.Model, ContextWindow: s.ContextWindow,
		OutputTokensMax: s.OutputTokensMax, SystemPrompt: s.SystemPrompt,
		ModuleCallsMax: s.ModuleCallsMax, RepairsMax: s.RepairsMax, RepeatAdviceAfter: s.RepeatAdviceAfter, PlaybookBullets: s.PlaybookBullets,
		Commit: behavior.Commit(s.Commit), GuardOff: s.GuardOff,
		CountTokens: tokens.Count,
	}
}

// newWorld builds the world of s. The error names what in the scenario does not
// fit together.
func (s Settings) newWorld() (*world.World, error) {
	scenario := s.Scenario
	if s.Agents > 0 {
		scenario = scenario.WithAgents(s.Agents)
	}
	w, err := world.New(scenario, s.Seed)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.ScenarioName, err)
	}
	return w, nil
}

// header is s as a trace's first record.
func (s Settings) header(w *world.World, cfg behavior.Config, concurrency int, startedAt time.Time) trace.Header {
	h := trace.Header{
		Format: trace.FormatVersion, EngineVersion: Version, RulesVersion: world.RulesVersion,
		PromptVersion: promptVersion(string(cfg.Protocol), string(cfg.Language), s.learns()), SDKVersion: sdkVersion(),
		Scenario: s.ScenarioName, ScenarioTOML: string(s.ScenarioTOML), Seed: s.Seed, TicksRequested: s.Ticks, Playbook: string(s.Playbook),
		Protocol: string(cfg.Protocol), Model: s.Model, ModelSource: s.ModelSource, BaseURL: s.BaseURL,
		UsageSource: s.usageSource(), Recording: s.Recording, Forks: s.Forks,
		Settings: trace.Settings{
			DecisionDeadlineMS: s.DecisionDeadline.Milliseconds(), TimeoutMS: s.Timeout.Milliseconds(),
			ModuleCallsMax: cfg.ModuleCallsMax, ReasonStepsMax: cfg.ReasonStepsMax,
			GuardRoundsMax: cfg.GuardRoundsMax, RepairsMax: cfg.RepairsMax,
			RepeatAdviceAfter:   max(cfg.RepeatAdviceAfter, 0),
			ContextWindowTokens: cfg.ContextWindow, OutputTokensMax: cfg.OutputTokensMax, PromptProfile: string(cfg.Profile), Language: string(cfg.Language),
			Faults: s.Faults, FaultSeed: s.FaultSeed, Commit: string(cfg.Commit), GuardOff: layerNames(cfg.GuardOff),
			SystemPrompt: s.SystemPrompt, ShortTermGoal: s.ShortTermGoal, LongTermGoal: s.LongTermGoal,
			AgentsOverride: s.Agents, PromptSwitches: append([]trace.Switch{}, s.Switches...),
			PlaybookBullets: s.PlaybookBullets, FreezePlaybook: s.FreezePlaybook, LearnEvery: s.LearnEvery, PlaybookSize: s.PlaybookSize,
			Caps: recordedCaps(s.Caps), Prices: s.Prices, Estimate: s.Estimate,
		},
		Timing: &trace.HeaderTiming{StartedAt: startedAt.UTC().Format(time.RFC3339), Concurrency: concurrency, RecordingPath: s.RecordingPath},
	}
	for n := range w.Agents() {
		own := s.agentModel(w.AgentID(n))
		h.Agents = append(h.Agents, trace.HeaderAgent{
			ID: w.AgentID(n), Name: w.Persona(n).Name, Persona: w.Persona(n).Text, Model: own.Model, BaseURL: own.BaseURL, KeyEnv: own.KeyEnv,
		})
	}
	return h
}

// usageSource says where token counts come from: one answer that a provider billed
// makes them reported.
func (s Settings) usageSource() trace.UsageSource {
	asked, usage := s.ModelSource, trace.UsageSimulated
	if s.Recording != nil {
		asked, usage = s.Recording.Asked, s.Recording.UsageSource
	}
	if asked == trace.SourceLive {
		return trace.UsageReported
	}
	return usage
}

// settingsOf reads back what header wrote. The error says that the trace's
// scenario does not parse.
func settingsOf(h trace.Header) (Settings, error) {
	scenario, err := scenario.Parse(h.Scenario, []byte(h.ScenarioTOML))
	if err != nil {
		return Settings{}, fmt.Errorf("scenario in the trace: %w", err)
	}
	return Settings{
		ScenarioName: h.Scenario, ScenarioTOML: []byte(h.ScenarioTOML), Scenario: scenario,
		Agents: h.Settings.AgentsOverride, Seed: h.Seed, Ticks: h.TicksRequested,
		Protocol: h.Protocol, Model: h.Model, ModelSource: h.ModelSource, BaseURL: h.BaseURL, AgentModels: agentModelsOf(h.Agents),
		Recording: h.Recording, Forks: h.Forks,
		SystemPrompt: h.Settings.SystemPrompt, ShortTermGoal: h.Settings.ShortTermGoal, LongTermGoal: h.Settings.LongTermGoal,
		Switches:         h.Settings.PromptSwitches,
		PromptProfile:    h.Settings.PromptProfile,
		PromptLanguage:   h.Settings.Language,
		Timeout:          time.Duration(h.Settings.TimeoutMS) * time.Millisecond,
		DecisionDeadline: time.Duration(h.Settings.DecisionDeadlineMS) * time.Millisecond,
		ContextWindow:    h.Settings.ContextWindowTokens, OutputTokensMax: h.Settings.OutputTokensMax,
		Faults: h.Settings.Faults, FaultSeed: h.Settings.FaultSeed,
		ModuleCallsMax: h.Settings.ModuleCallsMax, RepairsMax: h.Settings.RepairsMax,
		Commit: h.Settings.Commit, GuardOff: layersNamed(h.Settings.GuardOff),
		RepeatAdviceAfter: recordedAdvice(h.Settings.RepeatAdviceAfter),
		Playbook:          []byte(h.Playbook), PlaybookBullets: h.Settings.PlaybookBullets,
		FreezePlaybook: h.Settings.FreezePlaybook, LearnEvery: h.Settings.LearnEvery, PlaybookSize: h.Settings.PlaybookSize,
		Caps: capsOf(h.Settings.Caps), Prices: h.Settings.Prices, Estimate: h.Settings.Estimate,
	}, nil
}

// recordedAdvice is the setting that a header's number stands for: a record says 0
// for never, while a setting of 0 is one not made.
func recordedAdvice(after int) int {
	if after == 0 {
		return behavior.RepeatAdviceOff
	}
	return after
}

// layerNames are layers of the guard as a header records them.
func layerNames(layers []policy.Layer) (names []string) {
	for _, l := range layers {
		names = append(names, string(l))
	}
	return names
}

// layersNamed reads them back; what names no layer is refused where the settings are
// checked.
func layersNamed(names []string) (layers []policy.Layer) {
	for _, name := range names {
		layers = append(layers, policy.Layer(name))
	}
	return layers
}

// sdkVersion is the version of the client library this program was built with.
func sdkVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, m := range info.Deps {
		if m.Path == "github.com/openai/openai-go/v3" {
			return m.Version
		}
	}
	return "unknown"
}
