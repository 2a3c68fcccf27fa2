package engine_test

import (
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/trace"
)

// TestResumeUnderACapBelowWhatWasSpent lowers caps to amounts that no turn fits in: of the
// run and of the agent they are reached.
func TestResumeUnderACapBelowWhatWasSpent(t *testing.T) {
	o := options(t, "minimal", 6) // a decision is due in tick 7
	run(t, o)
	for calls := range int64(4) {
		for name, caps := range map[string]trace.Caps{
			"run": {Run: trace.Limit{Calls: calls + 1}}, "agent": {Agent: trace.Limit{Calls: calls + 1}},
		} {
			s, err := engine.PrepareResume(o.RunDir, engine.ResumeOptions{UntilTick: 20, Model: o.Model, ModelSource: o.ModelSource, BaseURL: o.BaseURL, Caps: under(caps)})
			if err != nil {
				t.Fatalf("cap of the %s on %d calls: %v", name, calls+1, err)
			}
			again := o
			counted := &tally{Source: o.Source}
			again.Source = counted
			result, err := s.Run(t.Context(), again)
			s.Close()
			if err != nil || result.Status != trace.RunBudgetReached || result.TicksDone != 6 || len(counted.asked) > 0 {
				t.Errorf("cap of the %s on %d calls: %+v, %v, %d asked", name, calls+1, result, err, len(counted.asked))
			}
			requireReplays(t, o.RunDir, 6)
		}
	}
}
