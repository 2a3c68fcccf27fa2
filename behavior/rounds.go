package behavior

import (
	"slices"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Untrusted texts may cost a turn only so much: the requests that it needs anyway, and, in a few
// ticks of a row, one further round because something was refused or could not be used.

// requestsUnderTexts is how many requests a turn has once texts are shown, in addition to those
// that its plan asks for: a draft and a decision.
const requestsUnderTexts = 2

// takesUp reports whether an action names open terms or their sender.
func takesUp(a world.Action, terms []world.Terms) bool {
	for argument := range world.Arguments(a) {
		if slices.ContainsFunc(terms, func(t world.Terms) bool { return argument.Text == t.ID || argument.Text == t.From }) {
			return true
		}
	}
	return false
}

// roundLeft reports whether texts may cost a further round in this tick.
func (t *Turn) roundLeft() bool { return t.agent.ledger.RoundLeft(t.view.Tick()) }

// bindsRounds reports whether texts are shown that may cost only so many requests.
func (t *Turn) bindsRounds() bool {
	return t.exposure.tainted() && !t.exposure.opening.early && t.agent.cfg.Guards(trace.CheckDeviations)
}

// deviations says how often the plan may still be left under texts, empty if that is not limited.
func (t *Turn) deviations() string {
	if !t.agent.cfg.Guards(trace.CheckDeviations) || !t.agent.cfg.Guards(trace.CheckPlan) {
		return ""
	}
	left := max(0, policy.DeviationsMax-t.agent.ledger.Deviations(t.view.Tick()))
	return t.agent.words.Steps.Deviations.Text(left, policy.DeviationsMax, policy.DeviationWindow)
}

// overdue reports whether one more request would be more than texts may cost.
func (t *Turn) overdue() bool {
	limit := requestsUnderTexts + t.plan.requests
	if t.exposure.rounds > 0 && t.roundLeft() {
		limit++
	}
	// As many requests have been sent since the texts came into view; this is called before the next.
	return t.bindsRounds() && t.conversation.asks-t.exposure.taintedAt+1 >= limit
}

// countRefusal counts that actions were refused. It is a round that texts may have cost once they
// are shown, and, while terms are shown before the plan, if the policy refused or the action takes terms up.
func (t *Turn) countRefusal(refused ...*Evaluation) {
	t.protocol.refusals++
	if !t.agent.cfg.Guards(trace.CheckDeviations) {
		return
	}
	terms := t.exposure.opening.shown
	took := slices.ContainsFunc(refused, func(v *Evaluation) bool { return v != nil && takesUp(v.Adjusted, terms) })
	byPolicy := func(v *Evaluation) bool { return v != nil && v.Violation != nil }
	if t.exposure.tainted() || took || len(terms) > 0 && slices.ContainsFunc(refused, byPolicy) {
		t.exposure.rounds++
	}
	t.exposure.tookUp = t.exposure.tookUp || took
}

// countUnusable counts an answer that could not be used, and reports whether the model may be asked
// again. Under texts it may once a turn while a round is left. Otherwise it may, unless an action that
// takes terms up was refused before and the turn has an action to end in. Terms that are shown then
// cost a round: once the rounds are used up, they wait for the plan.
func (t *Turn) countUnusable() (again bool) {
	if !t.bindsRounds() {
		terms := len(t.exposure.opening.shown) > 0 && t.agent.cfg.Guards(trace.CheckDeviations)
		t.exposure.unusable = t.exposure.unusable || terms
		return !t.exposure.tookUp || !t.hasEnd()
	}
	t.exposure.rounds++
	return t.exposure.rounds == 1 && t.roundLeft()
}

// triesLeft is how many further refusals the turn may have, below 0 for one too many.
func (t *Turn) triesLeft() int {
	left := t.agent.cfg.GuardRoundsMax - t.protocol.refusals
	switch {
	case t.exposure.rounds == 0:
		return left
	case !t.roundLeft():
		return -1
	}
	return min(left, 1-t.exposure.rounds)
}

// outOfTries reports whether a draft of which nothing may be committed ends the turn: the model has had the
// answer that it is told of. Texts grant it none.
func (t *Turn) outOfTries() bool {
	left := t.triesLeft()
	return left < -1 || t.exposure.rounds > 0 && left < 0
}
