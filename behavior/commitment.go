package behavior

import (
	"fmt"
	"slices"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// terminal is a decision call of an answer, decoded.
type terminal struct {
	slot     int
	action   world.Action
	why      string
	sources  []string
	leniency []string
}

// takeDecision decodes a decision, or the decision part of a lean turn. Besides a
// candidate's number it takes an action in full: the form of text answers, and of
// providers that do not hold a model to the schema.
func (t *Turn) takeDecision(i int, leniencies []string) (terminal, ParseKind) {
	s := t.slots[i]
	f, lenient, e := decodeFields(s.args)
	if e != nil {
		return terminal{}, t.badArguments(i, trace.StepDecision, e)
	}
	leniencies = slices.Concat(leniencies, lenient, mendLists(f))
	if e := notTheirs(f, s.tool); e != nil {
		return terminal{}, t.badArguments(i, trace.StepDecision, e)
	}
	if f["candidate"] == nil {
		shaped, lenient, ok := shapeDecision(f)
		if !ok {
			return terminal{}, t.badArguments(i, trace.StepDecision, noAction)
		}
		f, leniencies = shaped, slices.Concat(leniencies, lenient)
	} else if f["until"] != nil || f["max_ticks"] != nil {
		var lenient []string
		f["execute_until"], lenient = standingOf(f)
		leniencies = append(leniencies, lenient...)
	}
	var args turnArgs
	absent, e := f.decode(&args, "execute_until", "why", "sources_used")
	if e != nil {
		return terminal{}, t.badArguments(i, trace.StepDecision, e)
	}
	if s.tool == toolTurn {
		t.takeLeanParts(args, s)
	}
	action, more, e := t.chosen(f, args)
	if e != nil {
		return terminal{}, t.badArguments(i, trace.StepDecision, e)
	}
	return terminal{i, action, args.Why, args.Sources, slices.Concat(leniencies, s.norm(absent), s.norm(more))}, ""
}

// notTheirs refuses what would make the number of a candidate mean something else
// than what stands beside it: candidates in the decision of a draft made before, or a
// second decision.
func notTheirs(f fields, tool string) *modules.ArgumentError {
	numbered := string(orNull(f["candidate"])) != "null"
	switch {
	case numbered && tool == toolDecision && string(orNull(f["candidates"])) != "null":
		return &modules.ArgumentError{Path: "candidates", Expected: "none here: candidates are given in " + toolDraft, Got: jsonKind(string(f["candidates"]))}
	case numbered && namedIn(f, "decision") != "":
		return &modules.ArgumentError{Path: "decision", Expected: "a candidate's number or an action, not both", Got: "both"}
	}
	return nil
}

// takeLeanParts notes the plan and weighs the candidates of a lean turn.
func (t *Turn) takeLeanParts(args turnArgs, s slot) {
	var lenient []string
	if args.Plan.inFull && !s.text {
		lenient = []string{lenPlanInFull}
	}
	t.acceptPlan(planArgs{Goal: args.Plan.goal}, s.callID, lenient)
	if w, _ := t.weigh(s, args.Candidates); len(w.details) > 0 {
		t.note(trace.Step{Kind: trace.StepDraft, Status: trace.StatusOK, CallID: s.callID, Detail: llmclient.Marshal(draftDetail{w.details}), Leniencies: w.leniencies})
	}
}

// lenPlanInFull is the leniency of a lean turn whose plan is more than a sentence.
const lenPlanInFull = "plan_in_full"

// chosen returns the action a decision stands for.
func (t *Turn) chosen(f fields, args turnArgs) (world.Action, []string, *modules.ArgumentError) {
	action, direct := f["action"]
	direct = direct && string(action) != "null"
	_, numbered := f["candidate"]
	switch {
	case direct && numbered && string(args.Candidate.raw) != "null":
		return nil, nil, &modules.ArgumentError{Path: "action", Expected: "a candidate's number or an action, not both", Got: "both"}
	case direct:
		return t.decodeAction(action, f["execute_until"])
	}
	do, lenient, e := t.candidate(args.Candidate)
	if e != nil {
		return nil, nil, e
	}
	if order, ordered := do.(world.ExecuteUntil); ordered {
		// A candidate may have brought an order, which one in the decision replaces.
		if string(orNull(args.Standing)) == "null" {
			return order, lenient, nil
		}
		do = order.Do
	}
	a, more, e := decodeStanding(args.Standing, do)
	return a, append(lenient, more...), e
}

// candidate returns the action with the given number; 0 waits.
func (t *Turn) candidate(number candidateNumber) (world.Action, []string, *modules.ArgumentError) {
	n, lenient, ok := number.read()
	if ok && n == 0 {
		return world.Wait{}, lenient, nil
	}
	if !ok || n < 0 || n > int64(len(t.candidates)) || t.candidates[n-1] == nil {
		expected := "0 to wait: nothing is drafted yet"
		if len(t.candidates) > 0 {
			expected = fmt.Sprintf("the number of a candidate from 1 to %d, or 0 to wait", len(t.candidates))
		}
		return nil, nil, &modules.ArgumentError{Path: "candidate", Expected: expected, Got: jsonKind(string(number.raw))}
	}
	return t.candidates[n-1], lenient, nil
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
	for _, s := range t.slots {
		if s.module && !s.done {
			t.note(trace.Step{Kind: trace.StepUnneeded, Status: trace.StatusOK, CallID: s.callID, Name: s.tool, Leniencies: s.leniencies})
		}
	}
	t.note(trace.Step{Kind: trace.StepDecision, Status: trace.StatusOK, CallID: t.slots[d.slot].callID, Name: v.Adjusted.ActionName(), Leniencies: d.leniency})
	decided := decisionOf(v)
	decided.Why, decided.Commit, decided.ArgumentsTrust, decided.SourcesCited = capText(d.why), trace.CommitGuidance, t.mind.trustOf(v), cited
	decided.SourcesUsed, decided.SourcesUnknown, decided.SourcesInvented = tally(cited)
	if len(cited) > 0 {
		t.note(trace.Step{Kind: trace.StepCitation, Status: trace.StatusOK, Detail: llmclient.Marshal(citationDetail{len(decided.SourcesUsed), decided.SourcesUnknown, decided.SourcesInvented})})
	}
	t.finish(decided)
}

func (t *Turn) sendBack(d terminal, v Verdict) {
	t.guardRounds++
	n := t.refusalNote(v)
	n.CallID, n.Leniencies = t.slots[d.slot].callID, d.leniency
	t.note(n)
	if t.guardRounds > t.mind.cfg.GuardRoundsMax {
		t.wait(trace.WaitGuardRejected, &v)
		return
	}
	refused := t.refused(v, t.guardRounds, t.mind.cfg.GuardRoundsMax)
	for i, s := range t.slots {
		if !s.done && !s.module {
			t.reject(i, refused)
		}
	}
	if t.settled() {
		t.flush()
	}
}
