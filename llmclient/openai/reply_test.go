package openai

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"example.com/agentworld/llmclient"

	"github.com/google/go-cmp/cmp"
)

// item parses raw, which a test wrote.
func item(raw string) llmclient.Item {
	it, ok := llmclient.ParseItem(json.RawMessage(raw))
	if !ok {
		panic("a test item is not an object: " + raw)
	}
	return it
}

func TestReplies(t *testing.T) {
	const call = `{"type":"function_call", "call_id":"c1","name":"act","arguments":"{\"a\":1}","status":"completed"}`
	const strange = `{ "type" : "telepathy_call","b":[1.0,2e3],"a":"\u00e9" , "z":null}`
	completed := func(items ...llmclient.Item) llmclient.Reply {
		return llmclient.Reply{Status: "completed", Items: items}
	}
	full := completed(item(`{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"hi","annotations":[]}]}`))
	full.ID, full.Model = "resp_1", "m-1"
	full.Usage = llmclient.Usage{Input: 10, Cached: 4, Output: 7, Reasoning: 3, Total: 17}
	for _, c := range []struct {
		name, body string
		want       llmclient.Reply
	}{
		{"complete", goodOne, full},
		{"only output", `{"output":[` + call + `]}`, completed(item(call))},
		{"no object", `{"id":"r","status":"completed","output":[` + call + `]}`, llmclient.Reply{ID: "r", Status: "completed", Items: []llmclient.Item{item(call)}}},
		{"unknown object", `{"object":"realtime.response","output":[` + call + `]}`, completed(item(call))},
		{"unknown item kinds and bytes", `{"output":[` + strange + `,` + call + `,{"type":7}]}`, completed(item(strange), item(call), item(`{"type":7}`))},
		{"elements that are no objects", `{"output":[null,` + call + `,"hi",[{}],7]}`, llmclient.Reply{Status: "completed", Items: []llmclient.Item{item(call)}, NonObjects: 4}},
		{"no output yet a response", `{"object":"response","output":null}`, completed()},
		{"empty output", `{"output":[]}`, completed()},
		{"text at the top level", `{"output_text":"hi"}`, completed(llmclient.Message("assistant", "hi"))},
		{"text beside empty output", `{"output":[],"output_text":"hi"}`, completed(llmclient.Message("assistant", "hi"))},
		{"text beside output", `{"output":[` + call + `],"output_text":"hi"}`, completed(item(call))},
		{"text without annotations", `{"output":[{"type":"message","content":[{"type":"output_text","text":"hi"}]}]}`,
			completed(item(`{"type":"message","content":[{"type":"output_text","text":"hi"}]}`))},
		{"own status", `{"status":"done","output":[]}`, llmclient.Reply{Status: "done"}},
		{"incomplete", `{"object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[` + call + `]}`,
			llmclient.Reply{Status: "incomplete", IncompleteReason: "max_output_tokens", Items: []llmclient.Item{item(call)}}},
		{"incomplete without a reason", `{"status":"incomplete","output":[]}`, llmclient.Reply{Status: "incomplete", IncompleteReason: "unknown"}},
		{"incomplete without a status", `{"incomplete_details":{"reason":"content_filter"},"output":[]}`,
			llmclient.Reply{Status: "incomplete", IncompleteReason: "content_filter"}},
		{"empty error", `{"error":{},"output":[]}`, completed()},
		{"partial usage", `{"output":[],"usage":{"input_tokens":5,"output_tokens":null}}`, llmclient.Reply{Status: "completed", Usage: llmclient.Usage{Input: 5}}},
		{"usage of odd types", `{"output":[],"usage":{"input_tokens":"5","output_tokens":6.0,"total_tokens":-1,"input_tokens_details":[],"output_tokens_details":{"reasoning_tokens":1e99}}}`,
			llmclient.Reply{Status: "completed", Usage: llmclient.Usage{Input: 5, Output: 6}}},
		{"usage beside the response", `{"data":{"output":[]},"usage":{"input_tokens":5}}`, llmclient.Reply{Status: "completed", Repairs: []string{repairWrapped}, Usage: llmclient.Usage{Input: 5}}},
		{"usage by Gemini's name", `{"output":[],"usageMetadata":{"promptTokenCount":5}}`, llmclient.Reply{Status: "completed", Usage: llmclient.Usage{Input: 5}}},
		{"usage that is no object", `{"output":[],"usage":"free"}`, completed()},
		{"labels of odd types", `{"id":7,"model":{"n":1},"output":[]}`, llmclient.Reply{ID: "7", Model: `{"n":1}`, Status: "completed"}},
		{"hostile labels", `{"id":"a\nb\u202e","model":"` + testKey + `","output":[]}`, llmclient.Reply{ID: "a b", Model: secretMark, Status: "completed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer, _, _ := ask(t, says(200, c.body))
			if answer.Reply == nil {
				t.Fatalf("failure %+v, want a reply", answer.Failure)
			}
			if diff := cmp.Diff(c.want, *answer.Reply); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
		})
	}
}

func TestItemsKeepTheirBytes(t *testing.T) {
	const odd = "{ \"type\" : \"telepathy_call\",\n\t\"b\":[1.0,2e3], \"a\":\"\\u00e9<&>\" }"
	answer, _, _ := ask(t, says(200, `{"output":[`+"\n  "+odd+` , {} ]}`))
	if answer.Reply == nil || string(answer.Reply.Items[0].Raw) != odd {
		t.Errorf("answer = %+v, want the first item's bytes %q", answer, odd)
	}
}

func TestContentTypeIsNotTrusted(t *testing.T) {
	for _, kind := range []string{"text/plain", "text/html; charset=utf-8", "text/event-stream", "application/octet-stream", "nonsense;;", ""} {
		if answer, _, _ := ask(t, says(200, goodOne, "Content-Type", kind)); answer.Reply == nil {
			t.Errorf("content type %q: %+v, want a reply", kind, answer.Failure)
		}
	}
	if answer, _, _ := ask(t, says(http.StatusCreated, goodOne)); answer.Reply == nil {
		t.Errorf("status 201: %+v, want a reply", answer.Failure)
	}
}

// FuzzDecode reads any body at any status. Run it with -fuzzminimizetime=20x:
// shrinking every new input by the default minute leaves no time to look for more.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{goodOne, "null", "{}", `{"error":"x"}`, `{"output":[{}]}`, `{"output_text":"x"}`, `{"status":"incomplete"}`, `[{"error":{}}]`} {
		f.Add(200, []byte(seed))
		f.Add(429, []byte(seed))
	}
	c, err := New(Config{BaseURL: "http://model.test", APIKey: NewSecret(testKey)})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < 200 || status > 599 {
			return
		}
		got := c.outcome(t.Context(), exchange{status: status, body: body, whole: true})
		check(t, llmclient.Answer{Reply: got.reply, Failure: got.failure})
		if got.failure != nil && strings.Contains(got.failure.Message+got.failure.Code, testKey) {
			t.Errorf("failure %+v shows the key", got.failure)
		}
		if got.reply == nil {
			return
		}
		// What came in can go out again: Body panics on an item that is not JSON.
		llmclient.Request{Input: got.reply.Items}.Body()
	})
}
