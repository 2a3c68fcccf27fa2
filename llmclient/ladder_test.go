package llmclient

import (
	"slices"
	"strings"
	"testing"
)

// TestLadder takes what answers show: k where the choice was kept, o where it was overlooked, s for
// nothing at all, - for an answer that shows nothing of it.
func TestLadder(t *testing.T) {
	symptoms := map[rune]Shown{
		'k': {Judges: true}, 'o': {Symptom: Overlooked, Judges: true}, 's': {Symptom: Silenced, Judges: true}, '-': {},
	}
	for _, c := range []struct{ answers, refused, without string }{
		{answers: "ok"},
		{answers: "kkko"},
		{answers: "okkoo"}, // more than the first ones show that it is kept
		{answers: "oo", without: "allowed_tools"},
		{answers: "o-ko", without: "allowed_tools"},
		{answers: "ook", without: "allowed_tools"},
		{answers: "oooo", without: "other_tools"},
		{answers: "oooooo"}, // no step helped, so the choice is as it was
		{answers: "kkkkss", without: "allowed_tools required"},
		{answers: "sso", without: "allowed_tools required"}, // a text can be read
		{answers: "ssss"},
		{answers: "oo", refused: "allowed_tools", without: "other_tools"},
		{answers: "ss", refused: "allowed_tools", without: "required"},
	} {
		var l Ladder
		for _, a := range c.answers {
			shown := symptoms[a]
			shown.Without = slices.Concat(strings.Fields(c.refused), l.Without())
			l.Take(shown)
		}
		if got := strings.Join(l.Without(), " "); got != c.without {
			t.Errorf("%s, %s refused: without %q, want %q", c.answers, c.refused, got, c.without)
		}
	}
}
