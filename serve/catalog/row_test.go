package catalog

import (
	"testing"

	"example.com/agentworld/trace"
)

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
