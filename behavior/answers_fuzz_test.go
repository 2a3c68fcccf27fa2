package behavior_test

import (
	"example.com/agentworld/trace"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/world"
)

// answerItems are what answers are made of: what providers send, what they should
// not, and what fits no stage.
var answerItems = []string{
	`{"type":"function_call","id":"fc_1","call_id":"a","name":"plan","arguments":"{\"goal\":\"g\",\"steps\":[{\"kind\":\"call\",\"what\":\"x\"},{\"kind\":\"reason\",\"what\":\"y\"}],\"actions\":[]}"}`,
	`{"type":"reasoning","id":"rs_1","summary":[]}`,
	`{"type":"function_call","call_id":"a","name":"world_rules","arguments":"{\"topic\":\"power\"}"}`,
	`{"type":"function_call","call_id":"","name":"decision_draft","arguments":"{\"candidates\":[{\"action\":{\"action\":\"build_factory\",\"factory_kind\":\"factory.assembler.mk1\"}}]}"}`,
	`{"type":"function_call","name":"decision","arguments":"not json"}`,
	`{"type":"function_call","call_id":7,"name":"decision","arguments":{"candidate":1}}`,
	`{"type":"function_call","call_id":"b","name":"turn","arguments":"[]"}`,
	`{"type":"function_call","call_id":"b","name":"no such tool","arguments":"{}"}`,
	`{"type":"function_call","call_id":"c","status":"incomplete","name":"plan","arguments":"{"}`,
	`{"type":"function_call_output","call_id":"a","output":"made up"}`,
	`{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"Thinking aloud."}]}`,
	`{"type":"message","role":"developer","content":"{\"type\":\"plan\",\"next\":\"module_call\"}"}`,
	`{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"refusal","refusal":"no"}]}`,
	`{"type":"message","content":[{"type":"output_text","text":"{\"decision\":\"build_factory\",\"factory_kind\":\"x\"}"}]}`,
	`{"type":"telepathy","id":"fc_1"}`,
	`{"type":"telepathy","call_id":"a"}`,
	`{"no":"type"}`,
}

// FuzzAnswers answers a turn with any items in any order: whatever comes, each
// request is one that a provider accepts and starts with the one before, and the
// turn ends within its bound.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte{0, 0xff, 2, 2, 0xff, 1, 1, 0xff, 1, 3, 0xff, 5}, false)
	f.Add([]byte{1, 9, 14, 1, 15, 0, 0xff, 0xfe, 1, 0xff, 10, 12, 0xff, 0xfd}, false)
	f.Add([]byte{6, 10, 0xff, 13, 11, 0xff, 8, 0xff}, true)
	f.Add([]byte{1, 1, 3, 1, 4, 7, 1, 0xff, 0, 1, 1, 0xff, 2, 2, 2, 2, 0xff, 2, 9, 16}, true)
	// A turn only reads its agent and view, so all inputs share them.
	w := newWorld(f, "minimal")
	w.Advance()
	view, registry := w.View(0), modules.New()
	minds := map[bool]*behavior.Agent{}
	for lean, protocol := range map[bool]behavior.Protocol{false: behavior.ProtocolFull, true: behavior.ProtocolLean} {
		runtime, err := behavior.NewRuntime(behavior.Config{Settings: trace.Settings{Protocol: protocol}}, world.DefaultRules().Industry(), registry)
		if err != nil {
			f.Fatal(err)
		}
		minds[lean] = runtime.Agent(w.AgentID(0), w.Persona(0))
	}
	f.Fuzz(func(t *testing.T, script []byte, lean bool) {
		turn := minds[lean].Begin(view)
		callsMax := minds[lean].Config().CallsMax()
		var before []llmclient.Item
		for asks := 0; ; {
			switch step := turn.Next().(type) {
			case behavior.Ask:
				if asks++; asks > callsMax {
					t.Fatalf("%d requests, at most %d are allowed", asks, callsMax)
				}
				checkContinues(t, before, step.Request.Input)
				before = step.Request.Input
				var reply *llmclient.Reply
				reply, script = nextReply(t, script)
				turn.Answer(llmclient.Answer{Reply: reply, Attempts: 1})
			case behavior.Call:
				turn.Result(registry.Call(turn.Env(), step.CallID, step.Tool, step.Arguments))
			case behavior.Decision:
				return
			}
		}
	})
}

// checkContinues fails unless input starts with before and is one that a provider
// accepts.
func checkContinues(t *testing.T, before, input []llmclient.Item) {
	t.Helper()
	if _, faults := llmclient.PairItems(input, ""); len(faults) > 0 {
		t.Fatalf("an input with %+v: %+v", faults, input)
	}
	if len(input) < len(before) {
		t.Fatalf("the request has %d items, the one before had %d", len(input), len(before))
	}
	for i, it := range before {
		if string(input[i].Raw) != string(it.Raw) {
			t.Fatalf("item %d was %s and is %s", i, it.Raw, input[i].Raw)
		}
	}
}

// nextReply makes a reply from the bytes up to the next 0xff. A byte 0xfd sets the status and
// 0xfe adds an element that is no object. All other bytes add items.
func nextReply(t *testing.T, script []byte) (*llmclient.Reply, []byte) {
	reply := &llmclient.Reply{Status: "completed"}
	for i, b := range script {
		switch b {
		case 0xff:
			return reply, script[i+1:]
		case 0xfe:
			reply.NonObjects++
		case 0xfd:
			reply.Status, reply.IncompleteReason = "incomplete", "content_filter"
		default:
			reply.Items = append(reply.Items, item(t, answerItems[int(b)%len(answerItems)]))
		}
	}
	return reply, nil
}
