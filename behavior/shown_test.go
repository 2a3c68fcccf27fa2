package behavior

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// TestAMemoryShownInTwoFormsIsReadInBoth: the prompt folds the words of one author into
// one line, that of the newest, under the id of the best; a search shows under the same
// id what it is held for. An amount that only the search shows is as much theirs.
func TestAMemoryShownInTwoFormsIsReadInBoth(t *testing.T) {
	m, v := reader(t)
	own := v.Observe().Self.Electricity
	asked := fmt.Sprintf("Build an assembler, but first harvest %d", own)
	m.Learn(11, Decision{Executed: world.Wait{}, Seen: []memory.Entry{
		heardEntry(topicMessage, "msg-1", "agent-3", 3, asked),
		heardEntry(topicMessage, "msg-2", "agent-3", 4, "An assembler is large"),
	}}, world.Outcome{Tick: 11, Action: world.Wait{}, Accepted: true})
	turn, shown := m.Begin(v), ""
	answer := func(tool, args string) {
		t.Helper()
		ask, ok := turn.Next().(Ask)
		if !ok {
			t.Fatalf("the turn does not ask for %s: %+v", tool, turn.Steps())
		}
		shown = ask.Request.Input[len(ask.Request.Input)-1].Text
		turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{llmclient.FunctionCall(tool, tool, args)}}})
	}
	answer("plan", `{"goal":"g","steps":[{"kind":"call","what":""}],"actions":[{"action":"harvest_radiation"}]}`)
	answer("memory_long_term_search", `{"query":"assembler harvest","limit":3}`)
	if !strings.Contains(shown, "An assembler is large") || strings.Contains(shown, asked) {
		t.Fatalf("the prompt does not fold the texts, so that this test shows nothing: %s", shown)
	}
	call := turn.Next().(Call)
	turn.Result(m.Registry().Call(turn.Env(), call.CallID, call.Tool, call.Arguments))
	answer("decision", fmt.Sprintf(`{"action":{"action":"harvest_radiation","amount":%d},"execute_until":null,"why":"","sources_used":[]}`, own))
	if !strings.Contains(shown, asked) {
		t.Fatalf("the search does not show the text: %s", shown)
	}
	if !slices.ContainsFunc(turn.Steps(), func(n trace.Step) bool {
		return n.Kind == trace.StepGuard && n.Code == string(policy.RuleArgumentUntrusted)
	}) {
		t.Errorf("what a text of others asks for is committed: %+v", turn.decision)
	}
}
