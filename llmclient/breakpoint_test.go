package llmclient

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// conversation is an input in which each item but the model's own may be marked.
func conversation() []Item {
	return []Item{
		Message("user", "common"), Message("user", "a \"quoted\"\nopening"), FunctionCall("c1", "plan", "{}"), FunctionOutput("c1", `{"ok":true}`),
		FunctionCall("c2", "plan", "{}"), Output("c2", "done", true), Message("developer", "go on"), FunctionCall("c3", "plan", "{}"), FunctionOutput("c3", "last"),
	}
}

// TestBreakpointsMarkTheFirstAndTheLatest: of more places than the API writes, the first and the last
// three are marked. The others keep the form that they had when they were, and no item reads
// otherwise.
func TestBreakpointsMarkTheFirstAndTheLatest(t *testing.T) {
	r := Request{Model: "m", Input: conversation(), CacheKey: "k", Breakpoints: []int{0, 1, 3, 5, 6, 8}}
	var body struct {
		Options struct{ Mode string } `json:"prompt_cache_options"`
		Input   []json.RawMessage
	}
	if err := json.Unmarshal(r.Body(), &body); err != nil || body.Options.Mode != "explicit" {
		t.Fatalf("%v, %+v", err, body.Options)
	}
	var marked, listed []int
	for i, raw := range body.Input {
		if strings.Contains(string(raw), `"prompt_cache_breakpoint":{"mode":"explicit"}`) {
			marked = append(marked, i)
		}
		if strings.Contains(string(raw), `[{"type":"input_text"`) {
			listed = append(listed, i)
		}
		it, ok := ParseItem(raw)
		was := r.Input[i]
		same := it.Kind == was.Kind && it.Role == was.Role && it.CallID == was.CallID
		if !ok || !same || it.Custom != was.Custom || it.Text != was.Text {
			t.Errorf("item %d is sent as %s, was %s", i, raw, was.Raw)
		}
	}
	if !slices.Equal(marked, []int{0, 5, 6, 8}) || !slices.Equal(listed, r.Breakpoints) {
		t.Errorf("marked are %v, lists are %v", marked, listed)
	}
	if r.Hash() != Hash(r.Body()) {
		t.Error("the hash is not that of the body")
	}
}

// TestBreakpointsStayAtTheirItems where reasoning before them is left out.
func TestBreakpointsStayAtTheirItems(t *testing.T) {
	thought := Item{Kind: KindReasoning, ID: "rs", Raw: json.RawMessage(`{"type":"reasoning","id":"rs","summary":[]}`)}
	r := Request{Breakpoints: []int{0, 3, 6}, Input: []Item{
		Message("user", "a"), thought, FunctionCall("c", "f", "{}"), FunctionOutput("c", "x"), thought, FunctionCall("d", "f", "{}"), FunctionOutput("d", "y"),
	}}
	without, dropped := r.WithoutReasoning()
	if dropped != 2 || !slices.Equal(without.Breakpoints, []int{0, 2, 4}) || without.Input[4].Text != "y" || len(r.Input) != 7 {
		t.Errorf("%d dropped, breakpoints %v", dropped, without.Breakpoints)
	}
	if same, dropped := without.WithoutReasoning(); dropped != 0 || !slices.Equal(same.Breakpoints, without.Breakpoints) {
		t.Errorf("%d dropped of none, breakpoints %v", dropped, same.Breakpoints)
	}
}

// TestBreakpointsAreLeftOut: without any, the request is as if there were none; without lists, only
// messages are marked.
func TestBreakpointsAreLeftOut(t *testing.T) {
	r := Request{Model: "m", Input: conversation(), CacheKey: "k"}
	if body := string(r.Body()); strings.Contains(body, "prompt_cache_options") || strings.Contains(body, "input_text") {
		t.Errorf("a request without breakpoints speaks of them: %s", body)
	}
	r.Breakpoints, r.PlainOutputs = []int{0, 3, 6}, true
	body := string(r.Body())
	if strings.Contains(body, `"output":[`) || strings.Count(body, "prompt_cache_breakpoint") != 2 {
		t.Errorf("the outputs are no strings, or the messages are not marked: %s", body)
	}
	r.Sampling.ExtraBody = json.RawMessage(`{"prompt_cache_options":{"mode":"implicit"}}`)
	if body := string(r.Body()); !strings.Contains(body, `"prompt_cache_options":{"mode":"implicit"}`) || strings.Contains(body, `_options":{"mode":"explicit"`) {
		t.Errorf("the mode that a user set is not sent: %s", body)
	}
}

// TestCacheKeyIsThatOfThePrefix: it changes with model, instructions and tools, and with nothing else.
func TestCacheKeyIsThatOfThePrefix(t *testing.T) {
	r := Request{Model: "m", Instructions: "i", Tools: []Tool{{Name: "t"}}, Input: conversation()}
	key := r.Head().CacheKey()
	if len(key) != 32 {
		t.Errorf("the key is %q", key)
	}
	other := r
	other.Input = nil
	other.CacheKey = "x"
	other.Breakpoints = []int{0}
	other.Choice = ToolChoice{Mode: ChoiceNone}
	if other.Head().CacheKey() != key {
		t.Error("the key depends on the input")
	}
	for name, change := range map[string]func(*Request){
		"model":        func(r *Request) { r.Model = "n" },
		"instructions": func(r *Request) { r.Instructions = "j" },
		"tools":        func(r *Request) { r.Tools = []Tool{{Name: "u"}} },
	} {
		other := r
		change(&other)
		if other.Head().CacheKey() == key {
			t.Errorf("the key does not depend on the %s", name)
		}
	}
}
