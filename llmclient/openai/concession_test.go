package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
)

// full is a request with everything that may be refused.
func full() llmclient.Request {
	r := request()
	r.Tools = []llmclient.Tool{{Name: "act", Strict: true,
		Parameters: json.RawMessage(`{"type":"object","properties":{"minItems":{"type":"array","items":{},"minItems":1,"maxItems":3}}}`)}}
	r.Choice = llmclient.ToolChoice{Mode: llmclient.ChoiceRequired, Allowed: []string{"act"}}
	r.CacheKey = "agent-1"
	thought, _ := llmclient.ParseItem([]byte(`{"type":"reasoning","id":"rs_1","summary":[]}`))
	r.Input = append(r.Input, thought, llmclient.FunctionCall("c", "act", "{}"), llmclient.FunctionOutput("c", "{}"))
	return r
}

// TestConcessions: what every request asks for unasked is given up when a server refuses it
// in its own words, and is not asked for again. What a user set is not given up.
func TestConcessions(t *testing.T) {
	openAI := func(param string) string {
		return `{"error":{"message":"Unsupported parameter: '` + param + `' is not supported with this model.","param":"` + param + `","code":"unsupported_parameter"}}`
	}
	for _, c := range []struct {
		has    string // what the server refuses in a body
		status int
		body   string
		want   []string
	}{
		{`"prompt_cache_key"`, 400, openAI("prompt_cache_key"), []string{"without_prompt_cache_key"}},
		{`"store"`, 422, `{"detail":[{"type":"extra_forbidden","loc":["body","store"],"msg":"Extra inputs are not permitted","input":false}]}`, []string{"without_store"}},
		{`"include"`, 400, `{"error":{"message":"Encrypted content is not supported with this model.","param":"include"}}`, []string{"without_include"}},
		{`"include"`, 400, `{"error":{"message":"Unrecognized request arguments supplied: include, prompt_cache_key"}}`, []string{"without_prompt_cache_key", "without_include"}},
		{`"parallel_tool_calls"`, 400, `{"error":"unknown field \"parallel_tool_calls\""}`, []string{"without_parallel_tool_calls"}},
		{`"strict"`, 400, `{"error":{"message":"Invalid value","param":"tools[0].strict"}}`, []string{"without_strict"}},
		{`"allowed_tools"`, 400, `{"error":{"message":"Invalid type for tool_choice: object. Supported string values: none, auto, required"}}`, []string{"without_allowed_tools"}},
		{`"mode":"required"`, 501, `{"error":{"message":"Only 'auto' tool_choice is supported in response API"}}`, []string{"without_allowed_tools"}},
		{`required`, 501, `{"error":{"message":"Only 'auto' tool_choice is supported in response API"}}`, []string{"without_allowed_tools", "without_required"}},
		{`"tool_choice"`, 400, openAI("tool_choice"), []string{"without_allowed_tools", "without_required", "without_tool_choice"}},
		{`"prompt_cache_key"`, 400, `{"error":{"message":"litellm.UnsupportedParamsError: acme does not support parameters: ['prompt_cache_key'], for model=m. To drop these, set litellm.drop_params=True","param":"None","code":"400"}}`, []string{"without_prompt_cache_key"}},
		{`"allowed_tools"`, 400, `{"error":{"code":400,"message":"Invalid input","metadata":{"raw":"[{\"code\":\"invalid_union\",\"path\":[\"tool_choice\"]}]"}}}`, []string{"without_allowed_tools"}},
		{`"reasoning"`, 400, `{"error":{"message":"Invalid value: 'reasoning'. Supported values are: 'message', 'function_call'.","param":"input[1].type","code":"invalid_value"}}`, []string{"without_reasoning_items"}},
		{`"reasoning"`, 400, `{"error":{"message":"The encrypted content for item rs_1 could not be verified.","type":"invalid_request_error","code":"invalid_encrypted_content"}}`, []string{"without_reasoning_items"}},
		{`"allowed_tools"`, 422, "{\"error\":\"Failed to deserialize the JSON body: tool_choice.type: unknown variant `allowed_tools`, expected `function`\"}", []string{"without_allowed_tools"}},
		{`"include"`, 400, `{"error":{"message":"litellm.BadRequestError: OpenAIException - Encrypted content is not supported with this model.","param":null,"code":"400"}}`, []string{"without_include"}},
		{`"include"`, 400, `{"error":"Invalid value: 'reasoning.encrypted_content'. Supported values are: 'file_search_call.results'."}`, []string{"without_include"}},
		{`"strict"`, 400, `{"error":"Unknown parameter: 'tools[0].strict'."}`, []string{"without_strict"}},
		{`"store"`, 400, `{"error":{"message":"Unknown parameter","param":"body.store"}}`, []string{"without_store"}},
		{`"temperature"`, 400, `{"error":{"message":"Unknown parameter: 'acme'. Supported are: 'model', 'input', 'store', 'temperature', 'tools'"}}`, nil},
		{`"reasoning"`, 400, `{"error":{"message":"Item 'rs_1' of type 'reasoning' was provided without its required following item.","param":"input"}}`, []string{"without_reasoning_items"}},
		{`"reasoning"`, 400, `{"detail":"The reasoning content of an answer may not be part of the input"}`, []string{"without_reasoning_items"}},
		{`"minItems":1`, 400, `{"error":{"message":"Invalid schema for function 'act': In context=('properties', 'minItems'), 'minItems' is not permitted."}}`, []string{"without_array_bounds"}},
		{`"strict":true`, 400, `{"error":{"message":"'maxItems' is not supported in strict mode"}}`, []string{"without_strict"}},
		// A refusal under another status.
		{`"prompt_cache_key"`, 200, `{"error":{"message":"Unknown parameter: 'prompt_cache_key'."}}`, []string{"without_prompt_cache_key"}},
		{`"prompt_cache_key"`, 200, `{"object":"response","status":"failed","error":{"message":"Unknown parameter: 'prompt_cache_key'."},"output":[]}`, []string{"without_prompt_cache_key"}},
		{`"prompt_cache_key"`, 502, `{"error":{"message":"bad response status code 400, Unknown parameter: 'prompt_cache_key'"}}`, []string{"without_prompt_cache_key"}},
		{`"prompt_cache_key"`, 415, `{"error":{"message":"Unknown parameter: 'prompt_cache_key'"}}`, []string{"without_prompt_cache_key"}},
		{`"temperature"`, 400, openAI("temperature"), nil},
		{`"max_output_tokens"`, 400, `{"error":{"message":"max_output_tokens is too large: 4000. This model supports at most 1000 completion tokens"}}`, nil},
		{`"model"`, 400, `{"error":{"message":"Invalid 'input[0].content': unknown value.","param":"input[0].content"}}`, nil},
	} {
		server := newProvider(t, func(w http.ResponseWriter, _ *http.Request) { t.Error("unreachable") })
		server.handlers = []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			sent := server.requests()
			if strings.Contains(string(sent[len(sent)-1].body), c.has) {
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
				return
			}
			fmt.Fprint(w, goodOne)
		}}
		client, _ := newClient(t, Config{BaseURL: server.URL, RetriesMax: -1, AllowStore: true})
		r := full()
		r.Sampling.Temperature, r.Sampling.MaxOutputTokens = "0.5", 4000
		first, before := client.Respond(t.Context(), r), len(server.requests())
		if c.want == nil {
			if kindOf(first) != llmclient.ErrBadRequest || before != 1 || c.has == `"temperature"` && !strings.Contains(first.Failure.Message, "temperature") {
				t.Errorf("%s: %+v after %d requests, want one refused", c.body, first.Failure, before)
			}
			continue
		}
		second := client.Respond(t.Context(), r)
		for _, a := range []llmclient.Answer{first, second} {
			if a.Reply == nil || !slices.Equal(a.Reply.Repairs, c.want) {
				t.Fatalf("%s: %+v %+v, want %v", c.body, a.Reply, a.Failure, c.want)
			}
		}
		if first.Attempts < 2 || second.Attempts != 1 {
			t.Errorf("%s: %d attempts and then %d, want one the second time", c.body, first.Attempts, second.Attempts)
		}
		// Another model may take what this one refuses, and a user's own setting is a user's.
		r.Model = "another"
		r.Sampling.ExtraBody = json.RawMessage(`{"prompt_cache_key":"mine"}`)
		if a := client.Respond(t.Context(), r); a.Attempts < 2 && a.Failure == nil || strings.Contains(c.has, "cache") && a.Failure == nil {
			t.Errorf("%s: another model: %+v", c.body, a)
		}
	}
}

// TestStoreAmongOthers: a refusal of store that names other fields, too, is one of store.
func TestStoreAmongOthers(t *testing.T) {
	row := reportedCase{serve: refusingText(`"store"`, 400, `{"error":{"message":"Unsupported parameters: store, include"}}`)}
	if p := row.play(t); !p.failed(llmclient.ErrStoreRefused, 400, 2) {
		t.Errorf("%+v", p.last().Failure)
	}
}

// TestEachConcessionSaysItsReason: of several that one call needs.
func TestEachConcessionSaysItsReason(t *testing.T) {
	row := reportedCase{serve: func(_ int, body string) (int, string) {
		for _, name := range []string{"include", "prompt_cache_key"} {
			if strings.Contains(body, `"`+name+`"`) {
				return 400, `{"error":{"message":"Unknown parameter: '` + name + `'."}}`
			}
		}
		return 200, goodOne
	}}
	p := row.play(t)
	for _, said := range p.noted {
		if name := strings.Fields(said)[5]; !strings.Contains(said, "'"+name+"'") {
			t.Errorf("said %q", said)
		}
	}
	if len(p.noted) != 2 {
		t.Errorf("said %q", p.noted)
	}
}

// TestALengthThatNobodySet is given up where it is refused; one that a user set is not.
func TestALengthThatNobodySet(t *testing.T) {
	for _, own := range []bool{true, false} {
		row := reportedCase{asks: 2, request: func() llmclient.Request {
			r := bounded()
			r.OwnLength = own
			return r
		}, serve: refusingText(`"max_output_tokens"`, 400, `{"detail":"Unsupported parameter: max_output_tokens"}`)}
		if p := row.play(t); p.mended("without_max_output_tokens") != own || !own && !p.failed(llmclient.ErrBadRequest, 400, 1) {
			t.Errorf("own %v: %+v %+v", own, p.last().Reply, p.last().Failure)
		}
	}
}

// TestAllConcessions: a request without anything that is asked for unasked, or with one of these things
// alone, is still the JSON that the server expects.
func TestAllConcessions(t *testing.T) {
	refused := []string{"prompt_cache_key", "include", "parallel_tool_calls", "store", "tool_choice"}
	for _, takes := range []int{0, 1, 2, 4, 8, 16} {
		server := newProvider(t, func(w http.ResponseWriter, _ *http.Request) { t.Error("unreachable") })
		server.handlers = []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) {
			sent := server.requests()
			var body map[string]json.RawMessage
			if err := json.Unmarshal(sent[len(sent)-1].body, &body); err != nil {
				t.Errorf("%v: %s", err, sent[len(sent)-1].body)
			}
			for i, name := range refused {
				if body[name] != nil && takes&(1<<i) == 0 {
					w.WriteHeader(http.StatusBadRequest)
					fmt.Fprintf(w, `{"error":{"message":"Unknown parameter: '%s'.","param":%q}}`, name, name)
					return
				}
			}
			if body["model"] == nil || body["tools"] == nil || body["input"] == nil {
				t.Errorf("a member is missing: %s", sent[len(sent)-1].body)
			}
			fmt.Fprint(w, goodOne)
		}}
		client, _ := newClient(t, Config{BaseURL: server.URL, RetriesMax: -1, AllowStore: true})
		if a := client.Respond(t.Context(), full()); a.Reply == nil {
			t.Fatalf("%05b: %+v", takes, a.Failure)
		}
	}
}
