package dashboard

import (
	"encoding/json"
	"testing"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// TestARefusalIsCountedOnce holds marks against figures: a refused choice that another candidate
// replaced is no refused action, for either.
func TestARefusalIsCountedOnce(t *testing.T) {
	count := func(outcome string) (marks []mark, f figures) {
		f = newFigures(trace.Header{})
		c := &tickCount{}
		c.add(trace.Event{Tick: 1, Event: world.Event{Tick: 1, Kind: world.EventActionRejected, Agent: "agent-1", Rejection: &world.Rejection{Code: world.RejectContended}}})
		c.add(trace.Decision{Tick: 1, AgentID: "agent-1", DecidedBy: trace.ByModel, Outcome: json.RawMessage(outcome)})
		f.add(1, c)
		return c.marks(nil), f
	}
	if marks, f := count(`{"accepted":true,"refused_before":1}`); len(marks) != 0 || f.rows[0].rejected != 0 || f.rows[0].replaced != 1 {
		t.Errorf("a replaced choice: marks %+v, %d refused, %d replaced", marks, f.rows[0].rejected, f.rows[0].replaced)
	}
	if marks, f := count(`{"accepted":false,"rejection":{"code":"contended"}}`); len(marks) != 1 || marks[0].Kind != "rejected" || f.rows[0].rejected != 1 || f.rows[0].replaced != 0 {
		t.Errorf("a refused action: marks %+v, %d refused, %d replaced", marks, f.rows[0].rejected, f.rows[0].replaced)
	}
}

// TestTheScenarioHasItsName names scenarios that were given by a path.
func TestTheScenarioHasItsName(t *testing.T) {
	for _, c := range []struct{ scenario, text, want string }{
		{"minimal", "name = \"x\"\n", "minimal"},
		{"my/h.toml", "# two rocks\nname = \"hall\"\n\n[[place]]\nname = \"rock\"\n", "hall"},
		{"h.toml", "seed = 1\n[[place]]\nname = \"rock\"\n", "h.toml"},
	} {
		if got := scenarioName(trace.Settings{Scenario: c.scenario, ScenarioTOML: c.text}); got != c.want {
			t.Errorf("%s is named %s, want %s", c.scenario, got, c.want)
		}
	}
}
