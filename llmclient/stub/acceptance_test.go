package stub

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/agentworld/llmclient"
)

// openResponses are the members that Open Responses requires of a body, with the JSON types
// that each may have (specification of 2026-04-24).
var openResponses = map[string]string{
	"id": "string", "object": "string", "created_at": "integer", "completed_at": "integer null", "status": "string",
	"incomplete_details": "object null", "model": "string", "previous_response_id": "string null",
	"instructions": "string null", "output": "array", "error": "object null", "tools": "array",
	"tool_choice": "string object", "truncation": "string", "parallel_tool_calls": "boolean", "text": "object",
	"top_p": "number integer", "presence_penalty": "number integer", "frequency_penalty": "number integer",
	"top_logprobs": "integer", "temperature": "number integer", "reasoning": "object null", "user": "string null",
	"usage": "object null", "max_output_tokens": "integer null", "max_tool_calls": "integer null",
	"store": "boolean", "background": "boolean", "service_tier": "string", "metadata": "object",
	"safety_identifier": "string null", "prompt_cache_key": "string null",
}

// openItems are what it requires of the objects in a body, by their type.
var openItems = map[string]string{
	"message": "id status role content", "function_call": "id call_id name arguments status", "reasoning": "id summary",
	"output_text": "text annotations", "summary_text": "text", "function": "name description parameters strict",
}

// kindOf is the JSON type of a value that was decoded with numbers as written.
func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case json.Number:
		if strings.ContainsAny(string(v), ".eE") {
			return "number"
		}
		return "integer"
	}
	return "object"
}

// checkOpen holds a body, or a snapshot in a stream, against Open Responses.
func checkOpen(body object) error {
	for name, kinds := range openResponses {
		if value, has := body[name]; !has || !slices.Contains(strings.Fields(kinds), kindOf(value)) {
			return fmt.Errorf("%s is %v (there: %v), want %s", name, value, has, kinds)
		}
	}
	if created, _ := body["created_at"].(json.Number).Int64(); created <= 0 {
		return fmt.Errorf("created_at is %d", created)
	}
	if whole := body["status"] == "completed"; whole == (body["completed_at"] == nil) {
		return fmt.Errorf("completed_at is %v in an answer that is %v", body["completed_at"], body["status"])
	}
	var objects []any
	objects = append(append(objects, body["output"].([]any)...), body["tools"].([]any)...)
	for len(objects) > 0 {
		o := objects[0].(object)
		objects = objects[1:]
		for name := range strings.FieldsSeq(openItems[fmt.Sprint(o["type"])]) {
			if _, has := o[name]; !has {
				return fmt.Errorf("a %v without %s", o["type"], name)
			}
		}
		objects = append(append(objects, listOf(o["content"])...), listOf(o["summary"])...)
	}
	return nil
}

// answered is what a server said to one request.
type answered struct {
	status int
	// body is the last one that was sent; kinds are the types of the events of a stream.
	body  object
	kinds []string
}

// output returns the items of a type.
func (a answered) output(kind string) (items []object) {
	for _, item := range listOf(a.body["output"]) {
		if o := item.(object); o["type"] == kind {
			items = append(items, o)
		}
	}
	return items
}

// text is what the messages say.
func (a answered) text() (text string) {
	for _, m := range a.output("message") {
		for _, part := range listOf(m["content"]) {
			text += fmt.Sprint(part.(object)["text"])
		}
	}
	return text
}

// asker sends requests to a server and holds each answer against both descriptions. That of
// the API may be missing.
type asker struct {
	t                        *testing.T
	handler                  http.Handler
	response, event, refusal func([]byte) error
}

// newAsker starts a server.
func newAsker(t *testing.T, o Options) *asker {
	a := &asker{t: t, handler: NewHandler(o)}
	t.Run("with the API's description", func(t *testing.T) {
		a.response, a.event = openAPI(t, "Response"), openAPI(t, "ResponseStreamEvent")
		a.refusal = openAPI(t, "ErrorResponse")
	})
	if a.response == nil {
		pass := func([]byte) error { return nil }
		a.response = pass
		a.event = pass
		a.refusal = pass
	}
	return a
}

// ask sends one body. It fails the test if the answer is not valid.
func (a *asker) ask(body []byte) (got answered) {
	a.t.Helper()
	w := httptest.NewRecorder()
	a.handler.ServeHTTP(w, posted(body))
	sent := w.Body.Bytes()
	got.status = w.Code
	switch {
	case got.status != http.StatusOK:
		if err := a.refusal(sent); err != nil || got.status < 400 || got.status > 499 {
			a.t.Fatalf("status %d, %v\nfor %s\nin %s", got.status, err, body, sent)
		}
		_ = decode(sent, &got.body)
		return got
	case !strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream"):
		if err := decode(sent, &got.body); err != nil {
			a.t.Fatalf("%v in %s", err, sent)
		}
		if err := a.response(sent); err != nil {
			a.t.Fatalf("%v\nfor %s\nin %s", err, body, sent)
		}
	default:
		checkStream(a.t, sent, a.event)
		for line := range strings.Lines(string(sent)) {
			data, ok := strings.CutPrefix(line, "data: {")
			if !ok {
				continue
			}
			var e object
			if err := decode([]byte("{"+data), &e); err != nil {
				a.t.Fatalf("%v in %s", err, data)
			}
			got.kinds = append(got.kinds, fmt.Sprint(e["type"]))
			if snapshot, has := e["response"].(object); has {
				got.body = snapshot
				if err := checkOpen(snapshot); err != nil {
					a.t.Fatalf("%v in %s\nfor %s", err, data, body)
				}
			}
		}
	}
	if err := checkOpen(got.body); err != nil {
		a.t.Fatalf("%v\nfor %s\nin %s", err, body, sent)
	}
	return got
}

const weatherTool = `{"type":"function","name":"get_weather","description":"Current weather of a location","parameters":
	{"type":"object","properties":{"location":{"type":"string","description":"City and state"}},"required":["location"]}}`

// TestOpenResponses has a request of each kind that the acceptance tests of Open Responses send.
func TestOpenResponses(t *testing.T) {
	now := time.Unix(1_790_000_000, 0)
	a := newAsker(t, Options{Now: func() time.Time { return now }, Caching: true})
	const (
		weather = `"input":[{"type":"message","role":"user","content":"How is the weather in San Francisco?"}],
			"tools":[` + weatherTool + `]`
		inText = "output_item.added content_part.added output_text.delta " +
			"output_text.done content_part.done output_item.done"
		inCalls  = "output_item.added function_call_arguments.delta function_call_arguments.done output_item.done"
		inReason = "output_item.added reasoning_summary_part.added reasoning_summary_text.delta " +
			"reasoning_summary_text.done reasoning_summary_part.done output_item.done"
		begins, ends = "created in_progress ", " completed"
	)
	for _, tc := range []struct{ name, body, output, events, says string }{
		{
			"plain message", `"input":[{"type":"message","role":"user","content":"Greet me in three words."}]`,
			"message", "", "Greet me in three words.",
		},
		{"plain text", `"input":"Greet me."`, "message", "", "Greet me."},
		{
			"stream", `"stream":true,"input":[{"type":"message","role":"user","content":"Count to five."}]`,
			"message", begins + inText + ends, "Count to five.",
		},
		{
			"system message", `"input":[{"type":"message","role":"system","content":"Talk like a sailor."},
				{"type":"message","role":"user","content":"Greet me."}]`,
			"message", "", "Greet me.",
		},
		{"tool call", weather, "function_call", "", ""},
		{"tool call, streamed", `"stream":true,` + weather, "function_call", begins + inCalls + ends, ""},
		{
			"image", `"input":[{"type":"message","role":"user","content":[
				{"type":"input_text","text":"What is on this picture?"},
				{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="}]}]`,
			"message", "", "1 image",
		},
		{
			"several turns", `"input":[{"type":"message","role":"user","content":"I am called Alice."},
				{"type":"message","role":"assistant","content":"Hello Alice."},
				{"type":"message","role":"user","content":"What am I called?"}]`,
			"message", "", "What am I called?",
		},
		{
			"summary of reasoning", `"stream":true,"reasoning":{"effort":"low","summary":"auto"},"input":"Greet me."`,
			"reasoning", begins + inReason + " " + inText + ends, "",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a.t = t
			got := a.ask([]byte(`{"model":"any-model",` + tc.body + `}`))
			if got.body["status"] != "completed" || got.body["model"] != "any-model" || len(got.output(tc.output)) == 0 {
				t.Errorf("answered %v", got.body)
			}
			if created := fmt.Sprint(got.body["created_at"]); created != "1790000000" {
				t.Errorf("created_at %s is not the clock's", created)
			}
			kinds := strings.ReplaceAll(strings.Join(slices.Compact(got.kinds), " "), "response.", "")
			if kinds != tc.events {
				t.Errorf("events %s\nwant   %s", kinds, tc.events)
			}
			if !strings.Contains(got.text(), tc.says) {
				t.Errorf("says %q, want %q in it", got.text(), tc.says)
			}
			for _, call := range got.output("function_call") {
				if call["name"] != "get_weather" || call["arguments"] != `{"location":"San Francisco"}` {
					t.Errorf("calls %v with %v", call["name"], call["arguments"])
				}
			}
		})
	}
}

// TestSettingsComeBack sends every setting that a body repeats.
func TestSettingsComeBack(t *testing.T) {
	a := newAsker(t, Options{})
	settings := object{
		"model": "m", "instructions": "Be kind.", "max_output_tokens": json.Number("900"), "max_tool_calls": json.Number("3"),
		"metadata": object{"k": "v"}, "parallel_tool_calls": false, "presence_penalty": json.Number("0.5"),
		"frequency_penalty": json.Number("-0.5"), "prompt_cache_key": "key", "safety_identifier": "s", "user": "u",
		"service_tier": "flex", "temperature": json.Number("0.2"), "top_p": json.Number("0.9"),
		"top_logprobs": json.Number("2"),
		"truncation":   "auto", "tool_choice": "none", "reasoning": object{"effort": "low", "summary": nil},
		"text":                 object{"format": object{"type": "json_object"}, "verbosity": "low"},
		"prompt_cache_options": object{"mode": "explicit", "ttl": "30m"}, "prompt_cache_retention": "24h",
	}
	body := object{"input": "Hello"}
	for name, value := range settings {
		body[name] = value
	}
	got := a.ask(llmclient.Marshal(body)).body
	for name, want := range settings {
		if have := string(llmclient.Marshal(got[name])); have != string(llmclient.Marshal(want)) {
			t.Errorf("%s is %s, want %s", name, have, llmclient.Marshal(want))
		}
	}
	tiers := map[string]string{"auto": "default", "default": "default", "fast": "priority", "priority": "priority"}
	for asked, want := range tiers {
		got := a.ask([]byte(`{"model":"m","input":"a","service_tier":"` + asked + `"}`))
		if tier := got.body["service_tier"]; tier != want {
			t.Errorf("asked for tier %s it says %v, want %s", asked, tier, want)
		}
	}
	// What is asked of the server and not done is not claimed.
	if got := a.ask([]byte(`{"model":"m","input":"a","store":true}`)).body["store"]; got != false {
		t.Errorf("store is %v in a server that keeps nothing", got)
	}
}
