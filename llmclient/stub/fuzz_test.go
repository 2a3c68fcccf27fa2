package stub

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"example.com/agentworld/llmclient"
)

// FuzzDecide feeds arbitrary bodies: every one gets an answer or a refusal, the
// same one each time, and an answer calls allowed tools only.
func FuzzDecide(f *testing.F) {
	b := newBelt(30)
	b.advance()
	g := &table{goals: chips, world: b}
	for _, p := range []protocol{full, lean} {
		f.Add(uint64(1), []byte(llmclient.Request{Model: "m", Input: g.opening(), Tools: toolsOf(p)}.Body()))
	}
	for _, section := range []string{
		`can: schedule_recipe (|) ()|"x max`, `you: , at, electricity 9/`, `agents: ,; here; here ,`, `agents: at; at x; at x 5 km`, `factories: a, b; ,, working x`,
		`places (cost, cost): p "n" 1 2; p 1`, `cannot: (; a (b; c ( 1 short)`,
	} {
		f.Add(uint64(2), []byte(llmclient.Request{Input: []llmclient.Item{llmclient.Message("user", "# Observation, tick 1\n"+section)}, Tools: toolsOf(lean)}.Body()))
	}
	f.Add(uint64(3), []byte(`{"input":[{"type":"function_call","name":"decision_draft","arguments":"{\"candidates\":[{\"action\":{\"do\":{}}}]}"},{"type":"function_call_output","output":"[{\"status\":\"accepted\"}]"}]}`))
	f.Fuzz(func(t *testing.T, seed uint64, body []byte) {
		r, err := Decide(seed, body)
		var refused *RequestError
		if err != nil {
			if !errors.As(err, &refused) || refused.Status < 400 || refused.Status > 499 {
				t.Fatalf("error %v, want a RequestError", err)
			}
			return
		}
		if !json.Valid(r.Response) || len(r.Items) == 0 {
			t.Fatalf("answer %s", r.Response)
		}
		again, err := Decide(seed, body)
		if err != nil || !bytes.Equal(r.Response, again.Response) {
			t.Fatalf("the second answer differs: %v", err)
		}
		s, _ := parseRequest(body)
		for _, call := range calls(r) {
			if !(stage{allowed: s.allowed()}).may(call.Name) || !json.Valid([]byte(call.Text)) {
				t.Fatalf("call of %q with %s", call.Name, call.Text)
			}
		}
	})
}
