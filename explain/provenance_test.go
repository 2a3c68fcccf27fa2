package explain

import (
	"strings"
	"testing"

	"example.com/agentworld/trace"
)

// TestChainsEnd: parents that lead back to a source, which only a forged trace has,
// do not keep the program from ending.
func TestChainsEnd(t *testing.T) {
	tr := NewProvenance("agent-1")
	tr.Add(trace.Decision{Tick: 1, AgentID: "agent-1", SourcesRetrieved: []trace.Source{
		{ID: "mem-1-1", Kind: "memory", OriginTick: 1, Parents: []string{"mem-1-2"}}, {ID: "mem-1-2", Kind: "memory", OriginTick: 1, Parents: []string{"mem-1-1"}},
	}})
	if lines := tr.Chain(tr.source("mem-1-1")); len(lines) != 4 {
		t.Errorf("chain of a circle: %q", lines)
	}
}

// TestAMemoryLeadsWhereItsLineLed: a memory that repeats leads from each decision to the tick of the line
// that the decision had in view, and by its id alone to the newest of them.
func TestAMemoryLeadsWhereItsLineLed(t *testing.T) {
	tr := NewProvenance("agent-1")
	shown := func(tick int64) trace.Source {
		return trace.Source{ID: "mem-1-1", Kind: trace.KindMemory, OriginTick: tick}
	}
	for tick := int64(1); tick <= 4; tick++ {
		tr.Add(trace.Decision{Tick: tick, AgentID: "agent-1", SourcesRetrieved: []trace.Source{shown(tick - 1)}})
	}
	for _, tt := range []struct {
		s    trace.Source
		tick string
	}{{shown(1), "tick 1,"}, {shown(2), "tick 2,"}, {tr.source("mem-1-1"), "tick 3,"}, {trace.Source{ID: "mem-2-7"}, "tick 2,"}} {
		if lines := tr.Chain(tt.s); len(lines) != 1 || !strings.Contains(lines[0], "remembered in "+tt.tick) {
			t.Errorf("%+v leads to %q, want %s", tt.s, lines, tt.tick)
		}
	}
}
