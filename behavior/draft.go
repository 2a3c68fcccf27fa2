package behavior

import (
	"cmp"
	"fmt"
	"slices"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// takeDraft answers a draft with what its dry runs found. A draft whose candidates
// are all refused goes back, within the guard's rounds.
func (t *Turn) takeDraft(i int) answer.Problem {
	call := t.talk.Calls[i]
	draft, used, e := answer.ReadDraft(call.Call, candidatesMax)
	if e != nil {
		return t.badArguments(i, trace.StepDraft, e)
	}
	t.pastPlan()
	further := t.accepted == nil
	w, e := t.weigh(call, draft.Candidates)
	if !w.usable && e != nil {
		return t.badArguments(i, trace.StepDraft, e)
	}
	status := trace.StatusOK
	if further && t.accepted != nil {
		t.parseRepairs = 0
	}
	meant := !slices.Contains(w.verdicts, nil)
	if call.Tool == answer.ToolTurn && !t.tainted() {
		meant = t.intendDecided(call.Call) || meant
	}
	// New texts follow a draft that was read as it was meant, and of which something is possible,
	// others a plan alone. A refused draft is corrected first, as it is without texts.
	if t.locked() && meant && w.usable {
		t.reveal()
	}
	t.stage, t.redrafts = trace.StageDecision,
		slices.ContainsFunc(w.verdicts, func(v *Evaluation) bool { return v == nil || v.Refused() })
	if !w.usable {
		status = trace.StatusError
		if t.countRefusal(w.verdicts...); t.triesLeft() >= 0 {
			t.stage = trace.StageDraft
		}
	}
	if t.mind.cfg.Protocol == ProtocolLean {
		t.stage = trace.StageLean
	}
	t.talk.Note(trace.Step{
		Kind: trace.StepDraft, Status: status, CallID: call.ID, Detail: llmclient.Marshal(draftDetail{w.details}),
		Repairs: repairNames(slices.Concat(used, w.repairs)),
	})
	t.talk.Respond(i, t.draftResult(w))
	w.slot = i
	t.drafts = &w
	return ""
}

// intendDecided plans what a lean turn decides before its other candidates. It is false if that could
// not be read.
func (t *Turn) intendDecided(c answer.Call) (read bool) {
	d, _, e := answer.ReadDecision(c, true)
	if e != nil {
		return false
	}
	a, _, e := d.Action(c, t.candidates, t.names)
	if e != nil {
		return false
	}
	drafted, intended := t.drafted, t.plan[t.fromPlan:]
	t.drafted, t.plan = nil, slices.Clone(t.plan[:t.fromPlan])
	t.intendAction(t.evaluate(a))
	t.drafted = append(t.drafted, drafted...)
	for _, p := range intended {
		t.mayDo(p)
	}
	return true
}

func (t *Turn) draftResult(w weighing) draftResult {
	best := cmp.Or(w.ranked()...)
	if best > 0 && w.verdicts[best-1].unseen() {
		best = 0 // decided in the same answer it goes back
	}
	return draftResult{w.results, t.told(t.dropped), best, t.stage}
}

// told lists a fault, if any, in the language of the prompt.
func (t *Turn) told(e *answer.ArgumentError) []*answer.ArgumentError {
	if e == nil {
		return nil
	}
	return []*answer.ArgumentError{modules.FaultIn(t.mind.words.Language, e)}
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

// weighing is the result of evaluating the candidates of a draft, for the model and for the note.
type weighing struct {
	// slot is the call of the draft.
	slot    int
	results []candidateResult
	details []candidateDetail
	// usable says that at least one candidate may be committed.
	usable  bool
	repairs []answer.Repair
	// verdicts are those of the candidates by number from 1; nil where there is no
	// action. scores go with them.
	verdicts []*Evaluation
	scores   []int
}

// weigh evaluates the candidates that a call gave. e is the first argument error.
func (t *Turn) weigh(c PendingCall, candidates []answer.Candidate) (w weighing, e *answer.ArgumentError) {
	t.candidates, t.dropped = nil, nil
	if n := len(candidates); n > candidatesMax {
		t.dropped = answer.TooMany("candidates", candidatesMax, n)
	}
	accepted := false
	for i, candidate := range candidates[:min(len(candidates), candidatesMax)] {
		n := i + 1
		action, used, bad := candidate.Decode(c.Call, t.names)
		w.repairs = append(w.repairs, used...)
		t.candidates = append(t.candidates, action)
		if bad != nil {
			bad = bad.Inside(fmt.Sprintf("candidates[%d]", i))
			e = answer.Faults(e, bad)
			f := t.mind.words.wrongArguments(CodeInvalidArguments, bad)
			t.mistake(f, "")
			w.results = append(w.results, candidateResult{N: n, DryRun: modules.DryRun{Status: world.CheckRejected}, Error: &f})
			w.details = append(w.details, candidateDetail{N: n,
				verdictDetail: verdictDetail{Status: world.CheckRejected, Action: encodedAction(nil)}, Error: &f})
			w.verdicts, w.scores = append(w.verdicts, nil), append(w.scores, 0)
			continue
		}
		v := t.evaluate(action)
		t.intendAction(v)
		if t.mind.cfg.BindPlan && t.mind.cfg.Commit == trace.CommitOneStep {
			t.refuseOffPlan(v, c.ID)
		}
		w.usable = w.usable || !v.Refused()
		w.verdicts, w.scores = append(w.verdicts, v), append(w.scores, t.score(n, v))
		result := candidateResult{N: n, DryRun: v.finding(t.mind.words)}
		if v.Refused() {
			f := t.mind.words.refused(v)
			t.noteRefusal(v, v.note())
			t.mistake(f, v.Adjusted.ActionName())
			f = w.once(f)
			if v.Violation != nil {
				result.Error = &f
			}
		}
		w.results = append(w.results, result)
		w.details = append(w.details, candidateDetail{N: n, verdictDetail: v.detail()})
		accepted = accepted || v.Check.Status == world.CheckAccepted
	}
	if accepted {
		t.accepted = &w
	}
	return w, e
}

// noteRefusal notes that an action was refused, once for an answer that both drafts and decides it.
func (t *Turn) noteRefusal(v *Evaluation, n trace.Step) {
	if t.notedAt != t.talk.asks {
		t.noted, t.notedAt = nil, t.talk.asks
	}
	if action := encode(encodedAction(v.Proposed)); !slices.Contains(t.noted, action) {
		t.noted = append(t.noted, action)
		t.talk.Note(n)
	}
}

// once leaves out of the feedback on an action what the feedback on an earlier candidate already
// says.
func (w weighing) once(f feedback) feedback {
	if slices.ContainsFunc(w.results, func(r candidateResult) bool {
		return r.Error != nil && r.Error.Code == f.Code && r.Error.Rule == f.Rule
	}) {
		f.Text, f.Planned = "", nil
	}
	return f
}

// same reports whether two drafts propose the same.
func (w weighing) same(as *weighing) bool {
	return slices.EqualFunc(w.verdicts, as.verdicts, func(a, b *Evaluation) bool {
		return a != nil && b != nil && world.Same(a.Proposed, b.Proposed)
	})
}

// The parts of a candidate's score.
const (
	// scorePlanned is for an action that the plan lists, or that another agent asked for under a
	// rule. Without it no partner would ever be answered.
	scorePlanned = 20
	// scorePlace is for every candidate that the model put before it.
	scorePlace = -5
	// scoreUnseen is for an action on an id that the agent sees nothing of: it comes after
	// every other.
	scoreUnseen = -40
	// scoreDeviation is for what counts as a deviation from the plan: there are few.
	scoreDeviation = -40
)

// score is how good a candidate is to commit in one step. The order of the model decides among
// equals: only the model knows what the agent wants. A candidate whose result the dry run cannot
// know is as good as an accepted one, unless an id in it may be misspelt. An accepted one takes
// its place if the world refuses it. The full protocol always commits so, a lean turn only if its
// decision is missing or broken, see suffices.
func (t *Turn) score(number int, v *Evaluation) int {
	score := scorePlace * (number - 1)
	listed := func(p policy.PlannedAction) bool { return p.Action == repeated(v.Adjusted).ActionName() }
	if v.By == trace.AuthorityRule || slices.ContainsFunc(t.plan[:t.fromPlan], listed) {
		score += scorePlanned
	}
	if v.unseen() {
		score += scoreUnseen
	}
	if v.Deviation > 0 {
		score += scoreDeviation
	}
	return score
}

// outOfDeviations reports whether a candidate was refused because no deviations are left.
func (w weighing) outOfDeviations() bool {
	return slices.ContainsFunc(w.verdicts, func(v *Evaluation) bool { return v != nil && v.outOfDeviations() })
}

// ranked lists the candidates that may be committed by number, best first.
func (w weighing) ranked() (numbers []int) {
	for n, v := range w.verdicts {
		if v != nil && !v.Refused() {
			numbers = append(numbers, n+1)
		}
	}
	slices.SortStableFunc(numbers, func(a, b int) int { return cmp.Compare(w.scores[b-1], w.scores[a-1]) })
	return numbers
}
