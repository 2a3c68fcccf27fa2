package behavior

import (
	"slices"

	"example.com/agentworld/behavior/answer"
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

// takeDecision decodes a decision, or the decision part of a lean turn.
func (t *Turn) takeDecision(i int) (terminal, answer.Problem) {
	s := t.talk.Calls[i]
	d, used, e := answer.ReadDecision(s.Call)
	if e != nil {
		return terminal{}, t.badArguments(i, trace.StepDecision, e)
	}
	if s.Tool == answer.ToolTurn {
		t.takeLeanParts(d.Lean, s)
	}
	action, more, e := d.Action(s.Call, t.candidates, t.names)
	if e != nil {
		return terminal{}, t.badArguments(i, trace.StepDecision, e)
	}
	return terminal{i, action, d.Why, d.Sources, append(used, more...)}, ""
}

// takeLeanParts notes the plan and weighs the candidates of a lean turn.
func (t *Turn) takeLeanParts(args answer.Lean, s PendingCall) {
	var used []answer.Repair
	if args.Plan.InFull && !s.Text {
		used = []answer.Repair{answer.PlanInFull}
	}
	t.acceptPlan(answer.Plan{Goal: args.Plan.Goal}, s, used)
	if w, _ := t.weigh(s.Call, args.Candidates); len(w.details) > 0 {
		t.talk.Note(trace.Step{Kind: trace.StepDraft, Status: trace.StatusOK, CallID: s.ID, Detail: llmclient.Marshal(draftDetail{w.details}), Leniencies: repairNames(w.repairs)})
	}
}

func sameAction(ds []terminal) bool {
	first := string(world.EncodeAction(ds[0].action))
	return !slices.ContainsFunc(ds, func(d terminal) bool { return string(world.EncodeAction(d.action)) != first })
}

// commit verifies the decision before it becomes one: a refused action goes back
// with its reasons, a bounded number of times.
func (t *Turn) commit(d terminal) {
	cited := t.cited(d)
	v := t.judge(d.action, t.declared(cited))
	t.intendAction(v)
	if v.Refused() {
		t.sendBack(d, v)
		return
	}
	for _, s := range t.talk.Calls {
		if s.module && !s.done {
			t.talk.Note(trace.Step{Kind: trace.StepUnneeded, Status: trace.StatusOK, CallID: s.ID, Name: s.Tool, Leniencies: repairNames(s.Repairs)})
		}
	}
	t.talk.Note(trace.Step{Kind: trace.StepDecision, Status: trace.StatusOK, CallID: t.talk.Calls[d.slot].ID, Name: v.Adjusted.ActionName(), Leniencies: repairNames(d.repairs)})
	decided := decisionOf(v)
	decided.Why, decided.Commit, decided.ArgumentsTrust, decided.SourcesCited = capText(d.why), trace.CommitGuidance, t.mind.trustOf(v), cited
	decided.SourcesUsed, decided.SourcesUnknown, decided.SourcesInvented = tally(cited)
	if len(cited) > 0 {
		t.talk.Note(trace.Step{Kind: trace.StepCitation, Status: trace.StatusOK, Detail: llmclient.Marshal(citationDetail{len(decided.SourcesUsed), decided.SourcesUnknown, decided.SourcesInvented})})
	}
	t.finish(decided)
}

func (t *Turn) sendBack(d terminal, v Verdict) {
	t.guardRounds++
	n := t.refusalNote(v)
	n.CallID, n.Leniencies = t.talk.Calls[d.slot].ID, repairNames(d.repairs)
	t.talk.Note(n)
	if t.guardRounds > t.mind.cfg.GuardRoundsMax {
		t.wait(trace.WaitGuardRejected, &v)
		return
	}
	refused := t.refused(v, t.guardRounds, t.mind.cfg.GuardRoundsMax)
	for i, s := range t.talk.Calls {
		if !s.done && !s.module {
			t.talk.reject(i, refused)
		}
	}
	if t.talk.settled() {
		t.talk.Flush()
	}
}
