package behavior

import (
	"cmp"
	"encoding/json"
	"slices"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// Answer feeds back the answer to the Ask that Next returned.
func (t *Turn) Answer(a llmclient.Answer) {
	text, problem := t.talk.Take(a)
	if a.Failure != nil {
		t.talk.Note(trace.Step{Kind: trace.StepModelError, Status: trace.StatusError, Code: string(a.Failure.Kind)})
		t.wait(trace.WaitReason(trace.WaitModelPrefix+string(a.Failure.Kind)), nil)
		return
	}
	if problem == "" && len(t.talk.Calls) == 0 && !t.now.reasons() {
		problem = t.talk.Read(text, t.allowed())
	}
	switch {
	case problem != "":
		t.repair(problem)
	case !t.now.reasons():
		t.dispatch()
	case len(t.talk.Calls) > 0:
		t.veto()
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

// veto answers the calls made in a reason step: nothing runs and each gets its own
// error output.
func (t *Turn) veto() {
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
	progress, wrong, misdecided := false, answer.Problem(""), answer.Problem("")
	for i := range t.talk.Calls {
		ok, kind := t.dispatchOne(i, &decisions)
		progress = progress || ok
		wrong = cmp.Or(wrong, kind)
		if kind == answer.InvalidArgs {
			misdecided = cmp.Or(misdecided, kind)
		}
	}
	switch {
	case misdecided != "":
		// A protocol call of the answer was wrong: nothing of it is committed, and
		// it needs another call whatever else was in it.
		t.repair(misdecided)
	case len(decisions) > 0 && !sameAction(decisions):
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

// dispatchOne handles one call. ok says that the call brought the turn forward;
// kind names what was wrong with it.
func (t *Turn) dispatchOne(i int, decisions *[]terminal) (ok bool, kind answer.Problem) {
	s := t.talk.Calls[i]
	allowed := t.allowed()
	if !slices.Contains(allowed, s.Tool) {
		return false, t.refuseTool(i, allowed)
	}
	switch s.Tool {
	case answer.ToolPlan:
		return t.takePlan(i)
	case answer.ToolDraft:
		return t.takeDraft(i)
	case answer.ToolDecision, answer.ToolTurn:
		d, kind := t.takeDecision(i)
		if kind == "" {
			*decisions = append(*decisions, d)
		}
		return kind == "", kind
	}
	t.moduleCalls++
	t.talk.Calls[i].module = true
	return true, ""
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
	var known []string
	if code == CodeUnknownTool {
		known = t.mind.toolNames()
	}
	t.talk.Refuse(i, code, allowed, known)
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
