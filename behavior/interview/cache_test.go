package interview

import (
	"slices"
	"testing"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// TestQuestionReadsWhatTheCallKept: a question has the cache key and the marks of the call that it
// continues, and no other, since nothing follows it. A call of an older run had the agent's id
// for a key and no marks; its questions are asked as they were then. Another model has kept nothing.
func TestQuestionReadsWhatTheCallKept(t *testing.T) {
	input := []llmclient.Item{llmclient.Message("user", "common"), llmclient.Message("user", "own")}
	prefix := llmclient.Request{Model: "other", Instructions: "i"}
	for name, c := range map[string]struct {
		call  trace.ModelCall
		model string
		key   string
		marks []int
	}{
		"a call":            {call: trace.ModelCall{Model: "m", CacheKey: "k-1", Breakpoints: []int{0, 1}}, key: "k-1", marks: []int{0, 1}},
		"a damaged one":     {call: trace.ModelCall{Model: "m", CacheKey: "k-1", Breakpoints: []int{0, 7, 1}}, key: "k-1", marks: []int{0}},
		"an older call":     {call: trace.ModelCall{Model: "m"}, key: "agent-1"},
		"of another model":  {call: trace.ModelCall{Model: "m", CacheKey: "k-1", Breakpoints: []int{0, 1}}, model: "other", key: prefix.Head().CacheKey(), marks: []int{0}},
		"an older, another": {call: trace.ModelCall{Model: "m"}, model: "other", key: "agent-1"},
	} {
		a := Agent{ID: "agent-1", Tick: 2, Settings: trace.DefaultSettings(), Call: c.call, Instructions: "i", Input: input, Answer: llmclient.Answer{Reply: &llmclient.Reply{Status: "completed"}}}
		turn, err := a.Begin("Why?", With{Model: c.model, CountTokens: func(text string) int { return len(text) }})
		if err != nil {
			t.Fatal(err)
		}
		ask, _ := turn.Next()
		if r := ask.Request; r.CacheKey != c.key || !slices.Equal(r.Breakpoints, c.marks) {
			t.Errorf("%s: the key is %q, marked are %v; want %q, %v", name, r.CacheKey, r.Breakpoints, c.key, c.marks)
		}
	}
}
