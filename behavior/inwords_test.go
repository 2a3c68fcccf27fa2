package behavior_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// TestObservationInWordsIsThatOfAPrompt: every line that a seat can have of its observation is one of the prompt
// that a model would be asked with, in both languages, before and after it acted.
func TestObservationInWordsIsThatOfAPrompt(t *testing.T) {
	for _, cfg := range staticConfigs() {
		s, _, _ := scenario.Embedded("task_production_data_60")
		w, err := world.New(s.In(cfg.Language), s.Seed)
		if err != nil {
			t.Fatal(err)
		}
		runtime, err := behavior.NewRuntime(cfg, s.Industry(), modules.New())
		if err != nil {
			t.Fatal(err)
		}
		m := runtime.Agent(w.AgentID(0), w.Persona(0), w.PolicyRules(0)...)
		for tick := range 3 {
			w.Advance()
			prompt := firstAsk(t, m.Begin(w.View(0))).Request.Input[1].Text
			ask, _ := m.Sit(w.View(0), trace.AgentSeat{Seat: "greedy", Version: "1"}).Next().(behavior.Ask)
			lines := strings.Split(ask.Observation.InWords(), "\n")
			of := strings.Split(prompt, "\n")
			for _, line := range lines {
				if !slices.Contains(of, line) {
					t.Errorf("%s, tick %d: %q is not in the prompt:\n%s", cfg.Language, tick+1, line, prompt)
				}
			}
			if len(lines) < 10 {
				t.Errorf("%s: an observation of %d lines: %q", cfg.Language, len(lines), lines)
			}
			do := world.Mine{MassG: 1000}
			w.Apply([]world.Intent{{Agent: 0, Action: do}, {Agent: 1, Action: world.Wait{}}})
			outcome, _ := w.LastOutcome(0)
			m.Learn(outcome.Tick, behavior.Decision{Executed: do}, outcome)
		}
	}
}
