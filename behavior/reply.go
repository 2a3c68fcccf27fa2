package behavior

import (
	"encoding/json"
	"regexp"
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
	if callCount(a.Reply.Items) > callsPerAnswerMax {
		t.repair(ParseTooLarge)
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

// callsPerAnswerMax bounds the calls of one answer. An answer with more is dropped
// whole, because every admitted call needs an output and would fill the window.
const callsPerAnswerMax = 16

func callCount(items []llmclient.Item) (n int) {
	for _, it := range items {
		if it.Kind == llmclient.KindFunctionCall {
			n++
		}
	}
	return n
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
	case !replayable(it):
		code = "call_not_replayable"
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
		it = llmclient.FunctionCall(s.callID, t.replayableName(s.tool), args)
		t.note(Note{Kind: NoteItemRepair, Status: StatusOK, Code: code, CallID: s.callID, Name: t.knownName(s.tool), Minted: minted})
	}
	return it, s
}

// callIDCharsMax is the longest call id the API accepts.
const callIDCharsMax = 64

// replayable reports whether a call can be sent back as it is: its id is a string,
// its name a tool name, and its arguments a string that holds JSON. Some providers
// refuse to read back anything else.
func replayable(it llmclient.Item) bool {
	var call struct {
		CallID    *string `json:"call_id"`
		Arguments *string `json:"arguments"`
	}
	return json.Unmarshal(it.Raw, &call) == nil && call.CallID != nil && call.Arguments != nil &&
		json.Valid([]byte(*call.Arguments)) && toolName.MatchString(it.Name)
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// replayableName is the name under which a rebuilt call is sent back.
func (t *Turn) replayableName(name string) string {
	if toolName.MatchString(name) {
		return name
	}
	return "unknown"
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
		f := unusable(kind, t.repairs, t.mind.cfg.RepairsMax, t.allowed())
		if t.stage == StageReason {
			f.Text = reasonPrompt
		}
		t.say(encode(f))
	}
}
