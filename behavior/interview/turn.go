package interview

import (
	"slices"
	"strings"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

const (
	// repairsMax is how many further requests an answer without a text may cost.
	repairsMax = 1
	// answerTokensLeast is the least room for an answer, in tokens.
	answerTokensLeast = 256
)

// CallsMax is the most model calls that one question can take: a request whose answer is cut for
// length is sent once more.
const CallsMax = 1 + repairsMax + 1

// Turn is one question to an agent. Its requests are those of a [behavior.Conversation], at most
// [CallsMax]. Each begins with the one before.
type Turn struct {
	agent Agent
	with  With
	// static is what instructions and tools take in tokens.
	static       int
	conversation behavior.Conversation
	repairs      int
	done         bool
	result       Result
}

// Result is the answer to a question, or why there is none.
type Result struct {
	// Text is the answer, empty with a Failure.
	Text string
	// Cited are the sources that it names. Those in view when the agent decided are used; all others
	// count as invented, also if the agent's memory holds them.
	Cited []trace.Citation
	// Failure says why there is no answer, as the wait reason of a decision does.
	Failure trace.WaitReason
	// Calls counts the requests.
	Calls int
}

// Next returns the request that needs an answer; more is false when the turn is over. Without an
// answer it repeats the request.
func (t *Turn) Next() (ask behavior.Ask, more bool) {
	if t.done {
		return behavior.Ask{}, false
	}
	if !t.conversation.Waits() {
		t.conversation.Complete()
		t.conversation.Sent(false)
		t.result.Calls++
	}
	r := llmclient.Request{
		Model: t.with.Model, Instructions: t.agent.Instructions, Input: t.conversation.Input, Tools: t.agent.Tools,
		Choice:   llmclient.ToolChoice{Mode: llmclient.ChoiceNone},
		Sampling: t.conversation.Sampling(t.agent.Settings.SamplingOf(t.agent.ID), t.free()),
	}
	t.findKept(&r)
	return behavior.Ask{Number: t.result.Calls, Stage: trace.StageAsk, Free: t.free(), Request: r}, true
}

// findKept says where a provider finds what it has kept of the agent's own requests, under the key of
// the recorded call. A call of an older run had the agent's id for a key and no breakpoints.
func (t *Turn) findKept(r *llmclient.Request) {
	call := t.agent.Call
	switch {
	case len(call.Breakpoints) == 0:
		r.CacheKey = t.agent.ID
		return
	case t.with.Model == call.Model:
		r.CacheKey = call.CacheKey
	default:
		r.CacheKey = r.Head().CacheKey()
	}
	r.Breakpoints = t.conversation.Breakpoints()
}

// free is what the window has left for an answer.
func (t *Turn) free() int {
	return t.agent.Settings.ContextWindowTokens - t.static - t.conversation.Tokens(t.with.CountTokens)
}

// Answer takes the answer to the request that Next returned. A text is the answer, whatever was
// called beside it. Without a text the model is asked once more.
func (t *Turn) Answer(a llmclient.Answer) {
	text, problem := t.conversation.Take(a)
	text, _ = answer.WithoutThinking(text)
	switch {
	case a.Failure != nil && problem == "":
		t.fail(trace.WaitModelPrefix + trace.WaitReason(a.Failure.Kind))
		return
	case t.conversation.Lengthen(t.free):
		return
	case problem == "" && strings.TrimSpace(text) != "":
		t.done, t.result.Text = true, strings.TrimSpace(text)
		t.cite()
		return
	case problem == "":
		problem = answer.NotAllowedNow
	}
	for i := range t.conversation.Calls {
		t.conversation.Refuse(i, behavior.CodeNotAllowedNow, nil)
	}
	ok := t.conversation.Repair(problem, nil, repairsMax-t.repairs)
	t.repairs++
	if !ok {
		t.fail(trace.WaitParsePrefix + trace.WaitReason(problem))
	}
}

// cite reads the sources that the answer names.
func (t *Turn) cite() {
	shown := []trace.Source{}
	for _, d := range t.agent.Decisions {
		shown = append(shown, d.SourcesRetrieved...)
	}
	has := func(id string) bool {
		return slices.ContainsFunc(shown, func(s trace.Source) bool { return s.ID == id })
	}
	for _, id := range behavior.CitedIDs(t.result.Text, has) {
		status := trace.CitedInvented
		if has(id) {
			status = trace.CitedUsed
		}
		t.result.Cited = append(t.result.Cited, trace.Citation{ID: id, Channel: trace.ChannelText, Status: status})
	}
}

func (t *Turn) fail(why trace.WaitReason) { t.done, t.result.Failure = true, why }

// Result returns the answer. It panics before the turn's end.
func (t *Turn) Result() Result {
	if !t.done {
		panic("interview: the result of an unfinished turn")
	}
	return t.result
}
