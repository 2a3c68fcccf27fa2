package behavior

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Answer feeds back the answer to the Ask that Next returned.
func (t *Turn) Answer(a llmclient.Answer) {
	text, problem := t.talk.Take(a)
	if a.Failure != nil {
		t.talk.Note(trace.Step{Kind: trace.StepModelError, Status: trace.StatusError, Code: string(a.Failure.Kind)})
		t.wait(trace.WaitReason(trace.WaitModelPrefix+string(a.Failure.Kind)), nil)
		return
	}
	reasons := t.stage == trace.StageReason
	if problem == "" && len(t.talk.Calls) == 0 && !reasons {
		problem = t.talk.Read(text, t.allowed())
	}
	switch {
	case problem != "":
		t.repair(problem)
	case !reasons:
		t.dispatch()
	case len(t.talk.Calls) > 0:
		// No tool may be called in a reason step: nothing runs, and each call gets its own
		// error output.
		t.violations++
		for i, s := range t.talk.Calls {
			f := t.mind.words.newFeedback(CodeReasonViolation)
			f.Attempt, f.Of = t.violations, violationsMax
			t.talk.reject(i, f)
			t.talk.Note(trace.Step{Kind: trace.StepViolation, Status: trace.StatusError, Level: trace.LevelWarn, Code: CodeReasonViolation, CallID: s.ID, Name: t.mind.vocabulary.Tool(s.Tool)})
		}
		t.talk.Flush()
		if t.violations > violationsMax {
			t.wait(trace.WaitReasoning, nil)
		}
	default:
		t.talk.Note(trace.Step{Kind: trace.StepReason, Status: trace.StatusOK, Level: trace.LevelInfo, Detail: llmclient.Marshal(reasonDetail{capText(text), runeCount(text)})})
		t.talk.Say(t.mind.words.reasonDone)
		t.afterPlan()
	}
}

// reasonDetail is what a reason step said, cut, and how long it was.
type reasonDetail struct {
	Text  string `json:"text"`
	Chars int    `json:"chars"`
}

// repair spends one further call on an answer that could not be used, or ends
// the turn when none is left.
func (t *Turn) repair(problem answer.Problem) {
	if !t.talk.Repair(problem, t.allowed()) {
		t.wait(trace.WaitReason(trace.WaitParsePrefix+string(problem)), nil)
	}
}

// dispatch handles the calls of one answer in order. Protocol calls are settled
// at once; module calls stay open for the caller.
func (t *Turn) dispatch() {
	t.idle, t.drafts = nil, nil
	var decisions []terminal
	progress, misdecided, wrong := false, false, answer.Problem("")
	for i, s := range t.talk.Calls {
		var problem answer.Problem
		allowed := t.allowed()
		switch {
		case !slices.Contains(allowed, s.Tool):
			problem = t.refuseTool(i, allowed)
		case s.Tool == answer.ToolPlan:
			problem = t.takePlan(i)
		case s.Tool == answer.ToolDraft:
			problem = t.takeDraft(i)
		case s.Tool == answer.ToolDecision || s.Tool == answer.ToolTurn:
			var d terminal
			if d, problem = t.takeDecision(i); problem == "" {
				decisions = append(decisions, d)
			}
		default:
			t.moduleCalls++
			t.talk.Calls[i].module = true
		}
		progress = progress || problem == ""
		misdecided = misdecided || problem == answer.InvalidArgs
		wrong = cmp.Or(wrong, problem)
	}
	differs := func(d terminal) bool {
		return !bytes.Equal(world.EncodeAction(d.action), world.EncodeAction(decisions[0].action))
	}
	switch {
	case misdecided:
		// A protocol call of the answer was wrong: nothing of it is committed, and
		// it needs another call whatever else was in it.
		t.repair(answer.InvalidArgs)
	case slices.ContainsFunc(decisions, differs):
		for _, d := range decisions {
			t.talk.reject(d.slot, t.mind.words.newFeedback(CodeSeveralDecisions))
		}
		t.repair(answer.Several)
	case len(decisions) > 0:
		t.commit(decisions[0])
	case t.drafts != nil && t.mind.cfg.Commit == trace.CommitDirect && t.talk.settled():
		t.commitDirect(*t.drafts)
	case t.idle != nil && t.talk.settled():
		t.rest()
	case wrong != "" && !progress:
		t.repair(wrong)
	case t.talk.settled():
		t.talk.Flush()
	}
}

// refuseTool answers a call of a tool that is unknown or not allowed now.
func (t *Turn) refuseTool(i int, allowed []string) answer.Problem {
	name := t.mind.vocabulary.Tool(t.talk.Calls[i].Tool)
	code, kind := CodeNotAllowedNow, answer.NotAllowedNow
	switch {
	case name == answer.NoTool:
		code, kind = CodeUnknownTool, answer.UnknownTool
	case slices.Contains(t.mind.moduleNames, name) && t.moduleCalls >= t.mind.cfg.ModuleCallsMax:
		code = CodeModuleLimit
	}
	t.talk.Refuse(i, code, allowed)
	t.talk.Note(trace.Step{Kind: trace.StepToolRefused, Status: trace.StatusError, Code: code, CallID: t.talk.Calls[i].ID, Name: name})
	return kind
}

// badArguments answers a call of a protocol tool whose arguments were refused.
func (t *Turn) badArguments(i int, kind trace.StepKind, e *answer.ArgumentError) answer.Problem {
	code := t.talk.RefuseArguments(i, e, func(schema json.RawMessage) bool {
		return t.mind.count(string(schema)) < t.room()-moduleTokensMin
	})
	t.talk.Note(trace.Step{Kind: kind, Status: trace.StatusError, Code: code, CallID: t.talk.Calls[i].ID, Detail: llmclient.Marshal(e)})
	return answer.InvalidArgs
}
