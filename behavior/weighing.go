package behavior

import (
	"cmp"
	"fmt"
	"slices"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

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

// draftDetail is a draft as a note keeps it.
type draftDetail struct {
	Candidates []candidateDetail `json:"candidates"`
}

type candidateDetail struct {
	N int `json:"n"`
	verdictDetail
	Error *feedback `json:"error,omitempty"`
}

// weigh evaluates the candidates that a call gave. e is the first argument error.
func (t *Turn) weigh(c PendingCall, candidates []answer.Candidate) (w *weighing, e *answer.ArgumentError) {
	w = &weighing{}
	t.draft.candidates = nil
	t.draft.dropped = nil
	if n := len(candidates); n > candidatesMax {
		t.draft.dropped = answer.TooMany("candidates", candidatesMax, n)
	}
	for i, candidate := range candidates[:min(len(candidates), candidatesMax)] {
		action, used, bad := candidate.Decode(c.Call, t.exposure.names, t.agent.cfg.ChainSteps)
		w.repairs = append(w.repairs, used...)
		t.draft.candidates = append(t.draft.candidates, action)
		var wrong *feedback
		if bad != nil {
			bad = bad.Inside(fmt.Sprintf("candidates[%d]", i))
			wrong = new(t.agent.words.wrongArguments(CodeInvalidArguments, bad))
			t.faultArguments(*wrong)
		}
		if action == nil {
			e = answer.Faults(e, bad)
			w.results = append(w.results, candidateResult{N: i + 1, Error: wrong,
				DryRun: modules.DryRun{Status: world.CheckRejected}})
			w.details = append(w.details, candidateDetail{N: i + 1, Error: wrong,
				verdictDetail: verdictDetail{Status: world.CheckRejected, Action: encodedAction(nil)}})
			w.verdicts = append(w.verdicts, nil)
			w.scores = append(w.scores, 0)
			continue
		}
		v := t.evaluate(action)
		t.intend(v)
		if t.agent.cfg.BindPlan && t.protocol.oneStep() {
			t.refuseOffPlan(v, c.ID)
		}
		w.usable = w.usable || !v.Refused()
		w.verdicts = append(w.verdicts, v)
		w.scores = append(w.scores, t.score(i+1, v))
		result := candidateResult{N: i + 1, DryRun: v.finding(t.agent.words), Deviation: v.Deviation,
			Note: t.partnersNote(v.Adjusted), Cut: t.tellCut(v)}
		if bad != nil {
			result.Problems = t.inLanguage(bad)
			result.Cut = cmp.Or(result.Cut, &cutStep{Step: bad.Cut})
		}
		for _, field := range candidate.Unused() {
			result.Problems = append(result.Problems, t.inLanguage(field)...)
		}
		if v.Refused() {
			f := t.refuse(v, v.note())
			if v.Violation != nil {
				f = w.once(f)
				result.Error = &f
			}
		}
		w.results = append(w.results, result)
		w.details = append(w.details, candidateDetail{N: i + 1, Error: wrong, verdictDetail: v.detail()})
	}
	t.draft.weighed(w)
	return w, e
}

// refuse notes that an action was refused, and returns what the model is told.
func (t *Turn) refuse(v *Evaluation, n trace.Step) feedback {
	f := t.agent.words.refused(v)
	if t.draft.first(v.Proposed) {
		t.conversation.Note(n)
	}
	t.faultAction(f, v.Adjusted)
	return f
}

// tellCut is what the model is told of the step at which a chain was cut, nil for none. The next turn is
// told too, since a draft that is committed directly is never answered.
func (t *Turn) tellCut(v *Evaluation) *cutStep {
	if v.Cut == nil || v.Refused() {
		return nil
	}
	left := len(world.Steps(v.Adjusted))
	t.faultAction(feedback{Rule: v.Cut.Reason, Path: v.Cut.Argument, Maximum: v.Cut.Maximum, Minimum: v.Cut.Minimum,
		Unit: v.Cut.Unit, ofAsk: v.Cut.OfAsk}, world.Steps(v.Proposed)[left].Do)
	return &cutStep{Step: left + 1, Rule: v.Cut.Reason, Path: v.Cut.Argument,
		Requested: v.Cut.Requested, Maximum: v.Cut.Maximum, Minimum: v.Cut.Minimum, Unit: v.Cut.Unit}
}

// once leaves out of the feedback on an action what the feedback on an earlier candidate already
// says.
func (w *weighing) once(f feedback) feedback {
	if slices.ContainsFunc(w.results, func(r candidateResult) bool {
		return r.Error != nil && r.Error.Code == f.Code && r.Error.Rule == f.Rule
	}) {
		f.Text, f.Planned = "", nil
	}
	return f
}

// same reports whether two drafts propose the same.
func (w *weighing) same(as *weighing) bool {
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
	// scoreDeviation is for what counts as a deviation from the plan: there are few. Of a chain its first
	// step decides: what follows it must not keep a partner from its answer.
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
	if v.By == trace.AuthorityRule || slices.ContainsFunc(t.plan.actions[:t.plan.fromPlan], listed) {
		score += scorePlanned
	}
	if v.unseen() {
		score += scoreUnseen
	}
	if v.FirstDeviation() > 0 {
		score += scoreDeviation
	}
	return score
}

// outOfDeviations reports whether a candidate was refused because no deviations are left.
func (w *weighing) outOfDeviations() bool {
	return slices.ContainsFunc(w.verdicts, func(v *Evaluation) bool { return v != nil && v.outOfDeviations() })
}

// ranked lists the candidates that may be committed by number, best first.
func (w *weighing) ranked() (numbers []int) {
	for n, v := range w.verdicts {
		if v != nil && !v.Refused() {
			numbers = append(numbers, n+1)
		}
	}
	slices.SortStableFunc(numbers, func(a, b int) int { return cmp.Compare(w.scores[b-1], w.scores[a-1]) })
	return numbers
}
