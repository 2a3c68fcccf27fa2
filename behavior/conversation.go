package behavior

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// Conversation is the exchange of a turn with a model, whether the turn decides or reflects. It
// holds the items of its requests, the calls of the last answer with their outputs, and the
// repairs of answers that could not be used. The fields say whose it is.
//
// Invariants:
//  1. The input of each request starts with the input of the one before, except for
//     observations that the model made up, and reasoning that the window has no room for.
//  2. In the input of each request every function call has exactly one output, after
//     it. In between, the calls of the last answer wait for theirs in Calls.
type Conversation struct {
	Tick    int64
	AgentID string
	// Before is how many requests the agent made in the tick before this conversation.
	Before int
	// Vocabulary is what answers may name.
	Vocabulary *answer.Vocabulary
	// Language is that of what is said about answers; empty is English.
	Language string
	// RepairsMax bounds the further requests spent on answers that could not be used.
	RepairsMax int
	// Reflects says that it decides nothing: reports count its steps apart.
	Reflects bool
	// Input are the items of the next request, which [Conversation.Complete] completes.
	Input []llmclient.Item
	// Calls are those of the last answer, waiting for their outputs.
	Calls []PendingCall
	// Repairs counts the repairs made.
	Repairs int
	// Steps are the facts recorded so far, oldest first.
	Steps []trace.Step

	// said is all text of the last answer, also what may not decide.
	said string
	// marks are the places at which a provider is asked to keep the prompt, ascending; see mark.
	marks []int
	// answerAt is where the items of the last answer begin.
	answerAt int
	// after are messages that follow the outputs of the last answer's calls.
	after []llmclient.Item
	// ids are those of all calls, true for those made here.
	ids map[string]bool
	// coming are the items of the answer that is being taken.
	coming []llmclient.Item
	// asks counts the requests, minted the ids made here.
	asks, minted int
	// waiting says that a request is out and its answer not in.
	waiting bool
	// tokens is what the first counted items take.
	tokens, counted int
	// cut is what the last answer took if it was cut for length, else 0. length is the
	// longest answer that is asked for since one was, lengthened says that it was so once.
	// asked is what the last request asked for, 0 where it said nothing.
	cut, length, asked int
	lengthened         bool
	// begun is the headroom that it began with, widened the one it found, and longest the
	// longest whole answer in it.
	begun, widened headroom
	longest        int
}

// headroom is how long an agent's answers may be since one was cut for length and a longer
// one was whole: length tokens, of which what was cut had cut. Zero is as set.
type headroom struct{ length, cut int }

// headroom is that of the agent's next turn. It shrinks by half with each turn that would
// have done without it.
func (c *Conversation) headroom() headroom {
	next := c.begun
	switch {
	case c.longest == 0: // nothing shows whether it does
	case c.widened.length > c.widened.cut:
		next = c.widened
	case c.longest <= next.cut:
		next.length /= 2
		if next.length <= next.cut {
			next = headroom{}
		}
	}
	return next
}

// PendingCall is one function call of an answer and, once known, its output.
type PendingCall struct {
	answer.Call
	ID string
	// custom says that the call wants the output of a custom tool's.
	custom bool
	// module marks a call the caller has to run.
	module bool
	// done says that output is final.
	done   bool
	output string
	// wrong is the output of a call that went wrong, nil for any other. It is encoded late,
	// because only the whole answer shows whether it costs a repair.
	wrong *feedback
}

func (c *Conversation) words() *wording { return wordsOf(c.Language) }

// Step is the number of the present request among those of the agent's tick.
func (c *Conversation) Step() int { return c.Before + c.asks }

// Note records a fact. Every step about a call whose id was made here says so.
func (c *Conversation) Note(s trace.Step) {
	s.Tick = c.Tick
	s.AgentID = c.AgentID
	s.Step = c.Step()
	s.Minted = s.Minted || c.ids[s.CallID]
	c.Steps = append(c.Steps, s)
}

// note records a fact that a conversation of any kind may meet. One that reflects keeps
// only what was wrong, under kinds of its own.
func (c *Conversation) note(s trace.Step) {
	s.Status = cmp.Or(s.Status, trace.StatusOK)
	switch {
	case !c.Reflects:
	case s.Kind == trace.StepParseError:
		s.Kind = trace.StepLearnError
	case s.Kind == trace.StepItemRepair:
		s.Kind = trace.StepLearnItemRepair
	default:
		return
	}
	c.Note(s)
}

// repaired records that an item could not go back as it came.
func (c *Conversation) repaired(code string) {
	c.note(trace.Step{Kind: trace.StepItemRepair, Code: code})
}

// Say puts a message of the engine after the outputs of the last answer.
func (c *Conversation) Say(text string) {
	c.after = append(c.after, llmclient.Message("developer", text))
}

// Waits reports whether a request is out.
func (c *Conversation) Waits() bool { return c.waiting }

// Complete makes the input one that a provider accepts. Everything sent before passed
// the same check, so only what came since can change.
func (c *Conversation) Complete() {
	c.Input = append(c.Input, c.after...)
	c.after = nil
	said := func(it llmclient.Item) bool { return it.Kind != llmclient.KindMessage || it.ID != "" }
	if !slices.ContainsFunc(c.Input, said) {
		return // nothing is from a model yet
	}
	if _, repairs := llmclient.PairItems(c.Input, ""); len(repairs) == 0 {
		return
	}
	items, repairs := llmclient.PairItems(c.Input, encode(c.words().newFeedback(CodeNoResult)))
	c.replace(items)
	for _, r := range repairs {
		c.note(trace.Step{Kind: trace.StepItemRepair, Code: string(r.Kind), CallID: r.CallID, Minted: r.Minted})
	}
}

// Sent says that the request with the present input goes out. continues says that another one is
// likely to follow it.
func (c *Conversation) Sent(continues bool) {
	c.mark(continues)
	c.asks, c.waiting = c.asks+1, true
}

// Tokens returns what the input takes in tokens.
func (c *Conversation) Tokens(tokensOf func([]byte) int) int {
	for _, it := range c.Input[c.counted:] {
		text, more := it.Raw, 0
		if it.Kind == llmclient.KindReasoning {
			var read string
			read, more = it.Counted()
			text = json.RawMessage(read)
		}
		c.tokens += tokensOf(text) + more
	}
	c.counted = len(c.Input)
	return c.tokens
}

// DropReasoning leaves the reasoning of earlier answers out of the next request, and
// reports whether there was any. A provider takes the rest without it.
func (c *Conversation) DropReasoning() bool {
	kept, dropped := llmclient.WithoutReasoning(c.Input)
	if dropped == 0 {
		return false
	}
	c.replace(kept)
	c.repaired(repairReasoning)
	return true
}

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

// itemsPerAnswerMax and [answer.CallsMax] bound one answer. One beyond them is dropped
// whole, because every call needs an output, and all of it would fill the window.
const itemsPerAnswerMax = 64

// Take appends an answer's items to the input, verbatim and in order, and keeps its calls. What
// could not be sent back as it is gets rebuilt or left out. The problem says why nothing of the
// answer may be used. A cut answer is dropped whole, because its calls may be half written. Text
// with a refusal explains the refusal, so a decision in it would be one that the model took back.
func (c *Conversation) Take(a llmclient.Answer) (text string, problem answer.Problem) {
	if !c.waiting {
		panic("behavior: an answer without a request")
	}
	c.waiting = false
	if a.Failure != nil && a.Failure.Kind == llmclient.ErrMalformedCall {
		return "", answer.MalformedCall // the model answered, and may do better
	}
	if a.Failure != nil {
		return "", ""
	}
	kind := a.Kind()
	switch {
	case kind == llmclient.AnswerTruncated:
		u := a.Reply.Usage
		c.cut = int(min(cmp.Or(max(u.Output, u.Reasoning, 0), int64(c.asked), trace.OutputTokensReserved), math.MaxInt32))
		return "", answer.Truncated
	case kind == llmclient.AnswerEndless:
		return "", answer.Endless // more room would be filled with more of the same
	case kind == llmclient.AnswerFiltered:
		return "", answer.Filtered
	case kind == llmclient.AnswerIncomplete:
		return "", answer.Incomplete
	case a.Reply == nil || len(a.Reply.Items)+a.Reply.NonObjects > itemsPerAnswerMax || c.tooLarge(a.Reply):
		return "", answer.TooLarge
	}
	c.longest = max(c.longest, int(min(a.Reply.Usage.Output, math.MaxInt32)))
	text = c.accept(a.Reply)
	switch kind {
	case llmclient.AnswerCalls, llmclient.AnswerText:
		return text, ""
	case llmclient.AnswerRefusal:
		return "", answer.Refusal
	}
	return "", answer.EmptyOutput
}

// tooLarge reports a reply of too many calls, or of more bytes than the window can hold:
// what cannot be sent back is neither read nor counted. A token has about four bytes; an
// answer with twice as many in each, or of megabytes, is nothing that a model says.
func (c *Conversation) tooLarge(r *llmclient.Reply) bool {
	calls, size := 0, 0
	for _, it := range r.Items {
		size += len(it.Raw)
		if it.Kind == llmclient.KindFunctionCall {
			calls++
		}
	}
	return calls > answer.CallsMax || size > min(8*c.Vocabulary.WindowTokens, 2<<20)
}

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
	raw := llmclient.MembersOf(it.Raw)
	isText := func(name string) bool { return len(raw[name]) > 0 && raw[name][0] == '"' }
	replayable := isText("call_id") && toolName.MatchString(name) && !readsOtherwise
	for _, member := range [...]string{"arguments", "input"} {
		replayable = replayable && (isText(member) || !llmclient.Given(raw[member]))
	}
	switch {
	case it.Custom:
		call.Repairs = append(call.Repairs, answer.CustomCall)
		replayable = replayable && isText("input")
	case it.Nested:
		call.Repairs, replayable = append(call.Repairs, answer.WrapperKey), false
	case it.Renamed:
		call.Repairs, replayable = append(call.Repairs, answer.CallKey), false
	default:
		replayable = replayable && isText("arguments") && (isObject || json.Valid([]byte(llmclient.TextOf(raw["arguments"]))))
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

// Lengthen reports whether the last answer was cut for length and its request is to be
// sent once more, with four times the room, as far as the window has it free. Nothing is
// said to the model, which may only have thought. It happens once: the next answer that is
// cut cannot be used. The requests that follow ask for as much, those of the next turns too
// if an answer was whole then.
func (c *Conversation) Lengthen(free func() int) bool {
	if c.cut == 0 {
		return false
	}
	used := c.cut
	c.cut = 0
	c.length = max(c.length, min(max(4*used, answerTokens), free()))
	c.longest = 0
	c.widened = headroom{c.length, used}
	if c.lengthened || c.length <= max(used, c.asked) {
		return false
	}
	c.lengthened = true
	c.Note(trace.Step{Kind: trace.StepLengthened, Status: trace.StatusOK, Code: string(answer.Truncated),
		Detail: llmclient.Marshal(map[string]int{"used": used, "asked": c.length})})
	return true
}

// Sampling is how the next request asks: as set, except for the length after an answer that was
// cut, and never for more than is free of the window.
func (c *Conversation) Sampling(set llmclient.Sampling, free int) llmclient.Sampling {
	set.MaxOutputTokens = max(set.MaxOutputTokens, c.length)
	if set.MaxOutputTokens > 0 {
		set.MaxOutputTokens = max(min(set.MaxOutputTokens, free), llmclient.MaxOutputTokensLeast)
	}
	c.asked = set.MaxOutputTokens
	return set
}

// Respond sets the output of call i.
func (c *Conversation) Respond(i int, v any) { c.Calls[i].done, c.Calls[i].output = true, encode(v) }

// reject sets the output of call i to what was wrong with it.
func (c *Conversation) reject(i int, f feedback) { c.Calls[i].done, c.Calls[i].wrong = true, &f }

// Refuse answers a call of a tool that is unknown or not allowed now. The output for an unknown
// tool lists all tools there are.
func (c *Conversation) Refuse(i int, code string, allowed []string) {
	f := c.words().newFeedback(code)
	f.Allowed = allowed
	for _, tool := range c.Vocabulary.Tools {
		if code == CodeUnknownTool {
			f.Known = append(f.Known, tool.Name)
		}
	}
	c.reject(i, f)
}

// RefuseArguments answers a call whose arguments were refused and returns the code. If the call
// held no JSON and room says that there is room, the output repeats the schema of its tool.
// Otherwise the field at fault says more in less room.
func (c *Conversation) RefuseArguments(i int, e *answer.ArgumentError, room func(json.RawMessage) bool) (code string) {
	f := c.words().wrongArguments(argumentCode(c.Calls[i].Arguments, e), e)
	for _, tool := range c.Vocabulary.Tools {
		if f.Code == CodeArgumentsNotJSON && tool.Name == c.Calls[i].Tool && room(tool.Parameters) {
			f.Parameters = tool.Parameters
		}
	}
	c.reject(i, f)
	return f.Code
}

func (c *Conversation) settled() bool {
	return !slices.ContainsFunc(c.Calls, func(p PendingCall) bool { return !p.done })
}

// Flush appends the outputs of the last answer's calls in the model's order. Calls that went wrong
// in the same way are told so once, in full: the others point to that output.
func (c *Conversation) Flush() {
	told := map[string]string{}
	for _, p := range c.Calls {
		output := p.output
		if p.wrong != nil {
			output = encode(p.wrong)
			if first, again := told[output]; again {
				output = encode(sameError{p.wrong.Status, p.wrong.Code, first, p.wrong.Executed})
			} else {
				told[output] = p.ID
			}
		}
		c.Input = append(c.Input, llmclient.Output(p.ID, output, p.custom))
	}
	c.Calls = nil
}

// sameError points to the output of another call of an answer, which failed in the same way.
type sameError struct {
	Status   string `json:"status"`
	Code     string `json:"code"`
	SameAs   string `json:"same_as"`
	Executed bool   `json:"executed"`
}

// Repair spends one further request on an answer that could not be used; ok is false
// when none is left. Calls still open are answered as not executed, and those that went
// wrong tell which retry the next answer is. An answer without calls gets a message,
// with the tools that may be called.
func (c *Conversation) Repair(problem answer.Problem, allowed []string) (ok bool) {
	c.note(trace.Step{Kind: trace.StepParseError, Status: trace.StatusError, Code: string(problem)})
	c.Repairs++
	if c.Repairs > c.RepairsMax {
		return false
	}
	c.note(trace.Step{Kind: trace.StepRepair, Code: string(problem)})
	if len(c.Calls) == 0 {
		f := c.words().aboutAnswer(problem, allowed)
		f.TriesLeft = c.RepairsMax - c.Repairs + 1
		c.Say(encode(f))
	}
	for i := range c.Calls {
		if !c.Calls[i].done {
			c.reject(i, c.words().newFeedback(CodeNotExecuted))
		}
		if f := c.Calls[i].wrong; f != nil {
			f.TriesLeft = c.RepairsMax - c.Repairs + 1
		}
	}
	c.Flush()
	return true
}
