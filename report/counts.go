package report

import (
	"cmp"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// DecisionCounts counts decisions of every origin.
type DecisionCounts struct {
	// Waits executed for any reason: wait_chosen + wait_degraded.
	Wait int64 `json:"wait"`
	// Decisions to sleep for several ticks.
	WaitTicks int64 `json:"wait_ticks"`
	// Decisions for any other action.
	Act int64 `json:"act"`
	// Waits that a model chose, now or by a standing order.
	WaitChosen int64 `json:"wait_chosen"`
	// Those of a turn whose last draft had another action that passed every check.
	WaitChosenOverCandidates int64 `json:"wait_chosen_over_candidates"`
	// Waits put in place of a decision that did not come about.
	WaitDegraded int64 `json:"wait_degraded"`
	// Degraded waits by reason.
	WaitDegradedByReason Counts `json:"wait_degraded_by_reason"`
	// All decisions by who took them: "model" or "seat" in a turn of its own, "order" by a chain or standing order
	// of an earlier turn, "fallback" where the engine did what a failed turn had drafted or planned,
	// "nobody" for a wait that no one chose.
	DecidedBy Counts `json:"decided_by"`
	// Turns that failed before a decision and ended in the best they had, by what that was: "draft" or "plan".
	FallbacksBy Counts `json:"fallbacks_by"`
	// The same by how the turn failed.
	FallbacksByReason Counts `json:"fallbacks_by_reason"`
	// Turns that never gave a usable draft or decision: their waits that no one chose, and planned actions
	// in the place of a decision. What a cap refused or the user gave up is left out.
	Undecided int64 `json:"undecided"`
}

// The deciders of DecidedBy.
const (
	DecidedByModel    = "model"
	DecidedBySeat     = "seat"
	DecidedByOrder    = "order"
	DecidedByFallback = "fallback"
	DecidedByNobody   = "nobody"
)

// Turns are the turns of all agents: times that a model or seat was asked to decide, or would have been.
func (r Report) Turns() (n int64) {
	for _, a := range r.PerAgent {
		n += a.Turns
	}
	return n
}

// FailedTurns are the turns that ended without a decision of their model or seat.
func (r Report) FailedTurns() (n int64) {
	for _, a := range r.PerAgent {
		n += a.FailedTurns
	}
	return n
}

// TooManyUndecided reports whether more turns ended without a usable draft or decision than the settings allow.
func (r Report) TooManyUndecided() bool {
	return r.DecisionCounts.Undecided*100 > r.Turns()*r.MaxDegradedPct
}

// decided counts who took a decision.
func (n *DecisionCounts) decided(d trace.Decision) {
	switch {
	case d.DecidedBy == trace.ByStanding && d.WaitReason == "":
		n.DecidedBy[DecidedByOrder]++
	case d.DecidedBy == trace.ByEngine:
		n.DecidedBy[DecidedByNobody]++
	case d.FailedBy != "":
		n.DecidedBy[DecidedByFallback]++
	case d.DecidedBy == trace.BySeat:
		n.DecidedBy[DecidedBySeat]++
	default:
		n.DecidedBy[DecidedByModel]++
	}
	reason := cmp.Or(d.FailedBy, d.WaitReason)
	switch reason {
	case trace.WaitModelPrefix + trace.WaitReason(llmclient.ErrCap),
		trace.WaitModelPrefix + trace.WaitReason(llmclient.ErrAbandoned):
		return
	}
	if d.DecidedBy == trace.ByEngine || d.FailedBy != "" && d.By == trace.ByPlan {
		n.Undecided++
	}
}

// ActionCounts follows actions from the model to the world. A standing order that
// continues is not counted again, except in the clamps.
type ActionCounts struct {
	// Turns in which the model proposed a usable action.
	Proposed int64 `json:"proposed"`
	// Proposed actions with an amount that clamping changed.
	Adjusted int64 `json:"adjusted"`
	// Proposed actions that the world got, adjusted or not.
	Executed int64 `json:"executed"`
	// Proposed actions that the world did not get; the agent waited instead.
	Dropped int64 `json:"dropped"`
	// Orders to repeat an action, and chains of steps, that the world got.
	StandingOrders int64 `json:"standing_orders"`
	// Those of them with steps that follow the first.
	Chains int64 `json:"chains"`
	// Steps of chains that began after the first.
	ChainSteps int64 `json:"chain_steps"`
	// Ticks in which chains of several steps went on.
	ChainTicks int64 `json:"chain_ticks"`
	// Clamped amounts by action and field, such as "mine_compound.compound_mass_g".
	ClampsByField Counts `json:"clamps_by_field"`
}

// TraceCounts says what the turns did. Averages are per model call or decision
// and rounded down.
type TraceCounts struct {
	// Decisions recorded, continued and degraded ones included.
	Traces int64 `json:"traces"`
	// Requests sent to models for decisions.
	ModelCalls int64 `json:"model_calls"`
	// Requests for decisions that a cap refused; nothing was sent for them, and no other count has them.
	CallsRefused int64 `json:"calls_refused"`
	// Requests sent that ended without a reply.
	LLMErrors int64 `json:"llm_errors"`
	// Answers by what they amount to, failures as "no_reply"; they add up to model_calls.
	AnswersByKind Counts `json:"answers_by_kind"`
	// Answers that could not be used: they needed another call or ended in a wait.
	ParseErrors int64 `json:"parse_errors"`
	// Failed requests by error kind.
	LLMErrorsByKind Counts `json:"llm_errors_by_kind"`
	// What was wrong with unusable answers, by kind; one answer may have several.
	ParseErrorsByKind Counts `json:"parse_errors_by_kind"`
	// Answers that were used after the parser forgave something.
	ParseRepaired int64 `json:"parse_repaired"`
	// What the parser forgave, by name.
	ParseRepairsByKind Counts `json:"parse_repairs_by_kind"`
	// Requests made to have an answer repaired.
	RepairRoundsTotal int64 `json:"repair_rounds_total"`
	// Most repair requests in one turn.
	RepairRoundsMax int64 `json:"repair_rounds_max"`
	// Characters of instructions and input over all model calls.
	LLMInputCharsTotal int64 `json:"llm_input_chars_total"`
	// Characters of instructions and input per model call.
	LLMInputCharsAvg int64 `json:"llm_input_chars_avg"`
	// Most characters of instructions and input in one model call.
	LLMInputCharsMax int64 `json:"llm_input_chars_max"`
	// Characters of the tool list, the most in one model call.
	LLMToolChars int64 `json:"llm_tool_chars"`
	// Step records.
	StepEntries int64 `json:"step_entries"`
	// Step records by kind.
	StepTypeCounts Counts `json:"step_type_counts"`
	// Prompt sections over all model calls.
	PromptSectionEntries int64 `json:"prompt_section_entries"`
	// Prompt sections that were cut to fit, over all model calls.
	PromptSectionClipped int64 `json:"prompt_section_clipped"`
	// Model calls with any section cut.
	PromptsClipped int64 `json:"prompts_clipped"`
	// Cut sections by name.
	ClipsBySection Counts `json:"clips_by_section"`
	// Active ticks without any model call.
	LLMSkippedTicks int64 `json:"llm_skipped_ticks"`
	// Active ticks without any model call, per million active ticks.
	LLMSkippedTickRatioPPM int64 `json:"llm_skipped_tick_ratio_ppm"`
	// Model calls per decision that was not a continued one.
	CallsPerDecision CallsPerDecision `json:"calls_per_decision"`
	// Calls that were not offered at their stage and were taken all the same, by tool.
	OutOfOrder Counts `json:"out_of_order"`
	// Calls and actions that the turn's plan did not list, by tool or action; with bind_plan they were refused.
	OffPlan Counts `json:"off_plan"`
	// Calls made in a reason step, where none is allowed, and vetoed.
	ReasoningViolations int64 `json:"reasoning_violations"`
	// Actions the guard refused, by code.
	GuardRejectionsByCode Counts `json:"guard_rejections_by_code"`
	// Remarks in prompts on decisions that go in circles, by kind; they change no decision.
	RepetitionAdviceByKind Counts `json:"repetition_advice_by_kind"`
	// Module calls by module.
	ModuleCallsByName Counts `json:"module_calls_by_name"`
	// Module calls that failed, by code.
	ModuleErrorsByCode Counts `json:"module_errors_by_code"`
	// Calls of tools that do not exist or were not allowed, by code.
	ToolRefusalsByCode Counts `json:"tool_refusals_by_code"`
	// Calls that went wrong, of any tool, by code: where it was decided and why.
	ToolErrorsByCode Counts `json:"tool_errors_by_code"`
	// Calls whose arguments were refused before anything ran.
	ArgumentErrors int64 `json:"argument_errors"`
	// Calls of modules that ran and failed.
	ExecutionErrors int64 `json:"execution_errors"`
	// Items that could not go back to the provider as they came, by kind of repair.
	ItemRepairsByKind Counts `json:"item_repairs_by_kind"`
	// Items of kinds that have no meaning here, by whether they were kept.
	UnknownItems Counts `json:"unknown_items"`
	// Answers with text beside calls; the text was not read.
	TextBesideCalls int64 `json:"text_beside_calls"`
	// Answers with a refusal beside calls; the calls counted.
	RefusalsBesideCalls int64 `json:"refusals_beside_calls"`
	// Answers of several messages, read as one text.
	SeveralMessages int64 `json:"several_messages"`
	// Call ids the engine made because the provider's were missing or repeated.
	CallIDsMinted int64 `json:"call_ids_minted"`
	// Answers with two different decisions, none of which was executed.
	SeveralDecisions int64 `json:"several_decisions"`
	// Records of types that this version does not know.
	UnknownRecords int64 `json:"unknown_records"`
}

// CallsPerDecision is how many model calls decisions took.
type CallsPerDecision struct {
	// Average in thousandths.
	AvgMilli int64 `json:"avg_milli"`
	// Most model calls in one turn.
	Max int64 `json:"max"`
}

// Guard says what was refused and what was allowed by what, and how often the question arose. What
// the world would have refused by its own rules is in guard_rejections_by_code.
type Guard struct {
	// Actions refused by a rule of the guard, by rule; each candidate and each decision counts.
	RefusalsByRule Counts `json:"refusals_by_rule"`
	// The same by the name of the action.
	RefusalsByAction Counts `json:"refusals_by_action"`
	// Decisions refused and drafts of which nothing was left, whether by the guard or by the world.
	Rounds int64 `json:"rounds"`
	// Turns and standing orders that ended in a wait because what was wanted had been refused.
	Waits int64 `json:"waits"`
	// Decisions that the world refused, so that another candidate of the same draft was tried.
	Alternatives int64 `json:"alternatives"`
	// Decisions by what allowed them: own, plan, deviation, unplanned, rule or fallback; waits of the engine have nothing.
	DecisionsByAuthority Counts `json:"decisions_by_authority"`
	// Ticks of deviation from plans, with untrusted text in view.
	DeviationTicks int64 `json:"deviation_ticks"`
	// Turns with a source in view that is trusted less than the agent's own observations.
	TurnsWithUntrustedView int64 `json:"turns_with_untrusted_view"`
	// Checks of the guard that were left out; empty for a run that is no measurement of them.
	Off []string `json:"off"`
}

// Reasoning counts reason steps, in which a model may call nothing.
type Reasoning struct {
	// Reason steps that ended with a text.
	Steps int64 `json:"steps"`
	// Calls made in reason steps and vetoed.
	Violations int64 `json:"violations"`
	// Turns that ended in a wait because the model went on calling.
	Failed int64 `json:"failed"`
	// Reason steps of plans that the model went past.
	SkippedByModel int64 `json:"skipped_by_model"`
	// Reason steps of plans that a limit of the turn left out.
	SkippedByLimit int64 `json:"skipped_by_limit"`
}
