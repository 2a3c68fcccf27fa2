package explain

import (
	"encoding/json"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// Inspection is the progress of a run and its last events. The run may be under way or have ended in any
// way. It is made of the run's index and state, and of the few ticks that are shown; what only its
// directory knows is set by whoever looks there.
type Inspection struct {
	Run         string            `json:"run"`
	Scenario    string            `json:"scenario"`
	Seed        uint64            `json:"seed"`
	Model       string            `json:"model"`
	ModelSource trace.ModelSource `json:"model_source"`
	Protocol    string            `json:"protocol"`
	// State is the run's status, "running" while a process works on it. Process is its id, Reason why the
	// run ended early.
	State   string `json:"state"`
	Process string `json:"process,omitempty"`
	Reason  string `json:"reason,omitempty"`
	// Waits are the current waits for endpoints.
	Waits json.RawMessage `json:"waiting,omitempty"`
	// Tick is the last whole tick, Ticks how many were asked for.
	Tick    int64 `json:"tick"`
	Ticks   int64 `json:"ticks"`
	Resumes int64 `json:"resumes"`
	// Waiting counts the exchanges after the last whole tick, which a resume uses.
	Waiting int64 `json:"exchanges_of_next_tick"`
	state.Counts
	Failures map[string]int64           `json:"failed_by_kind"`
	Usage    map[string]llmclient.Usage `json:"tokens_by_model"`
	// Deviations are the ticks of deviation from plans that count now, by agent that has any.
	Deviations map[string]int64 `json:"deviations,omitempty"`
	// Spent is what counts against the caps, calls of the open tick included.
	Spent state.Spent `json:"spent"`
	// Caps are those that hold, absent without any, in this currency.
	Caps trace.Caps `json:"caps,omitzero"`
	// CapsPending are those that hold from a later tick on, nil for none.
	CapsPending *trace.CapChange `json:"caps_pending,omitempty"`
	Currency    string           `json:"currency,omitempty"`
	// Files are those of the trace, Bytes their size on disk.
	Files int   `json:"trace_files"`
	Bytes int64 `json:"trace_bytes"`
	// Recent are the decisions and events of the ticks asked for, or of the last ones.
	Recent []RecentTick `json:"ticks_shown"`
}

// RecentTick is one tick that is shown.
type RecentTick struct {
	Tick    int64  `json:"tick"`
	Digest  string `json:"digest,omitempty"`
	Calls   int64  `json:"calls"`
	Failed  int64  `json:"failed"`
	Refused int64  `json:"refused"`
	// Controls are what an operator did before the tick.
	Controls  []trace.Control  `json:"controls,omitempty"`
	Decisions []RecentDecision `json:"decisions"`
	Events    []trace.Event    `json:"events"`
}

// RecentDecision is what an agent did.
type RecentDecision struct {
	AgentID    string           `json:"agent_id"`
	DecidedBy  trace.DecidedBy  `json:"decided_by"`
	Executed   json.RawMessage  `json:"executed"`
	WaitReason trace.WaitReason `json:"wait_reason,omitempty"`
	Outcome    json.RawMessage  `json:"outcome"`
}

// recentTicks is how many ticks are shown when none is asked for: one, or for a single agent, which does
// not decide in each, some more.
const recentTicks, recentTicksOfAgent = 1, 10

// Inspect looks at a run with an index that reaches its state now. tick is the tick to show, 0 for the
// last ones; agent limits what is shown, empty is all. The error is a [*NoAgentError], a [*NoTickError], or
// says where the trace cannot be read; the inspection is then made of what was read before.
func Inspect(of Run, x *state.Index, now *state.State, tick int64, agent string) (i Inspection, err error) {
	h := now.Header
	if agent != "" {
		if err := CheckAgent(h, agent); err != nil {
			return i, err
		}
	}
	s := h.Settings
	i = Inspection{
		Scenario: s.Scenario, Seed: s.Seed, Model: s.Model, ModelSource: s.ModelSource, Protocol: s.Protocol,
		State: string(trace.RunUnfinished), Tick: now.Tick, Ticks: now.Asked, Resumes: now.Resumes,
		Waiting: int64(len(now.Open.Exchanges)), Spent: now.SpentByNow(), Caps: now.CapsAt(now.Tick + 1),
		CapsPending: now.Pending, Currency: h.SettingsAt(now.Tick).Currency(),
		Counts: x.Counts, Failures: x.Failures, Usage: x.Usage, Recent: []RecentTick{},
	}
	for agent := range now.Deviations {
		if n := now.DeviationsOf(agent); n > 0 {
			if i.Deviations == nil {
				i.Deviations = map[string]int64{}
			}
			i.Deviations[agent] = n
		}
	}
	if now.End != nil {
		i.State, i.Reason = string(now.End.RunStatus), now.End.Reason
	}
	first, last := i.Tick-recentTicks+1, i.Tick
	if agent != "" {
		first = i.Tick - recentTicksOfAgent + 1
	}
	if tick > 0 {
		if _, ok := x.At(tick); !ok {
			return i, &NoTickError{Tick: tick, Last: i.Tick}
		}
		first, last = tick, tick
	}
	first = max(1, first)
	for t, err := range Ticks(of, x, first, max(first, last)) {
		if t.Tick > 0 {
			i.Recent = append(i.Recent, t.recent(agent))
		}
		if err != nil {
			return i, err
		}
	}
	return i, nil
}

// recent is what is shown of the tick, of one agent unless agent is empty.
func (t *Tick) recent(agent string) RecentTick {
	wanted := func(id string) bool { return agent == "" || agent == id }
	n := t.counts(wanted)
	r := RecentTick{Tick: t.Tick, Digest: t.Digest, Calls: n.Calls, Failed: n.Failed, Refused: n.Refused,
		Decisions: []RecentDecision{}, Events: []trace.Event{}}
	for _, c := range t.Controls {
		if c.AgentID == "" || wanted(c.AgentID) {
			c.Timing = nil
			r.Controls = append(r.Controls, c)
		}
	}
	for _, d := range t.Decisions {
		if wanted(d.AgentID) {
			r.Decisions = append(r.Decisions,
				RecentDecision{d.AgentID, d.DecidedBy, d.Executed, d.WaitReason, d.Outcome})
		}
	}
	for _, e := range t.Events {
		if wanted(e.Agent) {
			r.Events = append(r.Events, trace.Event{Tick: t.Tick, Event: e})
		}
	}
	return r
}
