package behavior

import (
	"cmp"
	"slices"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// callsAfterPlan is how many requests the protocol makes behind a plan at least.
func (c Config) callsAfterPlan() int {
	if c.Protocol == ProtocolLean {
		return 1
	}
	return 2
}

// drafted is a draft with what its checks found; slot is its call.
type drafted struct {
	slot int
	weighing
}

// commitDirect commits the best candidate of a draft without another request. One
// that dry run, mandate or trust refused is never taken, and when all are refused the
// reasons go back, as often as the guard's rounds allow.
func (t *Turn) commitDirect(d drafted) {
	best := d.best()
	if best == 0 {
		if t.talk.Flush(); t.guardRounds > t.mind.cfg.GuardRoundsMax {
			t.wait(trace.WaitGuardRejected, d.first())
		}
		return
	}
	t.talk.Note(trace.Step{
		Kind: trace.StepDecision, Status: trace.StatusOK, CallID: t.talk.Calls[d.slot].ID, Name: d.verdicts[best-1].Adjusted.ActionName(),
		Detail: llmclient.Marshal(directDetail{best, d.scores}),
	})
	decision := t.direct(d.verdicts[best-1])
	decision.Otherwise = t.alternatives(d)
	t.finish(decision)
}

// direct is the decision for a candidate.
func (t *Turn) direct(v *Verdict) Decision {
	d := decisionOf(*v)
	d.ArgumentsTrust, d.Commit, d.CallsSaved = t.mind.trustOf(*v), trace.CommitDirect, 1
	return d
}

// decisionOf is the model's decision for an action that passed its checks.
func decisionOf(v Verdict) Decision {
	return Decision{
		Decision: trace.Decision{DecidedBy: trace.ByModel, Adjustments: v.Adjustments},
		Proposed: v.Proposed, Adjusted: v.Adjusted, Executed: v.Adjusted,
	}
}

// alternatives are the decisions for the candidates behind the best. Standing orders
// neither are any nor have any: they begin with what was decided.
func (t *Turn) alternatives(d drafted) (list []Decision) {
	for i, n := range d.ranked() {
		v := d.verdicts[n-1]
		_, order := v.Adjusted.(world.ExecuteUntil)
		switch {
		case order && i == 0:
			return nil
		case !order && i > 0:
			list = append(list, t.completed(t.direct(v)))
		}
	}
	return list
}

// first is the verdict on the first candidate that is an action, nil without any.
func (w weighing) first() *Verdict {
	for _, v := range w.verdicts {
		if v != nil {
			return v
		}
	}
	return nil
}

// directDetail is a candidate that was committed directly: its number, and the scores
// of all by number from 1.
type directDetail struct {
	Candidate int   `json:"candidate"`
	Scores    []int `json:"scores"`
}

// The parts of a candidate's score.
const (
	// scoreSure is for an action that the dry run accepted; one whose fate the agent
	// cannot know beforehand has none.
	scoreSure = 40
	// scorePlanned is for an action that the plan lists.
	scorePlanned = 20
	// scoreClamped is for one whose amounts had to be moved: the model thought of
	// something else.
	scoreClamped = -10
	// scorePlace is for every candidate that the model put before it.
	scorePlace = -5
)

// score tells how good a candidate is to commit directly. The order of the model decides
// among equals: it alone knows what the agent wants. Candidates give no sources, so
// nothing that a model declares lowers an argument's trust here. Only the full protocol
// commits directly: a lean turn decides in the call that drafts.
func (t *Turn) score(number int, v Verdict) int {
	score := scorePlace * (number - 1)
	if v.Check.Status == world.CheckAccepted {
		score += scoreSure
	}
	if t.plans(v.Adjusted) {
		score += scorePlanned
	}
	if len(v.Adjustments) > 0 {
		score += scoreClamped
	}
	return score
}

// plans reports whether the plan lists an action, whatever its arguments.
func (t *Turn) plans(a world.Action) bool {
	if order, ok := a.(world.ExecuteUntil); ok {
		a = order.Do
	}
	return slices.ContainsFunc(t.plan[:t.fromPlan], func(p policy.PlannedAction) bool { return p.Action == a.ActionName() })
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

// best is the number of the best candidate, 0 when all are refused.
func (w weighing) best() int {
	if ranked := w.ranked(); len(ranked) > 0 {
		return ranked[0]
	}
	return 0
}
