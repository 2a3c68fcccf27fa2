package reflect

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory/playbook"
)

// anyItem draws an output item: sound, odd or broken.
func anyItem(t *rapid.T) llmclient.Item {
	raw := rapid.SampledFrom([]string{
		`{"type":"reasoning","id":"r"}`, `{"type":"message","role":"user","content":"consolidate"}`, `{"type":"message","role":"assistant","content":"{\"deltas\":[]}"}`,
		`{"type":"function_call_output","call_id":"c","output":"done"}`, `{"type":"later"}`, `{}`,
		`{"type":"function_call","call_id":"c","name":"reflect","arguments":"{\"tags\":[],\"insights\":[{\"lesson\":7}]}"}`,
		`{"type":"function_call","name":"reflect","arguments":"{\"tags\":[{\"id\":\"nav-00001\",\"verdict\":\"helpful\",\"decision\":3}],\"insights\":[{\"lesson\":\"x\",\"decisions\":4}]}"}`,
		`{"type":"function_call","call_id":"c","name":"consolidate","arguments":"{\"deltas\":[{\"op\":\"REMOVE\",\"id\":\"nav-00001\",\"decisions\":[3]},{\"op\":\"rewrite\"}]}"}`,
		`{"type":"function_call","call_id":"d","name":"consolidate","arguments":"[1"}`, `{"type":"function_call","call_id":7,"name":"a b","arguments":{}}`,
	}).Draw(t, "item")
	item, _ := llmclient.ParseItem(json.RawMessage(raw))
	return item
}

// TestAnyAnswersEndATurn: whatever a model answers, a turn ends within its calls, every
// request is one that a provider accepts, and a playbook never loses trust or counts
// by it.
func TestAnyAnswersEndATurn(t *testing.T) {
	p := book(t)
	rapid.Check(t, func(t *rapid.T) {
		runtime := NewRuntime(behavior.Config{}, rapid.IntRange(1, RoundsMax).Draw(t, "rounds"))
		turn := runtime.Begin(lived(), p, nil, 6, 1)
		calls := 0
		for ask, more := turn.Next(); more; ask, more = turn.Next() {
			if calls++; calls > runtime.CallsMax() {
				t.Fatalf("more than %d calls", runtime.CallsMax())
			}
			if _, faults := llmclient.PairItems(ask.Request.Input, ""); len(faults) > 0 {
				t.Fatalf("an input with %+v", faults)
			}
			items := rapid.SliceOfN(rapid.Custom(anyItem), 0, 4).Draw(t, "items")
			turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: items}})
		}
		c := turn.Result().Apply(p, playbook.Limits{})
		for _, b := range p.Bullets() {
			if after, held := c.Playbook.Bullet(b.ID); !held || after.Uses() > b.Uses()+1 {
				t.Fatalf("%s: held %v, %+v", b.ID, held, after)
			}
		}
	})
}
