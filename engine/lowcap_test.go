package engine_test

import (
	"context"
	"errors"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/trace"
)

// TestResumeUnderACapBelowWhatWasSpent lowers caps to amounts that no turn fits in: of the
// run and of the agent they are reached, of a tick they can never be kept.
func TestResumeUnderACapBelowWhatWasSpent(t *testing.T) {
	o := options(t, "minimal", 6) // a decision is due in tick 7
	run(t, o)
	for calls := range int64(4) {
		for name, caps := range map[string]trace.Caps{
			"run": {Run: trace.Limit{Calls: calls + 1}}, "agent": {Agent: trace.Limit{Calls: calls + 1}}, "tick": {Tick: trace.Limit{Calls: calls + 1}},
		} {
			s, err := engine.PrepareResume(o.RunDir, engine.ResumeOptions{UntilTick: 20, Model: o.Model, ModelSource: o.ModelSource, BaseURL: o.BaseURL, Caps: under(caps)})
			if name == "tick" {
				if refused := errors.Is(err, engine.ErrNotResumable); refused != (calls+1 < 3) {
					t.Errorf("cap of the tick on %d calls: %v", calls+1, err)
				}
				if err == nil {
					s.Close()
				}
				continue
			}
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

// TestResumeOfNothingUnderACapTooSmall: a run that has spent nothing is like a new one.
func TestResumeOfNothingUnderACapTooSmall(t *testing.T) {
	o := options(t, "minimal", 4)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := engine.Run(ctx, o); err != nil {
		t.Fatal(err)
	}
	_, err := engine.PrepareResume(o.RunDir, engine.ResumeOptions{
		Model: o.Model, ModelSource: o.ModelSource, BaseURL: o.BaseURL, Caps: under(trace.Caps{Run: trace.Limit{Calls: 2}}),
	})
	if !errors.Is(err, engine.ErrNotResumable) {
		t.Errorf("%v", err)
	}
}
