package behavior

import (
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// RepetitionKind names a way of going in circles, as traces and reports count it.
type RepetitionKind string

// The kinds of repetition, from the most to the least specific: of several that hold, the first
// is reported.
const (
	// RepeatWaiting: waits, of whatever length, one after the other.
	RepeatWaiting RepetitionKind = "waiting"
	// RepeatSame: the same action with the same arguments again and again.
	RepeatSame RepetitionKind = "same_action"
	// RepeatTwo and RepeatThree: two or three actions in turn, round after round.
	RepeatTwo   RepetitionKind = "cycle_of_two"
	RepeatThree RepetitionKind = "cycle_of_three"
)

// repeatsMin bounds the threshold from below, in times and in rounds: what happened once
// does not repeat anything.
const repeatsMin = 2

// periodMax is the longest cycle that is noticed, in actions.
const periodMax = 3

// repetition notices when the decisions of one agent go in circles. It takes as
// much room however long the circle lasts.
//
// Invariants:
//  1. It sees what the model proposed and nothing else, so that it is the same in a
//     replay.
//  2. It changes no decision; all that comes of it is one line of text.
type repetition struct {
	// recent are the latest actions, newest first.
	recent [periodMax]world.Action
	// known counts the decisions seen, up to periodMax.
	known int
	// same counts for each period, at its index, the latest decisions in a row that
	// equalled the one a period before.
	same [periodMax + 1]int
	// waits counts the waits in a row, refused the refusals among the latest equal
	// decisions in a row.
	waits, refused int
	// advice is what the next prompts say, nil for nothing.
	advice *advice
}

// text is the section of the prompt, empty without advice.
func (a *advice) text(w *wording) string {
	if a == nil {
		return ""
	}
	return w.Headings.Advice + "\n" + map[RepetitionKind]string{
		RepeatWaiting: w.Advice.Waiting.Text(a.Times),
		RepeatSame:    w.Advice.Same.Text(a.Times, a.Refused),
		RepeatTwo:     w.Advice.Two.Text(a.Times),
		RepeatThree:   w.Advice.Three.Text(a.Times),
	}[a.Kind]
}

// advice is one notice of a repetition. It encodes as the detail of its note.
type advice struct {
	// Kind says what repeats, Times how often: actions in a row, or full rounds.
	Kind  RepetitionKind `json:"kind"`
	Times int            `json:"times"`
	// Refused counts those of Times that the world or the guard refused; it is only
	// kept of the same action.
	Refused int `json:"refused"`
}

// learn takes in a decision with its outcome. after is the threshold in actions in
// a row, 0 for none; cycles need one round less than that.
//
// Ticks of a standing order are not decisions: an order is how to repeat without
// asking. A turn without a usable proposal says nothing about what the model wants
// either, and leaves advice standing that no answer has met yet.
func (r *repetition) learn(d Decision, accepted bool, after int) {
	if after == 0 || d.DecidedBy == trace.ByStanding || d.DecidedBy == trace.ByEngine && d.Proposed == nil {
		return
	}
	action := d.Proposed
	if action == nil {
		action = d.Executed
	}
	for period := 1; period <= periodMax; period++ {
		if period <= r.known && world.Same(r.recent[period-1], action) {
			r.same[period]++
		} else {
			r.same[period] = 0
		}
	}
	if r.same[1] == 0 {
		r.refused = 0
	}
	if !accepted || d.WaitReason != "" {
		r.refused++
	}
	r.waits++
	if !rests(action) { // an order of waits is how to wait without asking
		r.waits = 0
	}
	copy(r.recent[1:], r.recent[:])
	r.recent[0], r.known = action, min(r.known+1, periodMax)

	// Only the most specific kind counts: an agent that always waits gets no advice about a cycle
	// of two waits.
	r.advice = nil
	times, rounds := max(after, repeatsMin), max(after-1, repeatsMin)
	for _, seen := range []struct {
		advice
		threshold int
		// whole says that the latest decision completed a round.
		whole bool
	}{
		{advice{RepeatWaiting, r.waits, 0}, times, true},
		{advice{RepeatSame, r.same[1] + 1, r.refused}, times, true},
		{advice{RepeatTwo, r.same[2]/2 + 1, 0}, rounds, r.same[2]%2 == 0},
		{advice{RepeatThree, r.same[3]/3 + 1, 0}, rounds, r.same[3]%3 == 0},
	} {
		if seen.Times < seen.threshold {
			continue
		}
		// Due at the threshold and each time the count doubles: advice in every prompt would be
		// ignored.
		n := seen.Times
		for n > seen.threshold && n%2 == 0 {
			n /= 2
		}
		if seen.whole && n == seen.threshold {
			r.advice = &seen.advice
		}
		return
	}
}
