package engine

import (
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

// TestAPromptIsComposedOnce prices the first requests of a tick and then sends them.
func TestAPromptIsComposedOnce(t *testing.T) {
	_, toml, ok := scenario.Embedded("llm_bootstrap")
	if !ok {
		t.Fatal("no scenario")
	}
	s := trace.DefaultSettings()
	s.ScenarioTOML, s.Model, s.Caps.Run.Tokens = string(toml), "m", 1_000_000
	r, err := newRunner(Options{Settings: s}, discarding{})
	if err != nil {
		t.Fatal(err)
	}
	r.world.Advance()
	due, composed := r.world.Due(), 0
	for _, n := range due {
		r.agent(n)
	}
	turn := once(len(due), func(i int) *behavior.Turn {
		composed++
		return r.agents[due[i]].Begin(r.world.View(due[i]))
	})
	if allowed := r.allowDecisions(due, turn); allowed == nil {
		t.Fatal("nothing was reserved")
	}
	for i := range due {
		turn(i).Next()
	}
	if composed != len(due) {
		t.Errorf("%d prompts for %d turns", composed, len(due))
	}
}
