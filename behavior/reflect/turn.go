package reflect

import (
	"cmp"
	"encoding/json"
	"slices"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/trace"
)

// Turn is one reflection of one agent, as a state machine without I/O.
//
// Invariants, besides those of a [behavior.Conversation]:
//  1. It ends after at most Runtime.CallsMax requests.
//  2. Same experience, playbook and answers give the same requests and result.
type Turn struct {
	runtime *Runtime
	agent   string
	book    *playbook.Playbook
	// key is that of the turn's requests at the provider's prompt cache.
	key   string
	shown opening
	// input is what the result is based on.
	input playbook.ConsolidationInput
	// evidence names a decision of the agent by its tick.
	evidence func(tick int64) playbook.Evidence

	stage        trace.Stage
	conversation behavior.Conversation
	done         bool
	// rounds counts the reflections taken, repairs those of the stage.
	rounds, repairs int

	reflected reflection
	deltas    []delta
	failure   string
}

// Begin opens a turn on what e holds, which must not be nothing, at the end of the
// given tick. book is the agent's playbook, goals how far it has got; firstStep is
// the step of the turn's first request, so that it can follow the steps of the
// agent's decision in the same tick.
func (k *Runtime) Begin(e *Experience, book *playbook.Playbook, goals []Goal, tick int64, firstStep int) *Turn {
	if e.Len() == 0 {
		panic("reflect: a turn about no decision")
	}
	t := &Turn{runtime: k, agent: e.agent, shown: k.compose(e, book, goals), evidence: e.evidence,
		stage: trace.StageReflect, book: book}
	t.key = k.cfg.CacheKey(e.agent,
		llmclient.Request{Model: k.cfg.Model, Instructions: k.words.Instructions, Tools: k.tools})
	t.input = e.input(tick, t.shown.decisions, k.guarded)
	t.conversation = behavior.Conversation{
		Tick: tick, AgentID: e.agent, Before: firstStep - 1, Vocabulary: k.vocabulary(t.stage),
		Reflects: true, Language: k.language,
		Input: []llmclient.Item{llmclient.Message("user", t.shown.text)},
	}
	return t
}

// CallsLeast is the number of calls of the shortest turn on this playbook that changes something.
func (t *Turn) CallsLeast() int {
	if t.book.Len() == 0 {
		return 1
	}
	return 2
}

// Next returns the request the turn needs answered; more is false when it is over.
// Calling it again without an answer repeats the request.
func (t *Turn) Next() (ask behavior.Ask, more bool) {
	if t.done {
		return behavior.Ask{}, false
	}
	if !t.conversation.Waits() {
		t.conversation.Complete()
		t.conversation.Sent(t.stage == trace.StageReflect)
	}
	return behavior.Ask{Number: t.conversation.Step(), Stage: t.stage, Free: t.free(), Request: llmclient.Request{
		Model: t.runtime.cfg.Model, Instructions: t.runtime.words.Instructions, Input: t.conversation.Input,
		Tools:    t.runtime.tools,
		Choice:   llmclient.ToolChoice{Mode: llmclient.ChoiceRequired, Allowed: t.allowed()},
		Sampling: t.conversation.Sampling(t.runtime.cfg.SamplingOf(t.agent), t.free()),
		CacheKey: t.key, Breakpoints: t.conversation.Breakpoints(),
	}}, true
}

// free is what the window has left for an answer.
func (t *Turn) free() int {
	return t.runtime.cfg.ContextWindowTokens - t.runtime.static - t.conversation.Tokens(t.runtime.cfg.CountTokens)
}

func (t *Turn) allowed() []string { return []string{string(t.stage)} }

// Answer feeds back the answer to the request that Next returned. Several calls of the
// stage's tool count as one that holds all of them; a call that cannot be read makes the
// whole answer unusable, because half of a consolidation is not one.
func (t *Turn) Answer(a llmclient.Answer) {
	text, problem := t.conversation.Take(a)
	if a.Failure != nil && problem == "" {
		t.fail(trace.WaitModelPrefix + string(a.Failure.Kind))
		return
	}
	if t.conversation.Lengthen(t.free) {
		return
	}
	if problem == "" && len(t.conversation.Calls) == 0 {
		problem = t.conversation.Read(text, t.allowed())
	}
	var r reflection
	var c consolidation
	var used []string
	for i := range t.conversation.Calls {
		repairs, wrong := t.decode(i, &r, &c)
		for _, repair := range repairs {
			used = append(used, string(repair))
		}
		problem = cmp.Or(problem, wrong)
	}
	if problem == "" {
		t.accept(r, c, used)
		return
	}
	ok := t.conversation.Repair(problem, t.allowed(), repairsMax-t.repairs)
	t.repairs++
	if !ok {
		t.fail(trace.WaitParsePrefix + string(problem))
	}
}

// decode reads one call into what its stage collects. An object without any of the
// stage's lists is refused: it must not pass for the wish to change nothing.
func (t *Turn) decode(i int, r *reflection, c *consolidation) ([]answer.Repair, answer.Problem) {
	call := t.conversation.Calls[i]
	switch {
	case t.conversation.Vocabulary.Tool(call.Tool) == answer.NoTool:
		t.conversation.Refuse(i, behavior.CodeUnknownTool, t.allowed())
		return nil, answer.UnknownTool
	case call.Tool != string(t.stage):
		t.conversation.Refuse(i, behavior.CodeNotAllowedNow, t.allowed())
		return nil, answer.NotAllowedNow
	}
	object, used, e := answer.ReadObject(call.Arguments)
	if e == nil {
		var one struct {
			reflection
			consolidation
		}
		lists := []string{"deltas"}
		if t.stage == trace.StageReflect {
			lists = []string{"tags", "insights"}
		}
		var absent []answer.Repair
		absent, e = object.Decode(&one, lists...)
		if e == nil && len(absent) == len(lists) {
			e = &answer.ArgumentError{Path: lists[0], Expected: answer.Phrase{Form: "a list"},
				Got: answer.Phrase{Form: "nothing"}}
		}
		r.Tags = append(r.Tags, one.Tags...)
		r.Insights = append(r.Insights, one.Insights...)
		c.Deltas = append(c.Deltas, one.Deltas...)
	}
	if e != nil {
		t.conversation.RefuseArguments(i, e, func(json.RawMessage) bool { return true })
		return nil, answer.InvalidArgs
	}
	return slices.Concat(call.Repairs, used), ""
}

// accept takes what a readable answer holds and continues to the next round or stage. A later
// round replaces the insights of an earlier one. Of the verdicts on one use the last one counts.
func (t *Turn) accept(r reflection, c consolidation, used []string) {
	var output struct {
		Status string      `json:"status"`
		Next   trace.Stage `json:"next,omitempty"`
	}
	output.Status = "ok"
	step := trace.Step{Kind: trace.StepConsolidate, Status: trace.StatusOK, CallID: t.conversation.Calls[0].ID,
		Repairs: used, Detail: llmclient.Marshal(map[string]int{"deltas": len(c.Deltas)})}
	if t.stage == trace.StageReflect {
		t.rounds++
		step.Kind, step.Detail = trace.StepReflect,
			llmclient.Marshal(map[string]int{"tags": len(r.Tags), "insights": len(r.Insights), "round": t.rounds})
		output.Next = trace.StageConsolidate
		if t.rounds < t.runtime.rounds {
			output.Next = trace.StageReflect
		}
	}
	t.conversation.Note(step)
	for i := range t.conversation.Calls {
		t.conversation.Respond(i, output)
	}
	t.conversation.Flush()
	if t.stage == trace.StageConsolidate {
		t.deltas, t.done = c.Deltas, true
		return
	}
	for _, v := range r.Tags {
		t.reflected.Tags = slices.DeleteFunc(t.reflected.Tags, func(known tag) bool {
			return known.ID == v.ID && slices.Equal(known.Decision, v.Decision)
		})
		t.reflected.Tags = append(t.reflected.Tags, v)
	}
	t.reflected.Tags = t.reflected.Tags[max(0, len(t.reflected.Tags)-tagsMax):]
	t.reflected.Insights = r.Insights[:min(len(r.Insights), insightsMax)]
	switch {
	case output.Next == trace.StageReflect:
		t.conversation.Say(t.runtime.words.Again)
	case len(t.reflected.Insights) == 0:
		// Without an insight there is nothing to consolidate, and a call saved.
		t.done = true
	case t.settled():
		for _, i := range t.reflected.Insights {
			t.deltas = append(t.deltas, delta{Op: string(playbook.OpAdd), Section: i.Section, Content: i.Lesson,
				Reason: "reflection", Decisions: i.Decisions})
		}
		t.done = true
	default:
		// The repair is the stage's, however many rounds it has.
		t.stage = trace.StageConsolidate
		t.repairs = 0
		t.conversation.Vocabulary = t.runtime.vocabulary(trace.StageConsolidate)
		t.conversation.Say(t.runtime.words.NowConsolidate)
	}
}

// settled reports whether there is nothing to consolidate: the playbook is empty, or it says all that the
// insights say and has nothing to be removed. They are then proposed as they are, and a call is saved.
func (t *Turn) settled() bool {
	isNew := func(i insight) bool { return !t.book.Says(i.Lesson) }
	return t.book.Len() == 0 ||
		!slices.ContainsFunc(t.reflected.Insights, isNew) && !slices.ContainsFunc(t.book.Bullets(), playbook.Bullet.Harms)
}

// The bounds of one reflection.
const (
	tagsMax     = 32
	insightsMax = 8
)

func (t *Turn) fail(why string) { t.failure, t.done = why, true }
