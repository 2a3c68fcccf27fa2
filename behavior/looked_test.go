package behavior

import (
	"strings"
	"testing"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// TestLookedUpRulesSayHowLongTheyStay: rules that were looked up stay until they were of no use for as many
// ticks as their heading says, and the rules that are known unasked do not move.
func TestLookedUpRulesSayHowLongTheyStay(t *testing.T) {
	b := newBench(t, trace.Settings{})
	b.m.Learn(1, Decision{Executed: world.Wait{}, Looked: []string{"market"}}, world.Outcome{Tick: 1, Action: world.Wait{}, Accepted: true})
	const heading = "# Rules you looked up, each until 10 ticks after its last use"
	for b.w.Tick() < 14 {
		items := b.m.Begin(b.w.View(0)).Next().(Ask).Request.Input
		if shown := strings.Contains(items[1].Text, heading); shown != (b.w.Tick() <= 11) {
			t.Errorf("tick %d: shown %v:\n%s", b.w.Tick(), shown, items[1].Text)
		}
		if !strings.Contains(items[0].Text, "# Known rules\n") {
			t.Errorf("tick %d: what is known unasked is gone", b.w.Tick())
		}
		b.w.Advance()
	}
}
