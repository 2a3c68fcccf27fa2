package behavior

import (
	"cmp"
	"slices"

	"agentworld/modules"
	"agentworld/world"
)

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
			f := wrongArguments(CodeInvalidArguments, bad)
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
