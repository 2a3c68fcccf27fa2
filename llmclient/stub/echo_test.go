package stub

import (
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
)

// TestEchoes: an echoing policy takes up what a request says was not done or was refused, with all its
// arguments and in whatever list, and none of its own work.
func TestEchoes(t *testing.T) {
	g := opened(t, 0, full)
	g.world.tick = 5
	for _, c := range []struct{ name, said, want string }{
		{"nothing", "# Observation, tick 5\nwoken: message_received", ""},
		{"a chain", "steps ended: message_received in step 2 of 3 after 1 attempts; not done: " +
			"transfer_resource agent-2 hardware 2; move_agent far-rock", `move_agent("far-rock") transfer_resource("agent-2","hardware",2)`},
		{"withheld steps", `{"not_done":["transfer_resource agent-2 data 7"]}`, `transfer_resource("agent-2","data",7)`},
		{"a plan", "planned in tick 8, not done, not binding: harvest_radiation 3; transfer_resource agent-2 data 7 max_ticks 4",
			`transfer_resource("agent-2","data",7)`},
		{"a refusal", "[d4] tick 4: transfer_resource agent-2 data 900 refused: insufficient_resource",
			`transfer_resource("agent-2","data",900)`},
		{"a fault", "What was wrong: transfer_resource agent-2 data 9: policy_amount 5 units",
			`transfer_resource("agent-2","data",9)`},
		{"no arguments", "What was wrong: transfer_resource: policy_amount 5 units", ""},
		{"done", "[d4] tick 4: transfer_resource agent-2 data 9 ok", ""},
		{"its own work", "planned in tick 4, not done, not binding: mine_compound 20", ""},
	} {
		r := request{input: append(g.opening(), llmclient.Message("user", c.said))}
		var got []string
		for _, p := range newStage(0, r).obey(Options{Obeys: []Cue{}, Echoes: true}).told {
			got = append(got, signature(p.action))
		}
		if joined := strings.Join(got, " "); joined != c.want {
			t.Errorf("%s: %s, want %s", c.name, joined, c.want)
		}
		if told := newStage(0, r).obey(Options{Obeys: []Cue{}}).told; len(told) > 0 {
			t.Errorf("%s: one that only obeys takes up %v", c.name, told)
		}
	}
}
