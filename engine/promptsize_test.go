package engine_test

import (
	"context"
	"sync"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// requestMean and requestMost bound the characters of instructions and input in the
// default profile, over all calls and in one. Text to cut, not limits to raise: a plan in
// slots is in every later request of its turn, which is why the mean is not 3,500.
const (
	requestMean = 3600
	requestMost = 6000
)

// TestPromptSizes plays 30 ticks in each profile.
func TestPromptSizes(t *testing.T) {
	slow(t)
	var openings []int
	for _, profile := range []behavior.Profile{behavior.ProfileCompact, behavior.ProfileBalanced, behavior.ProfileRich} {
		o := options(t, "llm_bootstrap", 30)
		o.PromptProfile = string(profile)
		live := o.Source
		var mu sync.Mutex
		calls, opening, request, most := 0, 0, 0, 0
		o.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
			mu.Lock()
			calls, opening, request, most = calls+1, opening+len([]rune(r.Input[0].Text)), request+r.Chars(), max(most, r.Chars())
			mu.Unlock()
			return live.Respond(ctx, key, r)
		})
		run(t, o)
		openings = append(openings, opening/calls)
		if profile == behavior.ProfileBalanced && (request/calls > requestMean || most > requestMost) {
			t.Errorf("instructions and input take %d characters on average and %d at most, want %d and %d", request/calls, most, requestMean, requestMost)
		}
	}
	if last := len(openings) - 1; openings[0] >= openings[last] {
		t.Errorf("compact openings take %d characters, rich ones %d", openings[0], openings[last])
	}
}
