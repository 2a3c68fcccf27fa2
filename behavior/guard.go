package behavior

import (
	"agentworld/llmclient"
	"agentworld/modules"
	"agentworld/world"
)

// Verdict is what the guard found about one action before it is committed. The
// order of checks is fixed: decode, schema, clamp, dry run.
type Verdict struct {
	// Proposed is the action as decoded from the model's arguments.
	Proposed world.Action
	// Adjusted is Proposed with amounts moved into their feasible range.
	Adjusted world.Action
	// Adjustments record each amount that moved.
	Adjustments []world.Adjustment
	// Check is the dry run of Adjusted on the agent's view.
	Check world.Check
}

// Refused reports whether the action must not be committed. An action whose
// result depends on what the agent cannot know may be tried.
func (v Verdict) Refused() bool { return v.Check.Status == world.CheckRejected }

// judge clamps and dry-runs one action on what the agent knows.
func judge(view world.View, proposed world.Action) Verdict {
	adjusted, adjustments := view.Clamp(proposed)
	return Verdict{proposed, adjusted, adjustments, view.Check(adjusted)}
}

// finding is the verdict as the model reads it.
func (v Verdict) finding(w *wording) modules.Finding {
	return modules.NewFinding(w.language, v.Adjusted, v.Adjustments, v.Check)
}

// verdictDetail is a verdict as a note keeps it: in the registry's terms and with
// the action in full, because nothing else there says what it was about.
type verdictDetail struct {
	Status    world.CheckStatus  `json:"status"`
	Action    rawJSON            `json:"action"`
	Adjusted  []world.Adjustment `json:"adjusted,omitempty"`
	Changes   []world.Amount     `json:"changes,omitempty"`
	Ticks     int64              `json:"ticks,omitempty"`
	Rejection *world.Rejection   `json:"rejection,omitempty"`
}

func (v Verdict) detail() verdictDetail {
	return verdictDetail{
		Status: v.Check.Status, Action: rawJSON(world.EncodeAction(v.Adjusted)), Adjusted: v.Adjustments,
		Changes: v.Check.Changes, Ticks: v.Check.Ticks, Rejection: v.Check.Rejection,
	}
}

// rawJSON is JSON text that encodes as itself.
type rawJSON []byte

// MarshalJSON implements json.Marshaler.
func (r rawJSON) MarshalJSON() ([]byte, error) { return r, nil }

// Continue decides for an agent whose standing order goes on: the ordered action
// again, clamped and dry-run on this tick's view, without a model call. A refused
// attempt is submitted all the same: the world's refusal ends the order and tells
// the agent why, in numbers.
func (m *Mind) Continue(view world.View) (Decision, []Note) {
	order, ok := view.Standing()
	if !ok {
		panic("behavior: Continue for agent " + view.AgentID() + " without a standing order")
	}
	verdict := judge(view, order.Do)
	status := StatusOK
	if verdict.Refused() {
		status = StatusError
	}
	note := Note{Kind: NoteStanding, Status: status, Name: order.Do.ActionName(), Detail: verdict.detail()}
	return Decision{
		AgentID: view.AgentID(), By: ByStanding, Proposed: order.Do, Adjusted: verdict.Adjusted,
		Executed: verdict.Adjusted, Adjustments: verdict.Adjustments,
	}, []Note{note}
}

func encode(v any) string { return string(llmclient.Marshal(v)) }
