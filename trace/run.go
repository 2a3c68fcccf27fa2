package trace

import (
	"slices"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/world"
)

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
	// continued without one.
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
	// RunUnfinished is the status in reports of a trace without a RunEnd; it is never
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
	// Endpoints say how the calls to each endpoint were delayed.
	Endpoints []EndpointTiming `json:"endpoints,omitempty"`
	// Ahead says what was asked ahead, nil if nothing was to be.
	Ahead *AheadTiming `json:"ahead,omitempty"`
}

// AheadTiming is what became of the calls that were asked ahead of a run, since its start.
type AheadTiming struct {
	// Depth is how many ticks were foreseen, WastePermille how many calls could be in vain for a thousand.
	Depth         int   `json:"depth"`
	WastePermille int64 `json:"waste_permille"`
	// Asked counts the calls. Used of them the run used, Wasted were in vain, Open were neither when the run
	// stopped, and a resume may use them.
	Asked  int64 `json:"asked"`
	Used   int64 `json:"used"`
	Wasted int64 `json:"wasted"`
	Open   int64 `json:"open"`
	// WastedUsage is what the wasted calls took, as far as they were answered.
	WastedUsage llmclient.Usage `json:"wasted_usage"`
	// WastedCost is what they cost at the recorded prices, as far as models have any, and of those that were cut off
	// what was reserved for them.
	WastedCost price.Money `json:"wasted_cost_pico"`
	// SavedMS is by how much ticks were shorter than the answers of their slowest turns took, in milliseconds.
	SavedMS int64 `json:"saved_ms"`
}

// EndpointTiming is what the limiter of one endpoint did.
type EndpointTiming struct {
	// BaseURL is the endpoint without secrets.
	BaseURL string `json:"base_url"`
	// Attempts were sent, Waited of them after a wait; GaveUp ended before their turn.
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
	// InFlightMost is the highest number of concurrent calls; LimitLowest and LimitFinal
	// are the lowest and the last limit on that.
	InFlightMost int `json:"in_flight_most"`
	LimitLowest  int `json:"limit_lowest"`
	LimitFinal   int `json:"limit_final"`
}

// Fork is where a run left the one it was forked from. Up to AtTick the run is its
// parent's, derived again from recorded answers; from Tick on it is its own. All forks
// of a run are in its header, so that the run can be derived from that alone; as a
// record a fork says that it took effect.
type Fork struct {
	// Tick is the first tick of the run's own, AtTick+1.
	Tick int64 `json:"tick"`
	// AtTick is the last tick that is the parent's, 0 for none.
	AtTick int64 `json:"at_tick"`
	// Parent is the run that was left.
	Parent ForkParent `json:"parent"`
	// Changes are what holds differently from Tick on; empty when only the model is
	// asked again.
	Changes []Change `json:"changes"`
	// Settings hold from Tick on, PromptVersion is the version of their prompts.
	Settings      Settings `json:"settings"`
	PromptVersion string   `json:"prompt_version"`
}

// Change changes the world to what the scenario of the fork says, between two ticks. The error says what of it
// a world cannot change to; the world must not be used after it.
func (f Fork) Change(w *world.World, s world.Scenario) error {
	if err := w.SetRules(s.Rules); err != nil {
		return err
	}
	if err := w.SetGoals(s.Goals); err != nil {
		return err
	}
	if f.EndsChains() {
		w.EndOrders()
	}
	return nil
}

// EndsChains reports whether all orders and chains of agents end at the fork, because it changes more
// than caps and the length of the run: they were decided under other settings.
func (f Fork) EndsChains() bool { return EndsChains(f.Changes) }

// EndsChains is [Fork.EndsChains] for the changes of a fork.
func EndsChains(changes []Change) bool {
	return slices.ContainsFunc(changes, func(c Change) bool { return c.What != "caps" && c.What != "ticks" })
}

// ForkParent names a run that was forked.
type ForkParent struct {
	// Name is its directory, without the path to it.
	Name string `json:"name"`
	// Run is its name in the evidence of lessons, a digest of what shaped it.
	Run string `json:"run"`
	// Digest is that of the world after AtTick, empty for tick 0.
	Digest string `json:"digest,omitempty"`
}

// Change is one setting that a fork changed, for people. Long texts are cut.
type Change struct {
	// What is the setting's name, such as "model" or "rules.move_cost_per_km".
	What string `json:"what"`
	From string `json:"from"`
	To   string `json:"to"`
}

// RunName names the run from the fork on in the evidence of lessons.
func (f Fork) RunName() string {
	return runName(f.Parent.Run, f.Parent.Digest, f.AtTick, f.PromptVersion, f.Settings.shaping())
}

// Resume says that a process continued a run that another one had left. It is the first
// record of that process, so earlier records were written by earlier ones. The canonical
// form omits it: a run that was resumed equals one that never stopped.
type Resume struct {
	// Tick is the last whole tick found in the trace.
	Tick int64 `json:"tick"`
	// TicksRequested is how many ticks the run is to have from now on.
	TicksRequested int64 `json:"ticks_requested"`
	// Exchanges counts the recorded answers of the tick after Tick, which are used
	// again rather than asked for.
	Exchanges int `json:"exchanges"`
	// CutBytes counts the bytes that were cut off: a torn line, records of a tick
	// that did not complete, calls that an interruption ended.
	CutBytes int64 `json:"cut_bytes"`
	// BaseURL is the endpoint from now on, without credentials, where it differs from
	// the header's.
	BaseURL string `json:"base_url,omitempty"`
	// Caps are the other caps that a resume asks for, and the tick from which they hold,
	// which has its own [CapChange]; nil for none.
	Caps *CapChange `json:"caps,omitempty"`
	// Drift says which version differs from the header's, empty if none does.
	Drift string `json:"drift,omitempty"`
	// Timing is nil in the canonical form.
	Timing *ResumeTiming `json:"timing,omitempty"`
}

// ResumeTiming is what of a resume depends on the clock or the machine.
type ResumeTiming struct {
	// ResumedAt is in RFC 3339.
	ResumedAt string `json:"resumed_at"`
	// Concurrency is the limit on concurrent turns from now on.
	Concurrency int `json:"concurrency"`
	// SegmentBytes is that of a [HeaderTiming] from now on.
	SegmentBytes *int64 `json:"segment_bytes,omitempty"`
}

// Segment opens every file of a trace but the first. A long trace is several files,
// each beginning where the one before ended, at the end of a tick; read one after
// the other they are the trace. The canonical form leaves it out.
type Segment struct {
	// Tick is the last tick of the files before.
	Tick int64 `json:"tick"`
	// Number is the number of this file; the first one, which has no such record, is 1.
	Number int `json:"number"`
}
