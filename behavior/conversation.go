package behavior

import (
	"cmp"
	"slices"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/words"
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
	// Language has what is said about answers; nil is English.
	Language *words.Language
	// Reflects says that it decides nothing: reports count its steps apart.
	Reflects bool
	// Input are the items of the next request, which [Conversation.Complete] completes.
	Input []llmclient.Item
	// Calls are those of the last answer, waiting for their outputs.
	Calls []PendingCall
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
	// room is how long answers may be.
	room answerRoom
}

func (c *Conversation) words() *wording { return wordsOf(c.Language) }

// Step is the number of the present request among those of the agent's tick.
func (c *Conversation) Step() int { return c.Before + c.asks }

// Note records a fact, which is well unless it says otherwise. Every step about a call whose id was made here says so.
func (c *Conversation) Note(s trace.Step) {
	s.Tick = c.Tick
	s.AgentID = c.AgentID
	s.Step = c.Step()
	s.Status = cmp.Or(s.Status, trace.StatusOK)
	s.Minted = s.Minted || c.ids[s.CallID]
	c.Steps = append(c.Steps, s)
}

// note records a fact that a conversation of any kind may meet. One that reflects keeps
// only what was wrong, under kinds of its own.
func (c *Conversation) note(s trace.Step) {
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
	items, repairs := llmclient.PairItems(c.Input, encode(c.words().newFeedback(CodeNoResult)))
	if len(repairs) > 0 {
		c.replace(items)
	}
	for _, r := range repairs {
		c.note(trace.Step{Kind: trace.StepItemRepair, Code: string(r.Kind), CallID: r.CallID, Minted: r.Minted})
	}
}

// Sent says that the request with the present input goes out. continues says that another one is
// likely to follow it.
func (c *Conversation) Sent(continues bool) {
	c.mark(continues)
	c.asks++
	c.waiting = true
}

// Tokens returns what the input takes in tokens.
func (c *Conversation) Tokens(tokensOf func(string) int) int {
	for _, it := range c.Input[c.counted:] {
		if it.Kind == llmclient.KindReasoning {
			text, more := it.Counted()
			c.tokens += tokensOf(text) + more
		} else {
			c.tokens += tokensOf(string(it.Raw))
		}
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
		c.room.cutAt(a.Reply.Usage)
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
	c.room.whole(a.Reply.Usage)
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
