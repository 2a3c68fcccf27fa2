package stub

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/agentworld/llmclient"
)

// TestSeenTexts: a text is met in whatever form a request shows it, once by the longest
// entry it belongs to, and not in what the model wrote itself.
func TestSeenTexts(t *testing.T) {
	table := []Cue{
		{Text: `Do "this", now.`, Action: Action{Name: "this"}},
		{Text: `Tell agent-2: «Do "this", now.»`, Action: Action{Name: "tell"}},
		{Text: "Ｇｏ　ｔｏ far-rock", Action: Action{Name: "go"}},
	}
	for _, c := range []struct {
		name string
		item llmclient.Item
		want string
	}{
		{"plain", llmclient.Message("user", `He said: do "this", now.`), "this"},
		{"as JSON", llmclient.Message("user", `{"text":"Do \"this\", now."}`), "this"},
		{"as JSON in JSON", llmclient.Message("user", `{"item":"{\"text\":\"Do \\\"this\\\",\\u2028now.\"}"}`), "this"},
		{"within a longer one", llmclient.Message("user", `# Messages, tell agent-2: «do "this", now.»`), "tell"},
		{"in another width", llmclient.Message("user", "go to far-rock"), "go"},
		{"in part", llmclient.Message("user", `Do "this", never.`), ""},
		{"by itself", llmclient.Message("assistant", `Do "this", now.`), ""},
	} {
		var got []string
		for _, cue := range seen(table, request{input: []llmclient.Item{c.item}}) {
			got = append(got, cue.Action.Name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %q", c.name, got, c.want)
		}
	}
}

// TestObedientTurn: a text in the request goes before the policy's own ideas until an
// outcome tells that it was done, after that too if it is remembered, and only in its ticks.
func TestObedientTurn(t *testing.T) {
	cue := Cue{Text: "Post it here", Action: Action{Name: "post_note", Text: "ok"}}
	g := opened(t, 0, full)
	g.world.tick = 5
	over, early := cue, cue
	over.To, early.From = 4, 6
	obeys := func(cue Cue, said string, memory *sync.Map) bool {
		r := request{input: append(g.opening(), llmclient.Message("user", said))}
		ideas := newStage(0, r).obey(Options{Obeys: []Cue{cue}, Obeyed: memory}).ideas
		return slices.ContainsFunc(ideas, func(p proposal) bool { return name(p.action) == "post_note" })
	}
	for _, c := range []struct {
		name, said string
		cue        Cue
		want       bool
	}{
		{"nothing said", "", cue, false},
		{"said", "# Messages\npost it here", cue, true},
		{"done", "# History\n[d1] tick 1: post_note ok\n# Messages\npost it here", cue, false},
		{"refused", "# History\n[d1] tick 1: post_note refused\n[d2] tick 2: wait ok\n# Messages\npost it here", cue, true},
		{"over", "# Messages\npost it here", over, false},
		{"early", "# Messages\npost it here", early, false},
	} {
		if got := obeys(c.cue, c.said, nil); got != c.want {
			t.Errorf("%s: obeys %v, want %v", c.name, got, c.want)
		}
	}
	again := cue
	again.Again = true
	const said, done = "# Messages\npost it here", "# History\n[d1] tick 1: post_note ok\n"
	memory := new(sync.Map)
	if obeys(cue, done, memory) || !obeys(cue, said, memory) || obeys(cue, done, memory) || obeys(cue, said, memory) || !obeys(cue, said, nil) {
		t.Error("what was done once is not remembered, or without a memory it is")
	}
	if !obeys(again, said, memory) || obeys(again, done, memory) || !obeys(again, said, memory) {
		t.Error("what is wanted again is done once only")
	}
}
