package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/trace"
)

func TestParseSwitches(t *testing.T) {
	got, err := parseSwitches([]byte(`[
		{"tick": 3, "system_prompt": "s", "long_term_goal": "l"},
		{"tick": 5, "llm_short_term_goal": "g", "agent": "agent-1"},
		{"tick": 5, "llm_short_term_goal": "h", "agent": "agent-2"}]`))
	if err != nil {
		t.Fatal(err)
	}
	text := func(s string) *string { return &s }
	want := []trace.Switch{
		{Tick: 3, SystemPrompt: text("s"), LongTermGoal: text("l")},
		{Tick: 5, AgentID: "agent-1", ShortTermGoal: text("g")},
		{Tick: 5, AgentID: "agent-2", ShortTermGoal: text("h")},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("switches (-want +got):\n%s", diff)
	}
}

func TestParseSwitchesRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`null`, "not a JSON list"},
		{`{"tick":1}`, "not a JSON list"},
		{`[{"tick":1,"system_prompt":"x"}] trailing`, "not a JSON list"},
		{`[null]`, "switch 1: no usable tick"},
		{`[{"system_prompt":"x"}]`, "switch 1: no usable tick; allowed: a whole number from 1"},
		{`[{"tick":0,"system_prompt":"x"}]`, "switch 1: no usable tick"},
		{`[{"tick":1.5,"system_prompt":"x"}]`, "switch 1: tick is a number 1.5; allowed: tick is a whole number"},
		{`[{"tick":1}]`, "switch 1: changes nothing; allowed keys: tick, system_prompt"},
		{`[{"tick":1,"long_term_goal":" "}]`, "switch 1: long_term_goal is empty; allowed: a text"},
		{`[{"tick":1,"prompt":"x"}]`, `switch 1: unknown field "prompt"; allowed keys: tick, system_prompt`},
		{`[{"tick":1,"system_prompt":"x","llm_system_prompt":"y"}]`, "switch 1: system_prompt is given twice"},
		{`[{"tick":4,"system_prompt":"x"},{"tick":3,"system_prompt":"x"}]`, "switch 2: tick 3 comes after tick 4; allowed: ticks in rising order"},
		{`[{"tick":4,"system_prompt":"x"},{"tick":4,"long_term_goal":"x"}]`, "switch 2: tick 4 is switched twice for the same agents"},
	} {
		if _, err := parseSwitches([]byte(c.text)); err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("parseSwitches(%s): %v, want %s...", c.text, err, c.want)
		}
	}
}

func TestSwitchesFromAFile(t *testing.T) {
	p := newProcess(t, nil)
	if err := os.WriteFile(filepath.Join(p.dir, "s.json"), []byte(`[{"tick":2,"system_prompt":"x","agent":"agent-9"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, c := configured(t, nil, map[string]string{"prompt-switches-json": "s.json"})
	v := c.Values.Find("run.prompt_switches_json")
	if err := p.loadSwitches(&c, v); err != nil || len(c.PromptSwitches) != 1 || c.PromptSwitches[0].Tick != 2 {
		t.Errorf("loadSwitches: %v, %v", c.PromptSwitches, err)
	}
	_, c = configured(t, nil, map[string]string{"prompt-switches-json": "s.json", "scenario": "minimal", "run-dir": "r"})
	if _, err := p.newPlan(c, nil, nil); err == nil || exitCode(err) != 2 || !strings.HasPrefix(err.Error(), `flag --prompt-switches-json: s.json: switch 1: no agent "agent-9" in the scenario`) {
		t.Errorf("an agent that does not exist was accepted (%v)", err)
	}
}
