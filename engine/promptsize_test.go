package engine_test

import (
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/report"
)

// requestMean and requestMost bound the characters of instructions and input in the
// default profile, over all calls and in one. Text to cut, not limits to raise: a plan in
// slots is in every later request of its turn, which is why the mean is not 3,500.
const (
	requestMean = 3600
	requestMost = 6000
)

// requireSizes holds the calls of a run in the default profile against the bounds.
func requireSizes(t *testing.T, c report.TraceCounts) {
	t.Helper()
	if c.LLMInputCharsAvg > requestMean || c.LLMInputCharsMax > requestMost {
		t.Errorf("instructions and input take %d characters on average and %d at most, want %d and %d", c.LLMInputCharsAvg, c.LLMInputCharsMax, requestMean, requestMost)
	}
}

// TestProfilesDifferInSize plays some ticks in the smallest profile and in the largest.
func TestProfilesDifferInSize(t *testing.T) {
	slow(t)
	opening := func(profile behavior.Profile) int {
		o := options(t, "llm_bootstrap", ticksUpTo(6, 30))
		o.PromptProfile = profile
		calls, chars := 0, 0
		for _, r := range requestsOf(t, o) {
			calls, chars = calls+1, chars+len([]rune(r.Input[0].Text))
		}
		return chars / calls
	}
	if compact, rich := opening(behavior.ProfileCompact), opening(behavior.ProfileRich); compact >= rich {
		t.Errorf("compact openings take %d characters, rich ones %d", compact, rich)
	}
}
