package cli

import (
	"strings"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/trace"
)

// envPrefix starts the environment variables that belong to this program.
const envPrefix = "AGENT_WORLD_LLM_"

// The bounds of the counts below. They keep a slip of the keyboard from asking
// for a year of work; none of them is a promise about speed.
const (
	ticksMax         = 10_000_000
	agentsMax        = 100_000
	concurrencyMax   = 1_024
	waitMSMax        = 3_600_000
	contextWindowMin = 4_000
	contextWindowMax = 10_000_000
	llmIOCharsMax    = 10_000_000
	perTurnMax       = 16
	perMinuteMax     = 1_000_000_000
	repeatAdviceMax  = 1_000_000
	playbookSizeMax  = 10_000
	capMax           = 1_000_000_000_000
	segmentMBMax     = 100_000
)

// settingTable returns every setting of a run, in the order they are shown.
//
// To add one, add its row here and its field to config: the flag, the variables,
// the key of the file, the check of its range, its place in --help, "help
// settings" and --print-config all come from the row. Rules, held by a test:
//
//  1. Flags, variables and keys are unique.
//  2. A row has a fallback or says in absent what holds without.
//  3. A fallback is itself a valid value.
//  4. A secret has no flag: command lines are visible to other users.
func settingTable() settings {
	var all settings
	all = append(all, runSettings()...)
	all = append(all, modelSettings()...)
	all = append(all, capSettings()...)
	all = append(all, promptSettings()...)
	all = append(all, playbookSettings()...)
	all = append(all, recordingSettings()...)
	return append(all, outputSettings()...)
}

// runSettings are what is run and how much of it. Their keys are in [run], which
// is about this program; [llm] is about the model and what it is told.
func runSettings() settings {
	return settings{
		{flag: "scenario", key: "run.scenario", kind: kindPath, fallback: "llm_bootstrap",
			doc: "scenario name, or path of a .toml file", into: func(c *config) any { return &c.Scenario }},
		{flag: "ticks", key: "run.ticks", kind: kindCount, fallback: "20", min: 1, max: ticksMax,
			doc: "ticks to run; a task runs its own length unless this is given", into: func(c *config) any { return &c.Ticks }},
		{flag: "seed", key: "run.seed", kind: kindSeed, absent: "the scenario's",
			doc: "seed of the world", into: func(c *config) any { return &c.Seed }},
		{flag: "agents", key: "run.agents", kind: kindCount, absent: "the scenario's", min: 1, max: agentsMax,
			doc: "number of agents", into: func(c *config) any { return &c.Agents }},
		{flag: "concurrency", env: []string{envPrefix + "CONCURRENCY"}, key: "run.concurrency", kind: kindCount, fallback: "8",
			min: 1, max: concurrencyMax, doc: "agents that decide at the same time", into: func(c *config) any { return &c.Concurrency }},
		{flag: "protocol", env: []string{envPrefix + "PROTOCOL"}, key: "run.protocol", kind: kindChoice, fallback: "full",
			choices: []string{"full", "lean"}, doc: "full: plan, draft and decision in calls of their own; lean: in one call",
			into: func(c *config) any { return &c.Protocol }},
		{flag: "commit", env: []string{envPrefix + "COMMIT"}, key: "run.commit", kind: kindChoice, fallback: string(trace.CommitGuidance),
			choices: []string{string(trace.CommitGuidance), string(trace.CommitDirect)},
			doc:     "guidance: the model commits after it saw the dry runs of its draft; direct: the best candidate runs without another call",
			into:    func(c *config) any { return &c.Commit }},
		{flag: "guard-off", key: "run.guard_off", kind: kindText, absent: "none", separator: ",",
			doc: "layers of the guard to leave out, for measuring only, separated by commas, or all; may be repeated", into: func(c *config) any { return &c.GuardOff }},
	}
}

// modelSettings say which model decides and how long it may take. The variables
// of OpenAI's own tools come after ours, so that a machine set up for those works
// here, and a key of its own can still be given to this program.
func modelSettings() settings {
	return settings{
		{flag: "model", env: []string{envPrefix + "MODEL"}, key: "llm.model", kind: kindText, absent: "none: the scripted stub",
			doc: "model name; makes the run live", into: func(c *config) any { return &c.Model }},
		{flag: "base-url", env: []string{envPrefix + "BASE_URL", "OPENAI_BASE_URL"}, key: "llm.base_url", kind: kindURL,
			absent: openai.BaseURLDefault, doc: "Responses endpoint of the model", into: func(c *config) any { return &c.BaseURL }},
		{env: []string{envPrefix + "API_KEY", "OPENAI_API_KEY"}, key: "llm.api_key", kind: kindSecret, absent: "not set",
			doc: "key of the endpoint; never a flag", into: func(c *config) any { return &c.APIKey }},
		{flag: "agent-model", env: []string{envPrefix + "AGENT_MODELS"}, key: agentsTable, kind: kindAgents, separator: " ", absent: "none: the run's model for all",
			doc: "agent with a model or endpoint of its own, such as agent-1=small@http://127.0.0.1:8000/v1; may be repeated", into: func(c *config) any { return &c.AgentModels }},
		{flag: "max-requests-per-minute", env: []string{envPrefix + "MAX_REQUESTS_PER_MINUTE"}, key: "llm.max_requests_per_minute", kind: kindCount,
			absent: "no bound", min: 1, max: perMinuteMax, doc: "requests sent to one endpoint in a minute, by all agents together", into: func(c *config) any { return &c.RequestsPerMinute }},
		{flag: "max-tokens-per-minute", env: []string{envPrefix + "MAX_TOKENS_PER_MINUTE"}, key: "llm.max_tokens_per_minute", kind: kindCount,
			absent: "no bound", min: 1, max: perMinuteMax, doc: "tokens read and written at one endpoint in a minute, by all agents together", into: func(c *config) any { return &c.TokensPerMinute }},
		{flag: "offline", key: "llm.offline", kind: kindSwitch, fallback: "false",
			doc: "use the scripted stub even when a model is set", into: func(c *config) any { return &c.Offline }},
		{flag: "scripted-mode", key: "llm.scripted_mode", kind: kindChoice, fallback: scriptedNormal, choices: scriptedModes(),
			doc: "mode of the scripted stub, for tests", into: func(c *config) any { return &c.ScriptedMode }},
		{flag: "scripted-seed", key: "llm.scripted_seed", kind: kindSeed, absent: "the run's seed",
			doc: "seed of the scripted stub's choices", into: func(c *config) any { return &c.ScriptedSeed }},
		{flag: "timeout", env: []string{envPrefix + "TIMEOUT_MS"}, key: "llm.timeout_ms", kind: kindMillis, fallback: "180s",
			min: 1, max: waitMSMax, doc: "time for one model call, a duration or milliseconds; one that takes longer is tried once more with 180s", into: func(c *config) any { return &c.Timeout }},
		{flag: "decision-deadline", env: []string{envPrefix + "DECISION_DEADLINE_MS"}, key: "llm.decision_deadline_ms", kind: kindMillis,
			absent: "none", min: 1, max: waitMSMax, doc: "time for one whole decision, a duration or milliseconds",
			into: func(c *config) any { return &c.DecisionDeadline }},
		{flag: "retry-backoff", env: []string{envPrefix + "RETRY_BACKOFF_MS"}, key: "llm.retry_backoff_ms", kind: kindMillis, fallback: "500ms",
			min: 1, max: waitMSMax, doc: "longest wait before the first retry of a call, doubled with each one up to 8s, a duration or milliseconds",
			into: func(c *config) any { return &c.RetryBackoff }},
		{flag: "faults", env: []string{envPrefix + "FAULTS"}, key: "llm.faults", kind: kindText, absent: "none",
			doc: "answers the scripted stub spoils, such as repairable=20%,http_429=2%; see docs/faults.md", into: func(c *config) any { return &c.Faults }},
		{flag: "fault-seed", env: []string{envPrefix + "FAULT_SEED"}, key: "llm.fault_seed", kind: kindSeed, absent: "the run's seed",
			doc: "seed of the choice of answers to spoil", into: func(c *config) any { return &c.FaultSeed }},
		{flag: "context-window", env: []string{envPrefix + "CONTEXT_WINDOW"}, key: "llm.context_window", kind: kindCount, fallback: "128000",
			min: contextWindowMin, max: contextWindowMax, doc: "tokens the model can read and write in one call",
			into: func(c *config) any { return &c.ContextWindow }},
		{env: []string{envPrefix + "MAX_MODULE_CALLS"}, key: "llm.max_module_calls", kind: kindCount, fallback: "3", min: 1, max: perTurnMax,
			doc: "module calls in one decision", into: func(c *config) any { return &c.ModuleCallsMax }},
		{env: []string{envPrefix + "MAX_REPAIR_ROUNDS"}, key: "llm.max_repair_rounds", kind: kindCount, fallback: "1", min: 1, max: perTurnMax,
			doc: "further calls to mend an unusable answer", into: func(c *config) any { return &c.RepairsMax }},
		{flag: "repeat-advice-after", env: []string{envPrefix + "FORCE_REPLAN_AFTER_SAME_ACTION"}, key: "llm.repeat_advice_after",
			kind: kindCount, fallback: "4", min: 0, max: repeatAdviceMax,
			doc: "equal decisions in a row before the prompt remarks on it; 0 is never", into: func(c *config) any { return &c.RepeatAdviceAfter }},
	}
}

// capSettings bound what a run may spend. The table of prices stands with them: a cap
// on cost needs a price.
func capSettings() settings {
	all := settings{{flag: "price-table", env: []string{envPrefix + "PRICE_TABLE"}, key: "llm.price_table", kind: kindPath, absent: "the built-in prices",
		doc: "file of prices by model, which goes before the built-in ones; see docs/cost.md", into: func(c *config) any { return &c.PriceTable }}}
	for _, at := range []struct {
		infix, over string
		limit       func(*config) *trace.Limit
	}{
		{"", "the whole run", func(c *config) *trace.Limit { return &c.Caps.Run }},
		{"agent_", "each agent over the run", func(c *config) *trace.Limit { return &c.Caps.Agent }},
		{"tick_", "each tick", func(c *config) *trace.Limit { return &c.Caps.Tick }},
	} {
		for _, unit := range []struct {
			name, doc string
			kind      kind
			into      func(*trace.Limit) any
		}{
			{"calls", "model calls", kindCount, func(l *trace.Limit) any { return &l.Calls }},
			{"tokens", "tokens, input and output", kindCount, func(l *trace.Limit) any { return &l.Tokens }},
			{"cost", "money spent on tokens", kindMoney, func(l *trace.Limit) any { return &l.Cost }},
		} {
			name := "cap_" + at.infix + unit.name
			all = append(all, setting{flag: strings.ReplaceAll(name, "_", "-"), env: []string{envPrefix + strings.ToUpper(name)}, key: "llm." + name,
				kind: unit.kind, absent: "none", min: 1, max: capMax, removable: true, doc: "most " + unit.doc + ", of " + at.over,
				into: func(c *config) any { return unit.into(at.limit(c)) }})
		}
	}
	return all
}

// promptSettings are the texts the agents are steered by. They are the user's and
// are trusted as such; nothing that a model wrote ever gets here.
func promptSettings() settings {
	return settings{
		{flag: "system-prompt", env: []string{envPrefix + "SYSTEM_PROMPT"}, key: "llm.system_prompt", kind: kindText, absent: "built in",
			doc: "policy text at the head of every prompt", into: func(c *config) any { return &c.SystemPrompt }},
		{flag: "short-term-goal", env: []string{envPrefix + "SHORT_TERM_GOAL"}, key: "llm.short_term_goal", kind: kindText,
			absent: "the scenario's", doc: "short-term goal of every agent", into: func(c *config) any { return &c.ShortTermGoal }},
		{flag: "long-term-goal", env: []string{envPrefix + "LONG_TERM_GOAL"}, key: "llm.long_term_goal", kind: kindText,
			absent: "the scenario's", doc: "long-term goal of every agent", into: func(c *config) any { return &c.LongTermGoal }},
		{flag: "prompt-profile", env: []string{envPrefix + "PROMPT_PROFILE"}, key: "llm.prompt_profile", kind: kindChoice, fallback: string(behavior.ProfileBalanced),
			choices: []string{string(behavior.ProfileCompact), string(behavior.ProfileBalanced), string(behavior.ProfileRich)}, doc: "how much of world and past a prompt shows", into: func(c *config) any { return &c.PromptProfile }},
		{flag: "prompt-language", env: []string{envPrefix + "PROMPT_LANGUAGE"}, key: "llm.prompt_language", kind: kindChoice, fallback: "en",
			choices: []string{"en", "zh"}, doc: "language of what the program says to the model: English or Chinese", into: func(c *config) any { return &c.PromptLanguage }},
		{flag: "prompt-switches-json", key: "run.prompt_switches_json", kind: kindPath, absent: "none",
			doc:  `file or JSON list of [{"tick":N,"system_prompt":..,"short_term_goal":..,"long_term_goal":..,"agent":..}]`,
			into: func(c *config) any { return &c.PromptSwitches }},
	}
}

// playbookSettings say which lessons the agents start with and whether they learn.
func playbookSettings() settings {
	return settings{
		{flag: "playbook", key: "run.playbook", kind: kindPath, absent: "none",
			doc: "file of lessons that every agent starts with; what is learned is folded into it", into: func(c *config) any { return &c.Playbook }},
		{flag: "playbook-bullets", key: "run.playbook_bullets", kind: kindCount, fallback: "6", min: 0, max: behavior.PlaybookBulletsMax,
			doc: "lessons shown in a prompt at most; 0 shows none", into: func(c *config) any { return &c.PlaybookBullets }},
		{flag: "freeze-playbook", key: "run.freeze_playbook", kind: kindSwitch, fallback: "false",
			doc: "learn nothing and never write the playbook", into: func(c *config) any { return &c.FreezePlaybook }},
		{flag: "learn-every", key: "run.learn_every", kind: kindCount, fallback: "0", min: 0, max: ticksMax,
			doc: "ticks after which agents look back and learn; 0 is never", into: func(c *config) any { return &c.LearnEvery }},
		{flag: "playbook-size", key: "run.playbook_size", kind: kindCount, fallback: "200", min: 1, max: playbookSizeMax,
			doc: "lessons a playbook may hold", into: func(c *config) any { return &c.PlaybookSize }},
	}
}

// recordingSettings say which recorded answers are given again.
func recordingSettings() settings {
	return settings{
		{flag: "replay-from", key: "run.replay_from", kind: kindPath, absent: "none",
			doc: "run directory or file of answers that answers are taken from; see docs/forks.md", into: func(c *config) any { return &c.ReplayFrom }},
		{flag: "replay-miss", key: "run.replay_miss", kind: kindChoice, fallback: missError, choices: []string{missError, missAsk},
			doc: "without a recorded answer: end the run, or ask the model", into: func(c *config) any { return &c.ReplayMiss }},
	}
}

// outputSettings say what is written where. None of them changes the run.
func outputSettings() settings {
	return settings{
		{flag: "report-json", key: "run.report_json", kind: kindPath, absent: "only in the run directory",
			doc: "also write the report to this file", into: func(c *config) any { return &c.ReportJSON }},
		{flag: "run-dir", key: "run.run_dir", kind: kindPath, absent: runsRoot + "/<UTC time>-<scenario>-<random>",
			doc: "directory for the trace and the report", into: func(c *config) any { return &c.RunDir }},
		{flag: "trace-segment-mb", key: "run.trace_segment_mb", kind: kindCount, fallback: "64", min: 0, max: segmentMBMax,
			doc: "megabytes after which a trace file is closed and compressed, and the next one begun; 0 is never", into: func(c *config) any { return &c.SegmentMB }},
		{flag: "print-llm-io", key: "run.print_llm_io", kind: kindSwitch, fallback: "false",
			doc: "print every model call to stderr", into: func(c *config) any { return &c.PrintLLMIO }},
		{flag: "llm-io-max-chars", key: "run.llm_io_max_chars", kind: kindCount, fallback: "2000", min: 1, max: llmIOCharsMax,
			doc: "characters shown of each request and answer", into: func(c *config) any { return &c.LLMIOMaxChars }},
		{flag: "otel", key: "run.otel", kind: kindSwitch, fallback: "false",
			doc: "send OpenTelemetry traces and metrics to a collector, at localhost:4318 unless OTEL_* variables say otherwise", into: func(c *config) any { return &c.Otel }},
		{flag: "quiet", key: "run.quiet", kind: kindSwitch, fallback: "false",
			doc: "no progress lines", into: func(c *config) any { return &c.Quiet }},
	}
}
