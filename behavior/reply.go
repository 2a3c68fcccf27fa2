package behavior

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Answer feeds back the answer to the Ask that Next returned.
func (t *Turn) Answer(a llmclient.Answer) {
	text, problem := t.talk.Take(a)
	if a.Failure != nil && problem == "" {
		t.talk.Note(trace.Step{Kind: trace.StepModelError, Status: trace.StatusError, Code: string(a.Failure.Kind)})
		reason := trace.WaitReason(trace.WaitModelPrefix + string(a.Failure.Kind))
		switch a.Failure.Kind {
		case llmclient.ErrInterrupted, llmclient.ErrAbandoned, llmclient.ErrNotRecorded, llmclient.ErrRecordingDamaged:
			// The run ends here, or the caller gave up the turn: the model did not fail.
			t.wait(reason, nil)
		default:
			t.fail(reason, nil)
		}
		return
	}
	if t.talk.Lengthen(t.free) && t.countUnusable() {
		return
	}
	reasons := t.stage == trace.StageReason
	if reasons && t.thinking == answer.StepThink && len(t.talk.Calls) > 0 {
		// The plan had another word for it, and the model continues without the step.
		t.skipped("skipped_by_model")
		t.afterPlan()
		reasons = false
	}
	if problem == "" && len(t.talk.Calls) == 0 && !reasons {
		problem = t.talk.Read(text, t.allowed())
	}
	t.readCitations(t.talk.said)
	if reasons {
		text = t.talk.said
	}
	switch {
	case problem != "":
		t.repair(problem)
		return
	case !reasons:
		t.dispatch()
		return
	}
	// No tool may be called in a reason step: nothing runs, and each call gets its own error
	// output. Text with the calls is kept as the reasoning of the step.
	thought, used := strings.TrimSpace(text) != "", []answer.Repair(nil)
	for i, s := range t.talk.Calls {
		if said, ok := answer.Thought(s.Call); ok {
			text = strings.TrimSpace(text + "\n" + said)
			thought = true
			used = []answer.Repair{answer.ReasonTool}
			t.talk.Respond(i, thoughtTaken)
		}
	}
	if len(t.talk.Calls) > 0 {
		if !t.talk.settled() {
			t.violations++
		}
		for i, s := range t.talk.Calls {
			if s.done {
				continue
			}
			f := t.mind.words.newFeedback(CodeReasonViolation)
			if !thought {
				f.TriesLeft = violationsMax - t.violations + 1
			}
			t.talk.reject(i, f)
			t.talk.Note(trace.Step{Kind: trace.StepViolation, Status: trace.StatusError, Level: trace.LevelWarn,
				Code: CodeReasonViolation, CallID: s.ID, Name: t.mind.vocabulary.Tool(s.Tool)})
		}
		t.talk.Flush()
		if !thought {
			if t.violations > violationsMax {
				t.fail(trace.WaitReasoning, nil)
			}
			return
		}
	}
	t.reasoned(text, used...)
	if t.afterPlan(); t.stage != trace.StageReason {
		t.talk.Say(t.mind.words.Steps.ReasonDone)
	}
}

// reasoned notes what was thought. A tool that a model thinks with does not exist; what it was
// called with is taken all the same, and answered by thoughtTaken.
func (t *Turn) reasoned(text string, used ...answer.Repair) {
	t.parseRepairs = 0
	t.talk.Note(trace.Step{
		Kind: trace.StepReason, Status: trace.StatusOK, Level: trace.LevelInfo, Repairs: repairNames(used),
		Detail: llmclient.Marshal(reasonDetail{capText(text), runeCount(text)}),
	})
}

var thoughtTaken = map[string]string{"status": "ok"}

// reasonDetail is what a reason step said, cut, and how long it was.
type reasonDetail struct {
	Text  string `json:"text"`
	Chars int    `json:"chars"`
}

// repair spends one further call on an answer that could not be used, or ends the turn
// when none is left. Calls that are not taken now are counted apart, so that neither kind
// uses up the tries of the other. A lean turn that has nothing by then asks for a plan,
// which is less to fill in, and ends in that. A plan for the sake of new texts that does not come
// is done without, and so are they.
func (t *Turn) repair(problem answer.Problem) {
	// A turn that gets further has its tries again, three times at most.
	spent, most := &t.parseRepairs,
		min(t.mind.cfg.RepairsMax, t.parseRepairs+repairsOfTurn*t.mind.cfg.RepairsMax-t.repairs)
	if problem == answer.NotAllowedNow {
		spent, most = &t.orderRounds, orderRoundsMax
	} else {
		t.repairs++
		empty := t.accepted == nil && len(t.fallbacks) == 0 && !t.ambiguous && !t.tainted() && problem != answer.Several
		if t.stage == trace.StageLean && t.lastPlan == "" && empty && t.mind.cfg.Fallback == trace.FallbackBest {
			most++
			if *spent == most-1 {
				t.stage, t.lastPlan = trace.StagePlan, trace.WaitReason(trace.WaitParsePrefix+string(problem))
				for _, s := range t.talk.Calls {
					if s.wrong != nil {
						s.wrong.Next = answer.ToolPlan
					}
				}
			}
		}
	}
	if *spent >= most && t.locked() && t.stage == trace.StagePlan && t.lastPlan == "" && !t.ambiguous {
		t.sealed, t.parseRepairs = true, 0
		spent, most = &t.parseRepairs, 1
		t.afterPlan()
	}
	if !t.countUnusable() {
		most = *spent
	}
	t.talk.Repairs, t.talk.RepairsMax = *spent, most
	ok := t.talk.Repair(problem, t.allowed())
	*spent = t.talk.Repairs
	switch problem {
	case answer.Several:
		t.ambiguous = true
	case answer.InvalidArgs:
	default:
		// The newest fault is reported; calls out of order were reported in their outputs.
		t.fault = ""
		if problem != answer.UnknownTool && problem != answer.NotAllowedNow {
			t.fault = t.mind.words.Unusable.Text(string(problem))
		}
	}
	if !ok {
		t.fail(trace.WaitReason(trace.WaitParsePrefix+string(problem)), nil)
	}
}

// round is the result of the calls of one answer.
type round struct {
	decisions []terminal
	// planned says that it has a plan, replans that there was one before, redrafts that there
	// was an accepted draft, and so is its own.
	planned, replans, redrafts bool
	// progress says that a call led on, misdecided that the arguments of one were refused, and
	// wrong what was first wrong with any.
	progress, misdecided bool
	wrong                answer.Problem
}

// dispatch handles the calls of one answer in the order of the protocol. Protocol calls
// are settled at once; module calls stay open for the caller.
func (t *Turn) dispatch() {
	t.idle, t.drafts = nil, nil
	before, planned := t.accepted, t.planned
	r := round{}
	plan := -1
	faults := []*answer.ArgumentError(nil)
	for _, i := range t.order() {
		s := t.talk.Calls[i]
		if t.stage == trace.StageReason {
			// The plan before it in this answer asks for a reason step. A module may be asked
			// first. A draft continues without the step.
			t.stage, t.planSteps = trace.StageModules, append([]typedStep{typed(t.thinking, nil, nil)}, t.planSteps...)
		}
		text, thought := "", false
		if t.mind.vocabulary.Tool(s.Tool) == answer.NoTool {
			text, thought = answer.Thought(s.Call)
		}
		if thought && t.reasonSteps < t.mind.cfg.ReasonStepsMax {
			t.reasonSteps++
			t.reasoned(text, answer.ReasonTool)
			t.talk.Respond(i, thoughtTaken)
			r.progress = true
			if t.stage == trace.StageReason {
				t.afterPlan()
			}
			continue
		}
		var problem answer.Problem
		allowed := t.allowed()
		offered := slices.Contains(allowed, s.Tool)
		refused := !offered && !t.takes(s.Tool)
		if !refused && slices.Contains(t.mind.moduleNames, s.Tool) {
			refused = t.offPlan(s.Tool, s.ID)
		}
		switch {
		case refused:
			problem = t.refuseTool(i, allowed)
		case s.Tool == answer.ToolPlan:
			faults, problem = t.takePlan(i)
			plan = i
			r.planned = true
			r.replans = planned
		case s.Tool == answer.ToolDraft, s.Tool == answer.ToolTurn && t.locked() && t.lastPlan == "" && t.accepted == nil:
			// A lean turn that does not plan first has its candidates for a plan, once.
			problem = t.takeDraft(i)
		case s.Tool == answer.ToolDecision || s.Tool == answer.ToolTurn:
			var d terminal
			d, problem = t.takeDecision(i)
			if d.action != nil {
				r.decisions = append(r.decisions, d)
			}
		default:
			t.moduleCalls++
			t.talk.Calls[i].module, t.parseRepairs = true, 0
		}
		if !offered && problem == "" {
			t.talk.Note(trace.Step{Kind: trace.StepOutOfOrder, Status: trace.StatusOK, CallID: s.ID, Name: s.Tool})
		}
		r.progress = r.progress || problem == ""
		r.misdecided = r.misdecided || problem == answer.InvalidArgs
		r.wrong = cmp.Or(r.wrong, problem)
	}
	if r.planned && !t.talk.Calls[plan].done {
		said := planAccepted{Problems: faults, Next: t.stage}
		if t.stage == trace.StagePlan {
			said.Text = t.mind.words.Steps.PlanAgain
		}
		t.talk.Respond(plan, said)
	}
	r.redrafts = t.drafts != nil && t.drafts.usable && before != nil
	t.goOn(r, before)
}

// goOn ends the turn in what an answer decided, asks again, or continues with what it brought.
func (t *Turn) goOn(r round, before *weighing) {
	differs := func(d terminal) bool { return !world.Same(d.action, r.decisions[0].action) }
	switch {
	case r.misdecided:
		// A protocol call of the answer was wrong: nothing of it is committed, and
		// it needs another call whatever else was in it.
		t.repair(answer.InvalidArgs)
	case slices.ContainsFunc(r.decisions, differs):
		for _, d := range r.decisions {
			t.talk.reject(d.slot, t.mind.words.newFeedback(CodeSeveralDecisions))
		}
		t.repair(answer.Several)
	case len(r.decisions) > 0:
		t.commit(r.decisions[0])
	case t.drafts != nil && t.mind.cfg.Commit == trace.CommitOneStep && t.talk.settled():
		t.commitOneStep(*t.drafts)
	case t.idle != nil && t.talk.settled():
		t.rest()
	case t.lastPlan != "" && r.planned && t.talk.settled():
		t.fail(t.lastPlan, nil)
	case r.wrong != "" && !r.progress:
		t.repair(r.wrong)
	case !t.talk.settled():
	case t.drafts != nil && !t.drafts.usable &&
		(t.triesLeft() < -1 || t.textRounds > 0 && t.triesLeft() < 0 || t.drafts.outOfDeviations()):
		t.fail(trace.WaitGuardRejected, cmp.Or(t.drafts.verdicts...))
	case r.redrafts, r.replans && t.drafts == nil:
		// The same draft again is as good as a decision for it.
		t.orderRounds++
		if t.talk.Flush(); t.orderRounds > orderRoundsMax || r.redrafts && t.drafts.same(before) {
			t.fail(trace.WaitRounds, nil)
		}
	default:
		t.talk.Flush()
	}
}

// order lists the calls of an answer in the order in which they are handled. That is the order
// they came in, with one exception: without an earlier draft, plans and modules go first, and a
// draft goes before the first decision.
func (t *Turn) order() []int {
	var first, last []int
	drafted := t.candidates != nil
	for i, c := range t.talk.Calls {
		switch {
		case t.candidates != nil || c.Tool != answer.ToolDraft && c.Tool != answer.ToolDecision:
			first = append(first, i)
		case c.Tool == answer.ToolDraft && !drafted:
			last, drafted = slices.Insert(last, 0, i), true
		default:
			last = append(last, i)
		}
	}
	return append(first, last...)
}

// isListed reports whether the newest plan, if any, has a tool or action.
func (t *Turn) isListed(name string) bool { return t.listed == nil || slices.Contains(t.listed, name) }

// offPlan counts a tool or action that the newest plan does not list, once for a call, and reports
// whether it is refused for that.
func (t *Turn) offPlan(name, callID string) (refused bool) {
	if t.isListed(name) {
		return false
	}
	s := trace.Step{Kind: trace.StepOffPlan, Status: trace.StatusOK, CallID: callID, Name: name}
	if t.mind.cfg.BindPlan {
		s.Status, s.Code = trace.StatusError, string(policy.ReasonOffPlan)
	}
	if !slices.ContainsFunc(t.talk.Steps,
		func(o trace.Step) bool { return o.Kind == s.Kind && o.CallID == callID && o.Name == name }) {
		t.talk.Note(s)
	}
	return t.mind.cfg.BindPlan
}

// refuseTool answers a call of a tool that is unknown or not allowed now.
func (t *Turn) refuseTool(i int, allowed []string) answer.Problem {
	name := t.mind.vocabulary.Tool(t.talk.Calls[i].Tool)
	code, kind := CodeNotAllowedNow, answer.NotAllowedNow
	switch {
	case name == answer.NoTool:
		code, kind = CodeUnknownTool, answer.UnknownTool
	case slices.Contains(t.mind.moduleNames, name) && t.moduleCalls >= t.mind.cfg.ModuleCallsMax:
		code = CodeModuleLimit
	}
	t.talk.Refuse(i, code, allowed)
	t.talk.Note(trace.Step{Kind: trace.StepToolRefused, Status: trace.StatusError, Code: code, CallID: t.talk.Calls[i].ID,
		Name: name})
	return kind
}

// badArguments answers a call of a protocol tool whose arguments were refused.
func (t *Turn) badArguments(i int, kind trace.StepKind, e *answer.ArgumentError) answer.Problem {
	t.mistake(t.mind.words.wrongArguments(CodeInvalidArguments, e), "")
	code := t.talk.RefuseArguments(i, e, func(schema json.RawMessage) bool {
		return t.mind.count(string(schema)) < t.room()-moduleTokensMin
	})
	t.talk.Note(trace.Step{Kind: kind, Status: trace.StatusError, Code: code, CallID: t.talk.Calls[i].ID,
		Detail: llmclient.Marshal(e)})
	return answer.InvalidArgs
}
