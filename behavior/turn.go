package behavior

import (
	"slices"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Turn is one agent's deliberation in one tick, as a state machine without I/O. The caller
// carries out what Next returns and feeds back the result.
//
// Invariants:
//  1. Its inputs are those of a [Conversation].
//  2. A turn ends after at most Config.CallsMax asks, at worst in a wait with its
//     reason.
//  3. The same agent, view, answers and affordable requests give the same steps.
//  4. Once decision is set, nothing changes.
type Turn struct {
	agent *Agent
	view  world.View
	// conversation holds the items of the requests and the calls of the newest answer.
	conversation Conversation
	// protocol is what may follow, plan what the agent means to do, draft what it proposed, and exposure
	// what untrusted text it has seen and may see.
	protocol protocol
	plan     plan
	draft    draft
	exposure exposure
	// decision is nil until the turn has ended.
	decision Step
}

// Begin opens a turn for the agent of view.
func (m *Agent) Begin(view world.View) *Turn {
	t := &Turn{agent: m, view: view}
	m.compose(view, &t.exposure.opening)
	t.exposure.begin()
	opening := &t.exposure.opening
	t.plan.intentions = opening.intentions
	t.protocol = newProtocol(&m.cfg, m.moduleNames, opening.untrusted)
	t.conversation = Conversation{
		Tick: view.Tick(), AgentID: view.AgentID(), Vocabulary: &m.vocabulary, Language: m.words.Language,
		Input: slices.Clone(opening.items), room: answerRoom{begun: m.headroom, length: m.headroom.length},
	}
	if a := m.repetition.advice; a != nil {
		t.conversation.Note(trace.Step{Kind: trace.StepAdvice, Name: string(a.Kind),
			Detail: llmclient.Marshal(a)})
	}
	return t
}

// Afford tells the turn how many more requests its caller can send, the next one included. If that is
// only enough for a draft and a decision, the turn offers no modules and takes no reason step. Call it
// before Next. Without it, a turn assumes no limit.
func (t *Turn) Afford(requests int) { t.protocol.affordable = requests }

// Next returns what the turn needs: an Ask to answer, a Call to run, or the
// Decision that ends it. Calling it again without feeding back repeats the step.
func (t *Turn) Next() Step {
	if t.decision != nil {
		return t.decision
	}
	c := &t.conversation
	for _, s := range c.Calls {
		if !s.done {
			return Call{CallID: s.ID, Tool: s.Tool, Arguments: s.Arguments}
		}
	}
	if !c.waiting {
		t.request()
	}
	if t.decision != nil {
		return t.decision
	}
	choice := llmclient.ToolChoice{Mode: llmclient.ChoiceRequired, Allowed: t.offered()}
	if t.protocol.stage == trace.StageReason {
		choice = llmclient.ToolChoice{Mode: llmclient.ChoiceNone}
	}
	free := t.free()
	return Ask{Number: c.asks, Stage: t.protocol.stage, Sections: t.exposure.opening.sections, Free: free,
		Request: llmclient.Request{
			Model: t.agent.cfg.Model, Instructions: t.agent.instructions, Input: c.Input, Tools: t.agent.tools,
			Choice: choice, Sampling: c.Sampling(t.agent.sampling, free),
			CacheKey: t.agent.cacheKey, Breakpoints: c.Breakpoints(),
		}}
}

// request completes the next request, or ends the turn if the window or its rounds are used up.
func (t *Turn) request() {
	if t.protocol.askReason() {
		t.conversation.Say(t.agent.words.Steps.Reason)
	}
	t.conversation.Complete()
	if t.conversation.asks > 0 && t.room() < 0 && !(t.conversation.DropReasoning() && t.room() >= 0) {
		t.fail(trace.WaitWindow, nil)
		return
	}
	if t.overdue() {
		t.fail(trace.WaitRounds, nil)
		return
	}
	t.protocol.cramped = t.room() < moduleTokensMin
	last := t.conversation.asks+1 >= t.agent.cfg.CallsMax()
	t.conversation.Sent(!last && t.protocol.continues(t.exposure.locked()))
	t.exposure.carry(t.conversation.asks)
	t.plan.closed = t.exposure.tainted() && t.agent.cfg.Guards(trace.CheckOrder)
}

// offered returns the tools that may be called now.
func (t *Turn) offered() []string { return t.protocol.offered(&t.exposure, &t.draft) }

// Steps returns what the turn recorded so far, oldest first. It never influences the
// turn.
func (t *Turn) Steps() []trace.Step { return t.conversation.Steps }

// room is how many tokens the window still holds after an answer; negative if the next request
// would not fit.
func (t *Turn) room() int { return t.free() - t.agent.outputTokens }

// free is how many tokens the window has left for an answer.
func (t *Turn) free() int {
	return t.agent.cfg.ContextWindowTokens - t.agent.staticTokens - t.conversation.Tokens(t.agent.count)
}

// advance moves to the next stage of the plan.
func (t *Turn) advance() { t.skip("skipped_by_limit", t.protocol.advance()) }

// leavePlan continues to the draft or decision and skips the steps that the plan still has.
func (t *Turn) leavePlan() { t.skip("skipped_by_model", t.protocol.leavePlan()) }

// skip notes reason steps that are left out.
func (t *Turn) skip(code string, steps int) {
	for range steps {
		t.conversation.Note(trace.Step{Kind: trace.StepReasonSkipped, Code: code})
	}
}

// reveal shows the withheld texts and module results from the next request on: the plan is made, or a
// draft in its place.
func (t *Turn) reveal() {
	for _, text := range t.exposure.reveal(t.agent.words) {
		t.conversation.after = append(t.conversation.after, llmclient.Message("user", text))
	}
}
