package reflect

import (
	"slices"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/trace"
)

// Turn is one look back of one agent, as a state machine without I/O.
//
// Invariants:
//  1. The input of each request starts with the input of the previous one, and
//     every function call in it has exactly one output.
//  2. It ends after at most Kit.CallsMax requests.
//  3. Same experience, playbook and answers give the same requests and result.
type Turn struct {
	kit   *Kit
	agent string
	shown opening
	// ground is what the result stands on.
	ground playbook.Ground
	// evidence names a decision of the agent by its tick.
	evidence func(tick int64) playbook.Evidence

	stage   trace.Stage
	input   []llmclient.Item
	waiting bool
	done    bool
	// asks counts the requests, first is the step of the first one.
	asks, first int
	// rounds counts the reflections taken, repairs the repairs of the stage.
	rounds, repairs int

	reflected reflection
	deltas    []delta
	failure   string
	steps     []trace.Step
}

// Begin opens a turn on what e holds, which must not be nothing, at the end of the
// given tick. book is the agent's playbook, goals how far it has got; firstStep is
// the step of the turn's first request, so that it can follow the steps of the
// agent's decision in the same tick.
func (k *Kit) Begin(e *Experience, book *playbook.Playbook, goals []Goal, tick int64, firstStep int) *Turn {
	if e.Len() == 0 {
		panic("learn: a turn about no decision")
	}
	t := &Turn{kit: k, agent: e.agent, shown: k.compose(e, book, goals), evidence: e.evidence, stage: trace.StageReflect, first: firstStep}
	t.ground = e.ground(tick, t.shown.decisions, k.guarded)
	t.input = []llmclient.Item{llmclient.Message("user", t.shown.text)}
	return t
}

// Next returns the request the turn needs answered; more is false when it is over.
// Calling it again without an answer repeats the request.
func (t *Turn) Next() (ask behavior.Ask, more bool) {
	if t.done {
		return behavior.Ask{}, false
	}
	if !t.waiting {
		t.pair()
		t.asks++
		t.waiting = true
	}
	return behavior.Ask{Number: t.step(), Stage: t.stage, Request: t.request()}, true
}

// step is the step of the present request.
func (t *Turn) step() int { return t.first + max(t.asks-1, 0) }

func (t *Turn) request() llmclient.Request {
	return llmclient.Request{
		Model: t.kit.cfg.Model, Instructions: t.kit.policy, Input: t.input, Tools: t.kit.tools,
		Choice:          llmclient.ToolChoice{Mode: llmclient.ChoiceRequired, Allowed: []string{string(t.stage)}},
		OutputTokensMax: t.kit.outputTokens(), CacheKey: t.agent + "-" + "learn",
	}
}

// pair makes the input one that a provider accepts.
func (t *Turn) pair() {
	items, repairs := llmclient.PairItems(t.input, behavior.CallError(behavior.CodeNoResult, nil, nil, 0, 0))
	t.input = items
	for _, r := range repairs {
		t.note(trace.Step{Kind: trace.StepLearnItemRepair, Status: trace.StatusOK, Code: string(r.Kind), CallID: r.CallID, Minted: r.Minted})
	}
}

// Answer feeds back the answer to the request that Next returned.
func (t *Turn) Answer(a llmclient.Answer) {
	if !t.waiting {
		panic("learn: an answer without a request")
	}
	t.waiting = false
	if a.Failure != nil {
		t.fail(trace.WaitModelPrefix + string(a.Failure.Kind))
		return
	}
	if kind := behavior.Unusable(a); kind != "" {
		t.repair(kind, "")
		return
	}
	t.take(t.admit(a.Reply))
}

// reflectedOnce takes a reflection and goes on to the next round or stage. A later
// round replaces the insights of an earlier one; of the verdicts on one use the
// last one stands.
func (t *Turn) reflectedOnce(r reflection) {
	t.rounds++
	for _, v := range r.Tags {
		t.reflected.Tags = slices.DeleteFunc(t.reflected.Tags, func(held tag) bool {
			return held.ID == v.ID && slices.Equal(held.Decision, v.Decision)
		})
		t.reflected.Tags = append(t.reflected.Tags, v)
	}
	t.reflected.Tags = t.reflected.Tags[max(0, len(t.reflected.Tags)-tagsMax):]
	t.reflected.Insights = r.Insights[:min(len(r.Insights), insightsMax)]
	switch {
	case t.rounds < t.kit.rounds:
		t.say(promptAgain)
	case len(t.reflected.Insights) == 0:
		// Without an insight there is nothing to curate, and a call saved.
		t.done = true
	default:
		// The repair is the stage's, however many rounds it has.
		t.stage, t.repairs = trace.StageCurate, 0
		t.say(promptCurate)
	}
}

// The bounds of one reflection.
const (
	tagsMax     = 32
	insightsMax = 8
)

// curated takes the changes and ends the turn.
func (t *Turn) curated(c curation) {
	t.deltas = c.Deltas
	t.done = true
}

// repair spends one further call on an answer that could not be used, or ends the
// turn without a result. code is the call's error, when calls were answered with it.
func (t *Turn) repair(kind answer.Problem, code string) {
	t.note(trace.Step{Kind: trace.StepLearnError, Status: trace.StatusError, Code: string(kind), Name: code})
	if t.repairs++; t.repairs > repairsMax {
		t.fail(trace.WaitParsePrefix + string(kind))
		return
	}
	if code == "" {
		t.input = append(t.input, llmclient.Message("developer", behavior.UnusableText(kind, []string{string(t.stage)}, t.repairs, repairsMax)))
	}
}

// fail ends the turn without a result.
func (t *Turn) fail(why string) {
	t.failure, t.done = why, true
}

// say puts a message of the engine behind the last answer.
func (t *Turn) say(text string) {
	t.input = append(t.input, llmclient.Message("developer", text))
}

func (t *Turn) note(s trace.Step) {
	s.Tick, s.AgentID, s.Step = t.ground.Tick, t.agent, t.step()
	t.steps = append(t.steps, s)
}
