package behavior

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// Answer feeds back the answer to the Ask that Next returned.
func (t *Turn) Answer(a llmclient.Answer) {
	if !t.waiting {
		panic("behavior: an answer without an ask")
	}
	t.waiting = false
	if a.Failure != nil {
		t.note(trace.Step{Kind: trace.StepModelError, Status: trace.StatusError, Code: string(a.Failure.Kind)})
		t.wait(trace.WaitReason(trace.WaitModelPrefix+string(a.Failure.Kind)), nil)
		return
	}
	kind := a.Kind()
	if cut, ok := cutKinds[kind]; ok {
		// A cut answer is dropped whole: its calls may be half written, and a
		// provider refuses calls without outputs.
		t.repair(cut)
		return
	}
	if oversized(a.Reply) {
		t.repair(answer.TooLarge)
		return
	}
	calls, text := t.admit(a.Reply)
	switch {
	case kind == llmclient.AnswerRefusal:
		// Text beside a refusal explains it; a decision in it would be one that the
		// model took back.
		t.repair(answer.Refusal)
	case t.now.reasons():
		t.reasoned(calls, text)
	case kind == llmclient.AnswerCalls:
		t.slots = calls
		t.dispatch()
	case kind == llmclient.AnswerText:
		t.readText(text)
	default:
		t.repair(answer.EmptyOutput)
	}
}

// cutKinds are the answers of which nothing is used, with their parse errors.
var cutKinds = map[llmclient.AnswerKind]answer.Problem{
	llmclient.AnswerTruncated:  answer.Truncated,
	llmclient.AnswerFiltered:   answer.Filtered,
	llmclient.AnswerIncomplete: answer.Incomplete,
}

// itemsPerAnswerMax and [answer.CallsMax] are the bounds of one answer. An answer beyond them is dropped whole, because every
// admitted call needs an output, and all of it would fill the window.
const itemsPerAnswerMax = 64

func oversized(r *llmclient.Reply) bool {
	calls := 0
	for _, it := range r.Items {
		if it.Kind == llmclient.KindFunctionCall {
			calls++
		}
	}
	return calls > answer.CallsMax || len(r.Items)+r.NonObjects > itemsPerAnswerMax
}

// readText is the fallback for an answer that is text: the calls that it stands for are
// handed on as if they had been made. They are written out after the text: the model
// sees how it was understood and how it is done, and their outputs are paired like any.
func (t *Turn) readText(text string) {
	r := t.mind.vocabulary.Read(text)
	if r.Kept != "" {
		t.retract(r.Kept)
	}
	if r.Problem != "" {
		t.repair(r.Problem)
		return
	}
	for _, c := range r.Calls {
		s := slot{Call: c, callID: t.mintCallID()}
		t.callIDs[s.callID] = true
		args := c.Arguments
		if !answer.IsObject(args) {
			args = "{}"
		}
		t.input = append(t.input, llmclient.FunctionCall(s.callID, c.Tool, args))
		t.slots = append(t.slots, s)
	}
	// A refused call has no note that would count the repairs of the whole text, so they
	// go with the first one that is allowed.
	allowed := t.allowed()
	first := slices.IndexFunc(t.slots, func(s slot) bool { return slices.Contains(allowed, s.Tool) })
	s := &t.slots[max(first, 0)]
	s.Repairs = slices.Concat(r.Repairs, s.Repairs)
	t.dispatch()
}

// repairInventedText is the code of an answer's text that goes back without the
// steps a model made up.
const repairInventedText = "invented_text_dropped"

// retract replaces the texts of the last answer by the part of them that is kept,
// and drops the reasoning that led to them. The one exception to sending items back
// as they came: an observation that the model made up would be taken for one in
// every later request.
func (t *Turn) retract(kept string) {
	items := t.input[:t.answerAt:t.answerAt]
	for _, it := range t.input[t.answerAt:] {
		if it.Kind != llmclient.KindMessage && it.Kind != llmclient.KindReasoning {
			items = append(items, it)
		}
	}
	t.input = append(items, llmclient.Message("assistant", strings.TrimSpace(kept)))
	t.note(trace.Step{Kind: trace.StepItemRepair, Status: trace.StatusOK, Code: repairInventedText})
}

// reasoned takes the answer of a reason step. Calls are vetoed: nothing runs and
// each gets its own error output.
func (t *Turn) reasoned(calls []slot, text string) {
	if len(calls) > 0 {
		t.veto(calls)
		return
	}
	if strings.TrimSpace(text) == "" {
		t.repair(answer.EmptyOutput)
		return
	}
	t.note(trace.Step{Kind: trace.StepReason, Status: trace.StatusOK, Level: trace.LevelInfo, Detail: llmclient.Marshal(map[string]int{"chars": runeCount(text)})})
	t.say(t.mind.words.reasonDone)
	t.afterPlan()
}

func (t *Turn) veto(calls []slot) {
	t.violations++
	t.slots = calls
	for i, s := range calls {
		f := t.mind.words.newFeedback(CodeReasonViolation)
		f.Attempt, f.Of = t.violations, t.mind.cfg.ViolationsMax
		t.reject(i, f)
		t.note(trace.Step{Kind: trace.StepViolation, Status: trace.StatusError, Level: trace.LevelWarn, Code: CodeReasonViolation, CallID: s.callID, Name: t.mind.vocabulary.Tool(s.Tool)})
	}
	t.flush()
	if t.violations > t.mind.cfg.ViolationsMax {
		t.wait(trace.WaitReasoning, nil)
	}
}

// repair spends one further call on an answer that could not be used, or ends
// the turn when none is left. Calls still open are answered first.
func (t *Turn) repair(kind answer.Problem) {
	t.note(trace.Step{Kind: trace.StepParseError, Status: trace.StatusError, Code: string(kind)})
	t.repairs++
	if t.repairs > t.mind.cfg.RepairsMax {
		t.wait(trace.WaitReason(trace.WaitParsePrefix+string(kind)), nil)
		return
	}
	t.note(trace.Step{Kind: trace.StepRepair, Status: trace.StatusOK, Code: string(kind)})
	if len(t.slots) == 0 {
		// Calls get error outputs of their own; only an answer without calls needs a
		// message.
		f := t.mind.words.aboutAnswer(kind, t.allowed())
		f.Attempt, f.Of = t.repairs, t.mind.cfg.RepairsMax
		t.say(encode(f))
	}
	t.closeSlots(t.repairs, t.mind.cfg.RepairsMax)
}

// dispatch handles the calls of one answer in order. Protocol calls are settled
// at once; module calls stay open for the caller.
func (t *Turn) dispatch() {
	t.idle, t.drafts = nil, nil
	var decisions []terminal
	progress, wrong, misdecided := false, answer.Problem(""), answer.Problem("")
	for i := range t.slots {
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
			t.reject(d.slot, t.mind.words.newFeedback(CodeSeveralDecisions))
		}
		t.repair(answer.Several)
	case len(decisions) > 0:
		t.commit(decisions[0])
	case t.drafts != nil && t.mind.cfg.Commit == trace.CommitDirect && t.settled():
		t.commitDirect(*t.drafts)
	case t.idle != nil && t.settled():
		t.rest()
	case wrong != "" && !progress:
		t.repair(wrong)
	case t.settled():
		t.flush()
	}
}

// dispatchOne handles one call. ok says that the call brought the turn forward;
// kind names what was wrong with it.
func (t *Turn) dispatchOne(i int, decisions *[]terminal) (ok bool, kind answer.Problem) {
	s := t.slots[i]
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
	t.slots[i].module = true
	return true, ""
}

// refuseTool answers a call of a tool that is unknown or not allowed now.
func (t *Turn) refuseTool(i int, allowed []string) answer.Problem {
	name := t.mind.vocabulary.Tool(t.slots[i].Tool)
	code, kind := CodeNotAllowedNow, answer.NotAllowedNow
	switch {
	case name == answer.NoTool:
		code, kind = CodeUnknownTool, answer.UnknownTool
	case slices.Contains(t.mind.moduleNames, name) && t.moduleCalls >= t.mind.cfg.ModuleCallsMax:
		code = CodeModuleLimit
	}
	f := t.mind.words.newFeedback(code)
	f.Allowed = allowed
	if code == CodeUnknownTool {
		f.Known = t.mind.toolNames()
	}
	t.reject(i, f)
	t.note(trace.Step{Kind: trace.StepToolRefused, Status: trace.StatusError, Code: code, CallID: t.slots[i].callID, Name: name})
	return kind
}

// badArguments answers a call of a protocol tool whose arguments were refused.
func (t *Turn) badArguments(i int, kind trace.StepKind, e *answer.ArgumentError) answer.Problem {
	f := t.mind.words.wrongArguments(argumentCode(t.slots[i].Arguments, e), e)
	if f.Code == CodeArgumentsNotJSON {
		f.Parameters = t.parameters(t.slots[i].Tool)
	}
	t.reject(i, f)
	t.note(trace.Step{Kind: kind, Status: trace.StatusError, Code: f.Code, CallID: t.slots[i].callID, Detail: llmclient.Marshal(e)})
	return answer.InvalidArgs
}

// parameters returns a tool's schema, nil when the window has no room to tell it
// again.
func (t *Turn) parameters(tool string) json.RawMessage {
	for _, known := range t.mind.tools {
		if known.Name == tool && t.mind.count(string(known.Parameters)) < t.room()-moduleTokensMin {
			return known.Parameters
		}
	}
	return nil
}
