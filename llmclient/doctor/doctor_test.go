package doctor_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/doctor"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testKey = "sk-doctor-0123456789abcdef"

// lame is the scripted model with functions that spoil its requests or answers. Either may be nil.
type lame struct {
	request func(body map[string]any)
	answer  func(status int, body []byte) (int, []byte)
}

// serve starts a lame server that counts its requests.
func (l lame) serve(t *testing.T) (url string, requests *atomic.Int64) {
	t.Helper()
	model := stub.NewHandler(stub.Options{Seed: 1})
	requests = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		if l.request != nil {
			l.request(body)
		}
		sent, err := json.Marshal(body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(sent))
		got := httptest.NewRecorder()
		model.ServeHTTP(got, r)
		status, answer := got.Code, got.Body.Bytes()
		if l.answer != nil {
			status, answer = l.answer(status, answer)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(answer)
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

// always answers everything the same.
func always(status int, body string) lame {
	return lame{answer: func(int, []byte) (int, []byte) { return status, []byte(body) }}
}

// edited changes each answer as JSON.
func edited(change func(answer map[string]any)) lame {
	return lame{answer: func(status int, body []byte) (int, []byte) {
		var answer map[string]any
		if json.Unmarshal(body, &answer) != nil {
			return status, body
		}
		change(answer)
		body, err := json.Marshal(answer)
		if err != nil {
			panic(err)
		}
		return status, body
	}}
}

// eachCall changes each function call of each answer.
func eachCall(change func(call map[string]any)) lame {
	return edited(func(answer map[string]any) {
		output, _ := answer["output"].([]any)
		for _, item := range output {
			if call := item.(map[string]any); call["type"] == "function_call" {
				change(call)
			}
		}
	})
}

func message(text string) []any {
	return []any{map[string]any{"type": "message", "role": "assistant", "content": []any{map[string]any{"type": "output_text", "text": text}}}}
}

// callChecks are the checks that need a call.
var callChecks = []string{
	"function tools", "call ids", "tool_choice allowed_tools", "tool_choice required", "one tool alone", "tool choice of a run", "call_id round trip", "feedback role",
	"reasoning round trip", "long call_id", "parallel calls", "strict schemas", "turn of a run", "cached prefix",
}

// errand is a turn of two requests, as a run would play one.
type errand struct {
	items []llmclient.Item
	asked int
	said  string
}

func newErrand() *errand {
	return &errand{items: []llmclient.Item{llmclient.Message("user", "Say first")}}
}

func (e *errand) Next() (llmclient.Request, bool) {
	return llmclient.Request{Instructions: "Errand. Say what is asked for.", Input: e.items}, e.asked < 2
}

func (e *errand) Answer(a llmclient.Answer) {
	e.asked++
	if a.Reply != nil {
		e.said = a.Reply.Items[0].Text
		e.items = append(append(e.items, a.Reply.Items...), llmclient.Message("user", "Say second"))
	}
}

func (e *errand) Ended() (string, bool) { return "said " + e.said, e.said == "second" }

// TestExaminations sends the doctor to a sound server and to lame ones. Checks that are
// not named must pass; want lists the others as "check status".
func TestExaminations(t *testing.T) {
	skipped := func(from string) []string {
		names := slices.Concat([]string{"sampling", "thinking", "tool_choice none"}, callChecks, []string{"prompt window", "usage"})
		for i, name := range names {
			if name == from {
				names = names[i:]
				break
			}
		}
		for i := range names {
			names[i] += " skip"
		}
		return names
	}
	noCalls := []string{"tool_choice allowed_tools warn", "tool_choice required warn", "one tool alone warn"}
	for _, name := range callChecks[1:] {
		if !strings.Contains(strings.Join(noCalls, " "), name) {
			noCalls = append(noCalls, name+" skip")
		}
	}
	strict := false
	for _, c := range []struct {
		name   string
		lame   lame
		calls  int
		want   []string
		detail string // of the worst finding
		advice string
	}{
		{"sound", lame{}, 11, nil, "", ""},
		{"refuses the key", always(401, `{"error":{"message":"Incorrect API key provided: `+testKey+`","code":"invalid_api_key"}}`), 1,
			append([]string{"key fail", "model skip", "protocol skip"}, skipped("")...), "auth: HTTP 401", "set the key"},
		{"knows no such model", always(404, `{"error":{"message":"The model does not exist","code":"model_not_found"}}`), 1,
			append([]string{"model fail", "protocol skip"}, skipped("")...), "model_not_found", "choose a model"},
		{"has no credit", always(429, `{"error":{"code":"insufficient_quota"}}`), 1,
			append([]string{"key fail", "model skip", "protocol skip"}, skipped("")...), "insufficient_quota", "no credit"},
		{"speaks Chat Completions", always(200, `{"id":"c","object":"chat.completion","choices":[{"message":{"content":"hi"}}]}`), 1,
			append([]string{"protocol fail", "model skip"}, skipped("")...), "chat_completions", "Chat Completions"},
		{"is a web page", always(200, "<!DOCTYPE html><html>Welcome</html>"), 1,
			append([]string{"protocol fail", "model skip", "key skip"}, skipped("")...), "malformed_body", "leads to a web page"},
		{"has nothing there", always(404, `{"detail":"Not Found"}`), 1,
			append([]string{"protocol fail", "model skip", "key skip"}, skipped("")...), "HTTP 404", "no Responses API at this address"},
		{"calls no tools", edited(func(a map[string]any) {
			if strings.Contains(fmt.Sprint(a["output"]), "function_call") {
				a["output"] = message("I would call a function now. TALUS17")
			}
		}), 5, append([]string{"function tools fail"}, noCalls...), "answered in text instead", "function calling"},
		{"ignores tool_choice", lame{request: func(body map[string]any) {
			if body["tools"] != nil {
				body["tool_choice"] = "required"
			}
		}}, 11,
			[]string{"tool_choice allowed_tools warn"}, "not allowed", "narrowing is enforced here"},
		{"calls where it may not", lame{answer: edited(func(a map[string]any) {
			if strings.Contains(fmt.Sprint(a["tool_choice"]), "none") {
				a["output"] = append(a["output"].([]any), map[string]any{"type": "function_call", "call_id": "c", "name": "weigh", "arguments": "{}"})
			}
		}).answer}, 12, []string{"tool_choice none warn"}, "calling was forbidden", "vetoed"},
		{"reports no usage", edited(func(a map[string]any) { delete(a, "usage") }), 11, []string{"usage warn", "thinking skip", "cached prefix skip"}, "not reported", "number of calls"},
		{"adds up something else", edited(func(a map[string]any) {
			a["usage"] = map[string]any{"input_tokens": 4000, "output_tokens": 40, "total_tokens": 9000}
		}), 11, []string{"usage warn"}, "a total of 9000", "provider's bill"},
		{"counts as Chat Completions does", edited(func(a map[string]any) {
			a["usage"] = map[string]any{"prompt_tokens": 4000, "completion_tokens": 40}
		}), 11, nil, "", ""},
		{"knows no strict", lame{
			request: func(body map[string]any) { strict = strings.Contains(fmt.Sprint(body["tools"]), "strict") },
			answer: func(status int, body []byte) (int, []byte) {
				if strict {
					return 400, []byte(`{"error":{"message":"Unknown parameter: 'tools[0].strict'."}}`)
				}
				return status, body
			},
		}, 12, []string{"strict schemas warn"}, "refuses strict", "a run goes without"},
		{"sends no call ids", eachCall(func(call map[string]any) { delete(call, "call_id") }), 11, []string{"call ids warn"}, "no call_id", "made here"},
		{"repeats call ids", eachCall(func(call map[string]any) { call["call_id"] = "c" }), 11, []string{"call ids warn"}, "share a call_id", "another one here"},
		{"breaks schemas", eachCall(func(call map[string]any) { call["arguments"] = `{"stone":"granite","grams":"7"}` }), 11,
			[]string{"strict schemas warn", "prompt window warn"}, "do not fit", "costs a repair"},
		{"makes one call at a time", lame{request: func(body map[string]any) { body["parallel_tool_calls"] = false }}, 11, []string{"parallel calls warn"}, "1 of 2", "one call at a time"},
		{"takes no items back", lame{request: func(body map[string]any) {
			if strings.Contains(fmt.Sprint(body["input"]), "function_call_output") {
				body["previous_response_id"] = "r" // the scripted model refuses that
			}
		}}, 11, []string{"call_id round trip fail", "feedback role skip", "reasoning round trip skip", "long call_id warn"}, "bad_request", "does not take its own items back"},
		{"cuts prompts", lame{request: func(body map[string]any) {
			if text := fmt.Sprint(body["input"]); len(text) > 8000 {
				body["input"] = text[len(text)-4000:]
				body["tools"], body["tool_choice"] = []any{}, "auto"
			}
		}}, 11, []string{"prompt window fail"}, "the prompt was cut", "num_ctx"},
		{"refuses long prompts", lame{request: func(body map[string]any) {
			if len(fmt.Sprint(body["input"])) > 8000 {
				body["background"] = true // which is refused
			}
		}}, 11, []string{"prompt window fail"}, "bad_request", "num_ctx"},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, requests := c.lame.serve(t)
			r := examine(t, doctor.Options{Config: openai.Config{BaseURL: url, APIKey: openai.NewSecret(testKey)}, Model: "m", Turn: newErrand()})
			if r.Calls != c.calls || int64(r.Calls) != requests.Load() {
				t.Errorf("%d calls reported, %d came, want %d", r.Calls, requests.Load(), c.calls)
			}
			statuses := map[string]doctor.Status{}
			for _, w := range c.want {
				i := strings.LastIndex(w, " ")
				statuses[w[:i]] = doctor.Status(w[i+1:])
			}
			worst := doctor.Result{}
			for _, f := range r.Results {
				want := statuses[f.Check]
				if want == "" {
					want = doctor.Pass
				}
				if f.Status != want {
					t.Errorf("%s: %s (%s), want %s", f.Check, f.Status, f.Detail, want)
				}
				if f.Status == doctor.Fail || f.Status == doctor.Warn && worst.Check == "" {
					worst = f
				}
				if (f.Status == doctor.Fail || f.Status == doctor.Warn) == (f.Advice == "") {
					t.Errorf("%s is %s with the advice %q", f.Check, f.Status, f.Advice)
				}
			}
			if !strings.Contains(worst.Detail, c.detail) || !strings.Contains(worst.Advice, c.advice) {
				t.Errorf("worst finding %+v, want one about %q with advice about %q", worst, c.detail, c.advice)
			}
			if fit(r) != (worst.Status != doctor.Fail) {
				t.Errorf("fit %v with the worst finding %+v", fit(r), worst)
			}
		})
	}
}

// examine examines and demands what holds for every report.
func examine(t *testing.T, o doctor.Options) doctor.Report {
	t.Helper()
	r, err := doctor.Examine(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	most := doctor.CallsMax + 1 // a long id is refused, as the API does, and one more for each thing that the endpoint refuses
	for _, f := range r.Results {
		if strings.Contains(f.Detail, "the endpoint refuses") {
			most++
		}
	}
	if find(r, doctor.CheckThinking).Status == doctor.Warn {
		most++ // it may have been asked for with more room
	}
	if r.Calls > most || len(r.Results) != 24 {
		t.Errorf("%d calls and %d findings, want at most %d and 24", r.Calls, len(r.Results), most)
	}
	if text := fmt.Sprintf("%+v", r); strings.Contains(text, testKey) || strings.Contains(text, testKey[8:]) {
		t.Errorf("the report shows the key: %s", text)
	}
	return r
}

// TestSlowServers tells an endpoint that is slow from one that is too slow.
func TestSlowServers(t *testing.T) {
	url, _ := lame{request: func(map[string]any) { time.Sleep(2 * time.Millisecond) }}.serve(t)
	r := examine(t, doctor.Options{Config: openai.Config{BaseURL: url}, Model: "m", SlowAfter: time.Nanosecond})
	if f := find(r, doctor.CheckLatency); f.Status != doctor.Warn || !strings.Contains(f.Advice, "{run.protocol} lean") || !fit(r) {
		t.Errorf("a slow server: %+v", f)
	}
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		<-r.Context().Done()
	}))
	t.Cleanup(hanging.Close)
	r = examine(t, doctor.Options{Config: openai.Config{BaseURL: hanging.URL, Timeout: 50 * time.Millisecond}, Model: "m"})
	if f := find(r, doctor.CheckLatency); f.Status != doctor.Fail || !strings.Contains(f.Advice, "more than 50ms") || r.Calls != 1 || fit(r) {
		t.Errorf("a server that hangs: %+v after %d calls", f, r.Calls)
	}
}

// TestNobodyThere: what cannot be reached is a finding, a setting that cannot work an
// error.
func TestNobodyThere(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	r := examine(t, doctor.Options{Config: openai.Config{BaseURL: server.URL}, Model: "m"})
	if f := find(r, doctor.CheckConnection); f.Status != doctor.Fail || !strings.Contains(f.Advice, "is the server running") {
		t.Errorf("%+v", f)
	}
	if _, err := doctor.Examine(t.Context(), doctor.Options{Config: openai.Config{BaseURL: "example.org"}, Model: "m"}); err == nil {
		t.Error("a base URL without a scheme was taken")
	}
}

func find(r doctor.Report, check string) doctor.Result {
	for _, f := range r.Results {
		if f.Check == check {
			return f
		}
	}
	return doctor.Result{}
}

// fit reports whether no check failed.
func fit(r doctor.Report) bool {
	return !slices.ContainsFunc(r.Results, func(f doctor.Result) bool { return f.Status == doctor.Fail })
}

// TestSamplingIsTried: the examination asks as the run would, names the setting that a
// model refuses, and says what one that thinks needs.
func TestSamplingIsTried(t *testing.T) {
	refusing := func(param string) lame {
		return always(400, `{"error":{"message":"Unsupported value: it does not work with this model.","type":"invalid_request_error","param":"`+param+`","code":"unsupported_value"}}`)
	}
	thinker := edited(func(a map[string]any) {
		a["usage"] = map[string]any{"input_tokens": 4000, "output_tokens": 3040, "total_tokens": 7040, "output_tokens_details": map[string]any{"reasoning_tokens": 3000}}
	})
	cut := edited(func(a map[string]any) {
		a["status"], a["incomplete_details"], a["output"] = "incomplete", map[string]any{"reason": "max_output_tokens"}, []any{}
		a["usage"] = map[string]any{"input_tokens": 4000, "output_tokens": 512, "total_tokens": 4512}
	})
	all := llmclient.Sampling{MaxOutputTokens: 400, ReasoningEffort: "low", Temperature: "0.2", TopP: "0.9", ExtraBody: json.RawMessage(`{"top_k":4}`)}
	for _, c := range []struct {
		name   string
		lame   lame
		how    llmclient.Sampling
		check  string
		status doctor.Status
		advice string
	}{
		{"temperature", refusing("temperature"), all, doctor.CheckSampling, doctor.Fail, "{llm.temperature}"},
		{"top_p", refusing("top_p"), all, doctor.CheckSampling, doctor.Fail, "{llm.top_p}"},
		{"effort", refusing("reasoning.effort"), all, doctor.CheckSampling, doctor.Fail, "{llm.reasoning_effort}"},
		{"length", refusing("max_output_tokens"), all, doctor.CheckSampling, doctor.Fail, "{llm.max_output_tokens}"},
		{"extra", refusing("top_k"), all, doctor.CheckSampling, doctor.Fail, "{llm.extra_body}"},
		{"what is not set", refusing("temperature"), llmclient.Sampling{}, doctor.CheckProtocol, doctor.Fail, "refuses the request"},
		{"thinker", thinker, llmclient.Sampling{}, doctor.CheckThinking, doctor.Warn, "{llm.max_output_tokens} to at least 12160"},
		{"thinker with room", thinker, llmclient.Sampling{MaxOutputTokens: 20_000}, doctor.CheckThinking, doctor.Pass, ""},
		{"cut", cut, llmclient.Sampling{}, doctor.CheckThinking, doctor.Warn, "{llm.max_output_tokens} to at least 2048"},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, _ := c.lame.serve(t)
			r := examine(t, doctor.Options{Config: openai.Config{BaseURL: url}, Model: "m", Sampling: c.how})
			if f := find(r, c.check); f.Status != c.status || !strings.Contains(f.Advice, c.advice) {
				t.Errorf("%+v", f)
			}
		})
	}
	url, _ := lame{}.serve(t)
	// A model that thinks past the server's own limit is given room as in a run.
	limit := 0.0
	thinking := cut
	thinking.request = func(body map[string]any) { limit, _ = body["max_output_tokens"].(float64) }
	thinking.answer = func(status int, body []byte) (int, []byte) {
		if limit < 2000 {
			return cut.answer(status, body)
		}
		return status, body
	}
	long, requests := thinking.serve(t)
	r := examine(t, doctor.Options{Config: openai.Config{BaseURL: long, WindowTokens: 32_000}, Model: "m"})
	if f := find(r, doctor.CheckThinking); !fit(r) || find(r, doctor.CheckWindow).Status != doctor.Pass || f.Status != doctor.Warn || requests.Load() != 10 {
		t.Errorf("cut once: %d requests, %+v", requests.Load(), r.Results)
	}
	// A body that is no answer of such a window is not read to its end, as in a run.
	large, _ := edited(func(a map[string]any) { a["more"] = strings.Repeat("x", 600_000) }).serve(t)
	r = examine(t, doctor.Options{Config: openai.Config{BaseURL: large, WindowTokens: 32_000}, Model: "m"})
	if f := find(r, doctor.CheckProtocol); f.Status != doctor.Fail || !strings.Contains(f.Detail, "body_too_large") {
		t.Errorf("a large body: %+v", f)
	}
	if _, err := doctor.Examine(t.Context(), doctor.Options{Config: openai.Config{BaseURL: url}, Model: "m", Sampling: llmclient.Sampling{Temperature: "9"}}); err == nil {
		t.Error("a temperature of 9 was tried")
	}
}

// TestOtherModel compares names whole, but for owners, dates and latest.
func TestOtherModel(t *testing.T) {
	for _, c := range []struct {
		asked, answered string
		want            bool
	}{
		{"m", "m", false}, {"m", "Owner/M", false}, {"m", "m-2025-01-01", false}, {"m-20250101", "m", false}, {"m-latest", "m-2411", false}, {"m", "", false},
		{"m", "other-model-1", true}, {"gpt-5", "gpt-5-mini", true}, {"m-2025-01-01", "m-2025-02-01", true},
	} {
		if got := doctor.OtherModel(c.asked, c.answered); got != c.want {
			t.Errorf("%s asked and %s answers: %v", c.asked, c.answered, got)
		}
	}
}

// TestChoicesOfARun: the forms of a tool choice are tried, and what a run will send is said.
func TestChoicesOfARun(t *testing.T) {
	const call, text, nothing = "call", "text", ""
	for _, c := range []struct {
		name string
		// answers says what comes of a list, a plain required, and one tool alone.
		list, word, alone string
		sends             string
	}{
		{"keeps lists", call, call, call, "sends the list of allowed tools"},
		{"overlooks lists", text, call, call, "to a plain \"required\""},
		{"answers forced calls with nothing", nothing, nothing, call, "to only these tools"},
		{"calls others", "other", "other", call, "to only these tools"},
		{"keeps nothing", "other", "other", text, "which is not kept"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var body struct {
				Choice json.RawMessage `json:"tool_choice"`
				Tools  []any
			}
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				t.Error(err)
			}
			how := text
			switch {
			case bytes.HasPrefix(body.Choice, []byte("{")):
				how = c.list
			case string(body.Choice) == `"required"` && len(body.Tools) == 1:
				how = c.alone
			case string(body.Choice) == `"required"`:
				how = c.word
			}
			output := `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ready"}]}`
			switch how {
			case call:
				output = `{"type":"function_call","call_id":"c","name":"weigh","arguments":"{\"stone\":\"basalt\",\"grams\":7,\"note\":null}"}`
			case "other":
				output = `{"type":"function_call","call_id":"c","name":"count","arguments":"{\"what\":\"s\",\"items\":[],\"note\":null}"}`
			case nothing:
				output = ""
			}
			_, _ = fmt.Fprintf(w, `{"status":"completed","output":[%s],"usage":{"input_tokens":4000,"output_tokens":9}}`, output)
		}))
		r := examine(t, doctor.Options{Config: openai.Config{BaseURL: server.URL}, Model: "m"})
		server.Close()
		if f := find(r, doctor.CheckSent); !strings.Contains(f.Detail, c.sends) || find(r, doctor.CheckTools).Status != doctor.Pass {
			t.Errorf("%s: %+v, %+v", c.name, f, find(r, doctor.CheckTools))
		}
	}
}

// TestTheExaminationGoesOn: a call that fails is found and advised on by what happened, and the others
// are made.
func TestTheExaminationGoesOn(t *testing.T) {
	none, answered := false, lame{}
	answered.request = func(body map[string]any) {
		none = body["tool_choice"] == "none" && len(fmt.Sprint(body["input"])) < 200
	}
	answered.answer = func(status int, body []byte) (int, []byte) {
		if none {
			return 500, []byte(`{"error":{"message":"The model produced output that does not match the expected peg-native format"}}`)
		}
		return status, body
	}
	url, _ := answered.serve(t)
	r := examine(t, doctor.Options{Config: openai.Config{BaseURL: url}, Model: "m"})
	if f := find(r, doctor.CheckNone); f.Status != doctor.Fail || !strings.Contains(f.Detail, "malformed_call") || !strings.Contains(f.Advice, "chat template") {
		t.Errorf("%+v", f)
	}
	for _, check := range []string{doctor.CheckProtocol, doctor.CheckTools, doctor.CheckRoundTrip, doctor.CheckWindow} {
		if f := find(r, check); f.Status != doctor.Pass {
			t.Errorf("%+v", f)
		}
	}
	// What a server says about its window is said with its number.
	small, _ := always(400, `{"error":{"code":400,"message":"too large","type":"exceed_context_size_error","n_prompt_tokens":2698,"n_ctx":2048}}`).serve(t)
	r = examine(t, doctor.Options{Config: openai.Config{BaseURL: small}, Model: "m"})
	if f := find(r, doctor.CheckWindow); f.Status != doctor.Fail || !strings.Contains(f.Advice, "{llm.context_window} 2048") {
		t.Errorf("%+v", f)
	}
}
