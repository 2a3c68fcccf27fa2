package cli

import (
	"strings"
	"testing"

	"example.com/agentworld/batch"
)

// TestSuiteText: whatever a model is called, the text of a suite is a batch file that asks it.
func TestSuiteText(t *testing.T) {
	for _, model := range []string{"m-small", "org/m:free", `a "quoted" \\ name`, "模型", strings.Repeat("long", 40)} {
		text := suiteText("aw-1", map[string]string{"model": model, "temperature": "0.5", "seat": "agent-1=greedy"}, 2)
		f, err := batch.Parse(text, nil)
		if err != nil {
			t.Errorf("%s: %v in\n%s", model, err, text)
			continue
		}
		if f.Suite == nil || f.Suite.Name != "aw-1" || len(f.Scenarios) != 12 || len(f.Seeds) != 20 || f.Repeats != 2 {
			t.Errorf("%s: the file plays %+v", model, f)
		}
		set := map[string]string{}
		for _, s := range f.Settings {
			set[s.Key] = s.Text
		}
		if set["llm.model"] != model || set["llm.temperature"] != "0.5" || set["run.seats"] != "agent-1=greedy" {
			t.Errorf("%s: the settings are %v", model, set)
		}
	}
}
