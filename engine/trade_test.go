package engine_test

import (
	"strings"
	"testing"

	"example.com/agentworld/world/scenario"
)

// TestExchangeTakesTwoTicks: with typed terms an exchange between two models takes two ticks
// and at most eight calls, under the guard and in both languages.
func TestExchangeTakesTwoTicks(t *testing.T) {
	for _, language := range []string{"en", "zh"} {
		for _, protocol := range []string{"full", "lean"} {
			o := options(t, "task_cooperation_barter_60", 2)
			o.Language, o.Protocol = language, protocol
			run(t, o)
			r := fold(t, o.RunDir)
			if calls := figuresOf(r.Cost).Calls; calls > 8 || r.ActionKindSuccessCounts["accept_offer"] < 1 {
				t.Errorf("%s, %s: %d calls, accepted were %v", language, protocol, calls, r.ActionKindSuccessCounts)
			}
		}
	}
}

// TestEmbeddedModelTrades plays the tasks that take a trade to their end, under the guard.
func TestEmbeddedModelTrades(t *testing.T) {
	slow(t)
	for _, name := range scenario.Names() {
		s, _, _ := scenario.Embedded(name)
		if !s.Terms || !strings.HasPrefix(name, "task_") {
			continue
		}
		o := options(t, name, s.Task.Ticks)
		run(t, o)
		if r := fold(t, o.RunDir); r.Task.Score*3 < r.Task.Baselines.Scripted || r.GoalsMet != int64(len(r.Goals)) {
			t.Errorf("%s: the score is %d, that of the scripted agents %d; goals: %+v", name, r.Task.Score, r.Task.Baselines.Scripted, r.Goals)
		}
	}
}
