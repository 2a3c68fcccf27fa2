package llmclient

import (
	"bytes"
	"encoding/json"
	"testing"
)

func promptRequest() Request {
	return Request{
		Model: "m", Instructions: "be brief", Input: []Item{Message("user", "hello"), Message("user", "again")},
		Tools: []Tool{{Name: "plan", Description: "d", Parameters: json.RawMessage(`{"type":"object"}`), Strict: true}},
	}
}

// TestPromptIsWhatTheModelSees: each part that a model sees is part of the prompt,
// and is named as what differs; what only the provider sees is not.
func TestPromptIsWhatTheModelSees(t *testing.T) {
	recorded := promptRequest().Prompt()
	for name, change := range map[string]func(*Request){
		"model":        func(r *Request) { r.Model = "n" },
		"instructions": func(r *Request) { r.Instructions += "." },
		"tools":        func(r *Request) { r.Tools[0].Description = "e" },
		"tool choice":  func(r *Request) { r.Choice.Mode = ChoiceRequired },
		"input item 2": func(r *Request) { r.Input[1] = Message("user", "again!") },
		"input item 3": func(r *Request) { r.Input = append(r.Input, Message("user", "more")) },
	} {
		r := promptRequest()
		change(&r)
		asked := r.Prompt()
		if part := recorded.Differs(asked); part.String() != name {
			t.Errorf("a changed %s: differs in %q", name, part)
		}
	}
	if part := recorded.Differs(Request{Model: "m", Instructions: "be brief", Tools: promptRequest().Tools, Input: promptRequest().Input[:1]}.Prompt()); part.Item != 2 || part.Asked != "" {
		t.Errorf("one item less: differs in %+v, want item 2 without what is asked", part)
	}
	same := promptRequest()
	same.Sampling.MaxOutputTokens, same.CacheKey = 99, "k"
	if p := same.Prompt(); recorded.Differs(p) != (PromptDifference{}) {
		t.Error("the bound on the answer or the cache key is taken for a part of the prompt")
	}
}

func TestReadyToolsAreSentAsBefore(t *testing.T) {
	r := promptRequest()
	body, list := r.Body(), ToolList(r.Tools)
	r.Tools[0] = r.Tools[0].Ready()
	if !bytes.Equal(r.Body(), body) || !bytes.Equal(ToolList(r.Tools), list) {
		t.Errorf("the tool list changes when it is made ready:\n%s\n%s", list, ToolList(r.Tools))
	}
	if string(ToolList(nil)) != "[]" || !json.Valid(list) {
		t.Errorf("tool lists %s and %s", ToolList(nil), list)
	}
}
