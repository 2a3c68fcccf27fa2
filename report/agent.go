package report

import (
	"example.com/agentworld/world"
)

// AgentRow is one agent's share of a [Report].
type AgentRow struct {
	// Id of the agent.
	AgentID string `json:"agent_id"`
	// Name of the agent, empty when it has none.
	Name string `json:"name"`
	// Model asked for.
	Model string `json:"model"`
	// Seat that played it last, with its version, in place of the model; empty for none.
	Seat string `json:"seat"`
	// Endpoint of the agent, empty for the run's.
	BaseURL string `json:"base_url"`
	// Why the agent took no more turns: the error kind that ended its endpoint; empty when it went on.
	StoppedBy string `json:"stopped_by"`
	// Last tick in which it could take one; 0 when it went on.
	StoppedAtTick int64 `json:"stopped_at_tick"`
	// Turns: times that it was asked, or would have been if a cap had not refused.
	Turns int64 `json:"turns"`
	// Turns that ended without a decision of its model or seat: in a wait that nobody chose, or in what had been
	// drafted or planned before.
	FailedTurns int64 `json:"failed_turns"`
	// Decisions made by a model or a seat.
	Decisions int64 `json:"decisions"`
	// Decisions that continued a standing order.
	Continued int64 `json:"continued"`
	// Model calls that standing orders saved: continued times the calls of the run's average decision, rounded down.
	CallsSaved int64 `json:"calls_saved"`
	// Model calls sent for decisions.
	Calls int64 `json:"calls"`
	// Requests for decisions that a cap refused.
	CallsRefused int64 `json:"calls_refused"`
	// Model calls that ended without a reply.
	LLMErrors int64 `json:"llm_errors"`
	// Answers that could not be used.
	ParseErrors int64 `json:"parse_errors"`
	// Waits for any reason.
	Waits int64 `json:"waits"`
	// Waits put in place of a decision that did not come about.
	WaitsDegraded int64 `json:"waits_degraded"`
	// Ticks of deviation from plans, with untrusted text in view.
	DeviationTicks int64 `json:"deviation_ticks"`
	// Actions the world accepted, waits not counted.
	Successes int64 `json:"successes"`
	// Actions the world rejected, waits not counted.
	Failures int64 `json:"failures"`
	// Rejected actions by rejection code.
	Rejections Counts `json:"rejections"`
	// Tokens of all answers.
	Tokens Tokens `json:"tokens"`
	// Times it ran out of power, in whole ticks.
	Shutdowns int64 `json:"shutdowns"`
	// Goals met.
	GoalsMet int64 `json:"goals_met"`
	// Goals that it has; 0 for an unfinished run.
	Goals int64 `json:"goals"`
	// Tick in which it met the last of those that it met; null without one.
	GoalMetAt *int64 `json:"goal_met_at"`
	// Sum of what it passed to other agents in whole ticks, as gifts and in trades, by resource.
	Gave []world.Amount `json:"gave"`
	// Sum of what other agents passed to it, by resource.
	Got []world.Amount `json:"got"`
	// Tick of its last decision, its orders' included; 0 without one.
	LastTick int64 `json:"last_tick"`
	// What was done in it, by name, a standing order as what it repeats.
	LastAction string `json:"last_action"`
	// Why the last turn failed or the world refused its action: a wait reason or a rejection code; empty otherwise.
	LastCode string `json:"last_code"`
	// Place at the end; empty for an unfinished run, like the fields below.
	Place string `json:"place"`
	// Power state at the end.
	PowerState string `json:"power_state"`
	// Electricity at the end, in units.
	Electricity int64 `json:"electricity"`
	// Heat at the end, in units.
	Heat int64 `json:"heat"`
	// Everything else the agent held at the end.
	Stock []world.Amount `json:"stock"`
}
