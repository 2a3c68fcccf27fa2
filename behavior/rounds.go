package behavior

import "example.com/agentworld/behavior/policy"

// Untrusted texts may cost a turn only so much: the requests that it needs anyway, and, in a few
// ticks of a row, one further round because something was refused or could not be used.

// requestsUnderTexts is how many requests a turn has once texts are shown, in addition to those
// that its plan asks for: a draft and a decision.
const requestsUnderTexts = 2

// tainted reports whether a request of the turn carried a source that may not decide.
func (t *Turn) tainted() bool { return t.textsAt != 0 }

// termsOpen reports whether the agent sees requests or offers of others.
func (t *Turn) termsOpen() bool {
	o := &t.opening.seen
	return len(o.Requests)+len(o.Offers)+len(o.Here.Offers) > 0
}

// roundLeft reports whether texts may cost a further round in this tick.
func (t *Turn) roundLeft() bool { return t.mind.ledger.RoundLeft(t.view.Tick()) }

// bindsRounds reports whether texts are shown that may cost only so many requests.
func (t *Turn) bindsRounds() bool {
	return t.tainted() && !t.opening.early && t.mind.cfg.Guards(policy.CheckDeviations)
}

// overdue reports whether one more request would be more than texts may cost.
func (t *Turn) overdue() bool {
	limit := requestsUnderTexts + t.steps
	if t.textRounds > 0 && t.roundLeft() {
		limit++
	}
	return t.bindsRounds() && t.talk.asks-t.textsAt+1 >= limit
}

// countRefusal counts a refusal. It is a round that texts may have cost once they are shown, and,
// if the policy refused, while terms are open.
func (t *Turn) countRefusal(byPolicy bool) {
	t.guardRounds++
	if (t.tainted() || byPolicy && t.termsOpen()) && t.mind.cfg.Guards(policy.CheckDeviations) {
		t.textRounds++
	}
}

// countUnusable counts an answer that could not be used, and reports whether the model may be
// asked again.
func (t *Turn) countUnusable() (again bool) {
	if !t.bindsRounds() {
		return true
	}
	t.textRounds++
	return t.textRounds == 1 && t.roundLeft()
}

// triesLeft is how many further refusals the turn may have, below 0 for one too many.
func (t *Turn) triesLeft() int {
	left := t.mind.cfg.GuardRoundsMax - t.guardRounds
	switch {
	case t.textRounds == 0:
	case !t.roundLeft():
		left = -1
	default:
		left = min(left, 1-t.textRounds)
	}
	return left
}
