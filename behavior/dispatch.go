package behavior

import (
	"cmp"
	"encoding/json"
	"slices"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
)

// dispatch handles the calls of one answer in order. Protocol calls are settled
// at once; module calls stay open for the caller. leniencies are what it took to
// read the text that the calls stand in, nil for real function calls; they are
// counted once, with the first call that may be made.
func (t *Turn) dispatch(leniencies []string) {
	t.assign(leniencies)
	t.idle, t.drafts = nil, nil
	var decisions []terminal
	progress, wrong, misdecided := false, ParseKind(""), ParseKind("")
	for i := range t.slots {
		ok, kind := t.dispatchOne(i, t.slots[i].leniencies, &decisions)
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
			t.reject(d.slot, t.mind.words.newFeedback(CodeSeveralDecisions))
		}
		t.repair(ParseSeveral)
	case len(decisions) > 0:
		t.commit(decisions[0])
	case t.drafts != nil && t.mind.cfg.Commit == trace.CommitDirect && t.settled():
		t.commitDirect(*t.drafts)
	case t.idle != nil && t.settled():
		t.rest()
	case wrong != "" && !progress:
		t.repair(wrong)
	case t.settled():
		t.flush()
	}
}

// assign puts the leniencies of a whole text on the call whose note will count them.
// A refused call has no such note, so the first one that is allowed is taken.
func (t *Turn) assign(leniencies []string) {
	allowed := t.allowed()
	first := slices.IndexFunc(t.slots, func(s slot) bool { return slices.Contains(allowed, s.tool) })
	if len(t.slots) > 0 {
		s := &t.slots[max(first, 0)]
		s.leniencies = slices.Concat(leniencies, s.leniencies)
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
	f := t.mind.words.newFeedback(code)
	f.Allowed = allowed
	if code == CodeUnknownTool {
		f.Known = t.mind.toolNames()
	}
	t.reject(i, f)
	t.note(trace.Step{Kind: trace.StepToolRefused, Status: trace.StatusError, Code: code, CallID: t.slots[i].callID, Name: name})
	return kind
}

// badArguments answers a call of a protocol tool whose arguments were refused.
func (t *Turn) badArguments(i int, kind trace.StepKind, e *modules.ArgumentError) ParseKind {
	f := t.mind.words.wrongArguments(argumentCode(t.slots[i].args, e), e)
	if f.Code == CodeArgumentsNotJSON {
		f.Parameters = t.parameters(t.slots[i].tool)
	}
	t.reject(i, f)
	t.note(trace.Step{Kind: kind, Status: trace.StatusError, Code: f.Code, CallID: t.slots[i].callID, Detail: llmclient.Marshal(e)})
	return ParseInvalidArgs
}

// parameters returns a tool's schema, nil when the window has no room to tell it
// again.
func (t *Turn) parameters(tool string) json.RawMessage {
	for _, known := range t.mind.tools {
		if known.Name == tool && t.mind.count(string(known.Parameters)) < t.room()-moduleTokensMin {
			return known.Parameters
		}
	}
	return nil
}
