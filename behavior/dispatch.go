package behavior

import (
	"cmp"
	"fmt"
	"slices"

	"agentworld/modules"
	"agentworld/world"
)

// terminal is a decision call of an answer, decoded.
type terminal struct {
	slot     int
	action   world.Action
	why      string
	sources  []string
	leniency []string
}

// dispatch handles the calls of one answer in order. Protocol calls are settled
// at once; module calls stay open for the caller. leniencies are what it took to
// read the calls from text, nil for real function calls.
func (t *Turn) dispatch(leniencies []string) {
	var decisions []terminal
	progress, wrong, misdecided := false, ParseKind(""), ParseKind("")
	for i := range t.slots {
		ok, kind := t.dispatchOne(i, leniencies, &decisions)
		progress = progress || ok
		wrong = cmp.Or(wrong, kind)
		if kind == ParseInvalidArgs {
			misdecided = cmp.Or(misdecided, kind)
		}
	}
	switch {
	case misdecided != "":
		// A protocol call of the answer was wrong: nothing of it is committed, and
		// it needs another call whatever else was in it.
		t.repair(misdecided)
	case len(decisions) > 0 && !sameAction(decisions):
		for _, d := range decisions {
			t.respond(d.slot, severalDecisions(t.repairs+1, t.mind.cfg.RepairsMax))
		}
		t.repair(ParseSeveral)
	case len(decisions) > 0:
		t.commit(decisions[0])
	case wrong != "" && !progress:
		t.repair(wrong)
	case t.settled():
		t.flush()
	}
}

// dispatchOne handles one call. ok says that the call brought the turn forward;
// kind names what was wrong with it.
func (t *Turn) dispatchOne(i int, leniencies []string, decisions *[]terminal) (ok bool, kind ParseKind) {
	s := t.slots[i]
	allowed := t.allowed()
	if !slices.Contains(allowed, s.tool) {
		return false, t.refuseTool(i, allowed)
	}
	switch s.tool {
	case toolPlan:
		return t.takePlan(i, leniencies)
	case toolDraft:
		return t.takeDraft(i, leniencies)
	case toolDecision, toolTurn:
		d, kind := t.takeDecision(i, leniencies)
		if kind == "" {
			*decisions = append(*decisions, d)
		}
		return kind == "", kind
	}
	t.moduleCalls++
	t.slots[i].module = true
	return true, ""
}

// refuseTool answers a call of a tool that is unknown or not allowed now.
func (t *Turn) refuseTool(i int, allowed []string) ParseKind {
	name := t.knownName(t.slots[i].tool)
	code, kind := CodeNotAllowedNow, ParseNotAllowedNow
	switch {
	case name == "unknown":
		code, kind = CodeUnknownTool, ParseUnknownTool
	case slices.Contains(t.mind.moduleNames, name) && t.moduleCalls >= t.mind.cfg.ModuleCallsMax:
		code = CodeModuleLimit
	}
	t.respond(i, notAllowed(code, allowed))
	t.note(Note{Kind: NoteToolRefused, Status: StatusError, Code: code, CallID: t.slots[i].callID, Name: name})
	return kind
}

func (t *Turn) badArguments(i int, kind NoteKind, e *modules.ArgumentError) ParseKind {
	t.respond(i, invalidArguments(e, t.repairs+1, t.mind.cfg.RepairsMax))
	t.note(Note{Kind: kind, Status: StatusError, Code: CodeInvalidArguments, CallID: t.slots[i].callID, Detail: e})
	return ParseInvalidArgs
}

func (t *Turn) takePlan(i int, leniencies []string) (bool, ParseKind) {
	f, e := decodeFields(t.slots[i].args)
	if e != nil {
		return false, t.badArguments(i, NotePlan, e)
	}
	var plan planArgs
	absent, e := f.decode(&plan, "goal", "steps", "missing")
	if e != nil {
		return false, t.badArguments(i, NotePlan, e)
	}
	t.acceptPlan(plan, t.slots[i].callID, slices.Concat(leniencies, absent))
	t.reveal()
	t.afterPlan()
	t.respond(i, planAccepted{"ok", string(t.stage)})
	return true, ""
}

func (t *Turn) acceptPlan(plan planArgs, callID string, leniencies []string) {
	t.planSteps = plan.Steps[:min(len(plan.Steps), planStepsMax)]
	detail := planDetail{Goal: capText(plan.Goal), Steps: []string{}, Missing: len(plan.Missing)}
	for _, s := range t.planSteps {
		if !slices.Contains(stepKinds, s.Kind) {
			s.Kind = "unknown"
		}
		detail.Steps = append(detail.Steps, s.Kind)
	}
	t.note(Note{Kind: NotePlan, Status: StatusOK, CallID: callID, Leniencies: leniencies, Detail: detail})
}

// planStepsMax bounds the plan steps that are read.
const planStepsMax = 12

type planDetail struct {
	Goal    string   `json:"goal"`
	Steps   []string `json:"steps"`
	Missing int      `json:"missing"`
}

func (t *Turn) takeDraft(i int, leniencies []string) (bool, ParseKind) {
	f, e := decodeFields(t.slots[i].args)
	var draft draftArgs
	if e == nil {
		var absent []string
		absent, e = f.decode(&draft, "candidates")
		leniencies = slices.Concat(leniencies, absent)
	}
	if e == nil && len(draft.Candidates) == 0 {
		e = &modules.ArgumentError{Path: "candidates", Expected: "1 to 3 candidates", Got: "none"}
	}
	if e != nil {
		return false, t.badArguments(i, NoteDraft, e)
	}
	texts, lenient, usable, e := t.weigh(draft.Candidates)
	if !usable && e != nil {
		return false, t.badArguments(i, NoteDraft, e)
	}
	t.drafted(i, texts, usable, slices.Concat(leniencies, lenient))
	return true, ""
}

// drafted answers a draft with what its dry runs found. A draft whose candidates
// are all refused goes back, within the guard's rounds.
func (t *Turn) drafted(i int, texts []candidateText, usable bool, leniencies []string) {
	status := StatusOK
	t.reveal()
	t.stage = StageDecision
	if !usable {
		status = StatusError
		t.guardRounds++
		if t.guardRounds <= t.mind.cfg.GuardRoundsMax {
			t.stage = StageDraft
		}
	}
	t.note(Note{Kind: NoteDraft, Status: status, CallID: t.slots[i].callID, Detail: draftDetail{texts}, Leniencies: leniencies})
	t.respond(i, draftResult{"ok", texts, string(t.stage)})
}

type draftDetail struct {
	Candidates []candidateText `json:"candidates"`
}

// candidatesMax bounds the candidates of a draft that are weighed.
const candidatesMax = 3

// weigh judges the candidates of a draft. usable says that at least one may be
// committed; e is the first argument error.
func (t *Turn) weigh(candidates []fields) (texts []candidateText, leniencies []string, usable bool, e *modules.ArgumentError) {
	t.candidates = nil
	for n, c := range candidates[:min(len(candidates), candidatesMax)] {
		action, lenient, bad := decodeCandidate(c)
		leniencies = append(leniencies, lenient...)
		t.candidates = append(t.candidates, action)
		if bad != nil {
			f := invalidArguments(bad, 0, 0)
			texts = append(texts, candidateText{N: n + 1, verdictText: verdictText{Status: world.CheckRejected, Action: rawJSON("null")}, Error: &f})
			e = cmp.Or(e, bad)
			continue
		}
		v := judge(t.view, action)
		usable = usable || !v.Refused()
		if v.Refused() {
			t.note(Note{Kind: NoteGuard, Status: StatusError, Code: string(v.Check.Rejection.Code), Name: v.Adjusted.ActionName()})
		}
		texts = append(texts, candidateText{N: n + 1, verdictText: v.text()})
	}
	return texts, leniencies, usable, e
}

func decodeCandidate(f fields) (world.Action, []string, *modules.ArgumentError) {
	shaped, lenient, ok := shapeDecision(f)
	if !ok {
		return nil, nil, noAction
	}
	action, more, e := decodeAction(shaped["action"], shaped["execute_until"])
	return action, slices.Concat(lenient, more), e
}

var noAction = &modules.ArgumentError{Path: "action", Expected: "an action object", Got: "none"}

// takeDecision decodes a decision, or the decision part of a lean turn. Besides a
// candidate's number it takes an action in full: the form of text answers, and of
// providers that do not hold a model to the schema.
func (t *Turn) takeDecision(i int, leniencies []string) (terminal, ParseKind) {
	s := t.slots[i]
	f, e := decodeFields(s.args)
	if e != nil {
		return terminal{}, t.badArguments(i, NoteDecision, e)
	}
	if f["candidate"] == nil {
		shaped, lenient, ok := shapeDecision(f)
		if !ok {
			return terminal{}, t.badArguments(i, NoteDecision, noAction)
		}
		f, leniencies = shaped, slices.Concat(leniencies, lenient)
	}
	var args turnArgs
	absent, e := f.decode(&args, "execute_until", "why", "sources_used")
	if e != nil {
		return terminal{}, t.badArguments(i, NoteDecision, e)
	}
	if s.tool == toolTurn {
		t.takeLeanParts(args, s.callID)
	}
	action, more, e := t.chosen(f, args)
	if e != nil {
		return terminal{}, t.badArguments(i, NoteDecision, e)
	}
	return terminal{i, action, args.Why, args.Sources, slices.Concat(leniencies, absent, more)}, ""
}

// takeLeanParts notes the plan and weighs the candidates of a lean turn.
func (t *Turn) takeLeanParts(args turnArgs, callID string) {
	t.acceptPlan(planArgs{Goal: args.Plan.Goal, Steps: args.Plan.Steps}, callID, nil)
	if texts, lenient, _, _ := t.weigh(args.Candidates); len(texts) > 0 {
		t.note(Note{Kind: NoteDraft, Status: StatusOK, CallID: callID, Detail: draftDetail{texts}, Leniencies: lenient})
	}
}

// chosen returns the action a decision stands for.
func (t *Turn) chosen(f fields, args turnArgs) (world.Action, []string, *modules.ArgumentError) {
	action, direct := f["action"]
	direct = direct && string(action) != "null"
	_, numbered := f["candidate"]
	switch {
	case direct && numbered && string(args.Candidate.raw) != "null":
		return nil, nil, &modules.ArgumentError{Path: "action", Expected: "a candidate's number or an action, not both", Got: "both"}
	case direct:
		return decodeAction(action, f["execute_until"])
	}
	do, lenient, e := t.candidate(args.Candidate)
	if e != nil {
		return nil, nil, e
	}
	a, more, e := modules.DecodeStanding(args.Standing, do)
	return a, append(lenient, leniencyNames(more)...), e
}

// candidate returns the action with the given number; 0 waits.
func (t *Turn) candidate(number candidateNumber) (world.Action, []string, *modules.ArgumentError) {
	n, lenient, ok := number.read()
	if ok && n == 0 {
		return world.Wait{}, lenient, nil
	}
	if !ok || n < 0 || n > int64(len(t.candidates)) || t.candidates[n-1] == nil {
		expected := "0 to wait: nothing is drafted yet"
		if len(t.candidates) > 0 {
			expected = fmt.Sprintf("the number of a candidate from 1 to %d, or 0 to wait", len(t.candidates))
		}
		return nil, nil, &modules.ArgumentError{Path: "candidate", Expected: expected, Got: jsonKind(string(number.raw))}
	}
	return t.candidates[n-1], lenient, nil
}

func sameAction(ds []terminal) bool {
	first := string(world.EncodeAction(ds[0].action))
	return !slices.ContainsFunc(ds, func(d terminal) bool { return string(world.EncodeAction(d.action)) != first })
}

// commit verifies the decision before it becomes one: a refused action goes back
// with its reasons, a bounded number of times.
func (t *Turn) commit(d terminal) {
	v := judge(t.view, d.action)
	if v.Refused() {
		t.sendBack(d, v)
		return
	}
	for _, s := range t.slots {
		if s.module && !s.done {
			t.note(Note{Kind: NoteUnneeded, Status: StatusOK, CallID: s.callID, Name: s.tool})
		}
	}
	t.note(Note{Kind: NoteDecision, Status: StatusOK, CallID: t.slots[d.slot].callID, Name: v.Adjusted.ActionName(), Leniencies: d.leniency})
	used, invented := t.cited(d)
	t.finish(Decision{
		By: ByModel, Proposed: v.Proposed, Adjusted: v.Adjusted, Executed: v.Adjusted,
		Adjustments: v.Adjustments, Why: capText(d.why), Used: used, Invented: invented,
	})
}

func (t *Turn) sendBack(d terminal, v Verdict) {
	t.guardRounds++
	t.note(Note{Kind: NoteGuard, Status: StatusError, Code: string(v.Check.Rejection.Code), CallID: t.slots[d.slot].callID, Name: v.Adjusted.ActionName(), Leniencies: d.leniency})
	if t.guardRounds > t.mind.cfg.GuardRoundsMax {
		t.wait(WaitGuardRejected, &v)
		return
	}
	feedback := guardRejected(v, t.guardRounds, t.mind.cfg.GuardRoundsMax)
	for i, s := range t.slots {
		if !s.done && !s.module {
			t.respond(i, feedback)
		}
	}
	if t.settled() {
		t.flush()
	}
}
