package engine_test

import (
	"fmt"
	"testing"

	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/trace"
)

// crowdedTOML is a scenario in which two agents are at a place with compound for one of
// them.
const crowdedTOML = `
id = "crowded"
name = "n"
text = "t"
[[places]]
id = "rock"
name = "rock"
material = "metal"
offset_pct = { x = 0, y = 0, z = 0 }
radius_cm = 100
emission = 40
compound_g = 4000
[agents]
count = 2
spawn = ["rock"]
stock = [{ electricity = 50 }]
[[policy]]
agent = "*"
effect = "forbid"
action = "post_note"
`

// TestDirectModeGoesOnToTheNextCandidate: both agents draft to dig the same compound. The
// second agent does its next candidate in the same tick, and skips the one that its
// policy forbids.
func TestDirectModeGoesOnToTheNextCandidate(t *testing.T) {
	draft := drafted("d", `[{"action":"mine_compound","amount":3000},{"action":"post_note","text":"Mine."},{"action":"harvest_radiation","amount":3}]`)
	answers := map[string][]string{"agent-1": {draft}, "agent-2": {draft}}
	o := options(t, "two_bases", 1)
	o.Scenario, o.ScenarioTOML, o.Commit = "crowded", crowdedTOML, "one-step"
	o = through(t, o, openai.Config{BaseURL: canned(t, answers).URL})
	if result := run(t, o); result.Status != trace.RunCompleted {
		t.Fatalf("the run is %s: %s", result.Status, result.Reason)
	}
	r := recordsOf(t, o.RunDir)
	did := map[string]int{}
	for n := 1; n <= 2; n++ {
		d := r.decisions[fmt.Sprintf("1 agent-%d", n)]
		did[string(d.Executed)]++
		if string(d.Adjusted) != string(d.Executed) || d.Commit != "one-step" {
			t.Errorf("%s committed as %q: adjusted %s, executed %s", d.AgentID, d.Commit, d.Adjusted, d.Executed)
		}
	}
	if did[`{"action":"mine_compound","compound_mass_g":3000}`] != 1 || did[`{"action":"harvest_radiation","max_amount":3}`] != 1 {
		t.Errorf("executed %v", did)
	}
	if got := fold(t, o.RunDir).Guard.Alternatives; got != 1 {
		t.Errorf("%d alternatives in the report, want 1", got)
	}
	requireReplays(t, o.RunDir, 1)
}
