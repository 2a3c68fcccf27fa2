package world

import (
	"slices"
	"strings"
	"testing"
)

func TestNewRefusesWhatParsingWould(t *testing.T) {
	s := mustScenario(t, "minimal")
	s.Rules.RefineGPerHardware = 1
	if _, err := New(s, 1); err == nil || !strings.Contains(err.Error(), "rules.refine_g_per_hardware") {
		t.Errorf("New = %v, want a fault in the rules", err)
	}
	if _, err := New(Scenario{}, 1); err == nil {
		t.Error("New accepts the zero scenario")
	}
	if _, err := New(mustScenario(t, "minimal").WithAgents(0), 1); err == nil {
		t.Error("New accepts a world without agents")
	}
}

func TestIsolatedFiveIsIsolated(t *testing.T) {
	s := mustScenario(t, "isolated_five")
	for i, p := range s.Places {
		for _, q := range s.Places[:i] {
			d := p.Position.distanceCM(q.Position)
			if d <= 40*CMPerKM || newLaw(s.Industry()).moveCost(d) <= s.Rules.PowerCapacity {
				t.Errorf("%s and %s are %d cm apart", p.ID, q.ID, d)
			}
		}
		if p.Charted {
			t.Errorf("%s is charted", p.ID)
		}
	}
}

func TestWithAgents(t *testing.T) {
	s := mustScenario(t, "llm_bootstrap").WithAgents(12)
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	if w.Agents() != 12 || w.AgentID(11) != "agent-12" {
		t.Errorf("there are %d agents, the last is %s", w.Agents(), w.AgentID(11))
	}
	if n, ok := w.AgentNumber("agent-12"); n != 11 || !ok {
		t.Errorf("agent-12 is number %d, %v", n, ok)
	}
	goals := w.Goals()
	if len(goals) != 12 {
		t.Fatalf("there are %d goals, want one each", len(goals))
	}
	if w.Persona(7) != w.Persona(2) || goals[7].Goal.Metric != goals[2].Goal.Metric || goals[7].AgentID != "agent-8" {
		t.Errorf("agent-8 is not like agent-3: %+v", goals[7])
	}
	if few := mustScenario(t, "llm_bootstrap").WithAgents(2); len(few.Goals) != 2 {
		t.Errorf("two agents have %d goals", len(few.Goals))
	}
}

// TestDocumentsOfAbsentAgents: a document for one agent is for no one in a world without it, and
// not for all.
func TestDocumentsOfAbsentAgents(t *testing.T) {
	s := mustScenario(t, "llm_bootstrap")
	s.Documents = []Document{{Name: "code", Text: "The code is 7.", Agents: []string{"agent-3"}}}
	for agents, want := range map[int][]string{2: {"agent-3"}, 5: {"agent-3"}, 12: {"agent-3", "agent-8"}} {
		w, err := New(s.WithAgents(agents), 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Documents()[0].Agents; !slices.Equal(got, want) {
			t.Errorf("with %d agents it is for %q, want %q", agents, got, want)
		}
	}
}
