package terminal

import (
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/trace"
)

// TestProgressSaysWhatWasAskedAhead: where calls are asked ahead, the progress says what became of them.
func TestProgressSaysWhatWasAskedAhead(t *testing.T) {
	p := engine.Progress{Tick: 2, Ticks: 9, Decisions: 4, ModelCalls: 8}
	const run = "tick 2/9  turns 4  continued 0  calls 8  rejected 0  errors 0"
	if got := ProgressText(p); got != run {
		t.Errorf("%q", got)
	}
	p.Ahead = &trace.AheadTiming{Asked: 7, Used: 5, Wasted: 1, Open: 1, SavedMS: 4260}
	if got := ProgressText(p); got != run+"  ahead 7 (5 used, 1 in vain), 4.2 s saved" {
		t.Errorf("%q", got)
	}
}
