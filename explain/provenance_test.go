package explain

import (
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
	if lines := tr.Chain("mem-1-1"); len(lines) != 4 {
		t.Errorf("chain of a circle: %q", lines)
	}
}
