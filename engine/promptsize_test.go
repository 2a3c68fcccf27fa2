package engine_test

import (
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/report"
)

// decisionMean and requestMost bound the characters of instructions and input in the
// default profile: the mean over all requests of a decision, and one request. If they are
// exceeded, cut text rather than raise the limits. The mean is per decision, since a
// decision in fewer, longer requests is cheaper: it is half of the 12,130 that 3.4
// requests took.
const (
	decisionMean = 6400
	requestMost  = 6200
)

// requireSizes holds the calls of a run in the default profile against the bounds.
func requireSizes(t *testing.T, r report.Report) {
	t.Helper()
	c := r.TraceCounts
	mean := c.LLMInputCharsTotal / r.TotalDecisions
	if mean > decisionMean || c.LLMInputCharsMax > requestMost {
		t.Errorf("instructions and input take %d characters a decision and %d a request at most, want %d and %d", mean, c.LLMInputCharsMax, decisionMean, requestMost)
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
			calls, chars = calls+1, chars+len([]rune(r.Input[1].Text))
		}
		return chars / calls
	}
	if compact, rich := opening(behavior.ProfileCompact), opening(behavior.ProfileRich); compact >= rich {
		t.Errorf("compact openings take %d characters, rich ones %d", compact, rich)
	}
}
