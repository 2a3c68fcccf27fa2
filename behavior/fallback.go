package behavior

import (
	"slices"
	"strings"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// A turn whose end fails has often come far: an answer that is prose, late or lost must not
// throw away a draft whose actions were decoded, allowed and tried out. What is taken in
// its place is the model's own, and within [policy.Fallback].

// fail ends a turn that came to no decision: in the best that it has, or in a wait.
func (t *Turn) fail(reason trace.WaitReason, proposed *Evaluation) {
	best := t.best()
	if len(best) == 0 {
		t.wait(reason, proposed)
		return
	}
	d := &best[0]
	d.FailedBy, d.Otherwise = reason, best[1:]
	t.countDeviation(d, reason)
	for i := range d.Otherwise {
		t.complete(&d.Otherwise[i])
	}
	t.talk.Note(trace.Step{
		Kind: trace.StepDecision, Status: trace.StatusDegraded, Code: string(reason), Name: d.Adjusted.ActionName(),
		Repairs: d.repairs,
		Detail:  llmclient.Marshal(fallbackDetail{d.By}),
	})
	t.finish(d)
}

// causedByTexts are the failures of a request that its texts may cause: long thought, and what a
// provider refuses or breaks off.
var causedByTexts = []llmclient.ErrorKind{
	llmclient.ErrTimeout, llmclient.ErrDeadline, llmclient.ErrContext, llmclient.ErrBadRequest, llmclient.ErrTooLarge,
	llmclient.ErrFailedResponse, llmclient.ErrUnfinishedResponse,
	llmclient.ErrPromptFilter, llmclient.ErrMalformedCall,
}

// countDeviation makes a failed turn count one deviation in two cases: texts kept it from a planned
// action (barred), or it was shown terms, no texts, and ends in a wait. Failures of the provider that no
// text can cause are left out. Once the deviations are used up, terms wait for the plan, and any next
// planned action may end a failed turn.
func (t *Turn) countDeviation(d *Decision, reason trace.WaitReason) {
	_, waits := d.Executed.(world.Wait)
	terms := waits && len(t.opening.shown) > 0 && !t.tainted()
	failure, failed := strings.CutPrefix(string(reason), trace.WaitModelPrefix)
	outage := failed && !slices.Contains(causedByTexts, llmclient.ErrorKind(failure))
	if !terms && !t.barred || outage || !t.mind.cfg.Guards(trace.CheckDeviations) {
		return
	}
	by := trace.Authority{By: trace.AuthorityDeviation}
	if d.Authority != nil {
		by = *d.Authority
	}
	by.Deviation, d.Authority = 1, &by
}

// fallbackDetail says what a fallback was taken from.
type fallbackDetail struct {
	By trace.Basis `json:"by"`
}

// best are the actions that a turn can end in without a decision, best first: the accepted
// candidates of its newest draft that has any, or else the first planned action that passes every
// check. A planned order that may not begin so is done once. There are none after several
// decisions and after a chosen wait, unless texts may have led to them: then the plan holds. It sets barred.
func (t *Turn) best() []Decision {
	if t.ambiguous && !t.tainted() || t.mind.cfg.Fallback == trace.FallbackWait {
		return nil
	}
	if list := t.alternatives(nil, 0); len(list) > 0 && !t.tainted() {
		return list
	}
	t.barred = false
	// Under texts the plan comes before the draft, and a plain wait after what else is possible.
	// refused says that everything planned before the present action is refused.
	list, refused := slices.Concat(t.fallbacks, t.drafted), true
	if t.tainted() {
		slices.SortStableFunc(list, func(i, j fallback) int { return i.waits() - j.waits() })
	}
	for _, i := range list {
		// An open amount becomes the greatest one where a plan may leave it open: not the ticks of a
		// sleep, and not the amount of a request.
		open := len(i.open) > 0
		if slices.ContainsFunc(i.open, func(s world.Slot) bool { return s != world.SlotAmount }) ||
			len(policy.Missing(i.do[0], i.open)) > 0 {
			refused = false // the model could have filled it in
			continue
		}
		for _, do := range i.do {
			if open {
				do = policy.WithGreatestAmount(do)
			}
			v, may := t.fallBackTo(do, refused)
			refused = refused && v.Refused()
			if _, order := do.(world.ExecuteUntil); !may && order {
				v, may = t.fallBackTo(repeated(do), false) // once, in place of the order
				refused = refused && v.Refused()
			}
			if !may {
				continue
			}
			d := fallbackOf(v)
			d.By = i.by
			if open {
				d.Proposed = v.Adjusted
				d.Adjustments = nil
				d.repairs = []string{string(answer.OpenAmount)}
			}
			return []Decision{d}
		}
	}
	return t.alternatives(nil, 1)
}

// fallBackTo evaluates a planned action as the end of a failed turn, and reports whether it may be
// that. If it is next, since everything planned before it is refused, an order of work may begin:
// otherwise an agent that plans to answer a request, and may not, needs a turn for each tick. What is
// no work, and not the first action of the plan, must wait if texts may have made the turn fail, until
// that has cost as many ticks as deviations may: otherwise a text could keep the agent from it for
// ever.
func (t *Turn) fallBackTo(do world.Action, next bool) (v *Evaluation, may bool) {
	v = t.evaluate(do)
	if v.outOfDeviations() {
		// The turn failed, so going on in the plan is no deviation.
		v.Violation, v.Check = nil, t.view.Check(v.Adjusted)
	}
	_, waits := repeated(do).(world.Wait)
	works := !waits && policy.Fallback(repeated(v.Adjusted), nil) // without a plan only work passes
	switch planned, known := policy.Planned(v.Adjusted); {
	case !t.possible(v):
	case next && works, policy.Fallback(v.Adjusted, t.plan):
		may = true
	case known && !works && t.bindsRounds() && policy.Fallback(v.Adjusted, []policy.PlannedAction{planned}):
		may = t.mind.ledger.Deviations(t.view.Tick()) >= policy.DeviationsMax
		t.barred = t.barred || !may
	}
	return v, may
}

// fallbackOf is the decision for an action that the model did not decide on. Its place in the plan
// costs no deviation; see countDeviation.
func fallbackOf(v *Evaluation) Decision {
	d := decisionOf(v)
	d.Authority.By, d.Authority.Deviation = trace.AuthorityFallback, 0
	return d
}

// possible reports whether an action could be decided on now: the plan, if it binds, lists it, and
// the guard and the dry run accept it.
func (t *Turn) possible(v *Evaluation) bool {
	return (!t.mind.cfg.BindPlan || t.isListed(repeated(v.Adjusted).ActionName())) && v.Violation == nil &&
		v.Check.Status == world.CheckAccepted
}

// alternatives are the accepted candidates of the newest draft as decisions, best first, evaluated
// again by what is in view now. It leaves out the decided action (nil for none). A standing order is
// listed only if it is the best one and nothing was decided, and then alone. Candidates that count
// more than off ticks of deviation are left out.
func (t *Turn) alternatives(decided world.Action, off int64) (list []Decision) {
	if t.accepted == nil || t.ambiguous {
		return nil
	}
	for _, number := range t.accepted.ranked() {
		v := t.evaluate(t.accepted.verdicts[number-1].Proposed)
		_, order := v.Adjusted.(world.ExecuteUntil)
		if !t.possible(v) || !policy.Fallback(v.Adjusted, t.plan) || v.Deviation > off || order &&
			(decided != nil || len(list) > 0) || decided != nil && world.Same(v.Adjusted, repeated(decided)) {
			continue
		}
		d := fallbackOf(v)
		d.By = trace.ByDraft
		list = append(list, d)
		if order {
			return list
		}
	}
	return list
}
