package behavior

import (
	"strings"

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
		t.repair(ParseTooLarge)
		return
	}
	calls, text := t.admit(a.Reply)
	switch {
	case kind == llmclient.AnswerRefusal:
		// Text beside a refusal explains it; a decision in it would be one that the
		// model took back.
		t.repair(ParseRefusal)
	case t.now.reasons():
		t.reasoned(calls, text)
	case kind == llmclient.AnswerCalls:
		t.slots = calls
		t.dispatch(nil)
	case kind == llmclient.AnswerText:
		t.readText(text)
	default:
		t.repair(ParseEmptyOutput)
	}
}

// cutKinds are the answers of which nothing is used, with their parse errors.
var cutKinds = map[llmclient.AnswerKind]ParseKind{
	llmclient.AnswerTruncated:  ParseTruncated,
	llmclient.AnswerFiltered:   ParseFiltered,
	llmclient.AnswerIncomplete: ParseIncomplete,
}

// The bounds of one answer. An answer beyond them is dropped whole, because every
// admitted call needs an output, and all of it would fill the window.
const (
	callsPerAnswerMax = 16
	itemsPerAnswerMax = 64
)

func oversized(r *llmclient.Reply) bool {
	calls := 0
	for _, it := range r.Items {
		if it.Kind == llmclient.KindFunctionCall {
			calls++
		}
	}
	return calls > callsPerAnswerMax || len(r.Items)+r.NonObjects > itemsPerAnswerMax
}

// reasoned takes the answer of a reason step. Calls are vetoed: nothing runs and
// each gets its own error output.
func (t *Turn) reasoned(calls []slot, text string) {
	if len(calls) > 0 {
		t.veto(calls)
		return
	}
	if strings.TrimSpace(text) == "" {
		t.repair(ParseEmptyOutput)
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
		t.note(trace.Step{Kind: trace.StepViolation, Status: trace.StatusError, Level: trace.LevelWarn, Code: CodeReasonViolation, CallID: s.callID, Name: t.knownName(s.tool)})
	}
	t.flush()
	if t.violations > t.mind.cfg.ViolationsMax {
		t.wait(trace.WaitReasoning, nil)
	}
}

// repair spends one further call on an answer that could not be used, or ends
// the turn when none is left. Calls still open are answered first.
func (t *Turn) repair(kind ParseKind) {
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
