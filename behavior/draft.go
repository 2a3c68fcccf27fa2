package behavior

import (
	"cmp"
	"slices"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

func (t *Turn) takeDraft(i int) (bool, answer.Problem) {
	draft, used, e := answer.ReadDraft(t.talk.Calls[i].Call, candidatesMax)
	if e != nil {
		return false, t.badArguments(i, trace.StepDraft, e)
	}
	w, e := t.weigh(t.talk.Calls[i].Call, draft.Candidates)
	if !w.usable && e != nil {
		return false, t.badArguments(i, trace.StepDraft, e)
	}
	w.repairs = slices.Concat(used, w.repairs)
	t.takeWeighed(i, w)
	return true, ""
}

// takeWeighed answers a draft with what its dry runs found. A draft whose candidates
// are all refused goes back, within the guard's rounds.
func (t *Turn) takeWeighed(i int, w weighing) {
	status := trace.StatusOK
	t.reveal()
	t.now = at(trace.StageDecision)
	if !w.usable {
		status = trace.StatusError
		t.guardRounds++
		if t.guardRounds <= t.mind.cfg.GuardRoundsMax {
			t.now = at(trace.StageDraft)
		}
	}
	t.talk.Note(trace.Step{Kind: trace.StepDraft, Status: status, CallID: t.talk.Calls[i].ID, Detail: llmclient.Marshal(draftDetail{w.details}), Leniencies: repairNames(w.repairs)})
	t.talk.Respond(i, draftResult{w.results, w.best(), t.now.stage})
	t.drafts = &drafted{i, w}
}

// draftDetail is a draft as a note keeps it.
type draftDetail struct {
	Candidates []candidateDetail `json:"candidates"`
}

type candidateDetail struct {
	N int `json:"n"`
	verdictDetail
	Error *feedback `json:"error,omitempty"`
}

// candidatesMax bounds the candidates of a draft that are weighed.
const candidatesMax = 3

// weighing is what came of judging the candidates of a draft, for the model and
// for the note.
type weighing struct {
	results []candidateResult
	details []candidateDetail
	// usable says that at least one candidate may be committed.
	usable  bool
	repairs []answer.Repair
	// verdicts are those of the candidates by number from 1; nil where there is no
	// action.
	verdicts []*Verdict
	// scores go with the verdicts.
	scores []int
}

// weigh judges the candidates that a call gave; e is the first argument error.
func (t *Turn) weigh(c answer.Call, candidates []answer.Candidate) (w weighing, e *answer.ArgumentError) {
	t.candidates = nil
	for n, candidate := range candidates[:min(len(candidates), candidatesMax)] {
		action, used, bad := candidate.Decode(c, t.names)
		w.repairs = append(w.repairs, used...)
		t.candidates = append(t.candidates, action)
		if bad != nil {
			w.refuse(t.mind.words, n+1, bad)
			w.verdicts, w.scores = append(w.verdicts, nil), append(w.scores, 0)
			e = cmp.Or(e, bad)
			continue
		}
		v := t.judge(action, nil)
		t.intendAction(v)
		w.usable = w.usable || !v.Refused()
		w.verdicts, w.scores = append(w.verdicts, &v), append(w.scores, t.score(n+1, v))
		result := candidateResult{N: n + 1, Finding: v.finding(t.mind.words)}
		if v.Refused() {
			t.talk.Note(t.refusalNote(v))
		}
		if v.Violation != nil {
			f := t.mandateRefused(v, 0, 0)
			result.Error = &f
		}
		w.results = append(w.results, result)
		w.details = append(w.details, candidateDetail{N: n + 1, verdictDetail: v.detail()})
	}
	return w, e
}

// refuse adds a candidate that is no action.
func (w *weighing) refuse(say *wording, n int, bad *answer.ArgumentError) {
	f := say.wrongArguments(CodeInvalidArguments, bad)
	w.results = append(w.results, candidateResult{N: n, Finding: modules.Finding{Status: world.CheckRejected}, Error: &f})
	w.details = append(w.details, candidateDetail{N: n, verdictDetail: verdictDetail{Status: world.CheckRejected, Action: rawJSON("null")}, Error: &f})
}
