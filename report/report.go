package report

import (
	"bytes"
	"encoding/json"

	"example.com/agentworld/baseline"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Version is the version of [Report]'s JSON. It grows when a field changes its
// meaning or goes away. report.schema.json is the JSON Schema (draft 2020-12) of it.
const Version = 2

// Counts maps a name to how often it occurred. Encoding sorts the names.
type Counts map[string]int64

// Report is what a trace says about a run, in numbers. Field comments are the
// descriptions in the published schema.
//
// Invariants:
//  1. trace_counts.traces = total_decisions + continued_decisions +
//     decision_counts.wait_degraded = wait + wait_ticks + act of decision_counts.
//  2. total_actions = action_success + action_failure, and action_failure is the
//     sum over action_reject_reason_counts.
//  3. trace_counts.answers_by_kind adds up to trace_counts.model_calls.
//  4. Maps and lists are never null.
type Report struct {
	// Version of this format.
	ReportVersion int `json:"report_version"`
	// How the run ended: completed, interrupted, provider_failed, no_usable_answers,
	// budget_exhausted, replay_differs, recording_damaged or internal_error; "unfinished" when
	// the trace has no end.
	RunStatus trace.RunStatus `json:"run_status"`
	// Why the run ended early, one line for people; empty when it completed.
	RunReason string `json:"run_reason"`
	// Name of the scenario.
	Scenario string `json:"scenario"`
	// Ticks the run was asked for.
	TicksRequested int64 `json:"ticks_requested"`
	// Complete ticks in which an agent was due or continuing a standing order.
	ActiveTicks int64 `json:"active_ticks"`
	// Ticks elapsed in the world at the last complete tick.
	WorldTime int64 `json:"world_time"`
	// Seed of the world.
	Seed uint64 `json:"seed"`
	// Model asked for.
	Model string `json:"model"`
	// Answered are the models that answered, as providers named them, or as they were asked for where they did
	// not; at most eight, in alphabetical order. It is no part of the JSON.
	Answered []string `json:"-"`
	// What answered as the model: "scripted" results check wiring and are no evidence about a model.
	ModelSource trace.ModelSource `json:"model_source"`
	// Where token counts come from: reported by a provider in at least one answer, unreported if a
	// provider was to report them and did not, or simulated.
	UsageSource trace.UsageSource `json:"usage_source"`
	// Shape of a turn: full or lean.
	Protocol string `json:"protocol"`
	// How models were asked to answer, at the end of the run where a fork changed it: what was set for
	// all, and instead for a model or an agent; empty where nothing was.
	Sampling []SamplingRow `json:"sampling"`
	// What was set for the run, at its end where a fork changed it; long texts as a digest, and nothing
	// that is empty, off or 0.
	Settings []SettingRow `json:"settings"`
	// Those of them that a user chose otherwise than the defaults and the scenario say, but for the model and the
	// length of the run.
	NotDefault []SettingRow `json:"not_default"`
	// Share of turns that may end without a usable draft or decision, in percent; a run with more is no success.
	MaxDegradedPct int64 `json:"max_degraded_pct"`
	// What the world was made of, at the end of the run where a fork changed it: each part of the scenario by
	// its name, and each rule that is not the default; long ones as a digest. Comments, titles and texts in
	// other languages make no world. Empty if this version cannot read the scenario.
	World []SettingRow `json:"world_parts"`
	// Versions of what shaped the run.
	Versions Versions `json:"versions"`
	// Events of the world in whole ticks, by kind in journal_event_counts.
	JournalEvents int64 `json:"journal_events"`
	// Events of the world in whole ticks, by kind.
	JournalEventCounts Counts `json:"journal_event_counts"`
	// Number of agents.
	Agents int64 `json:"agents"`
	// Actions other than wait and wait_ticks that the world accepted or rejected.
	TotalActions int64 `json:"total_actions"`
	// Decisions made by a model or a seat.
	TotalDecisions int64 `json:"total_decisions"`
	// Decisions that continued a standing order without a model call.
	ContinuedDecisions int64 `json:"continued_decisions"`
	// Model calls that standing orders saved: continued_decisions times the calls of an average decision, rounded down.
	CallsSaved int64 `json:"calls_saved"`
	// Model calls that turns saved, by how: "skip" by a plan of nothing but skip steps.
	CallsSavedBy Counts `json:"calls_saved_by"`
	// Actions the world accepted.
	ActionSuccess int64 `json:"action_success"`
	// Actions the world rejected.
	ActionFailure int64 `json:"action_failure"`
	// Actions by name; a standing order counts as the action it repeats.
	ActionKindCounts Counts `json:"action_kind_counts"`
	// Accepted actions by name.
	ActionKindSuccessCounts Counts `json:"action_kind_success_counts"`
	// Rejected actions by name.
	ActionKindFailureCounts Counts `json:"action_kind_failure_counts"`
	// Rejected actions by rejection code.
	ActionRejectReasonCounts Counts `json:"action_reject_reason_counts"`
	// First tick in which an action of this name was accepted.
	FirstActionTick Counts `json:"first_action_tick"`
	// What was decided.
	DecisionCounts DecisionCounts `json:"decision_counts"`
	// The first turn that ended without a decision of its model or seat; null without one.
	FirstFailure *TurnFailure `json:"first_failure"`
	// What happened to the actions that models proposed.
	Actions ActionCounts `json:"actions"`
	// What the turns did.
	TraceCounts TraceCounts `json:"trace_counts"`
	// Faults that the scripted server was asked for, as they were given, at the end of the run where a
	// fork changed them; empty without any.
	Faults string `json:"faults"`
	// Seed of the choice of answers to spoil; 0 without faults.
	FaultSeed uint64 `json:"fault_seed"`
	// Answers that the scripted server spoilt on purpose, by kind; empty without faults, and where they were not counted.
	FaultsInjectedByKind Counts `json:"faults_injected_by_kind"`
	// Whether that is all of them. It is false for an unfinished run with faults: a killed run cannot
	// count them, and a resume counts them.
	FaultsCounted bool `json:"faults_counted"`
	// What policy and trust refused.
	Guard Guard `json:"guard"`
	// Reason steps of turns.
	Reasoning Reasoning `json:"reasoning"`
	// Tokens of all answers of decisions.
	Tokens Tokens `json:"tokens"`
	// What the answers cost, what was expected, and what was used of the caps.
	Cost Cost `json:"cost"`
	// Sources that decisions had in view and used.
	Provenance Provenance `json:"provenance"`
	// How agents reflected and learned.
	Learning Learning `json:"learning"`
	// Tools of the run's user that agents could call; empty without any.
	Tools []ToolRow `json:"tools"`
	// Seats that played agents in place of models, in the order in which they took over; empty without one.
	Seats []SeatRow `json:"seats"`
	// What an operator did to the run while it was under way, in its order; empty without one.
	Controls []ControlRow `json:"controls"`
	// The run this one was forked from, and the comparison with it; null for a run of its own.
	Fork *ForkReport `json:"fork"`
	// Score of the scenario's task; null when it has none or ran with another number of agents.
	Task *TaskScore `json:"task"`
	// Metrics of your own that were computed for the run, in their order; empty without one.
	OwnMetrics []OwnMetric `json:"own_metrics"`
	// Goals at the end of the run; empty for an unfinished one.
	Goals []trace.GoalOutcome `json:"goals"`
	// Goals met, counted once per agent and goal.
	GoalsMet int64 `json:"goals_met"`
	// How the run would have ended if nobody had acted from its end to that of its task; null for a run that
	// was long enough, or that something else ended than a cap, its length or answers without use.
	Advanced *Advanced `json:"advanced"`
	// Agents that met at least one goal.
	AgentsMeetingGoal int64 `json:"agents_meeting_goal"`
	// One row per agent, in the order of the trace's header.
	PerAgent []AgentRow `json:"per_agent"`
	// Sum of all agents' stocks and electricity at the end, by resource name; empty for an unfinished run.
	FinalStock []world.Amount `json:"final_stock"`
	// Digest of the world after the last complete tick.
	FinalDigest string `json:"final_digest"`
	// Figures that depend on the clock and the network, and nothing else.
	Timing Timing `json:"timing"`
}

// TurnFailure is a turn that ended without a decision of its model or seat.
type TurnFailure struct {
	// Tick of the turn.
	Tick int64 `json:"tick"`
	// Agent whose turn it was.
	AgentID string `json:"agent_id"`
	// How it failed: a wait reason.
	Reason trace.WaitReason `json:"reason"`
}

// SamplingRow is one setting of how models were asked to answer.
type SamplingRow struct {
	// Agent or model it was for; empty for all others.
	For string `json:"for"`
	// Name of the setting: max_output_tokens, reasoning_effort, service_tier, temperature, top_p or extra_body.
	Setting string `json:"setting"`
	// Value as it was sent.
	Value string `json:"value"`
}

// SettingRow is one setting of the run.
type SettingRow struct {
	// Name of the setting in records.
	Setting string `json:"setting"`
	// Value as text or JSON; of a long one its beginning and its digest.
	Value string `json:"value"`
}

// settingCharsMax bounds what is shown of the value of a setting, in characters. A part of the world that is
// longer than partCharsMax bytes is a digest.
const (
	settingCharsMax = 500
	partCharsMax    = 60
)

// clipped is a value, or the beginning of a long one and its digest, so that other values are other texts.
func clipped(value string) string {
	cut := plaintext.Clip(value, settingCharsMax)
	if cut == value {
		return value
	}
	return cut + " " + digest(value)
}

// digest is the beginning of the SHA-256 of a text.
func digest(text string) string { return "sha256 " + llmclient.Hash([]byte(text))[:12] }

// worldRows lists what a scenario's worlds are made of in a run with some settings.
func worldRows(s world.Scenario, by trace.Settings) []SettingRow {
	s = s.In(by.Language)
	s.Texts = nil
	if by.Rules != nil {
		s.Rules = *by.Rules
	}
	if by.Goals != nil {
		s.Goals = by.Goals // they are in the words of the run
	}
	rows := []SettingRow{}
	for _, p := range s.Parts(by.Language) {
		if len(p.Value) > partCharsMax {
			p.Value = digest(p.Value)
		}
		rows = append(rows, SettingRow{p.Name, p.Value})
	}
	return rows
}

// settingRows lists settings, other than how far the run was to go.
func settingRows(s trace.Settings) []SettingRow {
	rows := []SettingRow{}
	for _, c := range (trace.Settings{}).Changes(s) {
		if c.What != "ticks" {
			rows = append(rows, SettingRow{c.What, clipped(c.To)})
		}
	}
	return rows
}

// chosenRows lists what was set otherwise than by default for a run of a scenario.
func chosenRows(s trace.Settings, of world.Scenario) []SettingRow {
	usual := trace.DefaultSettings()
	usual.Seed = of.Seed
	usual.ScriptedSeed, usual.FaultSeed = s.Seed, s.Seed
	rows := []SettingRow{}
	for _, c := range usual.Changes(s.WithDefaults()) {
		switch c.What {
		case "scenario", "scenario_toml", "ticks", "model", "model_source", "base_url", "prices":
			continue // each is named elsewhere
		case "fault_seed":
			if s.Faults == "" {
				continue
			}
		}
		rows = append(rows, SettingRow{c.What, clipped(c.To)})
	}
	if s.Rules != nil {
		rows = append(rows, SettingRow{"rules", "changed"})
	}
	if s.Goals != nil {
		rows = append(rows, SettingRow{"goals", "changed"})
	}
	return rows
}

// JSON returns the report as indented JSON with a final line feed. Equal reports
// give equal bytes.
func (r Report) JSON() []byte {
	var b bytes.Buffer
	r.Timing.ReportHash = ""
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		panic("report: a report cannot be encoded: " + err.Error())
	}
	return state.SealReport(b.Bytes())
}

// Versions are the versions that a trace's header names.
type Versions struct {
	// Version of the engine.
	Engine string `json:"engine"`
	// Version of the world's rules.
	Rules string `json:"rules"`
	// Version of the prompts.
	Prompt string `json:"prompt"`
	// Hash of the scenario's text.
	Scenario string `json:"scenario"`
	// Words are the hash of a user's texts to models, empty without any.
	Words string `json:"words"`
}

// Provenance counts sources over all decisions.
type Provenance struct {
	// Sources in view of decisions.
	SourcesRetrieved int64 `json:"sources_retrieved"`
	// Sources that decisions used.
	SourcesUsed int64 `json:"sources_used"`
	// Source ids that models named and that exist, but were not in view; they earn no credit.
	SourcesUnknown int64 `json:"sources_unknown"`
	// Source ids that models named and that exist nowhere.
	SourcesInvented int64 `json:"sources_invented"`
	// Sources used, by how the model named them: its own list (self), its texts (text) or both.
	UsedByChannel Counts `json:"used_by_channel"`
	// Sources in view by kind.
	RetrievedByKind Counts `json:"retrieved_by_kind"`
	// Sources used by kind.
	UsedByKind Counts `json:"used_by_kind"`
	// Decisions that used at least one source.
	DecisionsUsingSources int64 `json:"decisions_using_sources"`
	// Outcomes of using sources and of only having them in view, by kind.
	Kinds []KindEffect `json:"kinds"`
	// Outcomes of using each bullet of a playbook and of only having it in view.
	Bullets []BulletEffect `json:"bullets"`
	// Outcomes of using each chunk of a document and of only having it in view.
	Documents []DocumentEffect `json:"documents"`
	// Outcomes of decisions by the wording of the instructions.
	Templates []TemplateOutcomes `json:"templates"`
}

// ForkReport says where a fork left another run, and how it went on.
type ForkReport struct {
	// Directory of the run that was left, without the path to it.
	Parent string `json:"parent"`
	// Name of that run in the evidence of lessons.
	ParentRun string `json:"parent_run"`
	// Last tick that is the parent's; 0 for none.
	AtTick int64 `json:"at_tick"`
	// What holds differently after it.
	Changes []trace.Change `json:"changes"`
	// The parent (a) and the fork (b) after that tick; null when the parent was not found.
	Comparison *Comparison `json:"comparison"`
}

// TaskScore is how a run did in its scenario's task, beside what players without a model score in
// the same instance, under the same rules, and what the rules allow.
type TaskScore struct {
	// What the task asks for: production, survival or cooperation.
	Family string `json:"family"`
	// What the score measures.
	Metric string `json:"metric"`
	// Score of the run, of its complete ticks.
	Score int64 `json:"score"`
	// Whether all ticks that count were played; the score of a run that was cut short says little, that of
	// advanced is compared.
	Complete bool `json:"complete"`
	// What others score in the same instance; null if a fork changed rules on the way, or if there
	// are too many agents and ticks to play.
	Baselines *baseline.Scores `json:"baselines"`
	// Ticks of a run that counts; a shorter run gains nothing by being short.
	Ticks int64 `json:"ticks"`
	// First tick that counts.
	From int64 `json:"from"`
}
