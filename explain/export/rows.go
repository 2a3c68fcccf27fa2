package export

import (
	"encoding/json"

	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Of says which run a row is of. Every table begins with these columns.
type Of struct {
	// Name of the run: its directory, or its cell in a batch.
	Run string `json:"run"`
	// Name of the scenario.
	Scenario string `json:"scenario"`
	// Seed of the world.
	Seed uint64 `json:"seed"`
	// Arm of the batch, such as "model=small protocol=lean"; empty outside of a batch.
	Arm string `json:"arm"`
}

// Tokens are those of one or more answers.
type Tokens struct {
	// Input tokens, cached and written ones included.
	Input int64 `json:"input_tokens" unit:"tokens"`
	// Input tokens that the provider had cached.
	Cached int64 `json:"cached_tokens" unit:"tokens"`
	// Input tokens that the provider wrote to its cache.
	Written int64 `json:"written_tokens" unit:"tokens"`
	// Output tokens, reasoning included.
	Output int64 `json:"output_tokens" unit:"tokens"`
	// Output tokens spent on reasoning.
	Reasoning int64 `json:"reasoning_tokens" unit:"tokens"`
	// What they cost at the prices of the run; 0 without a price. Sums are exact; reports round them up to
	// millionths of the currency.
	Cost price.Money `json:"cost_pico" unit:"10^-12 of the currency"`
}

// RunRow is one run.
type RunRow struct {
	Of
	// Number of the repeat in a batch, from 1; 0 outside of a batch.
	Repeat int64 `json:"repeat"`
	// How the run ended, as in reports; "unfinished" if the trace has no end.
	Status trace.RunStatus `json:"status"`
	// Why it ended early; empty when it completed.
	Reason string `json:"reason"`
	// Model asked for at the end of the run.
	Model string `json:"model"`
	// Who answered as the model: "scripted" results say nothing about models.
	ModelSource trace.ModelSource `json:"model_source"`
	// Number of agents.
	Agents int64 `json:"agents" unit:"agents"`
	// Ticks the run was asked for.
	TicksRequested int64 `json:"ticks_requested" unit:"ticks"`
	// Whole ticks in the trace, all of which are exported.
	Ticks int64 `json:"ticks" unit:"ticks"`
	// Last tick of the task; empty without a task.
	TaskTicks *int64 `json:"task_ticks" unit:"ticks"`
	// Score of the task after the last whole tick; empty without a task.
	Score *int64 `json:"score" unit:"of the task's metric"`
	// Currency of all costs; empty without any price.
	Currency string `json:"currency"`
	// What of the run is missing in the tables, with the line of the trace; empty if nothing is.
	Missing string `json:"missing"`
}

// TickRow is one whole tick of a run.
type TickRow struct {
	Of
	// Number of the tick, from 1.
	Tick int64 `json:"tick"`
	// Agents that took a turn.
	Due int64 `json:"due" unit:"agents"`
	// Agents whose order or chain continued without a turn.
	Continued int64 `json:"continued" unit:"agents"`
	// Score of the task after the tick; empty without a task.
	Score *int64 `json:"score" unit:"of the task's metric"`
	// Change of the score in the tick; empty without a task.
	Reward *int64 `json:"reward" unit:"of the task's metric"`
	// Digest of the world after the tick.
	Digest string `json:"digest"`
}

// StateRow is one agent after one tick.
type StateRow struct {
	Of
	// Number of the tick.
	Tick int64 `json:"tick"`
	// Id of the agent.
	Agent string `json:"agent"`
	// What it did with the tick: decided, continued, travelling, waiting, shutdown, or stopped if its endpoint was
	// given up.
	State string `json:"state"`
	// Place; empty during a journey.
	Place string `json:"place"`
	// End of the journey under way.
	GoingTo string `json:"going_to"`
	// State of its power: normal, low, critical or shutdown.
	PowerState string `json:"power_state"`
	// Heat of the agent.
	Heat int64 `json:"heat" unit:"heat"`
	// Electricity in its battery.
	Electricity int64 `json:"electricity" unit:"units"`
	// What else it holds. In CSV each resource of the exported worlds has a column stock_NAME; compound counts in
	// grams, anything else in units. In JSON it is an object without zeros.
	Stock Stock `json:"stock" unit:"g or units"`
}

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

// EventRow is one thing that happened in the world, in a whole tick.
type EventRow struct {
	Of
	// Tick of the event.
	Tick int64 `json:"tick"`
	// What happened, such as action_applied, arrived or trade.
	Kind world.EventKind `json:"kind"`
	// Agent that acted or that it happened to.
	Agent string `json:"agent"`
	// Where.
	Place string `json:"place"`
	// Factory, goal, order, offer, message, note or place that it is about.
	Subject string `json:"subject"`
	// Fixed word: the new power state, the recipe, the kind of a message.
	Detail string `json:"detail"`
	// For an accepted offer, the agent that made it.
	From string `json:"from"`
	// Code of the rejection.
	Code string `json:"code"`
	// Message or note, a text of an agent.
	Text string `json:"text"`
	// Action that was applied or rejected.
	Action json.RawMessage `json:"action"`
	// Movements of the ledger that it made.
	Postings json.RawMessage `json:"postings"`
}

// MessageRow is one message, request, offer or note, when it was written or when it arrived.
type MessageRow struct {
	Of
	// Tick of the event.
	Tick int64 `json:"tick"`
	// What happened: message_sent, message_delivered or note_posted.
	Event world.EventKind `json:"event"`
	// Id of the message, note, request or offer.
	ID string `json:"id"`
	// Kind of a typed message, such as request or offer; empty for a text.
	Kind string `json:"kind"`
	// Who wrote it: an agent, or operator.
	From string `json:"from"`
	// For whom it is; empty for a note.
	To string `json:"to"`
	// Where it was written, or where it arrived.
	Place string `json:"place"`
	// Its text, chosen by an agent.
	Text string `json:"text"`
	// How far its text may influence who reads it: always other_agent.
	Trust string `json:"trust"`
	// What allowed its author to write it, as authority_by of decisions; empty for the operator's.
	AuthorityBy trace.AuthorityBy `json:"authority_by"`
}

// TradeRow is one trade.
type TradeRow struct {
	Of
	// Tick of the trade.
	Tick int64 `json:"tick"`
	// How it came about: order is a trade of electricity at the market of a place, offer an accepted offer.
	Kind string `json:"kind"`
	// Order, plant or offer that waited.
	ID string `json:"id"`
	// Where.
	Place string `json:"place"`
	// Agent that paid; of an offer the one that accepted it.
	Buyer string `json:"buyer"`
	// Agent that was paid; of an offer the one that made it.
	Seller string `json:"seller"`
	// Resource that the buyer got.
	Resource string `json:"resource"`
	// How much of it.
	Amount int64 `json:"amount" unit:"g or units"`
	// Resource that the buyer gave.
	PaidResource string `json:"paid_resource"`
	// How much of it.
	Paid int64 `json:"paid" unit:"g or units"`
	// Price of an order; empty for an offer.
	Price *int64 `json:"price" unit:"data per 10 electricity"`
}

// GoalRow is one goal of one agent.
type GoalRow struct {
	Of
	// Id of the goal.
	Goal string `json:"goal"`
	// Agent whose goal it is.
	Agent string `json:"agent"`
	// The goal in words; empty if the run has no end, or a fork took the goal away.
	Text string `json:"text"`
	// Tick in which it was met first; empty if it was not.
	MetAt *int64 `json:"met_at"`
	// Measured amount at the end; empty without an end.
	Now *int64 `json:"now" unit:"of the goal"`
	// Amount that the goal asks for; empty without an end.
	AtLeast *int64 `json:"at_least" unit:"of the goal"`
}

// Row is a row of one of the tables: a [RunRow], [TickRow], [StateRow], [DecisionRow], [CallRow], [ToolCallRow],
// [RefusalRow], [StepRow], [EventRow], [MessageRow], [TradeRow] or [GoalRow].
type Row interface {
	// agents are those that the row is about, nil for one that is about the whole run.
	agents() []string
}

func (RunRow) agents() []string        { return nil }
func (TickRow) agents() []string       { return nil }
func (r StateRow) agents() []string    { return []string{r.Agent} }
func (r DecisionRow) agents() []string { return []string{r.Agent} }
func (r CallRow) agents() []string     { return []string{r.Agent} }
func (r ToolCallRow) agents() []string { return []string{r.Agent} }
func (r RefusalRow) agents() []string  { return []string{r.Agent} }
func (r StepRow) agents() []string     { return []string{r.Agent} }
func (r EventRow) agents() []string    { return []string{r.Agent, r.From} }
func (r MessageRow) agents() []string  { return []string{r.From, r.To} }
func (r TradeRow) agents() []string    { return []string{r.Buyer, r.Seller} }
func (r GoalRow) agents() []string     { return []string{r.Agent} }
