package behavior

import (
	"cmp"
	"slices"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// draft is what the model of a turn has proposed so far, and what was wrong with it.
//
// Invariants:
//  1. given and noted belong to the answer that is being taken: begin clears them.
//  2. accepted has a candidate that the dry run accepted. A later draft replaces it only if that has one, too.
//  3. candidates and dropped are those of the newest draft, accepted or not.
//  4. ambiguous is set by the model's own doing. Only a refusal for want of deviations takes it back.
type draft struct {
	given, accepted *weighing
	// candidates are the actions of the newest draft by number from 1. Nil entries could not be
	// decoded. dropped reports the candidates beyond those that are looked at.
	candidates []world.Action
	dropped    *answer.ArgumentError
	// again says that a draft is offered together with the decision, because a candidate or
	// the decision could not be read or was refused.
	again bool
	// ambiguous says that the turn is past a fallback: it gave several decisions, or chose
	// to wait.
	ambiguous bool
	// refused is the last decision that was sent back, noted the refused actions that have a step.
	refused world.Action
	noted   []string
	// skipped is how many candidates there were when the number 0 was decided.
	skipped int
	// faults are what was wrong in the turn, the newest last.
	faults []fault
}

// begin begins with the next answer.
func (d *draft) begin() {
	d.given = nil
	d.noted = nil
}

// read lists the candidates that could be decoded.
func (d *draft) read() (actions []world.Action) {
	for _, a := range d.candidates {
		if a != nil {
			actions = append(actions, a)
		}
	}
	return actions
}

// weighed takes what was found of the newest candidates.
func (d *draft) weighed(w *weighing) {
	accepted := func(v *Evaluation) bool { return v != nil && v.Check.Status == world.CheckAccepted }
	if slices.ContainsFunc(w.verdicts, accepted) {
		d.accepted = w
	}
}

// first reports whether the refused action has no step yet in this answer, which may both draft and
// decide it.
func (d *draft) first(refused world.Action) bool {
	action := encode(encodedAction(refused))
	if slices.Contains(d.noted, action) {
		return false
	}
	d.noted = append(d.noted, action)
	return true
}

// hasFailed reports whether the draft of the answer has no candidate that may be committed.
func (d *draft) hasFailed() bool { return d.given != nil && !d.given.usable }

// takeDraft answers a draft with what its dry runs found. A draft whose candidates
// are all refused goes back, within the guard's rounds.
func (t *Turn) takeDraft(i int) answer.Problem {
	call := t.conversation.Calls[i]
	draft, used, e := answer.ReadDraft(call.Call, candidatesMax)
	if e != nil {
		return t.badArguments(i, trace.StepDraft, e)
	}
	t.leavePlan()
	further := t.draft.accepted == nil
	w, e := t.weigh(call, draft.Candidates)
	if !w.usable && e != nil {
		return t.badArguments(i, trace.StepDraft, e)
	}
	if further && t.draft.accepted != nil {
		t.protocol.gotFurther()
	}
	meant := !slices.Contains(w.verdicts, nil)
	if call.Tool == answer.ToolTurn && !t.exposure.tainted() {
		meant = t.intendDecided(call.Call) || meant
	}
	// New texts follow a draft that was read as it was meant, and of which something is possible,
	// others a plan alone. A refused draft is corrected first, as it is without texts.
	if t.exposure.locked() && meant && w.usable {
		t.reveal()
	}
	t.draft.again = slices.ContainsFunc(w.verdicts, func(v *Evaluation) bool { return v == nil || v.Refused() })
	t.protocol.stage = trace.StageDecision
	status := trace.StatusOK
	if !w.usable {
		status = trace.StatusError
		t.countRefusal(w.verdicts...)
		if t.triesLeft() >= 0 {
			t.protocol.stage = trace.StageDraft
		}
	}
	if t.protocol.lean() {
		t.protocol.stage = trace.StageLean
	}
	t.conversation.Note(trace.Step{
		Kind: trace.StepDraft, Status: status, CallID: call.ID, Detail: llmclient.Marshal(draftDetail{w.details}),
		Repairs: repairNames(slices.Concat(used, w.repairs)),
	})
	w.slot = i
	t.giveDraft(w)
	return ""
}

// giveDraft answers a draft with what was found of its candidates, and keeps it as that of the answer.
func (t *Turn) giveDraft(w *weighing) {
	best := cmp.Or(w.ranked()...)
	if best > 0 && w.verdicts[best-1].unseen() {
		best = 0 // decided in the same answer it goes back
	}
	result := draftResult{Candidates: w.results, Problems: t.inLanguage(t.draft.dropped), Best: best,
		Next: string(t.protocol.stage)}
	if slices.ContainsFunc(w.results, func(r candidateResult) bool { return r.Deviation > 0 }) {
		result.Deviations = t.deviations()
	}
	t.conversation.Respond(w.slot, &result)
	t.draft.given = w
}

// intend takes an action that was drafted or decided as planned, before texts are in view.
func (t *Turn) intend(v *Evaluation) {
	if !t.exposure.tainted() {
		t.plan.intend(v)
	}
}

// intendDecided plans what a lean turn decides before its other candidates. It is false if that could
// not be read.
func (t *Turn) intendDecided(c answer.Call) (read bool) {
	d, _, e := answer.ReadDecision(c, true)
	if e != nil {
		return false
	}
	a, _, e := d.Action(c, t.draft.candidates, t.exposure.names, t.agent.cfg.ChainSteps)
	if e != nil && e.Cut == 0 {
		return false
	}
	t.plan.lead(func() { t.intend(t.evaluate(a)) })
	return true
}

// inLanguage lists a fault, if any, in the language of the prompt.
func (t *Turn) inLanguage(e *answer.ArgumentError) []*answer.ArgumentError {
	if e == nil {
		return nil
	}
	return []*answer.ArgumentError{modules.FaultIn(t.agent.words.Language, e)}
}
