package budget

import (
	"testing"

	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
)

// TestUnderOtherCaps: spending counts against the other caps, even if nothing was
// reserved for it, and the original budget does not change.
func TestUnderOtherCaps(t *testing.T) {
	b := New(trace.Caps{})
	b.BeginTick()
	b.Count("a", Amount{5, 900, 0})
	b.Count("b", Amount{2, 300, 0})
	next := b.Under(trace.Caps{Run: trace.Limit{Calls: 10}, Agent: trace.Limit{Calls: 6}})
	reservations := next.Open([]Need{need("a", 2), need("b", 2), need("c", 2)})
	want := []string{"cap on calls of the agent, 6: 1 left, a turn needs 2", "", "cap on calls of the run, 10: 1 left, a turn needs 2"}
	for i, p := range reservations {
		got := ""
		if p.refusal != nil {
			got = p.refusal.String()
		}
		if got != want[i] {
			t.Errorf("turn %d: refused with %q, want %q", i+1, got, want[i])
		}
	}
	next.Count("a", Amount{9, 0, 0})
	if b.Spent() != (Amount{7, 1200, 0}) || b.agents["a"] != (Amount{5, 900, 0}) {
		t.Errorf("the budget before has now spent %v, of it %v by a", b.Spent(), b.agents["a"])
	}
	low := b.Under(trace.Caps{Run: trace.Limit{Calls: 3}}).Open([]Need{need("a", 2)})[0]
	if got, want := low.refusal.String(), "cap on calls of the run, 3: 7 are spent already"; got != want || low.refusal.Code() != "run_calls" {
		t.Errorf("refusal %q, want %q", got, want)
	}
}

// TestWhatIsNotCountedCosts: a call that is not counted beforehand costs what it is
// billed.
func TestWhatIsNotCountedCosts(t *testing.T) {
	b := New(trace.Caps{Run: trace.Limit{Calls: 3}})
	reservation := b.Open([]Need{need("a", 1)})[0]
	call := Uncounted(price.Price{Rates: price.Rates{Input: 2, Output: 7}})
	if refused := reservation.Reserve(call); refused != nil {
		t.Fatal(refused)
	}
	if got, want := reservation.Charge(call, reply(10, 3)), (trace.Charge{Tokens: 13, Cost: 41}); got != want {
		t.Errorf("charge %+v, want %+v", got, want)
	}
}
