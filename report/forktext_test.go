package report

import (
	"strings"
	"testing"

	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
)

// TestForkLinesSayWhatDiffers reads the lines of a fork that decided as its parent did,
// under other caps.
func TestForkLinesSayWhatDiffers(t *testing.T) {
	at := func(tick int64) *int64 { return &tick }
	f := &ForkReport{Parent: "base", AtTick: 5, TicksCompared: 3, TicksDiffering: 1, DecisionsCompared: 13, FirstDigestTick: at(7)}
	caps := trace.Caps{Run: trace.Limit{Calls: 60, Cost: 5 * price.Money(1_000_000)}, Agent: trace.Limit{Tokens: 1_234_567}, Tick: trace.Limit{Calls: 12}}
	f.Changes = []trace.Change{{What: "caps", From: caps.Text("USD"), To: trace.Caps{}.Text("")}}
	for _, c := range []struct {
		change func()
		want   string
	}{
		{func() {}, "1 of 3 ticks differ, none of 13 decisions, the world from tick 7 on"},
		{func() { f.DecisionsDiffering, f.FirstDecisionTick = 2, at(8) }, "1 of 3 ticks differ, 2 of 13 decisions, the first in tick 8, the world from tick 7 on"},
		{func() { f.FirstDigestTick = nil }, "2 of 13 decisions, the first in tick 8, the world in none"},
		{func() {}, "changes: caps the run 60 calls, " + (5 * price.Money(1_000_000)).String() + " USD; each agent 1234567 tokens; each tick 12 calls -> none;"},
	} {
		c.change()
		if line := (Report{Fork: f}).forkLine(); !strings.Contains(line, c.want) {
			t.Errorf("%s\nwant %q in it", line, c.want)
		}
	}
	f.ParentTicks = 8
	f.Goals = []ForkGoal{
		{GoalID: "motor", AgentID: "agent-1", ParentMetAt: at(6), ForkMetAt: at(8), ParentNow: 1, ForkNow: 1},
		{GoalID: "chip", AgentID: "agent-2", ParentMetAt: at(7), ParentNow: 4, ForkNow: 2},
		{GoalID: "data", AgentID: "agent-3", ParentNow: 3, ForkNow: 5},
	}
	want := "goals that differ, 3: motor of agent-1 (parent met in tick 6, here met in tick 8), chip of agent-2 (parent met in tick 7, here not met), data of agent-3 (parent 3 at the end, here 5)"
	r := Report{Fork: f}
	r.WorldTime = 8
	if line := r.forkEndLine(); line != want {
		t.Errorf("%s\nwant %s", line, want)
	}
}
