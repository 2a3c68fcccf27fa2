package behavior

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// The codes of repairs made when an answer comes in. What is found only before a
// request goes out has the code of its [llmclient.ItemFault].
const (
	repairCallNotReplayable = "call_not_replayable"
	repairForeignOutput     = "output_from_model"
	repairMessageRole       = "message_role"
	repairNotReplayable     = "message_not_replayable"
	repairNullMember        = "null_member_dropped"
	repairNotObject         = "item_not_object"
	// repairInventedText: a text goes back without the steps that the model made up.
	repairInventedText = "invented_text_dropped"
	// repairReasoning: reasoning is left out because the window is full.
	repairReasoning = "reasoning_dropped"
)

func (c *Conversation) accept(r *llmclient.Reply) string {
	for _, name := range r.Repairs {
		c.repaired(name)
	}
	for range r.NonObjects {
		c.repaired(repairNotObject)
	}
	// final are the texts that answer, if the provider says which do (phased).
	var texts, final []string
	refused, phased := false, false
	c.answerAt, c.coming = len(c.Input), r.Items
	for _, it := range r.Items {
		keep := true
		it, nulls := it.WithoutNulls()
		if nulls {
			c.repaired(repairNullMember)
		}
		switch it.Kind {
		case llmclient.KindFunctionCall:
			calls := c.acceptCalls(it)
			c.Input = append(c.Input, calls[:len(calls)-1]...)
			it = calls[len(calls)-1]
		case llmclient.KindMessage:
			if it.Role != "assistant" {
				// Under another role a message would gain that role's authority, and one
				// without a role is refused.
				c.repaired(repairMessageRole)
				it = it.WithRole("assistant")
			}
			if it.Partial {
				c.repaired(repairNotReplayable)
				it = llmclient.PhasedMessage("assistant", it.Phase, it.Text)
			}
			texts = append(texts, it.Text)
			if it.Phase != "" {
				phased = true
			}
			if it.Phase == llmclient.PhaseFinal {
				final = append(final, it.Text)
			}
			refused = refused || it.Refusal != ""
		case llmclient.KindReasoning:
		case llmclient.KindFunctionOutput:
			// Only the engine gives outputs. One that the model made up would replace the real
			// one.
			keep = false
			c.repaired(repairForeignOutput)
		default:
			// Providers take back what they sent, and refuse reasoning without the item that
			// followed it. So an item of an unknown kind is kept, with two exceptions that
			// providers refuse: an item without a type, and an item with a call id, because no
			// one here completes its pair.
			var w struct {
				Type   *string         `json:"type"`
				CallID json.RawMessage `json:"call_id"`
			}
			keep = json.Unmarshal(it.Raw, &w) == nil && w.Type != nil && *w.Type != "" &&
				(w.CallID == nil || string(w.CallID) == "null")
			code := "kept"
			if !keep {
				code = "dropped"
			}
			c.note(trace.Step{Kind: trace.StepUnknownItem, Code: code})
		}
		if keep {
			c.Input = append(c.Input, it)
			continue
		}
		// The reasoning that led to the item must not come before another one.
		for n := len(c.Input); n > c.answerAt && c.Input[n-1].Kind == llmclient.KindReasoning; n = len(c.Input) {
			c.Input = c.Input[:n-1]
			c.repaired(string(llmclient.FaultReasoning))
		}
	}
	c.said = strings.Join(texts, "\n")
	text := c.said
	if phased {
		text = strings.Join(final, "\n")
	}
	if len(c.Calls) > 0 && strings.TrimSpace(text) != "" {
		c.note(trace.Step{Kind: trace.StepTextBeside})
	}
	if len(c.Calls) > 0 && refused {
		c.note(trace.Step{Kind: trace.StepRefusalBeside})
	}
	if len(texts) > 1 {
		c.note(trace.Step{Kind: trace.StepSeveralMessages})
	}
	return text
}

// acceptCalls keeps the calls of an item. Only a call of several tools at once has several: each
// goes back as one of its own, since each gets an output of its own.
func (c *Conversation) acceptCalls(it llmclient.Item) (items []llmclient.Item) {
	calls := c.Vocabulary.Called(it.Name, it.Text)
	if len(calls) > 1 && len(c.Calls)+len(calls) > answer.CallsMax {
		calls = []answer.Call{{Tool: it.Name, Arguments: it.Text}}
	}
	for i, call := range calls {
		if i > 0 {
			it.ID, it.CallID = "", ""
		}
		items = append(items, c.acceptCall(it, call))
	}
	return items
}

// acceptCall keeps a call, and rebuilds one that could not be sent back as it is: no
// id, a repeated one, or arguments that are no JSON string.
func (c *Conversation) acceptCall(it llmclient.Item, read answer.Call) llmclient.Item {
	call := PendingCall{Call: read, ID: it.CallID, custom: it.Custom}
	name := it.Name
	args := it.Text
	readsOtherwise := false
	if slices.ContainsFunc(call.Repairs, func(r answer.Repair) bool {
		return r == answer.WrapperKey || r == answer.ArgumentsInName || r == answer.ToolFromFields
	}) {
		name = call.Tool
		args = call.Arguments
		readsOtherwise = true
	}
	isObject := answer.IsObject(args)
	if !it.Custom && !isObject {
		if object, _, e := answer.ReadObject(args); e == nil {
			args, readsOtherwise = string(object.JSON()), true // what is sent back is what was read
		}
	}
	// Some providers refuse to read back anything but an id and arguments that are strings,
	// with JSON in the latter, and a name that a tool can have.
	replayable := !it.Untexted && toolName.MatchString(name) && !readsOtherwise
	switch {
	case it.Custom:
		call.Repairs = append(call.Repairs, answer.CustomCall)
	case it.Nested:
		call.Repairs, replayable = append(call.Repairs, answer.WrapperKey), false
	case it.Renamed:
		call.Repairs, replayable = append(call.Repairs, answer.CallKey), false
	default:
		replayable = replayable && (isObject || json.Valid([]byte(it.Text)))
	}
	fault := llmclient.ItemFault("")
	switch _, repeated := c.ids[it.CallID]; {
	case it.CallID == "": // a long one is the server's own, which may hold what it needs again
		fault, call.ID = llmclient.FaultCallIDMissing, c.mint()
	case repeated:
		fault, call.ID = llmclient.FaultCallIDRepeated, c.mint()
	default:
		if !replayable {
			fault = repairCallNotReplayable
		}
		c.keep(call.ID, false)
	}
	c.Calls = append(c.Calls, call)
	if fault == "" {
		return it
	}
	if !it.Custom && !json.Valid([]byte(args)) {
		args = "{}"
	}
	if !toolName.MatchString(name) {
		name = c.Vocabulary.Tool(call.Tool)
	}
	c.note(trace.Step{Kind: trace.StepItemRepair, Code: string(fault), CallID: call.ID,
		Name: c.Vocabulary.Tool(call.Tool)})
	return it.Rebuilt(call.ID, name, args)
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// keep takes a call id; minted says that it was made here.
func (c *Conversation) keep(id string, minted bool) {
	if c.ids == nil {
		c.ids = map[string]bool{}
	}
	c.ids[id] = minted
}

// mint makes a call id for a call whose provider sent none or repeated one. It follows from the place
// of the call in the run, and differs from every id of the conversation.
func (c *Conversation) mint() string {
	for {
		c.minted++
		id := llmclient.MintCallID(fmt.Sprintf("%d/%d/%d", c.Tick, c.Step(), c.minted))
		_, taken := c.ids[id]
		taken = taken || slices.ContainsFunc(c.coming, func(it llmclient.Item) bool { return it.CallID == id })
		if !taken {
			c.keep(id, true)
			return id
		}
	}
}

// Read finds the calls that the last answer's text means, as if they had been made. It writes
// them out after the text. The model sees how it was understood and how a call is made, and the
// outputs are paired as usual. allowed are the tools that may be called. A refused call has no
// step that would count the repairs of the whole text, so the repairs are counted with the first
// allowed call.
//
// If the model made up the results of its calls, only the text before them is kept. This is the
// one exception to sending items back as they came: every later request would take a made-up
// observation for a real one.
func (c *Conversation) Read(text string, allowed []string) answer.Problem {
	r := c.Vocabulary.Read(text)
	if r.Kept != "" {
		items, phase := c.Input[:c.answerAt:c.answerAt], ""
		for _, it := range c.Input[c.answerAt:] {
			phase = cmp.Or(it.Phase, phase)
			if it.Kind != llmclient.KindMessage && it.Kind != llmclient.KindReasoning {
				items = append(items, it)
			}
		}
		c.Input = append(items, llmclient.PhasedMessage("assistant", phase, strings.TrimSpace(r.Kept)))
		c.repaired(repairInventedText)
	}
	if r.Problem != "" {
		return r.Problem
	}
	for _, call := range r.Calls {
		p := PendingCall{Call: call, ID: c.mint()}
		args := call.Arguments
		if !answer.IsObject(args) {
			args = "{}"
		}
		c.Input = append(c.Input, llmclient.FunctionCall(p.ID, call.Tool, args))
		c.Calls = append(c.Calls, p)
	}
	first := slices.IndexFunc(c.Calls, func(p PendingCall) bool { return slices.Contains(allowed, p.Tool) })
	p := &c.Calls[max(first, 0)]
	p.Repairs = slices.Concat(r.Repairs, p.Repairs)
	return ""
}
