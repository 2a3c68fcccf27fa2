package jetstream

import (
	"encoding/json"
	"testing"

	"example.com/agentworld/batch"
	"example.com/agentworld/trace"
)

// TestWorkerRefusesCellsOfAnotherVersion holds that a cell which came over the network is what it would
// be here.
func TestWorkerRefusesCellsOfAnotherVersion(t *testing.T) {
	s := trace.DefaultSettings()
	s.Scenario, s.ScenarioTOML, s.Model, s.ModelSource = "x", "name = \"x\"\n# <é>", "m", trace.SourceScripted
	for name, v := range map[string]batch.Versions{"": batch.VersionsOf(s), "an older engine": {Engine: "0"}} {
		var got trace.Settings
		sent, err := json.Marshal(s)
		if err == nil {
			err = json.Unmarshal(sent, &got)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := otherVersion(batch.Cell{ID: batch.IDOf(s, v, 2), Repeat: 2}, got); (err != nil) != (name != "") {
			t.Errorf("otherVersion of a cell of %q = %v", name, err)
		}
	}
}
