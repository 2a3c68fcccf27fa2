package behavior

import (
	"encoding/json"
	"slices"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Evaluation is what the guard found about one action before it is committed. The
// order of checks is fixed: decode, schema, clamp, policy, dry run.
type Evaluation struct {
	// Proposed is the action as decoded from the model's arguments.
	Proposed world.Action
	// Adjusted is Proposed with amounts moved into their feasible range, and a standing order
	// no longer than planned.
	Adjusted world.Action
	// Adjustments record each amount that moved.
	Adjustments []world.Adjustment
	// Result is by what the policy allows Adjusted, or why not. plan is the plan that it was
	// compared with.
	policy.Result
	plan []policy.PlannedAction
	// evidence is what it was evaluated by, without what belongs to this tick alone.
	evidence policy.Evidence
	// Check is the dry run of Adjusted on the agent's view. An action that the policy
	// refused is not tried out.
	Check world.Check
	// names are those of what the agent sees.
	names answer.Names
}

// Refused reports whether the action must not be committed. An action whose
// result depends on what the agent cannot know may be tried.
func (v *Evaluation) Refused() bool { return v.Check.Status == world.CheckRejected }

// refusedBy is why a turn ends whose last action was refused: by the guard, or by the dry run of the world.
// Without an action it is the guard's.
func (v *Evaluation) refusedBy() trace.WaitReason {
	if v == nil || v.Violation != nil {
		return trace.WaitGuardRejected
	}
	return trace.WaitWouldRefuse
}

// unseenID is the code of an action that was sent back because of such an id.
const unseenID = "unseen_id"

// unseen reports whether the result of the action is unknown because the agent sees nothing of an
// id in it.
func (v *Evaluation) unseen() bool {
	return v.names.Unseen(v.Adjusted, v.Check)
}

// evaluate clamps and dry-runs one action on what the agent knows.
func (m *Agent) evaluate(view world.View, proposed world.Action, e policy.Evidence) *Evaluation {
	adjusted, adjustments := view.Clamp(proposed)
	e.View = view
	e.Ledger = m.ledger
	e.Off = m.cfg.GuardOff
	v := &Evaluation{Proposed: proposed, Result: m.policy.Evaluate(adjusted, e),
		evidence: policy.Evidence{Authors: e.Authors, Plan: e.Plan, Shown: e.Shown}}
	v.Adjusted, v.Adjustments = v.Action, append(adjustments, v.Trimmed...)
	// Without texts in view, an order that gives may be refused because of an earlier planned action.
	if len(e.Authors) > 0 || v.Violation != nil && v.Violation.First > 0 {
		v.plan = e.Plan
	}
	v.Check.Status = world.CheckRejected
	if v.Violation == nil {
		v.Check = view.Check(v.Adjusted)
	}
	return v
}

// evaluate is what the guard finds about an action in this turn. Whoever guesses the id of terms that
// are not shown yet learns nothing of them.
func (t *Turn) evaluate(proposed world.Action) *Evaluation {
	view, e := t.view, t.evidence()
	if t.exposure.hides(proposed) {
		view, e.Seen = view.Showing(&t.exposure.opening.known), &t.exposure.opening.known
	}
	v := t.agent.evaluate(view, proposed, e)
	v.names = t.exposure.names
	return v
}

// evidence is what an action of the turn is evaluated by. Its authors sent the untrusted texts in
// view, or wrote what the texts may repeat.
func (t *Turn) evidence() policy.Evidence {
	e := policy.Evidence{Plan: t.plan.actions, Seen: &t.exposure.opening.seen, Shown: t.exposure.opening.shown}
	if !t.exposure.tainted() {
		return e
	}
	for _, s := range t.exposure.retrieved {
		if isUntrusted(s) {
			e.Authors = append(e.Authors, t.agent.authorsOf(s)...)
		}
	}
	if t.exposure.phase == phaseShown {
		e.Authors = append(e.Authors, t.exposure.opening.withheld.parents()...)
	}
	if t.protocol.moduleCalls > 0 {
		// A module may show a text that the prompt had no room for, so that the texts withheld lack it.
		o := &t.exposure.opening.seen
		for _, r := range (texts{Inbox: o.Inbox, Notes: o.Here.Notes, Terms: t.exposure.terms()}).readings() {
			if slices.ContainsFunc(t.exposure.retrieved, func(s trace.Source) bool { return s.ID == r.text && isUntrusted(s) }) {
				e.Authors = append(e.Authors, r.parents...)
			}
		}
	}
	return e
}

// authorsOf lists the agents whose text a source may hold. An empty id is an unknown author. A
// memory of a text may also hold text of that text's parents.
func (m *Agent) authorsOf(s trace.Source) []string {
	switch {
	case s.Kind == trace.KindModule && len(s.Parents) > 0:
		return nil // each text in it is a source of its own
	case s.OriginAgent == "" && (s.Kind == trace.KindSaid || s.Kind == trace.KindNote):
		return m.history.spoken(s.OriginTick).origins
	case s.Kind != trace.KindMemory:
		return []string{s.OriginAgent}
	}
	authors, known := []string{s.OriginAgent}, false
	for _, r := range m.history.read {
		if r.memory == s.ID || slices.Contains(s.Parents, r.text) {
			authors, known = append(authors, r.parents...), true
		}
	}
	if !known || len(s.Parents) == memory.ParentsMax { // of more parents some were left out
		authors = append(authors, "")
	}
	return authors
}

// note is the step of a refused action: the reason of the policy, with the plan that the action
// was compared with, or the code of the world.
func (v *Evaluation) note() trace.Step {
	n := trace.Step{Kind: trace.StepGuard, Status: trace.StatusError, Level: trace.LevelWarn,
		Name: v.Adjusted.ActionName()}
	if v.Violation == nil {
		n.Code = unseenID
		if v.Check.Rejection != nil {
			n.Code = string(v.Check.Rejection.Code)
		}
		return n
	}
	n.Code, n.Detail = string(v.Violation.Reason), llmclient.Marshal(struct {
		policy.Violation
		Planned []policy.PlannedAction `json:"planned"`
	}{*v.Violation, append([]policy.PlannedAction{}, v.plan...)})
	return n
}

// finding is the verdict as the model reads it.
func (v *Evaluation) finding(w *wording) modules.DryRun {
	return modules.NewDryRun(w.Language, v.Adjusted, v.Adjustments, v.Check, v.names)
}

// verdictDetail is a verdict as a note keeps it: in the registry's terms and with
// the action in full, because nothing else there says what it was about.
type verdictDetail struct {
	Status    world.CheckStatus  `json:"status"`
	Action    json.RawMessage    `json:"action"`
	Adjusted  []world.Adjustment `json:"adjusted,omitempty"`
	Changes   []world.Amount     `json:"changes,omitempty"`
	Ticks     int64              `json:"ticks,omitempty"`
	Rejection *world.Rejection   `json:"rejection,omitempty"`
	// Rule is why the policy refused the action, Cut why it refused the first later step that is not left.
	Rule policy.Reason `json:"rule,omitempty"`
	Cut  policy.Reason `json:"cut,omitempty"`
}

func (v *Evaluation) detail() verdictDetail {
	d := verdictDetail{
		Status: v.Check.Status, Action: encodedAction(v.Adjusted), Adjusted: v.Adjustments,
		Changes: v.Check.Changes, Ticks: v.Check.Ticks, Rejection: v.Check.Rejection,
	}
	if v.Violation != nil {
		d.Rule = v.Violation.Reason
	}
	if v.Cut != nil {
		d.Cut = v.Cut.Reason
	}
	return d
}

func encode(v any) string { return string(llmclient.Marshal(v)) }
