package behavior

import (
	"cmp"
	"slices"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// terminal is a decision call of an answer, decoded.
type terminal struct {
	slot    int
	action  world.Action
	why     string
	sources []string
	repairs []answer.Repair
}

// takeDecision decodes a decision, or the decision part of a lean turn, of which it
// notes the plan and weighs the candidates. There is no action in it where the candidates
// are committed directly.
func (t *Turn) takeDecision(i int) (terminal, answer.Problem) {
	t.pastPlan()
	s := t.talk.Calls[i]
	drafts := s.Tool == answer.ToolTurn || t.candidates == nil
	d, used, e := answer.ReadDecision(s.Call, !drafts)
	if e != nil {
		if draft, _, bad := answer.ReadDraft(s.Call, candidatesMax); bad == nil && drafts {
			if w, _ := t.weighed(i, draft.Candidates); t.suffices(w) {
				return terminal{}, ""
			}
		}
		return terminal{}, t.badArguments(i, trace.StepDecision, e)
	}
	var unread *answer.ArgumentError
	if s.Tool == answer.ToolTurn {
		var planned []answer.Repair
		if d.Lean.Plan.InFull && !s.Text {
			planned = []answer.Repair{answer.PlanInFull}
		}
		t.acceptPlan(answer.Plan{Goal: d.Lean.Plan.Goal}, s, planned, false)
	}
	if read := func(a world.Action) bool { return a != nil }; drafts &&
		(len(d.Lean.Candidates) > 0 || !slices.ContainsFunc(t.candidates, read)) {
		// A lean turn that gives none is about those it gave before.
		var w weighing
		w, unread = t.weighed(i, d.Lean.Candidates)
		if d.IsOpen() && t.suffices(w) {
			return terminal{}, ""
		}
	}
	action, more, e := d.Action(s.Call, t.candidates, t.names)
	if e != nil {
		if e.Path == "candidate" {
			e = answer.Faults(e, t.dropped)
		}
		if e.Path == "candidate" && unread != nil {
			// In a lean turn a number may name a candidate that could not be read: that is why.
			e = answer.Faults(append([]*answer.ArgumentError{unread}, e.Also...)...)
		}
		return terminal{}, t.badArguments(i, trace.StepDecision, e)
	}
	switch action.(type) {
	case world.Wait, world.WaitTicks:
		t.ambiguous = true // whatever comes of it, doing something else would not be its will
	}
	t.unrun = 0
	if d.IsZero() {
		t.unrun = len(slices.DeleteFunc(slices.Clone(t.candidates), func(a world.Action) bool { return a == nil }))
	}
	return terminal{i, action, d.Why, d.Sources, append(used, more...)}, ""
}

// weighed evaluates the candidates of a decision that brings its own, and notes them. e is the
// error of the first that could not be read.
func (t *Turn) weighed(i int, candidates []answer.Candidate) (w weighing, e *answer.ArgumentError) {
	s := t.talk.Calls[i]
	w, e = t.weigh(s, candidates)
	w.slot = i
	if len(w.details) > 0 && slices.ContainsFunc(w.verdicts, func(v *Evaluation) bool { return v != nil }) {
		t.talk.Note(trace.Step{Kind: trace.StepDraft, Status: trace.StatusOK, CallID: s.ID,
			Detail: llmclient.Marshal(draftDetail{w.details}), Repairs: repairNames(w.repairs)})
	}
	return w, e
}

// suffices reports whether the candidates of a lean turn are committed as a draft, because its
// decision is missing or broken and drafts are committed in one step. If so, it takes them.
func (t *Turn) suffices(w weighing) bool {
	if !w.usable || t.mind.cfg.Commit != trace.CommitOneStep {
		return false
	}
	t.talk.Respond(w.slot, t.draftResult(w))
	t.drafts = &w
	return true
}

// commit verifies the decision before it becomes one: a refused action goes back
// with its reasons, a bounded number of times.
func (t *Turn) commit(d terminal) {
	v := t.evaluate(d.action)
	t.intendAction(v)
	t.refuseOffPlan(v, t.talk.Calls[d.slot].ID)
	again := t.refused != nil && world.Same(d.action, t.refused)
	// Who has not seen a dry run of it yet may have misspelt an id: it is asked back once.
	told := t.drafts == nil && t.candidates != nil && t.mind.cfg.Protocol != ProtocolLean
	unseen := !told && !again && t.triesLeft() > 0 && v.unseen()
	if v.Refused() || unseen {
		if t.drafts == nil || t.drafts.usable {
			// If no candidate of the draft was usable, the draft counts already.
			t.countRefusal(v)
		}
		if v.outOfDeviations() {
			t.ambiguous = false // a wait that is no longer its to choose
		}
		t.redrafts = true
		insists := again && len(t.best()) > 0
		t.refused = d.action
		n := v.note()
		n.CallID, n.Repairs = t.talk.Calls[d.slot].ID, repairNames(d.repairs)
		t.noteRefusal(v, n)
		f := t.mind.words.refused(v)
		t.mistake(f, v.Adjusted.ActionName())
		if t.triesLeft() < 0 || insists || v.outOfDeviations() {
			t.fail(trace.WaitGuardRejected, v)
			return
		}
		f.Next = answer.ToolDraft
		if t.mind.cfg.Protocol == ProtocolLean {
			f.Next = answer.ToolTurn
		}
		if v.Violation != nil && t.drafts != nil {
			f = t.drafts.once(f)
		}
		if t.mind.cfg.Protocol == ProtocolLean {
			f.Also = t.told(t.dropped)
		}
		f.TriesLeft = t.triesLeft() + 1
		for i, s := range t.talk.Calls {
			if !s.done && !s.module {
				t.talk.reject(i, f)
			}
		}
		if t.talk.settled() {
			t.talk.Flush()
		}
		return
	}
	for _, s := range t.talk.Calls {
		if s.module && !s.done {
			t.talk.Note(trace.Step{Kind: trace.StepUnneeded, Status: trace.StatusOK, CallID: s.ID, Name: s.Tool,
				Repairs: repairNames(s.Repairs)})
		}
	}
	t.talk.Note(trace.Step{Kind: trace.StepDecision, Status: trace.StatusOK, CallID: t.talk.Calls[d.slot].ID,
		Name: v.Adjusted.ActionName(), Repairs: repairNames(d.repairs)})
	decided := decisionOf(v)
	decided.Why = capText(d.why)
	decided.Commit = trace.CommitTwoStep
	decided.listedSources = d.sources
	t.finish(&decided)
}

// refuseOffPlan counts an action that the newest plan does not list, and refuses it if the plan binds.
func (t *Turn) refuseOffPlan(v *Evaluation, callID string) {
	if name := repeated(v.Adjusted).ActionName(); v.Violation == nil && t.offPlan(name, callID) {
		v.Violation = &policy.Violation{Reason: policy.ReasonOffPlan, Action: name}
		v.Check.Status, v.plan = world.CheckRejected, t.plan
	}
}

// outOfDeviations reports whether the action is refused because no deviations from the plan are left,
// which ends the turn.
func (v *Evaluation) outOfDeviations() bool {
	return v.Violation != nil && v.Violation.Reason == policy.ReasonDeviations
}

// commitOneStep commits the best candidate of a draft without another request. A candidate that
// the dry run or the policy refused is never taken. If all are refused, the reasons go back, as
// often as the guard's rounds allow.
func (t *Turn) commitOneStep(w weighing) {
	ranked := w.ranked()
	if len(ranked) == 0 {
		if t.talk.Flush(); t.triesLeft() < 0 || w.outOfDeviations() {
			t.fail(trace.WaitGuardRejected, cmp.Or(w.verdicts...))
		}
		return
	}
	v := w.verdicts[ranked[0]-1]
	t.refuseOffPlan(v, t.talk.Calls[w.slot].ID) // which has refused it before if the plan binds
	decision := decisionOf(v)
	decision.Commit = trace.CommitOneStep
	if ranked[0] > 1 {
		decision.picked = ranked[0]
	}
	t.talk.Note(trace.Step{
		Kind: trace.StepDecision, Status: trace.StatusOK, CallID: t.talk.Calls[w.slot].ID,
		Name:   decision.Adjusted.ActionName(),
		Detail: llmclient.Marshal(directDetail{ranked[0], w.scores}),
	})
	t.finish(&decision)
}

// decisionOf is the model's decision for an action that passed its checks.
func decisionOf(v *Evaluation) Decision {
	return Decision{
		Decision: trace.Decision{DecidedBy: trace.ByModel, Adjustments: v.Adjustments, Authority: new(v.Authority),
			Parents: v.Parents},
		Proposed: v.Proposed, Adjusted: v.Adjusted, Executed: v.Adjusted, operation: v.Operation, own: v.Own,
	}
}

// directDetail is a candidate that was committed directly: its number, and the scores
// of all by number from 1.
type directDetail struct {
	Candidate int   `json:"candidate"`
	Scores    []int `json:"scores"`
}
