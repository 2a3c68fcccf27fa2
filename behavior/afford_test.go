package behavior_test

import (
	"slices"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/trace"
)

// TestATurnKeepsWhatItNeedsToDecide: the last requests that a turn can afford are for a
// draft and a decision, whatever its plan says.
func TestATurnKeepsWhatItNeedsToDecide(t *testing.T) {
	const plan = `call c1 plan {"goal":"g","steps":[{"kind":"reason","what":"w"},{"kind":"call","what":"w"}],"missing":[]}`
	for _, c := range []struct {
		protocol behavior.Protocol
		requests int
		// second is the stage of the second request in the full protocol; modules says
		// that the last request looked at offers modules.
		second  trace.Stage
		modules bool
	}{
		{behavior.ProtocolFull, 3, trace.StageModules, false},
		{behavior.ProtocolFull, 4, trace.StageReason, false},
		{behavior.ProtocolLean, 1, "", false},
		{behavior.ProtocolLean, 2, "", true},
	} {
		turn := newTurn(t, behavior.Config{Settings: trace.Settings{Protocol: c.protocol, Model: "m"}})
		turn.Afford(c.requests)
		ask := turn.Next().(behavior.Ask)
		if c.second != "" {
			turn.Answer(parseAnswer(t, 1, plan))
			turn.Afford(c.requests - 1)
			if ask = turn.Next().(behavior.Ask); ask.Stage != c.second {
				t.Errorf("%s, %d requests: the second is in stage %s, want %s", c.protocol, c.requests, ask.Stage, c.second)
			}
		}
		if offers := slices.Contains(ask.Request.Choice.Allowed, "world_route"); offers != c.modules {
			t.Errorf("%s, %d requests: modules offered is %v", c.protocol, c.requests, offers)
		}
		turn.Afford(9)
		ask = turn.Next().(behavior.Ask)
		if offers := slices.Contains(ask.Request.Choice.Allowed, "world_route"); !offers && ask.Stage != trace.StageReason {
			t.Errorf("%s: no modules with nine requests left", c.protocol)
		}
	}
}
