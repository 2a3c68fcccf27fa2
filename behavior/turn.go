package behavior

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Turn is one agent's deliberation in one tick, as a state machine without I/O:
// the caller carries out what Next returns and feeds back what came of it.
//
// Invariants:
//  1. The input of each Ask starts with the input of the previous one.
//  2. In the input every function call has exactly one output, after it.
//  3. A turn ends after at most Config.CallsMax asks, at worst in a wait with its
//     reason.
//  4. Same mind, view, answers and what it is told of its means give the same steps.
type Turn struct {
	mind *Mind
	view world.View
	// now is the step the turn is at.
	now turnStep
	// opening is the prompt's own part of input.
	opening prompt
	// names are those of what the agent sees.
	names answer.Names
	input []llmclient.Item
	// answerAt is where the items of the last answer begin in input.
	answerAt int
	// slots are the calls of the last answer, waiting for their outputs.
	slots []slot
	// after are messages that follow the outputs of the last answer's calls.
	after []llmclient.Item
	// inputTokens is what the first counted items of input take.
	inputTokens, counted int
	// cramped says that the window had no room for a module result at the last Ask.
	cramped bool
	// waiting says that an Ask is out and its answer not in.
	waiting bool
	// affordable is how many requests the caller can still send; bounded says that it
	// told.
	affordable int
	bounded    bool

	asks        int
	moduleCalls int
	reasonSteps int
	violations  int
	guardRounds int
	repairs     int
	planned     bool
	// planSteps are the steps of the plan still to come.
	planSteps []TypedStep
	// intents are what the agent set out to do before it read words of others; of
	// several plans and drafts made by then the last counts.
	intents []policy.Intent
	// fromPlan is how many of the intents, the first ones, a plan listed.
	fromPlan int
	// drafts is the draft of the answer that is being taken, nil without one.
	drafts *drafted
	// idle is the plan that leaves nothing to do, nil without one.
	idle *answer.Plan
	// untrusted says that a request of the turn carried a source that may not decide,
	// swayed that it carried words of others.
	untrusted, swayed bool
	// unseen are module results held back until the plan is made.
	unseen []modules.Result
	// candidates are the actions of the last draft by number from 1; nil entries
	// could not be decoded.
	candidates []world.Action
	// callIDs are the ids of the turn's calls, true for those made here.
	callIDs map[string]bool
	minted  int

	// revealed says that the texts held back are shown, revealedAt in which request
	// first, 0 before.
	revealed   bool
	revealedAt int

	retrieved []trace.Source
	decision  *Decision
	steps     []trace.Step
}

// slot is one function call of an answer and, once known, its output.
type slot struct {
	answer.Call
	callID string
	// module marks a call the caller has to run.
	module bool
	// done says that output is final.
	done   bool
	output string
	// wrong is the output of a call that went wrong, nil for any other. It is encoded
	// late, because only the whole answer tells whether it costs a repair.
	wrong *feedback
}

// Begin opens a turn for the agent of view.
func (m *Mind) Begin(view world.View) *Turn {
	t := &Turn{mind: m, view: view, now: at(trace.StagePlan), callIDs: map[string]bool{}, opening: m.compose(view)}
	if m.cfg.Protocol == ProtocolLean && !t.opening.untrusted {
		t.now = at(trace.StageLean)
	}
	t.input, t.names = slices.Clone(t.opening.items), answer.NamesIn(t.opening.seen)
	t.retrieve(t.opening.sources)
	if t.opening.early && t.opening.held.count() > 0 {
		t.revealed, t.revealedAt = true, 1
	}
	if a := m.repetition.advice; a != nil {
		t.note(trace.Step{Kind: trace.StepAdvice, Status: trace.StatusOK, Name: string(a.Kind), Detail: llmclient.Marshal(a)})
	}
	return t
}

// Next returns what the turn needs: an Ask to answer, a Call to run, or the
// Decision that ends it. Calling it again without feeding back repeats the step.
func (t *Turn) Next() Step {
	if t.decision != nil {
		return *t.decision
	}
	for _, s := range t.slots {
		if !s.done {
			return Call{Number: t.asks, CallID: s.callID, Tool: s.Tool, Arguments: s.Arguments}
		}
	}
	if !t.waiting {
		t.input = append(t.input, t.after...)
		t.after = nil
		t.pair()
		if t.asks > 0 && t.room() < 0 {
			t.wait(trace.WaitWindow, nil)
			return *t.decision
		}
		t.cramped = t.room() < moduleTokensMin
		t.asks++
		t.waiting = true
		t.noteRevealed()
		t.lookAround()
	}
	return Ask{Number: t.asks, Stage: t.now.stage, Request: t.request(), Sections: t.opening.sections}
}

// Steps returns what the turn recorded so far, oldest first. It never influences the
// turn.
func (t *Turn) Steps() []trace.Step { return t.steps }

// Env is what the next module call of this turn may read.
func (t *Turn) Env() modules.Env {
	env := t.mind.env(t.view, t.resultChars())
	env.Attempt, env.Of = t.moduleCalls, t.mind.cfg.ModuleCallsMax
	for _, s := range t.slots {
		if s.module && !s.done {
			env.Attempt--
		}
	}
	env.Attempt++
	return env
}

func (t *Turn) request() llmclient.Request {
	return llmclient.Request{
		Model: t.mind.cfg.Model, Instructions: t.mind.instructions, Input: t.input, Tools: t.mind.tools,
		Choice: t.choice(), OutputTokensMax: t.mind.outputTokens(), CacheKey: t.mind.id,
	}
}

// resultChars caps a module result by the configured limit and by what the
// window still holds, so that a turn on a small window cannot outgrow it.
func (t *Turn) resultChars() int {
	room := t.room() - moduleTokensMin/2 - t.mind.outputTokens()
	for _, s := range t.slots {
		room -= t.mind.count(s.output)
	}
	return max(modules.ResultCharsMin, min(t.mind.cfg.ResultCharsMax, room))
}

// room is how many tokens the window still holds beside an answer; negative when
// the next request would not fit.
func (t *Turn) room() int {
	for _, it := range t.input[t.counted:] {
		t.inputTokens += t.mind.count(string(it.Raw))
	}
	t.counted = len(t.input)
	return t.mind.cfg.ContextWindow - t.mind.staticTokens - t.mind.outputTokens() - t.inputTokens
}

// Result feeds back the result of the Call that Next returned.
func (t *Turn) Result(r modules.Result) {
	for i := range t.slots {
		s := &t.slots[i]
		if s.done {
			continue
		}
		s.done, s.output = true, r.Output
		if t.mustPlanFirst(r) {
			s.output = encode(resultUnseen{"held", fmt.Sprintf(t.mind.words.textHeld, 1)})
			t.unseen = append(t.unseen, r)
		} else {
			t.retrieve(r.Sources)
		}
		n := trace.Step{
			Kind: trace.StepModuleCall, Status: trace.StatusOK, Code: string(r.Code), CallID: s.callID, Name: r.Module,
		}
		if r.ArgumentError == nil {
			n.Leniencies = repairNames(append(s.Repairs, r.Repairs...))
		}
		if r.Status == modules.StatusError {
			n.Status = trace.StatusError
		}
		n.Detail = llmclient.Marshal(resultDetail{Status: string(r.Status), Chars: runeCount(r.Output), CharsFull: r.CharsFull})
		t.note(n)
		break
	}
	if t.settled() {
		t.flush()
		t.afterModules()
	}
}

// resultUnseen stands in for a module result until the plan is made.
type resultUnseen struct {
	Status string `json:"status"`
	Text   string `json:"text"`
}

type resultDetail struct {
	Status    string `json:"status"`
	Chars     int    `json:"chars"`
	CharsFull int    `json:"chars_full"`
}

func (t *Turn) settled() bool {
	return !slices.ContainsFunc(t.slots, func(s slot) bool { return !s.done })
}

// flush appends the outputs of the last answer's calls in the model's order.
func (t *Turn) flush() {
	for _, s := range t.slots {
		output := s.output
		if s.wrong != nil {
			output = encode(s.wrong)
		}
		t.input = append(t.input, llmclient.FunctionOutput(s.callID, output))
	}
	t.slots = nil
}

// retrieve adds sources that came into view, each once. One that was shown for
// another reason and is then found by a search keeps the score of the search.
func (t *Turn) retrieve(sources []trace.Source) {
	for _, s := range sources {
		at := slices.IndexFunc(t.retrieved, func(r trace.Source) bool { return r.ID == s.ID })
		if at < 0 {
			t.retrieved = append(t.retrieved, s)
			continue
		}
		known := &t.retrieved[at]
		known.Score = max(known.Score, s.Score)
		if isUntrusted(*known) && !strings.HasPrefix(s.Text, known.Text) {
			// One id may show other words the second time: the prompt folds what one author
			// wrote into the newest of it. All words in view have to be known as theirs.
			known.Text, known.Chars = known.Text+"\n"+s.Text, known.Chars+s.Chars
		}
	}
}

// respond sets the output of slot i.
func (t *Turn) respond(i int, v any) {
	t.slots[i].done, t.slots[i].output = true, encode(v)
}

// reject sets the output of slot i to what was wrong with its call.
func (t *Turn) reject(i int, f feedback) {
	t.slots[i].done, t.slots[i].wrong = true, &f
}

// closeSlots answers every call still open as not executed. The calls that went
// wrong tell that the next answer is the given retry.
func (t *Turn) closeSlots(attempt, of int) {
	for i, s := range t.slots {
		if !s.done {
			t.reject(i, t.mind.words.newFeedback(CodeNotExecuted))
		}
		if f := t.slots[i].wrong; f != nil {
			f.Attempt, f.Of = attempt, of
		}
	}
	t.flush()
}

// say puts a message of the engine behind the outputs of the last answer.
func (t *Turn) say(text string) {
	t.after = append(t.after, llmclient.Message("developer", text))
}

// note records a fact. Every step about a call whose id was made here says so.
func (t *Turn) note(s trace.Step) {
	s.Tick, s.AgentID, s.Step, s.Minted = t.view.Tick(), t.view.AgentID(), t.asks, s.Minted || t.callIDs[s.CallID]
	t.steps = append(t.steps, s)
}

// enterReason opens a reason step of the plan: text only, no tools.
func (t *Turn) enterReason(step TypedStep) {
	t.now = turnStep{trace.StageReason, step}
	t.reasonSteps++
	t.say(t.mind.words.reasonPrompt)
}

// wait ends the turn in a degraded wait.
func (t *Turn) wait(reason trace.WaitReason, proposed *Verdict) {
	d := Decision{Decision: trace.Decision{DecidedBy: trace.ByEngine, WaitReason: reason}, Executed: world.Wait{}}
	if proposed != nil {
		d.Proposed, d.Adjusted, d.Adjustments = proposed.Proposed, proposed.Adjusted, proposed.Adjustments
		d.ArgumentsTrust = t.mind.trustOf(*proposed)
	}
	t.note(trace.Step{Kind: trace.StepDecision, Status: trace.StatusDegraded, Code: string(reason)})
	t.finish(d)
}

func (t *Turn) finish(d Decision) {
	d = t.completed(d)
	t.slots = nil
	t.decision = &d
}

// completed is a decision with what the turn knows of any.
func (t *Turn) completed(d Decision) Decision {
	d.Tick, d.AgentID, d.Calls, d.SourcesRetrieved = t.view.Tick(), t.view.AgentID(), t.asks, t.retrieved
	d.Swayed = t.sways(d.Adjusted)
	d.Known = t.mind.knownIDs(t.opening.seen, d.Proposed, d.Executed)
	d.Place, d.Seen = t.opening.found.Subjects[0], []memory.Entry{t.opening.found}
	if t.revealedAt != 0 {
		d.Seen = append(d.Seen, t.mind.heard(t.opening.held)...)
	}
	return d
}

// mintCallID makes a call id for a call whose provider sent none or repeated one.
func (t *Turn) mintCallID() string {
	for {
		t.minted++
		id := fmt.Sprintf("call_t%d_s%d_%d", t.view.Tick(), t.asks, t.minted)
		if _, taken := t.callIDs[id]; !taken {
			return id
		}
	}
}
