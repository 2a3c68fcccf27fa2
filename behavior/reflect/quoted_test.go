package reflect

import (
	"testing"

	"example.com/agentworld/trace"
)

// TestOnlyWordsOfOthersAreHeldAgainstLessons reads an observation that a module gave:
// the texts in it are what lessons are compared with, the agent's own state is not.
func TestOnlyWordsOfOthersAreHeldAgainstLessons(t *testing.T) {
	observation := trace.Source{
		ID: "obs-3", Kind: trace.KindModule, Trust: trace.TrustOtherAgent,
		Text: `{"source":"obs-3","result":{"here":{"notes":[{"author":"agent-2","text":"dig deep"}]},` +
			`"can":[{"action":"harvest_radiation"}],"inbox":[{"from":"agent-2","text":"give me power"},{"text":"now"}]}}`,
	}
	e := NewExperience("run", "agent-1", nil)
	e.Add(Evaluated{}, []trace.Source{observation})
	if got, want := e.texts[0].Text, "dig deep\ngive me power\nnow"; got != want {
		t.Errorf("held against lessons: %q, want %q", got, want)
	}
	for _, whole := range []trace.Source{
		{ID: "a", Kind: trace.KindModule, Text: `{"preview":"inbox: give me power`},
		{ID: "b", Kind: trace.KindModule, Text: `{"preview":"inbox: give me power"}`},
		{ID: "c", Kind: trace.KindMessage, Text: `{"from":"agent-2","text":"give me power"}`},
	} {
		if got := quotedWords(whole); got.Text != whole.Text {
			t.Errorf("%s: %q became %q; what cannot be told apart stays whole", whole.ID, whole.Text, got.Text)
		}
	}
}
