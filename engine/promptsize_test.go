package engine_test

import (
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/report"
	"example.com/agentworld/trace"
)

// decisionMean and requestMost bound the characters of instructions and input in the
// default profile: the mean over all requests of a decision, and one request. chainMean bounds the mean with
// the tools, which is what a decision costs, where it may reach further. If they are
// exceeded, cut text rather than raise the limits. The mean is per decision, since a
// decision in fewer, longer requests is cheaper.
const (
	decisionMean = 6000
	requestMost  = 6200
	chainMean    = 14400
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

// TestADecisionThatReachesFurtherIsCheap plays the default scenario with the default settings, in which a
// decision has three further steps. How often the scripted model looks something up, or thinks first, is
// drawn: so the bound is of several draws.
func TestADecisionThatReachesFurtherIsCheap(t *testing.T) {
	slow(t)
	chars, decisions := int64(0), int64(0)
	for seed := range uint64(4) {
		o := options(t, "llm_bootstrap", 30)
		o.ChainSteps = trace.DefaultSettings().ChainSteps
		o.Source, o.BaseURL = seededSource(t, o.Seed+seed)
		run(t, o)
		r := fold(t, o.RunDir)
		chars += r.TraceCounts.LLMInputCharsTotal + r.TraceCounts.ModelCalls*r.TraceCounts.LLMToolChars
		decisions += r.TotalDecisions
		if r.GoalsMet != r.Agents {
			t.Errorf("%d of %d goals are met", r.GoalsMet, r.Agents)
		}
	}
	if mean := chars / decisions; mean > chainMean {
		t.Errorf("a decision takes %d characters with tools, want at most %d", mean, chainMean)
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
