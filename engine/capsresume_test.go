package engine_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentworld/engine"
	"agentworld/trace"
)

// TestCapsHoldAcrossResumes stops a run with caps again and again: the budget goes on
// where it stood, and who is refused is the same as in a run that never stopped.
func TestCapsHoldAcrossResumes(t *testing.T) {
	capped := func(concurrency int) (o engine.Options, counted *tally) {
		o, counted = eventful(t, 12)
		o.Prices, o.Concurrency = simulated(), concurrency
		o.Caps = trace.Caps{Run: trace.Limit{Tokens: 150_000}, Agent: trace.Limit{Calls: 20}, Tick: trace.Limit{Cost: 160_000_000_000}}
		return o, counted
	}
	whole, _ := capped(8)
	if result := run(t, whole); result.Status != trace.RunBudgetReached {
		t.Fatalf("%+v", result)
	}
	want := canonical(t, whole.RunDir)
	dir, stops := t.TempDir(), 0
	for {
		again, counted := capped(1 + stops*3)
		ctx, cancel := context.WithCancel(context.Background())
		counted.after, counted.stop = 21, cancel
		again.RunDir = dir
		result, err := continued(ctx, t, dir, again, stops > 0)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if result.Status == trace.RunBudgetReached {
			break
		}
		if result.Status != trace.RunInterrupted {
			t.Fatalf("%+v", result)
		}
		stops++
	}
	if stops < 3 {
		t.Errorf("only %d resumes", stops)
	}
	if diff := cmp.Diff(string(want), string(canonical(t, dir))); diff != "" {
		t.Errorf("the trace differs:\n%.3000s", diff)
	}
	r := fold(t, dir)
	for _, use := range r.Cost.Caps {
		if use.Spent > use.Cap {
			t.Errorf("%s of the %s: %d of %d", use.Unit, use.Scope, use.Spent, use.Cap)
		}
	}
	if len(r.Cost.RefusedByCap) < 2 {
		t.Errorf("refused %v: the test shows nothing", r.Cost.RefusedByCap)
	}
}
