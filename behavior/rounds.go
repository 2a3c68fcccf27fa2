package behavior

import (
	"slices"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Untrusted texts may cost a turn only so much: the requests that it needs anyway, and, in a few
// ticks of a row, one further round because something was refused or could not be used.

// requestsUnderTexts is how many requests a turn has once texts are shown, in addition to those
// that its plan asks for: a draft and a decision.
const requestsUnderTexts = 2

// tainted reports whether a request of the turn carried a source that may not decide.
func (t *Turn) tainted() bool { return t.textsAt != 0 }

// terms lists the requests and offers of others that the agent sees.
func (t *Turn) terms() []world.Terms {
	o := &t.opening.seen
	return slices.Concat(o.Requests, o.Offers, o.Here.Offers)
}

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
func (t *Turn) roundLeft() bool { return t.mind.ledger.RoundLeft(t.view.Tick()) }

// bindsRounds reports whether texts are shown that may cost only so many requests.
func (t *Turn) bindsRounds() bool {
	return t.tainted() && !t.opening.early && t.mind.cfg.Guards(trace.CheckDeviations)
}

// overdue reports whether one more request would be more than texts may cost.
func (t *Turn) overdue() bool {
	limit := requestsUnderTexts + t.steps
	if t.textRounds > 0 && t.roundLeft() {
		limit++
	}
	// As many requests have been sent since the texts came into view; this is called before the next.
	return t.bindsRounds() && t.talk.asks-t.textsAt+1 >= limit
}

// countRefusal counts that actions were refused. It is a round that texts may have cost once they
// are shown, and, while terms are shown before the plan, if the policy refused or the action takes terms up.
func (t *Turn) countRefusal(refused ...*Evaluation) {
	t.guardRounds++
	if !t.mind.cfg.Guards(trace.CheckDeviations) {
		return
	}
	terms := t.opening.shown
	took := slices.ContainsFunc(refused, func(v *Evaluation) bool { return v != nil && takesUp(v.Adjusted, terms) })
	byPolicy := func(v *Evaluation) bool { return v != nil && v.Violation != nil }
	if t.tainted() || took || len(terms) > 0 && slices.ContainsFunc(refused, byPolicy) {
		t.textRounds++
	}
	t.tookUp = t.tookUp || took
}

// countUnusable counts an answer that could not be used, and reports whether the model may be asked
// again. Under texts it may once a turn while a round is left. Otherwise it may, unless an action that
// takes terms up was refused before and the turn has an action to end in. Terms that are shown then
// cost a round: once the rounds are used up, they wait for the plan.
func (t *Turn) countUnusable() (again bool) {
	if !t.bindsRounds() {
		t.unusable = t.unusable || len(t.opening.shown) > 0 && t.mind.cfg.Guards(trace.CheckDeviations)
		return !t.tookUp || len(t.best()) == 0
	}
	t.textRounds++
	return t.textRounds == 1 && t.roundLeft()
}

// triesLeft is how many further refusals the turn may have, below 0 for one too many.
func (t *Turn) triesLeft() int {
	left := t.mind.cfg.GuardRoundsMax - t.guardRounds
	switch {
	case t.textRounds == 0:
		return left
	case !t.roundLeft():
		return -1
	}
	return min(left, 1-t.textRounds)
}
