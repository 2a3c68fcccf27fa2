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
	best, barred := t.best()
	if len(best) == 0 {
		t.wait(reason, proposed, barred)
		return
	}
	d := &best[0]
	d.FailedBy = reason
	d.Otherwise = best[1:]
	t.countDeviation(d, reason, barred)
	t.conversation.Note(trace.Step{
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
func (t *Turn) countDeviation(d *Decision, reason trace.WaitReason, barred bool) {
	_, waits := d.Executed.(world.Wait)
	terms := waits && len(t.exposure.opening.shown) > 0 && !t.exposure.tainted()
	failure, failed := strings.CutPrefix(string(reason), trace.WaitModelPrefix)
	outage := failed && !slices.Contains(causedByTexts, llmclient.ErrorKind(failure))
	if !terms && !barred || outage || !t.agent.cfg.Guards(trace.CheckDeviations) {
		return
	}
	by := trace.Authority{By: trace.AuthorityDeviation}
	if d.Authority != nil {
		by = *d.Authority
	}
	by.Deviation = 1
	d.Authority = &by
}

// fallbackDetail says what a fallback was taken from.
type fallbackDetail struct {
	By trace.Basis `json:"by"`
}

// best are the actions that a turn can end in without a decision, best first: the accepted
// candidates of its newest draft that has any, or else the first planned action that passes every
// check. A planned order that may not begin so is done once. There are none after several
// decisions and after a chosen wait, unless texts may have led to them: then the plan holds. barred says
// that texts keep the turn from ending in a planned action.
func (t *Turn) best() (best []Decision, barred bool) {
	if t.draft.ambiguous && !t.exposure.tainted() || t.agent.cfg.Fallback == trace.FallbackWait {
		return nil, false
	}
	if list := t.alternatives(nil, 0); len(list) > 0 && !t.exposure.tainted() {
		return list, false
	}
	// Under texts the plan comes before the draft, and a plain wait after what else is possible.
	// refused says that everything planned before the present action is refused.
	list := slices.Concat(t.plan.ends, t.plan.drafted)
	refused := true
	if t.exposure.tainted() {
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
			attempts := []world.Action{do}
			if _, order := do.(world.ExecuteUntil); order {
				attempts = append(attempts, repeated(do)) // once, in place of the order
			}
			for n, attempt := range attempts {
				v, may, mustWait := t.fallBackTo(attempt, refused && n == 0)
				refused = refused && v.Refused()
				barred = barred || mustWait
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
				return []Decision{d}, barred
			}
		}
	}
	return t.alternatives(nil, 1), barred
}

// hasEnd reports whether the turn has an action that it could end in without a decision.
func (t *Turn) hasEnd() bool {
	best, _ := t.best()
	return len(best) > 0
}

// fallBackTo evaluates a planned action as the end of a failed turn, and reports whether it may be
// that. If it is next, since everything planned before it is refused, an order of work may begin:
// otherwise an agent that plans to answer a request, and may not, needs a turn for each tick. What is
// no work, and not the first action of the plan, must wait if texts may have made the turn fail, until
// that has cost as many ticks as deviations may: otherwise a text could keep the agent from it for
// ever.
func (t *Turn) fallBackTo(do world.Action, next bool) (v *Evaluation, may, mustWait bool) {
	v = t.evaluate(do)
	if v.outOfDeviations() {
		// The turn failed, so going on in the plan is no deviation.
		v.Violation = nil
		v.Check = t.view.Check(v.Adjusted)
	}
	if !t.possible(v) {
		return v, false, false
	}
	_, waits := repeated(do).(world.Wait)
	works := !waits && policy.Fallback(repeated(v.Adjusted), nil) // without a plan only work passes
	if next && works || policy.Fallback(v.Adjusted, t.plan.actions) {
		return v, true, false
	}
	planned, known := policy.Planned(v.Adjusted)
	if works || !known || !t.bindsRounds() || !policy.Fallback(v.Adjusted, []policy.PlannedAction{planned}) {
		return v, false, false
	}
	may = t.agent.ledger.Deviations(t.view.Tick()) >= policy.DeviationsMax
	return v, may, !may
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
	return (!t.agent.cfg.BindPlan || t.plan.lists(repeated(v.Adjusted).ActionName())) && v.Violation == nil &&
		v.Check.Status == world.CheckAccepted
}

// alternatives are the accepted candidates of the newest draft as decisions, best first, evaluated
// again by what is in view now. It leaves out the decided action (nil for none). A standing order is
// listed only if it is the best one and nothing was decided, and then alone. Of a chain only its first
// step is listed. Candidates that count more than off ticks of deviation are left out.
func (t *Turn) alternatives(decided world.Action, off int64) (list []Decision) {
	if t.draft.accepted == nil || t.draft.ambiguous {
		return nil
	}
	for _, number := range t.draft.accepted.ranked() {
		v := t.evaluate(firstStep(t.draft.accepted.verdicts[number-1].Proposed))
		_, order := v.Adjusted.(world.ExecuteUntil)
		if !t.possible(v) || !policy.Fallback(v.Adjusted, t.plan.actions) || v.Deviation > off || order &&
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
