package behavior

import (
	"encoding/json"
	"slices"
	"strings"

	"agentworld/llmclient"
)

// Answer feeds back the answer to the Ask that Next returned.
func (t *Turn) Answer(a llmclient.Answer) {
	if !t.waiting {
		panic("behavior: an answer without an ask")
	}
	t.waiting = false
	if a.Failure != nil {
		t.note(Note{Kind: NoteModelError, Status: StatusError, Code: string(a.Failure.Kind)})
		t.wait(WaitReason(WaitModelPrefix+string(a.Failure.Kind)), nil)
		return
	}
	if kind := truncation(a.Reply); kind != "" {
		// A cut answer is dropped whole: its calls may be half written, and a
		// provider refuses calls without outputs.
		t.repair(kind)
		return
	}
	calls, text, refusal := t.admit(a.Reply.Items)
	switch {
	case t.stage == StageReason:
		t.reasoned(calls, text)
	case len(calls) > 0:
		if strings.TrimSpace(text) != "" {
			t.note(Note{Kind: NoteTextBeside, Status: StatusOK})
		}
		t.slots = calls
		t.dispatch(nil)
	case strings.TrimSpace(text) != "":
		t.readText(text)
	case refusal:
		t.repair(ParseRefusal)
	default:
		t.repair(ParseEmptyOutput)
	}
}

// truncation names why an answer is incomplete, empty when it is not.
func truncation(r *llmclient.Reply) ParseKind {
	switch {
	case r.Status != "incomplete":
		return ""
	case r.IncompleteReason == "content_filter":
		return ParseFiltered
	}
	return ParseTruncated
}

// admit appends an answer's items to the input, verbatim and in order, and
// returns its calls as open slots. A call that could not be sent back as it is
// (no id, a repeated id, arguments that are not a JSON string) is rebuilt, with a
// note.
func (t *Turn) admit(items []llmclient.Item) (calls []slot, text string, refusal bool) {
	var texts []string
	for _, it := range items {
		switch it.Kind {
		case llmclient.KindFunctionCall:
			var s slot
			it, s = t.admitCall(it)
			calls = append(calls, s)
		case llmclient.KindMessage:
			texts = append(texts, it.Text)
			refusal = refusal || it.Refusal != ""
		}
		t.input = append(t.input, it)
	}
	return calls, strings.Join(texts, "\n"), refusal
}

func (t *Turn) admitCall(it llmclient.Item) (llmclient.Item, slot) {
	s := slot{callID: it.CallID, tool: it.Name, args: it.Text}
	code := ""
	switch {
	case s.callID == "" || len(s.callID) > callIDCharsMax:
		code = "call_id_missing"
	case t.callIDs[s.callID]:
		code = "call_id_repeated"
	case !replayableArguments(it.Raw):
		code = "arguments_not_json"
	}
	minted := code == "call_id_missing" || code == "call_id_repeated"
	if minted {
		s.callID = t.mintCallID()
	}
	t.callIDs[s.callID] = true
	if code != "" {
		args := s.args
		if !json.Valid([]byte(args)) {
			args = "{}"
		}
		it = llmclient.FunctionCall(s.callID, s.tool, args)
		t.note(Note{Kind: NoteItemRepair, Status: StatusOK, Code: code, CallID: s.callID, Name: t.knownName(s.tool), Minted: minted})
	}
	return it, s
}

// callIDCharsMax is the longest call id the API accepts.
const callIDCharsMax = 64

// replayableArguments reports whether a call's arguments are a JSON string that
// holds valid JSON; some providers refuse to read back anything else.
func replayableArguments(raw json.RawMessage) bool {
	var call struct {
		Arguments *string `json:"arguments"`
	}
	return json.Unmarshal(raw, &call) == nil && call.Arguments != nil && json.Valid([]byte(*call.Arguments))
}

// knownName returns a tool name if the run knows it, else a fixed word, so that
// model text does not become a counter's name.
func (t *Turn) knownName(tool string) string {
	if slices.ContainsFunc(t.mind.tools, func(known llmclient.Tool) bool { return known.Name == tool }) {
		return tool
	}
	return "unknown"
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
	t.note(Note{Kind: NoteReason, Status: StatusOK, Detail: map[string]int{"chars": runeCount(text)}})
	t.say("Reason step done. Continue with the tools allowed now.")
	t.afterPlan()
}

func (t *Turn) veto(calls []slot) {
	t.violations++
	t.slots = calls
	for i, s := range calls {
		t.respond(i, reasonViolation(t.violations, t.mind.cfg.ViolationsMax+1))
		t.note(Note{Kind: NoteViolation, Status: StatusError, Code: CodeReasonViolation, CallID: s.callID, Name: t.knownName(s.tool)})
	}
	t.flush()
	if t.violations > t.mind.cfg.ViolationsMax {
		t.wait(WaitReasoning, nil)
	}
}

// repair spends one further call on an answer that could not be used, or ends
// the turn when none is left. Calls still open are answered first.
func (t *Turn) repair(kind ParseKind) {
	t.note(Note{Kind: NoteParseError, Status: StatusError, Code: string(kind)})
	answered := len(t.slots) > 0
	t.closeSlots()
	t.repairs++
	if t.repairs > t.mind.cfg.RepairsMax {
		t.wait(WaitReason(WaitParsePrefix+string(kind)), nil)
		return
	}
	t.note(Note{Kind: NoteRepair, Status: StatusOK, Code: string(kind)})
	if !answered {
		// Calls got their own error outputs; only an answer without calls needs a
		// message.
		t.say(encode(unusable(kind, t.repairs, t.mind.cfg.RepairsMax, t.allowed())))
	}
}
