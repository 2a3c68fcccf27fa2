package export

import (
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
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
