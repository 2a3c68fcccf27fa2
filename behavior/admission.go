package behavior

import (
	"encoding/json"
	"regexp"
	"strings"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// The codes of repairs made when an answer comes in. What is found only before a
// request goes out has the code of its [llmclient.ItemFault].
const (
	repairCallIDMissing     = string(llmclient.FaultCallIDMissing)
	repairCallIDRepeated    = string(llmclient.FaultCallIDRepeated)
	repairCallNotReplayable = "call_not_replayable"
	repairForeignOutput     = "output_from_model"
	repairMessageRole       = "message_role"
	repairNotObject         = "item_not_object"
)

// The codes of unknown items.
const (
	unknownKept    = "kept"
	unknownDropped = "dropped"
)

// admit appends an answer's items to the input, verbatim and in order, and
// returns its calls as open slots and its text. What could not be sent back as it
// is gets rebuilt or left out, with a note.
func (t *Turn) admit(r *llmclient.Reply) (calls []slot, text string) {
	for range r.NonObjects {
		t.note(trace.Step{Kind: trace.StepItemRepair, Status: trace.StatusOK, Code: repairNotObject})
	}
	var texts []string
	refusals, start := 0, len(t.input)
	t.answerAt = start
	for _, it := range r.Items {
		keep := true
		switch it.Kind {
		case llmclient.KindFunctionCall:
			var s slot
			it, s = t.admitCall(it)
			calls = append(calls, s)
		case llmclient.KindMessage:
			it = t.admitMessage(it)
			texts = append(texts, it.Text)
			if it.Refusal != "" {
				refusals++
			}
		case llmclient.KindReasoning:
		case llmclient.KindFunctionOutput:
			// Outputs are ours to give. One that a model made up would stand in for the
			// real one.
			keep = false
			t.note(trace.Step{Kind: trace.StepItemRepair, Status: trace.StatusOK, Code: repairForeignOutput})
		default:
			keep = t.admitUnknown(it)
		}
		if keep {
			t.input = append(t.input, it)
		} else {
			t.dropReasoning(start)
		}
	}
	text = strings.Join(texts, "\n")
	t.noteBeside(len(calls) > 0, len(texts), strings.TrimSpace(text) != "", refusals > 0)
	return calls, text
}

// noteBeside notes what an answer holds beside its calls or its first message.
func (t *Turn) noteBeside(calls bool, messages int, text, refused bool) {
	for _, n := range []struct {
		kind trace.StepKind
		so   bool
	}{{trace.StepTextBeside, calls && text}, {trace.StepRefusalBeside, calls && refused}, {trace.StepSeveralMessages, messages > 1}} {
		if n.so {
			t.note(trace.Step{Kind: n.kind, Status: trace.StatusOK})
		}
	}
}

// admitMessage returns a message fit to be sent back. A model speaks as the
// assistant: a message under another role would gain that role's authority, and
// one without a role is refused.
func (t *Turn) admitMessage(it llmclient.Item) llmclient.Item {
	if it.Role == "assistant" {
		return it
	}
	t.note(trace.Step{Kind: trace.StepItemRepair, Status: trace.StatusOK, Code: repairMessageRole})
	return it.WithRole("assistant")
}

// admitUnknown reports whether an item of an unknown kind is sent back. Providers
// take back what they sent, and refuse reasoning without the item that followed
// it, so such items are kept. Two kinds would be refused: an item without a type,
// and one with a call id, which is half of a pair that nobody here completes.
func (t *Turn) admitUnknown(it llmclient.Item) bool {
	var w struct {
		Type   *string         `json:"type"`
		CallID json.RawMessage `json:"call_id"`
	}
	keep := json.Unmarshal(it.Raw, &w) == nil && w.Type != nil && *w.Type != "" && (w.CallID == nil || string(w.CallID) == "null")
	code := unknownKept
	if !keep {
		code = unknownDropped
	}
	t.note(trace.Step{Kind: trace.StepUnknownItem, Status: trace.StatusOK, Code: code})
	return keep
}

// dropReasoning takes back the reasoning that led to an item that is not kept, of
// the answer that begins at start. It must not stand before another item.
func (t *Turn) dropReasoning(start int) {
	for n := len(t.input); n > start && t.input[n-1].Kind == llmclient.KindReasoning; n = len(t.input) {
		t.input = t.input[:n-1]
		t.note(trace.Step{Kind: trace.StepItemRepair, Status: trace.StatusOK, Code: string(llmclient.FaultReasoning)})
	}
}

// pair makes the input one that a provider accepts. Everything sent before passed
// the same check, so only what came since can change.
func (t *Turn) pair() {
	if _, _, ok := llmclient.CheckItems(t.input); ok {
		return
	}
	items, repairs := llmclient.PairItems(t.input, encode(t.mind.words.newFeedback(CodeNoResult)))
	t.input, t.inputTokens, t.counted = items, 0, 0
	for _, r := range repairs {
		t.note(trace.Step{Kind: trace.StepItemRepair, Status: trace.StatusOK, Code: string(r.Kind), CallID: r.CallID, Minted: r.Minted})
	}
}

// admitCall makes a slot for a call, and rebuilds a call that could not be sent
// back as it is: no id, a repeated one, or arguments that are no JSON string.
func (t *Turn) admitCall(it llmclient.Item) (llmclient.Item, slot) {
	s := slot{callID: it.CallID, Call: answer.Call{Tool: it.Name, Arguments: it.Text}}
	code := ""
	switch {
	case s.callID == "" || len(s.callID) > callIDCharsMax:
		code = repairCallIDMissing
	case t.isCall(s.callID):
		code = repairCallIDRepeated
	case !replayable(it) || readsOtherwise(s.Arguments):
		code = repairCallNotReplayable
	}
	minted := code == repairCallIDMissing || code == repairCallIDRepeated
	if minted {
		s.callID = t.mintCallID()
	}
	t.callIDs[s.callID] = minted
	if code != "" {
		args := s.Arguments
		if object, _, e := answer.ReadObject(args); e == nil && !answer.IsObject(args) {
			// What is sent back is what was read.
			args = string(object.JSON())
		} else if !json.Valid([]byte(args)) {
			args = "{}"
		}
		it = it.Rebuilt(s.callID, t.replayableName(s.Tool), args)
		t.note(trace.Step{Kind: trace.StepItemRepair, Status: trace.StatusOK, Code: code, CallID: s.callID, Name: t.mind.vocabulary.Tool(s.Tool)})
	}
	return it, s
}

// readsOtherwise reports arguments that are JSON but no object, and yet hold the
// object that is read from them: as the only element of a list, or in a string.
func readsOtherwise(args string) bool {
	if answer.IsObject(args) {
		return false
	}
	_, _, e := answer.ReadObject(args)
	return e == nil
}

// isCall reports whether a call of this turn has the id.
func (t *Turn) isCall(callID string) bool {
	_, ok := t.callIDs[callID]
	return ok
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
	return answer.NoTool
}
