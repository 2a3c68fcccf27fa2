package behavior

import (
	"cmp"
	"slices"
	"strings"

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

// takeDecision decodes a decision. A lean turn brings its plan and candidates in the same call: they are
// noted and evaluated. The result has no action if a candidate is to be committed directly.
func (t *Turn) takeDecision(i int) (terminal, answer.Problem) {
	t.leavePlan()
	s := t.conversation.Calls[i]
	drafts := s.Tool == answer.ToolTurn || t.draft.candidates == nil
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
	// A lean turn that gives no candidates decides on those it gave before.
	if drafts && (len(d.Lean.Candidates) > 0 || len(t.draft.read()) == 0) {
		w, bad := t.weighed(i, d.Lean.Candidates)
		unread = bad
		if d.IsOpen() && t.suffices(w) {
			return terminal{}, ""
		}
	}
	action, more, e := d.Action(s.Call, t.draft.candidates, t.exposure.names, t.agent.cfg.ChainSteps)
	if e != nil && e.Cut > 0 {
		t.faultArguments(t.agent.words.wrongArguments(CodeInvalidArguments, e))
	} else if e != nil {
		if e.Path == "candidate" {
			e = answer.Faults(e, t.draft.dropped)
		}
		if e.Path == "candidate" && unread != nil {
			// In a lean turn, the number may name a candidate that could not be read.
			e = answer.Faults(append([]*answer.ArgumentError{unread}, e.Also...)...)
		}
		return terminal{}, t.badArguments(i, trace.StepDecision, e)
	}
	if rests(action) {
		t.draft.ambiguous = true // it chose to wait, so no fallback may act for it
	}
	t.draft.skipped = 0
	if d.IsZero() {
		t.draft.skipped = len(t.draft.read())
	}
	return terminal{i, action, d.Why, d.Sources, append(used, more...)}, ""
}

// weighed evaluates and notes the candidates of a decision that brings its own. e is the error of the first
// one that could not be read.
func (t *Turn) weighed(i int, candidates []answer.Candidate) (w *weighing, e *answer.ArgumentError) {
	s := t.conversation.Calls[i]
	w, e = t.weigh(s, candidates)
	w.slot = i
	if len(w.details) > 0 && slices.ContainsFunc(w.verdicts, func(v *Evaluation) bool { return v != nil }) {
		t.conversation.Note(trace.Step{Kind: trace.StepDraft, CallID: s.ID,
			Detail: llmclient.Marshal(draftDetail{w.details}), Repairs: repairNames(w.repairs)})
	}
	return w, e
}

// suffices takes the candidates of a lean turn as a draft if drafts are committed in one step, since its
// decision is missing or broken. It reports whether it did.
func (t *Turn) suffices(w *weighing) bool {
	if !w.usable || !t.protocol.oneStep() {
		return false
	}
	t.giveDraft(w)
	return true
}

// commit is where an action becomes the turn's decision. It runs every check again. A refused action goes
// back to the model with the reasons, a bounded number of times.
func (t *Turn) commit(d terminal) {
	call := t.conversation.Calls[d.slot].ID
	v := t.evaluate(d.action)
	t.intend(v)
	t.refuseOffPlan(v, call)
	again := t.draft.refused != nil && world.Same(d.action, t.draft.refused)
	// A model that has seen no dry run of the action may have misspelt an id, so it goes back once.
	tried := t.draft.given == nil && t.draft.candidates != nil && !t.protocol.lean()
	unseen := !tried && !again && t.triesLeft() > 0 && v.unseen()
	if v.Refused() || unseen {
		t.sendBack(d, v, again)
		return
	}
	t.tellCut(v)
	for _, s := range t.conversation.Calls {
		if s.module && !s.done {
			t.conversation.Note(trace.Step{Kind: trace.StepUnneeded, CallID: s.ID, Name: s.Tool,
				Repairs: repairNames(s.Repairs)})
		}
	}
	t.conversation.Note(trace.Step{Kind: trace.StepDecision, CallID: call,
		Name: v.Adjusted.ActionName(), Repairs: repairNames(d.repairs)})
	decided := decisionOf(v)
	decided.Why = capText(d.why)
	decided.Commit = trace.CommitTwoStep
	decided.listedSources = d.sources
	t.finish(&decided)
}

// sendBack refuses a decision. The turn fails if no tries are left, or if the model repeats the refused
// decision and the turn has an action to end in.
func (t *Turn) sendBack(d terminal, v *Evaluation, again bool) {
	if !t.draft.hasFailed() { // else the draft counts already
		t.countRefusal(v)
	}
	if v.outOfDeviations() {
		t.draft.ambiguous = false // the wait was not the model's choice
	}
	t.draft.again = true
	t.draft.refused = d.action
	insists := again && t.hasEnd()
	n := v.note()
	n.CallID = t.conversation.Calls[d.slot].ID
	n.Repairs = repairNames(d.repairs)
	f := t.refuse(v, n)
	if t.triesLeft() < 0 || insists || v.outOfDeviations() {
		t.fail(v.refusedBy(), v)
		return
	}
	if v.Violation != nil && t.draft.given != nil {
		f = t.draft.given.once(f)
	}
	f.Next = answer.ToolDraft
	if t.protocol.lean() {
		f.Next = answer.ToolTurn
		f.Also = t.inLanguage(t.draft.dropped)
	}
	if other := t.acceptedBeside(d.action); other > 0 {
		f.Candidate = other
		f.Text = strings.TrimSpace(f.Text + " " + t.agent.words.Steps.CommitOther.Text(other))
		if !t.protocol.lean() {
			f.Next = answer.ToolDecision
		}
	}
	f.TriesLeft = t.triesLeft() + 1
	for i, s := range t.conversation.Calls {
		if !s.done && !s.module {
			t.conversation.reject(i, f)
		}
	}
	if t.conversation.settled() {
		t.conversation.Flush()
	}
}

// acceptedBeside is the number of the candidate of the newest draft that may be committed in place of a
// refused action, 0 for none. One that stays within the plan goes before one that does not.
func (t *Turn) acceptedBeside(refused world.Action) (number int) {
	least := int64(0)
	for i, a := range t.draft.candidates {
		if a == nil || world.Same(a, refused) {
			continue
		}
		v := t.evaluate(a)
		if t.possible(v) && (number == 0 || v.Deviation < least) {
			number, least = i+1, v.Deviation
		}
	}
	return number
}

// refuseOffPlan notes an action that the newest plan does not list, and refuses it if the plan binds. Of a
// chain such a later step is cut off with all that follow it.
func (t *Turn) refuseOffPlan(v *Evaluation, callID string) {
	for i, step := range world.Steps(v.Adjusted) {
		name := step.Do.ActionName()
		if v.Violation != nil || !t.offPlan(name, callID) {
			continue
		}
		off := &policy.Violation{Reason: policy.ReasonOffPlan, Action: name}
		if i > 0 {
			t.cut(v, i, off)
			return
		}
		v.Violation = off
		v.Check.Status = world.CheckRejected
		v.plan = t.plan.actions
	}
}

// cut leaves so many steps of a chain, evaluated as if it had no more.
func (t *Turn) cut(v *Evaluation, left int, why *policy.Violation) {
	steps := world.Steps(v.Proposed)
	kept := t.evaluate(world.Chain(steps[:left]...))
	kept.Proposed = v.Proposed
	kept.Cut = why
	kept.Adjustments = append(kept.Adjustments, policy.CutTo(v.Proposed, left))
	*v = *kept
}

// outOfDeviations reports whether the action is refused because no deviations from the plan are left,
// which ends the turn.
func (v *Evaluation) outOfDeviations() bool {
	return v.Violation != nil && v.Violation.Reason == policy.ReasonDeviations
}

// commitOneStep commits the best candidate of a draft without another request. It never takes a candidate
// that the dry run or the policy refused. If all are refused, the reasons go back, within the guard's
// rounds.
func (t *Turn) commitOneStep(w *weighing) {
	ranked := w.ranked()
	if len(ranked) == 0 {
		t.conversation.Flush()
		if t.triesLeft() < 0 || w.outOfDeviations() {
			t.fail(cmp.Or(w.verdicts...).refusedBy(), cmp.Or(w.verdicts...))
		}
		return
	}
	v := w.verdicts[ranked[0]-1]
	// For its note only: if the plan binds, ranked has left the candidate out.
	t.refuseOffPlan(v, t.conversation.Calls[w.slot].ID)
	decision := decisionOf(v)
	decision.Commit = trace.CommitOneStep
	if ranked[0] > 1 {
		decision.picked = ranked[0]
	}
	t.conversation.Note(trace.Step{
		Kind: trace.StepDecision, CallID: t.conversation.Calls[w.slot].ID,
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
		inFull: v.InFull,
		later:  v.Later, evidence: v.evidence,
	}
}

// directDetail is a candidate that was committed directly: its number, and the scores of all candidates.
// Numbers begin at 1.
type directDetail struct {
	Candidate int   `json:"candidate"`
	Scores    []int `json:"scores"`
}
