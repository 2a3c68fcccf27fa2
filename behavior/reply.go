package behavior

import (
	"cmp"
	"encoding/json"
	"slices"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Answer feeds back the answer to the Ask that Next returned. An answer becomes an action in these steps:
//
//	Answer --> repair                                        it cannot be used
//	   |
//	   +--> dispatch --> takePlan, takeDraft, takeDecision   each call of the answer
//	           |
//	           +--> proceed --> commit, commitOneStep        a decision: every check, then finish
//	                   |
//	                   +--> repair, fail, rest or the next request
func (t *Turn) Answer(a llmclient.Answer) {
	text, problem := t.conversation.Take(a)
	if a.Failure != nil && problem == "" {
		t.conversation.Note(trace.Step{Kind: trace.StepModelError, Status: trace.StatusError, Code: string(a.Failure.Kind)})
		reason := trace.WaitReason(trace.WaitModelPrefix + string(a.Failure.Kind))
		switch a.Failure.Kind {
		case llmclient.ErrInterrupted, llmclient.ErrAbandoned, llmclient.ErrNotRecorded, llmclient.ErrRecordingDamaged:
			// The run ends here, or the caller gave up the turn: the model did not fail.
			t.wait(reason, nil, false)
		default:
			t.fail(reason, nil)
		}
		return
	}
	if t.conversation.Lengthen(t.free) && t.countUnusable() {
		return
	}
	reasons := t.protocol.stage == trace.StageReason
	if reasons && t.protocol.reason.kind == answer.StepThink && len(t.conversation.Calls) > 0 {
		// The plan had another word for it, and the model continues without the step.
		t.skip("skipped_by_model", 1)
		t.advance()
		reasons = false
	}
	if problem == "" && len(t.conversation.Calls) == 0 && !reasons {
		problem = t.conversation.Read(text, t.offered())
	}
	t.readCitations(t.conversation.said)
	switch {
	case problem != "":
		t.repair(problem)
	case reasons:
		t.takeThought(t.conversation.said)
	default:
		t.dispatch()
	}
}

// repair asks again after an answer that could not be used, or fails the turn if no try is left. There are
// two exceptions. A lean turn that has nothing to end in spends one more try on a plan alone, which is less
// to fill in. If new texts wait for a plan that does not come, the turn continues without plan and texts.
func (t *Turn) repair(problem answer.Problem) {
	p := &t.protocol
	kind := p.countRepair(problem)
	if problem != answer.NotAllowedNow && t.mayPlanLast(problem) {
		kind.most++
		if kind.left() == 1 {
			p.stage = trace.StagePlan
			p.lastPlan = trace.WaitReason(trace.WaitParsePrefix + string(problem))
			for _, s := range t.conversation.Calls {
				if s.wrong != nil {
					s.wrong.Next = answer.ToolPlan
				}
			}
		}
	}
	waits := t.exposure.locked() && p.stage == trace.StagePlan && p.lastPlan == ""
	if kind.left() <= 0 && waits && !t.draft.ambiguous {
		t.exposure.sealed = true
		p.unusable = tries{most: 1}
		kind = &p.unusable
		t.advance()
	}
	left := kind.left()
	if !t.countUnusable() {
		left = 0
	}
	ok := t.conversation.Repair(problem, t.offered(), left)
	kind.spent++
	switch problem {
	case answer.Several:
		t.draft.ambiguous = true
	case answer.InvalidArgs, answer.UnknownTool, answer.NotAllowedNow: // reported in the outputs
	default:
		t.draft.keepFault(fault{early: t.agent.words.Unusable.Text(string(problem)), tainted: t.exposure.tainted()})
	}
	if !ok {
		t.fail(trace.WaitReason(trace.WaitParsePrefix+string(problem)), nil)
	}
}

// mayPlanLast reports whether a lean turn that has nothing to end in may be asked for a plan alone.
func (t *Turn) mayPlanLast(problem answer.Problem) bool {
	p := &t.protocol
	if p.stage != trace.StageLean || !p.plans() || p.lastPlan != "" || t.exposure.tainted() {
		return false
	}
	decided := t.draft.ambiguous || problem == answer.Several
	return !decided && t.draft.accepted == nil && len(t.plan.ends) == 0 && t.agent.cfg.Fallback == trace.FallbackBest
}

// round is the result of the calls of one answer.
type round struct {
	decisions []terminal
	// plan is the call of its last plan, -1 without one, and faults what was wrong with that plan.
	plan   int
	faults []*answer.ArgumentError
	// unused are fields that the actions of the plan have no use for.
	unused []*answer.ArgumentError
	// replans says that there was a plan before its own. before is the accepted draft before it.
	replans bool
	before  *weighing
	// progress says that a call was taken, misdecided that the arguments of a protocol call were refused,
	// and wrong what was first wrong with a call.
	progress, misdecided bool
	wrong                answer.Problem
}

// redrafts reports whether an answer whose draft is d came after an accepted one.
func (r *round) redrafts(d *weighing) bool { return d != nil && d.usable && r.before != nil }

// dispatch handles the calls of one answer in the order of the protocol. Protocol calls are answered
// immediately. Module calls stay open for the caller of the turn.
func (t *Turn) dispatch() {
	t.startAnswer()
	r := round{plan: -1, before: t.draft.accepted}
	planned := t.plan.made
	for _, i := range t.order() {
		t.protocol.postponeReason() // a plan before the call may have asked for it
		s := t.conversation.Calls[i]
		if t.takeThoughtCall(i) {
			r.progress = true
			continue
		}
		offered := t.offered()
		isOffered := slices.Contains(offered, s.Tool)
		users := t.agent.userTool(s.Tool)
		refused := !isOffered && !t.protocol.takes(s.Tool)
		if users != nil {
			refused = t.toolRefusal(users) != ""
		}
		if !refused && t.protocol.isModule(s.Tool) {
			refused = t.offPlan(s.Tool, s.ID)
		}
		var problem answer.Problem
		switch {
		case refused:
			problem = t.refuseTool(i, offered)
		case s.Tool == answer.ToolPlan:
			r.faults, r.unused, problem = t.takePlan(i)
			r.plan = i
			r.replans = planned
		case s.Tool == answer.ToolDraft || s.Tool == answer.ToolTurn && t.plansByDraft():
			problem = t.takeDraft(i)
		case s.Tool == answer.ToolDecision || s.Tool == answer.ToolTurn:
			var d terminal
			d, problem = t.takeDecision(i)
			if d.action != nil {
				r.decisions = append(r.decisions, d)
			}
		case users != nil:
			problem = t.takeToolCall(i)
		default:
			t.protocol.moduleCalls++
			t.protocol.gotFurther()
			t.conversation.Calls[i].module = true
		}
		if !isOffered && problem == "" {
			t.conversation.Note(trace.Step{Kind: trace.StepOutOfOrder, CallID: s.ID, Name: s.Tool})
		}
		r.progress = r.progress || problem == ""
		r.misdecided = r.misdecided || problem == answer.InvalidArgs
		r.wrong = cmp.Or(r.wrong, problem)
	}
	if r.plan >= 0 && !t.conversation.Calls[r.plan].done {
		said := &planAccepted{Problems: append(r.faults, r.unused...), Next: string(t.protocol.stage)}
		if t.exposure.open && t.exposure.phase == phaseDue {
			said.Deviations = t.deviations()
		}
		if t.protocol.stage == trace.StagePlan {
			said.Text = t.agent.words.Steps.PlanAgain
		}
		t.conversation.Respond(r.plan, said)
	}
	t.proceed(r)
}

// startAnswer clears what belongs to one answer: its draft, its mistakes, and a plan without anything to do.
func (t *Turn) startAnswer() {
	t.plan.idle = false
	t.draft.begin()
}

// plansByDraft reports whether the candidates of a lean turn count as its plan, because it did not plan
// first. They do so once.
func (t *Turn) plansByDraft() bool {
	return t.exposure.locked() && t.protocol.lastPlan == "" && t.draft.accepted == nil
}

// proceed ends the turn in what an answer decided, asks again, or continues with what it brought.
func (t *Turn) proceed(r round) {
	given := t.draft.given
	settled := t.conversation.settled()
	differs := func(d terminal) bool { return !world.Same(d.action, r.decisions[0].action) }
	switch {
	case r.misdecided:
		// A protocol call of the answer was wrong, so nothing of the answer is committed.
		t.repair(answer.InvalidArgs)
	case slices.ContainsFunc(r.decisions, differs):
		for _, d := range r.decisions {
			t.conversation.reject(d.slot, t.agent.words.newFeedback(CodeSeveralDecisions))
		}
		t.repair(answer.Several)
	case len(r.decisions) > 0:
		t.commit(r.decisions[0])
	case given != nil && t.protocol.oneStep() && settled:
		t.commitOneStep(given)
	case t.plan.idle && settled:
		t.rest()
	case t.protocol.lastPlan != "" && r.plan >= 0 && settled:
		t.fail(t.protocol.lastPlan, nil)
	case r.wrong != "" && !r.progress:
		t.repair(r.wrong)
	case !settled:
	case t.draft.hasFailed() && (t.outOfTries() || given.outOfDeviations()):
		t.fail(cmp.Or(given.verdicts...).refusedBy(), cmp.Or(given.verdicts...))
	case r.redrafts(given), r.replans && given == nil:
		// The same draft again is as good as a decision for it.
		t.protocol.order.spent++
		t.conversation.Flush()
		if t.protocol.order.left() < 0 || r.redrafts(given) && given.same(r.before) {
			t.fail(trace.WaitRounds, nil)
		}
	default:
		t.conversation.Flush()
	}
}

// order lists the calls of an answer in the order in which they are handled: as they came. Without an
// earlier draft, plans and modules go first, and a draft goes before the first decision.
func (t *Turn) order() []int {
	var first, last []int
	drafted := t.draft.candidates != nil
	for i, c := range t.conversation.Calls {
		switch {
		case t.draft.candidates != nil || c.Tool != answer.ToolDraft && c.Tool != answer.ToolDecision:
			first = append(first, i)
		case c.Tool == answer.ToolDraft && !drafted:
			last, drafted = slices.Insert(last, 0, i), true
		default:
			last = append(last, i)
		}
	}
	return append(first, last...)
}

// offPlan notes a tool or action that the newest plan does not list, once for a call. It reports whether
// the tool or action is refused for that, because the plan binds.
func (t *Turn) offPlan(name, callID string) (refused bool) {
	if t.plan.lists(name) {
		return false
	}
	s := trace.Step{Kind: trace.StepOffPlan, Status: trace.StatusOK, CallID: callID, Name: name}
	if t.agent.cfg.BindPlan {
		s.Status, s.Code = trace.StatusError, string(policy.ReasonOffPlan)
	}
	if !slices.ContainsFunc(t.conversation.Steps,
		func(o trace.Step) bool { return o.Kind == s.Kind && o.CallID == callID && o.Name == name }) {
		t.conversation.Note(s)
	}
	return t.agent.cfg.BindPlan
}

// refuseTool answers a call of a tool that is unknown or not allowed now.
func (t *Turn) refuseTool(i int, allowed []string) answer.Problem {
	name := t.agent.vocabulary.Tool(t.conversation.Calls[i].Tool)
	if u := t.agent.userTool(name); u != nil {
		return t.refuseUserTool(i, t.toolRefusal(u))
	}
	code, kind := CodeNotAllowedNow, answer.NotAllowedNow
	switch {
	case name == answer.NoTool:
		code, kind = CodeUnknownTool, answer.UnknownTool
	case slices.Contains(t.agent.moduleNames, name) && t.protocol.moduleCalls >= t.agent.cfg.ModuleCallsMax:
		code = CodeModuleLimit
	}
	t.conversation.Refuse(i, code, allowed)
	t.conversation.Note(trace.Step{Kind: trace.StepToolRefused, Status: trace.StatusError, Code: code,
		CallID: t.conversation.Calls[i].ID, Name: name})
	return kind
}

// badArguments answers a call of a protocol tool whose arguments were refused.
func (t *Turn) badArguments(i int, kind trace.StepKind, e *answer.ArgumentError) answer.Problem {
	t.faultArguments(t.agent.words.wrongArguments(CodeInvalidArguments, e))
	code := t.conversation.RefuseArguments(i, e, func(schema json.RawMessage) bool {
		return t.agent.count(string(schema)) < t.room()-moduleTokensMin
	})
	t.conversation.Note(trace.Step{Kind: kind, Status: trace.StatusError, Code: code, CallID: t.conversation.Calls[i].ID,
		Detail: llmclient.Marshal(e)})
	return answer.InvalidArgs
}
