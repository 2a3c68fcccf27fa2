package export

import (
	"encoding/json"

	"example.com/agentworld/trace"
)

// DecisionRow is one decision: the end of a turn, or a tick of an order or chain.
type DecisionRow struct {
	Of
	// Tick of the decision.
	Tick int64 `json:"tick"`
	// Id of the agent.
	Agent string `json:"agent"`
	// Who took it: model, seat, standing (an order or chain of an earlier turn) or engine (nobody; the agent waited).
	DecidedBy trace.DecidedBy `json:"decided_by"`
	// What the action was taken from when the turn failed, or the world had refused the decision: draft or plan.
	By trace.Basis `json:"by"`
	// How the turn failed before a decision; empty if it did not.
	FailedBy trace.WaitReason `json:"failed_by"`
	// Name of the executed action; of an order that of what it repeats.
	Action string `json:"action"`
	// Number of the step of a chain that the tick is of, from 1; 0 for anything else.
	ChainStep int64 `json:"chain_step"`
	// Action that the model proposed.
	Proposed json.RawMessage `json:"proposed"`
	// Action that the world got.
	Executed json.RawMessage `json:"executed"`
	// Amounts that were changed to what is possible.
	Adjustments int64 `json:"adjustments"`
	// Whether the world carried it out; empty if it was not asked.
	Accepted *bool `json:"accepted"`
	// Code of the rejection; empty without one.
	Code string `json:"code"`
	// Choices that the world refused before this one.
	RefusedBefore int64 `json:"refused_before"`
	// Why the engine made the agent wait; empty for a wait that was chosen.
	WaitReason trace.WaitReason `json:"wait_reason"`
	// Class of that reason: llm, parse, seat, guard, world or limit.
	ErrorClass trace.ErrorClass `json:"error_class"`
	// The agent's own reason, a text of a model.
	Why string `json:"why"`
	// What allowed the action: own, unguarded, plan, deviation, unplanned, rule or fallback; empty for a wait of the
	// engine.
	AuthorityBy trace.AuthorityBy `json:"authority_by"`
	// Number of the planned action, from 1; 0 for none.
	AuthorityPlanned int64 `json:"authority_planned"`
	// Number of the scenario's rule that allowed it, from 1; 0 for none.
	AuthorityRule int64 `json:"authority_rule"`
	// Agent that asked for it; empty for none.
	AuthorityAsker string `json:"authority_asker"`
	// Request, offer or message in which it was asked for; empty for none.
	AuthorityTerms string `json:"authority_terms"`
	// Ticks of deviation from the plan that it counts.
	Deviation int64 `json:"deviation" unit:"ticks"`
	// Sources in view of the turn.
	SourcesInView int64 `json:"sources_in_view"`
	// Sources that it rests on.
	SourcesUsed int64 `json:"sources_used"`
	// Least trust of a source in view: tool_error, other_agent, derived, self_observation or rules; empty without any.
	Trust string `json:"trust"`
	// How it was committed: two-step, one-step or skip; empty for none of them.
	Commit trace.Commit `json:"commit"`
	// Calls that this saved.
	CallsSaved int64 `json:"calls_saved" unit:"calls"`
	// Calls of a model for the turn; the table calls has them.
	Calls int64 `json:"calls" unit:"calls"`
	Tokens
	// How long the turn took; empty where no model was asked.
	LatencyMS *int64 `json:"latency_ms" unit:"ms"`
}

// CallRow is one request to a model, or observation for a seat, and its answer.
type CallRow struct {
	Of
	// Tick of the call.
	Tick int64 `json:"tick"`
	// Id of the agent.
	Agent string `json:"agent"`
	// Number of the call in the turn, from 1.
	Step int64 `json:"step"`
	// Stage of the turn; seat is a move of a seat, reflect and consolidate belong to no decision.
	Stage trace.Stage `json:"stage"`
	// Model asked for, or seat.
	Model string `json:"model"`
	// Model that answered, in the provider's word.
	Answered string `json:"answered"`
	// What the answer amounts to; no_reply is a failure.
	Kind string `json:"kind"`
	// Status of the reply, in the provider's word.
	Status string `json:"status"`
	// Kind of the failure; empty if there was a reply.
	Failure string `json:"failure"`
	// Code of the failure.
	FailureCode string `json:"failure_code"`
	Tokens
	// Tier that served the call, in the provider's word.
	ServiceTier string `json:"service_tier"`
	// Characters of instructions and input.
	InputChars int64 `json:"input_chars" unit:"characters"`
	// Characters of the tool list.
	ToolChars int64 `json:"tool_chars" unit:"characters"`
	// Sections of the prompt that were cut.
	Clipped int64 `json:"clipped" unit:"sections"`
	// Time to the answer; empty if it was not measured.
	LatencyMS *int64 `json:"latency_ms" unit:"ms"`
	// HTTP requests made for the answer.
	Attempts int64 `json:"attempts" unit:"requests"`
	// Whether the answer came from a recording.
	Recorded bool `json:"recorded"`
	// SHA-256 of the request.
	RequestHash string `json:"request_hash"`
}

// ToolCallRow is one call of a tool of the run's user.
type ToolCallRow struct {
	Of
	// Tick of the call.
	Tick int64 `json:"tick"`
	// Id of the agent.
	Agent string `json:"agent"`
	// Number of the model call whose answer made it.
	Step int64 `json:"step"`
	// Id of the call.
	CallID string `json:"call_id"`
	// Name of the tool.
	Tool string `json:"tool"`
	// Whether its results may decide what the agent does.
	Trusted bool `json:"trusted"`
	// Arguments as the tool got them.
	Arguments json.RawMessage `json:"arguments"`
	// Why there is no result; empty if there is one.
	Code trace.ToolCode `json:"code"`
	// Result, as far as it was kept: data of the tool.
	Result json.RawMessage `json:"result"`
	// Length of the result before it was cut.
	BytesFull int64 `json:"bytes_full" unit:"bytes"`
	// Time to the result; empty if it was not measured.
	LatencyMS *int64 `json:"latency_ms" unit:"ms"`
}

// RefusalRow is one request that a cap refused.
type RefusalRow struct {
	Of
	// Tick of the request.
	Tick int64 `json:"tick"`
	// Id of the agent.
	Agent string `json:"agent"`
	// Number that the call would have had in the turn.
	Step int64 `json:"step"`
	// Stage of the turn.
	Stage trace.Stage `json:"stage"`
	// Cap that refused it, such as run_tokens.
	Cap string `json:"cap"`
	// That cap; cost in 10^-12 of the currency.
	Limit int64 `json:"limit"`
	// What was left of it.
	Available int64 `json:"available"`
	// Most that the request would have taken.
	Requested int64 `json:"requested"`
}

// StepRow is one fact of a turn: a plan, a module call, a repair, a verdict of the guard.
type StepRow struct {
	Of
	// Tick of the turn.
	Tick int64 `json:"tick"`
	// Id of the agent.
	Agent string `json:"agent"`
	// Number of the model call that led to it, 0 before the first.
	Step int64 `json:"step"`
	// What the turn did, such as plan, module_call, guard or parse_error.
	Kind trace.StepKind `json:"kind"`
	// How it went: ok, degraded or error.
	Status trace.StepStatus `json:"status"`
	// Fixed word that says which or why.
	Code string `json:"code"`
	// Module, tool or rule.
	Name string `json:"name"`
	// What the parser forgave in the answer, with spaces between.
	Repairs string `json:"repairs"`
	// Further facts.
	Detail json.RawMessage `json:"detail"`
}
