package behavior

import (
	"cmp"
	"slices"
	"strings"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory"
	"example.com/agentworld/modules"
	"example.com/agentworld/plaintext"
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
type Turn struct {
	mind  *Agent
	view  world.View
	stage trace.Stage
	// opening is the prompt's own part of input.
	opening prompt
	// names are those of what the agent sees.
	names answer.Names
	// talk is what is said to the model and heard from it.
	talk Conversation
	// cramped says that the window had no room for a module result at the last Ask.
	cramped bool
	// affordable is how many requests the caller can still send; bounded says that the caller set
	// it.
	affordable int
	bounded    bool

	// The counts that bind the turn. violations are those of the present reason step,
	// parseRepairs those since the turn last got further, repairs those of the whole turn.
	moduleCalls, reasonSteps, violations            int
	guardRounds, orderRounds, parseRepairs, repairs int
	// textsAt is the first request that carried a source that may not decide, 0 before. textRounds
	// are the further rounds that texts may have cost, and steps is how many requests the plan asks
	// for. tookUp says that an action was refused that takes up open terms, unusable that an answer
	// was of no use while terms were shown.
	textRounds, textsAt, steps int
	tookUp, unusable           bool

	// planned says that a plan was made. mayReveal says that texts of other agents may be shown,
	// because of the plan or of a draft in its place. reasoning says that the present reason step
	// was asked for, thinking is its kind.
	planned, mayReveal, reasoning bool
	thinking                      string
	// sealed says that no plan came: the turn continues without the texts that waited for it.
	sealed bool
	// planSteps are the steps of the plan still to come, fallbacks the actions of the newest
	// plan as they were read, drafted those drafted or decided before any text was shown, and listed
	// the tools and actions that the plan has; nil without one.
	planSteps []typedStep
	fallbacks []fallback
	drafted   []fallback
	listed    []string
	// plan is what the agent intended before it read untrusted text, in all plans and drafts made
	// by then.
	plan []policy.PlannedAction
	// fromPlan is how many of them, the first ones, a plan listed.
	fromPlan int
	// drafts is the draft of the answer that is being taken, nil without one, and accepted
	// the newest draft of the turn with a candidate that the dry run accepted.
	drafts, accepted *weighing
	// redrafts says that a draft is offered together with the decision, because a candidate or
	// the decision could not be read or was refused.
	redrafts bool
	// ambiguous says that the turn is past a fallback: it gave several decisions, or chose
	// to wait. refused is the last decision that was sent back.
	ambiguous bool
	refused   world.Action
	// noted are the refused actions of answer number notedAt that have a step.
	noted   []string
	notedAt int
	// fault and unrun are those of the decision, faultAt the call in whose answer it was.
	fault          string
	unrun, faultAt int
	// lastPlan is why a lean turn was asked for nothing but a plan, which ends it.
	lastPlan trace.WaitReason
	// idle is the plan that leaves nothing to do, nil without one.
	idle *answer.Plan
	// unseen are module results withheld until the plan is made, unsent are sources that no request
	// has carried yet.
	unseen []modules.Result
	unsent []trace.Source
	// mending says that the last plan was sent back to be mended. barred says that texts keep the
	// turn from ending in a planned action.
	mending, barred bool
	// candidates are the actions of the last draft by number from 1. Nil entries could not be
	// decoded. dropped reports the candidates beyond those that are looked at.
	candidates []world.Action
	dropped    *answer.ArgumentError
	// revealed says that the texts withheld are shown, revealedAt in which request
	// first, 0 before.
	revealed   bool
	revealedAt int

	retrieved []trace.Source
	// mentions are the sources that the answers named in their texts, goal is that of the newest
	// plan with one.
	mentions []trace.Citation
	goal     string
	decision Step
}

// Begin opens a turn for the agent of view.
func (m *Agent) Begin(view world.View) *Turn {
	t := &Turn{mind: m, view: view, stage: trace.StagePlan}
	m.compose(view, &t.opening)
	t.talk = Conversation{
		Tick: view.Tick(), AgentID: view.AgentID(), Vocabulary: &m.vocabulary, Language: m.cfg.Language,
		RepairsMax: m.cfg.RepairsMax,
		Input:      slices.Clone(t.opening.items), begun: m.headroom, length: m.headroom.length,
	}
	if m.cfg.Protocol == ProtocolLean && !t.opening.untrusted {
		t.stage = trace.StageLean
	}
	t.names = answer.NamesIn(&t.opening.known)
	t.retrieve(t.opening.sources)
	if t.opening.early && t.opening.held.count() > 0 {
		t.revealed, t.revealedAt = true, 1
	}
	if a := m.repetition.advice; a != nil {
		t.talk.Note(trace.Step{Kind: trace.StepAdvice, Status: trace.StatusOK, Name: string(a.Kind),
			Detail: llmclient.Marshal(a)})
	}
	return t
}

// Next returns what the turn needs: an Ask to answer, a Call to run, or the
// Decision that ends it. Calling it again without feeding back repeats the step.
func (t *Turn) Next() Step {
	if t.decision != nil {
		return t.decision
	}
	for _, s := range t.talk.Calls {
		if !s.done {
			return Call{Number: t.talk.asks, CallID: s.ID, Tool: s.Tool, Arguments: s.Arguments}
		}
	}
	if !t.talk.waiting {
		if t.stage == trace.StageReason && !t.reasoning {
			t.reasoning, t.violations = true, 0
			t.reasonSteps++
			t.talk.Say(t.mind.words.Steps.Reason)
		}
		t.talk.Complete()
		if t.talk.asks > 0 && t.room() < 0 && !(t.talk.DropReasoning() && t.room() >= 0) {
			t.fail(trace.WaitWindow, nil)
			return t.decision
		}
		if t.overdue() {
			t.fail(trace.WaitRounds, nil)
			return t.decision
		}
		t.cramped = t.room() < moduleTokensMin
		t.talk.Sent(t.continues())
		t.retrieve(t.unsent)
		t.unsent = nil
		if t.revealed && t.revealedAt == 0 {
			// The texts count as retrieved once a request carries them: a turn that ends with
			// its plan has not shown them.
			t.revealedAt = t.talk.asks
			t.opening.sections = append(t.opening.sections, t.opening.heldSection)
			t.retrieve(t.opening.held.sources(t.view.AgentID()))
			t.names = answer.NamesIn(&t.opening.seen)
		}
		// From here on the turn stays tainted: what was once read cannot be unread.
		for _, s := range t.retrieved {
			if t.textsAt == 0 && isUntrusted(s) {
				t.textsAt = t.talk.asks
			}
		}
	}
	choice := llmclient.ToolChoice{Mode: llmclient.ChoiceRequired, Allowed: t.allowed()}
	if t.stage == trace.StageReason {
		choice = llmclient.ToolChoice{Mode: llmclient.ChoiceNone}
	}
	return Ask{Number: t.talk.asks, Stage: t.stage, Sections: t.opening.sections, Free: t.free(),
		Request: llmclient.Request{
			Model: t.mind.cfg.Model, Instructions: t.mind.instructions, Input: t.talk.Input, Tools: t.mind.tools,
			Choice: choice, Sampling: t.talk.Sampling(t.mind.sampling, t.free()),
			CacheKey: t.mind.cacheKey, Breakpoints: t.talk.Breakpoints(),
		}}
}

// isUntrusted reports whether a source may not choose what the agent does.
func isUntrusted(s trace.Source) bool { return s.Trust < trace.TrustSelfObservation }

// Steps returns what the turn recorded so far, oldest first. It never influences the
// turn.
func (t *Turn) Steps() []trace.Step { return t.talk.Steps }

// Env is what the next module call of this turn may read. Its result is capped by what
// the window still holds too, so that a turn on a small window cannot outgrow it.
func (t *Turn) Env() modules.Env {
	left := t.mind.cfg.ModuleCallsMax - t.moduleCalls - 1
	room := t.room() - moduleTokensMin/2 - t.mind.outputTokens
	for _, s := range t.talk.Calls {
		if s.module && !s.done {
			left++
		}
		room -= t.mind.count(s.output)
	}
	env := modules.Env{View: t.view, Memory: t.mind.memory, Documents: t.mind.cfg.Documents, CallsLeft: &left,
		ResultCharsMax: max(modules.ResultCharsMin, min(resultCharsMax, room))}
	if t.mind.cfg.Guards(trace.CheckOrder) {
		env.Shows = func(name string) bool { return mentions(t.mind.goalWords, name) } // as in the prompt
		if t.revealedAt == 0 {
			env.Known = &t.opening.known
		}
	}
	return env
}

// room is how many tokens the window still holds after an answer; negative if the next request
// would not fit.
func (t *Turn) room() int { return t.free() - t.mind.outputTokens }

// free is how many tokens the window has left for an answer.
func (t *Turn) free() int {
	return t.mind.cfg.ContextWindowTokens - t.mind.staticTokens - t.talk.Tokens(t.mind.countBytes)
}

// Result feeds back the result of the Call that Next returned.
func (t *Turn) Result(r modules.Result) {
	for i := range t.talk.Calls {
		s := &t.talk.Calls[i]
		if s.done {
			continue
		}
		s.done, s.output = true, r.Output
		r.Sources = t.mind.ownTexts(r.Sources)
		// If a result holds untrusted text, as a memory may, the turn makes its plan before it
		// reads the result.
		if !t.mayReveal && slices.ContainsFunc(r.Sources, isUntrusted) && t.mind.cfg.Guards(trace.CheckOrder) {
			s.output = encode(resultUnseen{"held", t.heldResult(r.Sources)})
			t.unseen = append(t.unseen, r)
		} else {
			t.unsent = append(t.unsent, r.Sources...)
		}
		n := trace.Step{
			Kind: trace.StepModuleCall, Status: trace.StatusOK, Code: string(r.Code), CallID: s.ID, Name: r.Module,
		}
		if r.ArgumentError == nil {
			n.Repairs = repairNames(append(s.Repairs, r.Repairs...))
		}
		if r.Status == modules.StatusError {
			n.Status = trace.StatusError
		}
		n.Detail = llmclient.Marshal(resultDetail{Status: string(r.Status), Chars: runeCount(r.Output),
			CharsFull: r.CharsFull})
		t.talk.Note(n)
		break
	}
	if !t.talk.settled() {
		return
	}
	t.talk.Flush()
	if len(t.unseen) > 0 {
		t.stage = trace.StagePlan
		return
	}
	// Next is a reason step that the plan put after the calls, if any. Otherwise the model may
	// call more or draft.
	for len(t.planSteps) > 0 && !answer.Thinks(t.planSteps[0].Kind) {
		t.planSteps = t.planSteps[1:]
	}
	if len(t.planSteps) > 0 && t.stage == trace.StageModules {
		t.afterPlan()
	}
}

// ownTexts gives the agent's own notes in a result the trust of what was in view when it wrote them, and
// the result the least trust of its texts.
func (m *Agent) ownTexts(found []trace.Source) []trace.Source {
	own := func(s trace.Source) bool { return s.Kind == trace.KindNote && s.OriginAgent == "" }
	if !slices.ContainsFunc(found, own) {
		return found
	}
	found = slices.Clone(found)
	least := trace.TrustSelfObservation
	for i, s := range found {
		if own(s) {
			found[i] = m.history.spoken(s.OriginTick).source(s)
		}
		if s.Kind != trace.KindModule {
			least = min(least, found[i].Trust)
		}
	}
	for i := range found {
		if found[i].Kind == trace.KindModule {
			found[i].Trust = least
		}
	}
	return found
}

// resultUnseen replaces a module result until the plan is made.
type resultUnseen struct {
	Status string `json:"status"`
	Text   string `json:"text"`
}

type resultDetail struct {
	Status    string `json:"status"`
	Chars     int    `json:"chars"`
	CharsFull int    `json:"chars_full"`
}

// retrieve adds sources that came into view, each once. One that was shown for
// another reason and is then found by a search keeps the score of the search.
func (t *Turn) retrieve(sources []trace.Source) {
	for _, s := range sources {
		at := slices.IndexFunc(t.retrieved, func(r trace.Source) bool { return r.ID == s.ID })
		if at < 0 {
			s.Preview = plaintext.Clip(s.Preview, trace.PreviewMax)
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

func (t *Turn) wait(reason trace.WaitReason, proposed *Evaluation) {
	d := Decision{Decision: trace.Decision{DecidedBy: trace.ByEngine, WaitReason: reason}, Executed: world.Wait{}}
	if proposed != nil {
		d.Proposed = proposed.Proposed
		d.Adjusted = proposed.Adjusted
		d.Adjustments = proposed.Adjustments
	}
	t.countDeviation(&d, reason)
	t.talk.Note(trace.Step{Kind: trace.StepDecision, Status: trace.StatusDegraded, Code: string(reason)})
	t.finish(&d)
}

func (t *Turn) finish(d *Decision) {
	if d.DecidedBy == trace.ByModel {
		t.credit(d)
		d.Why = cmp.Or(d.Why, capText(t.goal))
	}
	t.complete(d)
	switch d.Executed.(type) {
	case world.Wait, world.WaitTicks:
	default:
		// What the world refuses gives way to the next accepted candidate.
		if d.By == "" && (t.mind.cfg.Fallback == trace.FallbackBest || d.Commit == trace.CommitOneStep) {
			d.Otherwise = t.alternatives(d.Executed, 0)
			for i := range d.Otherwise {
				d.Otherwise[i].Commit = d.Commit
				t.complete(&d.Otherwise[i])
			}
		}
	}
	// One mark covers all that the world may try.
	parents := slices.Clone(d.Parents)
	for i := range d.Otherwise {
		other := &d.Otherwise[i]
		other.Why = capText(t.goal)
		other.SourcesCited = d.SourcesCited
		other.SourcesUsed = d.SourcesUsed
		other.SourcesUnknown, other.SourcesInvented = d.SourcesUnknown, d.SourcesInvented
		parents = append(parents, other.Parents...)
	}
	d.Parents = world.Parents(t.mind.id, parents...)
	if len(parents) > 0 {
		for i := range d.Otherwise {
			d.Otherwise[i].Parents = d.Parents
		}
	}
	t.talk.Calls = nil
	t.decision = *d
}

// complete adds to a decision what the turn knows of any.
func (t *Turn) complete(d *Decision) {
	d.Tick = t.view.Tick()
	d.AgentID = t.view.AgentID()
	d.Calls = t.talk.asks
	d.SourcesRetrieved = t.retrieved
	if t.talk.asks > 0 {
		d.Template = t.mind.template
	}
	d.headroom = t.talk.headroom()
	d.fault = t.fault
	d.unrun = t.unrun
	d.heard = t.mind.history.heard
	if by := d.Authority; by != nil && t.tainted() {
		// Untrusted text was in view; did the agent's own plan cover the action?
		planned := by.By == trace.AuthorityPlan || by.By == trace.AuthorityFallback && by.Planned > 0
		writes := false
		for a := range world.Arguments(d.Executed) {
			writes = writes || a.Kind == world.ParamText
		}
		d.Tainted = !d.own && (!planned || writes)
	}
	d.round = (t.textRounds > 0 || t.unusable) && t.roundLeft()
	for _, s := range t.retrieved {
		if topic, ok := modules.RuleTopic(s.ID); ok {
			d.Looked = append(d.Looked, topic)
		}
	}
	d.sealed, d.listed = t.sealed, t.mayReveal
	d.Known = t.mind.knownIDs(&t.opening.seen, d.Proposed, d.Executed)
	d.saw = sightings(&t.opening.seen)
	d.Place, d.Seen = t.opening.found.Subjects[0], []memory.Entry{t.opening.found}
	if t.revealedAt != 0 {
		d.Seen = append(d.Seen, t.mind.heard(t.opening.held)...)
		d.read = t.opening.held.readings()
	}
	if t.tainted() {
		d.authors = t.evidence().InView()
	}
}
