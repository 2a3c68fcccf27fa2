package behavior_test

import (
	"strings"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// misreading is an answer that invites a reader to execute what the model did not
// decide.
type misreading struct {
	name, text string
	// executed is the action that must come of it, empty when none may; kind is then
	// the parse error.
	executed string
	kind     answer.Problem
}

var misreadings = []misreading{
	{"two places for one amount", `{"action":{"action":"mine_compound","amount":5,"args":{"amount":50}}}`, "", answer.InvalidArgs},
	{"the same amount twice", `{"action":{"action":"mine_compound","amount":5,"args":{"amount":5}}}`, `{"action":"mine_compound","compound_mass_g":5}`, ""},
	{"arguments twice", `{"action":"mine_compound","args":{"amount":5},"params":{"amount":50}}`, "", answer.InvalidArgs},
	{"arguments and a parameter beside them", `{"action":"mine_compound","amount":50,"args":{"amount":5}}`, "", answer.InvalidArgs},
	{"action and decision differ", `{"decision":"wait","action":"mine_compound","amount":5}`, "", answer.InvalidArgs},
	{"action and decision differ as objects", `{"action":{"action":"wait"},"decision":{"action":"mine_compound","amount":5}}`, "", answer.InvalidArgs},
	{"a call beside an action", `{"name":"mine_compound","args":{"amount":5},"action":"wait"}`, "", answer.InvalidArgs},
	{"an order beside a call", `{"name":"wait_ticks","arguments":{"ticks":3},"execute_until":{"until":"power_low","max_ticks":4}}`,
		`{"action":"execute_until","do":{"action":"wait_ticks","ticks":3},"until":[{"event":"power_low"}],"max_ticks":4}`, ""},
	{"an order beside what wraps a decision", `{"answer":{"action":"wait_ticks","ticks":3},"execute_until":{"until":"power_low","max_ticks":4}}`, "", answer.UnknownShape},
	{"an order beside a number that is wrapped", `{"decision":{"candidate":0},"execute_until":{"until":"power_low","max_ticks":4}}`,
		`{"action":"execute_until","do":{"action":"wait"},"until":[{"event":"power_low"}],"max_ticks":4}`, ""},
	{"an order as a call", `{"name":"execute_until","arguments":{"action":{"action":"wait"},"until":"power_low","max_ticks":4}}`,
		`{"action":"execute_until","do":{"action":"wait"},"until":[{"event":"power_low"}],"max_ticks":4}`, ""},
	{"an order with a part beside it", `{"action":"wait_ticks","ticks":3,"execute_until":{"until":[{"event":"heat_above","value":50}]},"max_ticks":9}`,
		`{"action":"execute_until","do":{"action":"wait_ticks","ticks":3},"until":[{"event":"heat_above","value":50}],"max_ticks":9}`, ""},
	{"an order that says two numbers", `{"action":"wait_ticks","ticks":3,"execute_until":{"until":[{"event":"heat_above","value":50}],"max_ticks":3},"max_ticks":9}`, "", answer.InvalidArgs},
	{"a number with the parts of an order", `{"candidate":0,"until":"power_low","max_ticks":4}`,
		`{"action":"execute_until","do":{"action":"wait"},"until":[{"event":"power_low"}],"max_ticks":4}`, ""},
	{"two wrappers", `{"result":{"action":"mine_compound","amount":5},"output":{"action":"wait"}}`, "", answer.UnknownShape},
	{"an object of too many", `{"a":1}{"a":1}{"a":1}{"a":1}{"a":1}{"a":1}{"a":1}{"a":1}{"a":1}{"a":1}{"a":1}{"a":1}{"a":1}{"a":1}{"a":1}{"action":"wait"}{"action":"wait_ticks","ticks":3}`, "", answer.TooLarge},
	{"two tagged calls", `<invoke name="mine_compound"><parameter name="amount">7</parameter></invoke><invoke name="mine_compound"><parameter name="amount">9</parameter></invoke>`, "", answer.Several},
	{"one tagged call", `<invoke name="mine_compound"><parameter name="amount">7</parameter></invoke>`, `{"action":"mine_compound","compound_mass_g":7}`, ""},
	{"a tagged call before one that is cut", `<invoke name="wait"></invoke><invoke name="mine_compound"><parameter name="amount">9</parameter>`, "", answer.Truncated},
	{"two calls as in a program", "wait_ticks(ticks=3)\nmine_compound(amount=7)", "", answer.Several},
	{"cut behind a comment", `{ /* x */ "action": {"action":"mine_compound","amount":7}, "why": "beca`, "", answer.Truncated},
	{"cut behind a wide space", "{\u3000\"action\": {\"action\":\"mine_compound\",\"amount\":7}, \"why\": \"beca", "", answer.Truncated},
	{"cut behind a mark of order", "{\ufeff\"action\": {\"action\":\"mine_compound\",\"amount\":7}, \"why\": \"beca", "", answer.Truncated},
	{"thinking behind a brace in prose", `:-{ <think>{"action":"mine_compound","amount":7}</think> no.`, "", answer.NoJSON},
	{"thinking in capitals", `<Think>{"action":"mine_compound","amount":7}</THINK> no.`, "", answer.NoJSON},
	{"a channel of thinking", `<|channel|>analysis<|message|>{"action":"mine_compound","amount":7}<|end|><|start|>assistant<|channel|>final<|message|>{"action":"wait"}<|end|>`, `{"action":"wait"}`, ""},
	{"a channel of thinking that never ends", `<|channel|>analysis<|message|>{"action":"mine_compound","amount":7}`, "", answer.Truncated},
	{"an object in a thought", "Thought: {\"action\":\"mine_compound\",\"amount\":5} is bad\nAction: wait", `{"action":"wait"}`, ""},
	{"an object behind a thought", "Thought: one of\n{\"action\":\"mine_compound\",\"amount\":5}\nAction: wait", "", answer.Several},
	{"an object in an observation", "Thought: ok\nObservation: {\"action\":\"mine_compound\",\"amount\":5}\nAction: wait", `{"action":"wait"}`, ""},
	{"a quoted object", `agent-2 wrote "send {"action":"mine_compound","amount":5} now". I will not.`, "", answer.NoJSON},
	{"an object beside a quoted one", "agent-2 wrote “{\"action\":\"mine_compound\",\"amount\":5}”.\n{\"action\":\"wait\"}", `{"action":"wait"}`, ""},
	{"an object in a block quote", "It says:\n> {\"action\":\"mine_compound\",\"amount\":5}\nI will not.", "", answer.NoJSON},
	{"a quoted call", `It says "<invoke name="mine_compound"><parameter name="amount">7</parameter></invoke>". I will not.`, "", answer.NoJSON},
	{"a quoted line in a text", "It says \"hello\nAction: mine_compound[7]\nbye\". I will not.", "", answer.NoJSON},
	{"a quoted last line", "It says \"hello\nDecision: wait\"", "", answer.NoJSON},
	{"a letter with an object in it", `{"to":"agent-2","message":"{\"action\":\"mine_compound\",\"amount\":5}"}`, "", answer.UnknownShape},
	{"a letter that is passed on", `{"message":{"from":"agent-2","content":{"action":"mine_compound","amount":5}}}`, "", answer.UnknownShape},
	{"a quoted action line", "agent-2 wrote:\n> Action: mine_compound[7]\nI will not.", "", answer.NoJSON},
}

// TestNothingIsExecutedThatWasNotDecided plays each answer several times: what comes
// of it must not depend on the order of a map either.
func TestNothingIsExecutedThatWasNotDecided(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many games")
	}
	for _, m := range misreadings {
		t.Run(m.name, func(t *testing.T) {
			for range 8 {
				executed, kind := answered(t, textItem(t, m.text))
				if executed != m.executed || kind != m.kind {
					t.Fatalf("%s\nexecuted %q, parse error %q; want %q, %q", m.text, executed, kind, m.executed, m.kind)
				}
			}
		})
	}
}

// TestANumberMeansTheDraftsCandidate gives candidates next to the number of one, after a draft
// with others.
func TestANumberMeansTheDraftsCandidate(t *testing.T) {
	draft := llmclient.FunctionCall("c1", "decision_draft", `{"candidates":[{"action":"wait_ticks","ticks":3}]}`)
	for text, want := range map[string]answer.Problem{
		`{"candidates":[{"action":"mine_compound","amount":7}],"candidate":1}`: answer.InvalidArgs,
		`{"candidate":1,"decision":"wait"}`:                                    answer.InvalidArgs,
		`{"candidates":null,"candidate":1}`:                                    "",
	} {
		if executed, kind := answered(t, draft, textItem(t, text)); kind != want || (kind == "") != (executed != "") {
			t.Errorf("%s\nexecuted %q, parse error %q; want %q", text, executed, kind, want)
		}
	}
}

// answered gives the items as one answer each and returns what is executed, or the
// parse error of the last.
func answered(t *testing.T, answers ...llmclient.Item) (executed string, kind answer.Problem) {
	t.Helper()
	turn := newScene(t, behavior.ProtocolFull, policySeed).turn
	for _, it := range answers {
		if _, asks := turn.Next().(behavior.Ask); !asks {
			t.Fatal("the turn does not ask")
		}
		turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{it}}, Attempts: 1})
	}
	for _, n := range turn.Steps() {
		if n.Kind == trace.StepParseError {
			kind = answer.Problem(n.Code)
		}
	}
	if d, decided := turn.Next().(behavior.Decision); decided {
		executed = string(world.EncodeAction(d.Executed))
	}
	return executed, kind
}

// TestInventedObservationsDoNotComeBack answers with texts in which the model made up the result
// of its call. No later request may show that result.
func TestInventedObservationsDoNotComeBack(t *testing.T) {
	draft := `{"candidates":[{"action":"wait"}]}`
	unknown, ok := llmclient.ParseItem([]byte(`{"type":"other_kind","id":"o"}`))
	if !ok {
		t.Fatal("not an item")
	}
	for name, answer := range map[string][]llmclient.Item{
		"behind an action":         {textItem(t, "Action: decision_draft\nAction Input: "+draft+"\nObservation: zebra")},
		"behind an object":         {textItem(t, draft+"\nObservation: zebra")},
		"behind a thought":         {textItem(t, "Thought: x\n"+draft+"\nObservation: zebra")},
		"without any call":         {textItem(t, "Thought: x\nObservation: zebra")},
		"in another of the texts":  {textItem(t, "Action: decision_draft\nAction Input: "+draft+"\nObservation: zebra"), unknown},
		"before an item and words": {textItem(t, draft+"\nObservation: zebra"), unknown},
	} {
		turn := newScene(t, behavior.ProtocolFull, policySeed).turn
		turn.Next()
		turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: answer}, Attempts: 1})
		ask, asks := turn.Next().(behavior.Ask)
		if !asks || strings.Contains(string(ask.Request.Body()), "zebra") {
			t.Errorf("%s: asks %v, and the request shows what was made up", name, asks)
		}
		if _, faults := llmclient.PairItems(ask.Request.Input, ""); len(faults) > 0 {
			t.Errorf("%s: an input with %+v", name, faults)
		}
	}
}
