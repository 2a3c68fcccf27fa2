package behavior_test

import (
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
)

// TestTurnAllocatesLittle bounds what the prompt of a turn allocates, and what its answers do: a
// run makes hundreds of thousands of both. The bounds are a third above what was measured, 291 and 358: answers are read by package encoding/json.
func TestTurnAllocatesLittle(t *testing.T) {
	mind := mindIn(t, "llm_bootstrap", behavior.Config{}, 40)
	view := mind.world.View(0)
	answer := func(tool, arguments string) llmclient.Answer {
		return llmclient.Answer{Reply: &llmclient.Reply{Items: []llmclient.Item{llmclient.FunctionCall("c-"+tool, tool, arguments)}}}
	}
	answers := []llmclient.Answer{
		answer("plan", `{"goal":"charge","steps":[{"kind":"respond"}],"actions":[{"action":"harvest_radiation","amount":null}]}`),
		answer("decision_draft", `{"candidates":[{"action":"harvest_radiation","to":null,"id":null,"what":null,"amount":5,"price":null,"text":null},{"action":"wait"}]}`),
		answer("decision", `{"candidate":1,"execute_until":null,"why":"power","sources_used":[]}`),
	}
	prompt := testing.AllocsPerRun(50, func() { mind.Begin(view) })
	turn := testing.AllocsPerRun(50, func() {
		turn := mind.Begin(view)
		for _, a := range answers {
			turn.Next()
			turn.Answer(a)
		}
		if d, decided := turn.Next().(behavior.Decision); !decided || d.Proposed == nil {
			t.Fatalf("the turn ends in %+v", turn.Next())
		}
	})
	const promptMax, answersMax = 390, 480
	if answers := turn - prompt; prompt > promptMax || answers > answersMax {
		t.Errorf("a prompt allocates %.0f times and its answers %.0f, want at most %d and %d", prompt, answers, promptMax, answersMax)
	}
}
