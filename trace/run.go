package trace

import "example.com/agentworld/world"

// Event is something that happened in the world, in the world's own order.
type Event struct {
	Tick  int64       `json:"tick"`
	Event world.Event `json:"event"`
}

// TickEnd ends a tick. A trace is complete up to its last TickEnd: what follows
// belongs to a tick that was cut short.
type TickEnd struct {
	Tick int64 `json:"tick"`
	// Digest is the world's digest after the tick.
	Digest string `json:"digest"`
	// Due counts the agents that took a turn, Continued those whose standing order
	// went on without one.
	Due       int `json:"due"`
	Continued int `json:"continued"`
	// WorldTime is the world's time in ticks.
	WorldTime int64 `json:"world_time"`
}

// RunStatus is how a run ended.
type RunStatus string

// The run statuses. A trace without a [RunEnd] is unfinished.
const (
	RunCompleted      RunStatus = "completed"
	RunInterrupted    RunStatus = "interrupted"
	RunProviderFailed RunStatus = "provider_failed"
	// RunNoUsableAnswers: a model answered, and no turn could use any of it.
	RunNoUsableAnswers RunStatus = "no_usable_answers"
	RunBudgetReached   RunStatus = "budget_exhausted"
	// RunReplayDiffers: a recording was to answer everything and could not.
	RunReplayDiffers RunStatus = "replay_differs"
	// RunRecordingDamaged: a recording that answers were taken from could not be read on.
	RunRecordingDamaged RunStatus = "recording_damaged"
	RunInternalError    RunStatus = "internal_error"
	// RunUnfinished stands in reports for a trace without a RunEnd; it is never
	// written to a trace.
	RunUnfinished RunStatus = "unfinished"
)

// RunEnd closes a trace. A resumed run writes another one later; the last holds.
type RunEnd struct {
	Tick      int64     `json:"tick"`
	RunStatus RunStatus `json:"run_status"`
	// Reason is one line for people, empty for a completed run.
	Reason      string        `json:"reason,omitempty"`
	TicksDone   int64         `json:"ticks_done"`
	FinalDigest string        `json:"final_digest"`
	Agents      []FinalAgent  `json:"agents"`
	Goals       []GoalOutcome `json:"goals"`
	// FaultsInjected counts the answers that the scripted server spoilt on purpose,
	// by kind, those of an abandoned last tick included; absent when there were none.
	FaultsInjected map[string]int64 `json:"faults_injected_by_kind,omitempty"`
	// Timing is nil in the canonical form.
	Timing *EndTiming `json:"timing,omitempty"`
}

// FinalAgent is an agent's state at the end.
type FinalAgent struct {
	AgentID     string `json:"agent_id"`
	Place       string `json:"place"`
	PowerState  string `json:"power_state"`
	Electricity int64  `json:"electricity"`
	Heat        int64  `json:"heat"`
	// Stock is everything else the agent holds, products included, without zero
	// amounts and without electricity.
	Stock []world.Amount `json:"stock"`
}

// GoalOutcome is how far an agent got with a goal.
type GoalOutcome struct {
	GoalID  string `json:"goal_id"`
	AgentID string `json:"agent_id"`
	Text    string `json:"text"`
	// MetAt is the tick in which the goal was met first, nil when it was not.
	MetAt *int64 `json:"met_at"`
	// Now is the measured amount at the end, AtLeast what the goal asks for.
	Now     int64 `json:"now"`
	AtLeast int64 `json:"at_least"`
}

// EndTiming is what of the end depends on the clock.
type EndTiming struct {
	// FinishedAt is in RFC 3339; WallMS counts milliseconds since the start.
	FinishedAt string `json:"finished_at"`
	WallMS     int64  `json:"wall_ms"`
	// Endpoints tell how the calls to each endpoint were held back.
	Endpoints []EndpointTiming `json:"endpoints,omitempty"`
}

// EndpointTiming is what the limiter of one endpoint did.
type EndpointTiming struct {
	// BaseURL is the endpoint without secrets.
	BaseURL string `json:"base_url"`
	// Attempts were sent, Waited of them not at once; GaveUp ended before their turn.
	Attempts int64 `json:"attempts"`
	Waited   int64 `json:"waited"`
	GaveUp   int64 `json:"gave_up"`
	// WaitMS is the time waited by all attempts together, WaitLongestMS by one.
	WaitMS        int64 `json:"wait_ms"`
	WaitLongestMS int64 `json:"wait_longest_ms"`
	// Throttled attempts found the endpoint overloaded; Pauses were asked of one call
	// and held for all.
	Throttled int64 `json:"throttled"`
	Pauses    int64 `json:"pauses"`
	// InFlightMost were under way at once; LimitLowest and LimitFinal are the least and
	// the last limit on that.
	InFlightMost int `json:"in_flight_most"`
	LimitLowest  int `json:"limit_lowest"`
	LimitFinal   int `json:"limit_final"`
}
