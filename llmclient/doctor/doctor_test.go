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

// TestExaminations sends the doctor to a sound server and to lame ones. Checks that are
// not named must pass; want lists the others as "check status".
func TestExaminations(t *testing.T) {
	skipped := func(from string) []string {
		names := []string{"sampling", "thinking", "tool_choice none", "function tools", "call ids", "tool_choice allowed_tools", "call_id round trip", "parallel calls", "strict schemas", "prompt window", "usage", "latency"}
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
	noCalls := []string{"call ids skip", "tool_choice allowed_tools skip", "call_id round trip skip", "parallel calls skip", "strict schemas skip"}
	strict := false
	for _, c := range []struct {
		name   string
		lame   lame
		calls  int
		want   []string
		detail string // of the worst finding
		advice string
	}{
		{"sound", lame{}, 5, nil, "", ""},
		{"refuses the key", always(401, `{"error":{"message":"Incorrect API key provided: `+testKey+`","code":"invalid_api_key"}}`), 1,
			append([]string{"key fail", "model skip", "protocol skip", "latency pass"}, skipped("")[:11]...), "auth: HTTP 401", "set the key"},
		{"knows no such model", always(404, `{"error":{"message":"The model does not exist","code":"model_not_found"}}`), 1,
			append([]string{"model fail", "protocol skip"}, skipped("")[:11]...), "model_not_found", "choose a model"},
		{"has no credit", always(429, `{"error":{"code":"insufficient_quota"}}`), 1,
			append([]string{"key fail", "model skip", "protocol skip"}, skipped("")[:11]...), "insufficient_quota", "no credit"},
		{"speaks Chat Completions", always(200, `{"id":"c","object":"chat.completion","choices":[{"message":{"content":"hi"}}]}`), 1,
			append([]string{"protocol fail", "model skip"}, skipped("")[:11]...), "chat_completions", "Chat Completions"},
		{"is a web page", always(200, "<!DOCTYPE html><html>Welcome</html>"), 1,
			append([]string{"protocol fail", "model skip", "key skip"}, skipped("")[:11]...), "malformed_body", "leads to a web page"},
		{"has nothing there", always(404, `{"detail":"Not Found"}`), 1,
			append([]string{"protocol fail", "model skip", "key skip"}, skipped("")[:11]...), "HTTP 404", "no Responses API at this address"},
		{"calls no tools", edited(func(a map[string]any) {
			if strings.Contains(fmt.Sprint(a["output"]), "function_call") {
				a["output"] = message("I would call a function now. TALUS17")
			}
		}), 3, append([]string{"function tools fail"}, noCalls...), "answered in text instead", "function calling"},
		{"ignores tool_choice", lame{request: func(body map[string]any) { body["tool_choice"] = "required" }}, 5,
			[]string{"tool_choice allowed_tools warn"}, "not allowed", "narrowing is enforced here"},
		{"calls where it may not", lame{answer: edited(func(a map[string]any) {
			if strings.Contains(fmt.Sprint(a["tool_choice"]), "none") {
				a["output"] = append(a["output"].([]any), map[string]any{"type": "function_call", "call_id": "c", "name": "weigh", "arguments": "{}"})
			}
		}).answer}, 5, []string{"tool_choice none warn"}, "calling was forbidden", "vetoed"},
		{"reports no usage", edited(func(a map[string]any) { delete(a, "usage") }), 5, []string{"usage warn", "thinking skip"}, "not reported", "number of calls"},
		{"adds up something else", edited(func(a map[string]any) {
			a["usage"] = map[string]any{"input_tokens": 4000, "output_tokens": 40, "total_tokens": 9000}
		}), 5, []string{"usage warn"}, "a total of 9000", "provider's bill"},
		{"counts as Chat Completions does", edited(func(a map[string]any) {
			a["usage"] = map[string]any{"prompt_tokens": 4000, "completion_tokens": 40}
		}), 5, nil, "", ""},
		{"knows no strict", lame{
			request: func(body map[string]any) { strict = strings.Contains(fmt.Sprint(body["tools"]), "strict") },
			answer: func(status int, body []byte) (int, []byte) {
				if strict {
					return 400, []byte(`{"error":{"message":"Unknown parameter: 'tools[0].strict'."}}`)
				}
				return status, body
			},
		}, 6, []string{"strict schemas warn"}, "refuses strict", "a run goes without"},
		{"sends no call ids", eachCall(func(call map[string]any) { delete(call, "call_id") }), 5, []string{"call ids warn"}, "no call_id", "made here"},
		{"repeats call ids", eachCall(func(call map[string]any) { call["call_id"] = "c" }), 5, []string{"call ids warn"}, "share a call_id", "another one here"},
		{"breaks schemas", eachCall(func(call map[string]any) { call["arguments"] = `{"stone":"granite","grams":"7"}` }), 5,
			[]string{"strict schemas warn", "prompt window warn"}, "do not fit", "costs a repair"},
		{"makes one call at a time", lame{request: func(body map[string]any) { body["parallel_tool_calls"] = false }}, 5, []string{"parallel calls warn"}, "1 of 2", "one call at a time"},
		{"takes no items back", lame{request: func(body map[string]any) {
			if strings.Contains(fmt.Sprint(body["input"]), "function_call_output") {
				body["previous_response_id"] = "r" // the scripted model refuses that
			}
		}}, 5, []string{"call_id round trip fail"}, "bad_request", "does not take its own items back"},
		{"cuts prompts", lame{request: func(body map[string]any) {
			if text := fmt.Sprint(body["input"]); len(text) > 8000 {
				body["input"] = text[len(text)-4000:]
				body["tools"], body["tool_choice"] = []any{}, "auto"
			}
		}}, 5, []string{"prompt window fail"}, "the prompt was cut", "num_ctx"},
		{"refuses long prompts", lame{request: func(body map[string]any) {
			if len(fmt.Sprint(body["input"])) > 8000 {
				body["background"] = true // which is refused
			}
		}}, 5, []string{"prompt window fail"}, "bad_request", "num_ctx"},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, requests := c.lame.serve(t)
			r := examine(t, doctor.Options{Config: openai.Config{BaseURL: url, APIKey: openai.NewSecret(testKey)}, Model: "m"})
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
	most := doctor.CallsMax // and one more for each thing that the endpoint refuses
	for _, f := range r.Results {
		if strings.Contains(f.Detail, "the endpoint refuses") {
			most++
		}
	}
	if find(r, doctor.CheckThinking).Status == doctor.Warn {
		most++ // it may have been asked for with more room
	}
	if r.Calls > most || len(r.Results) != 16 {
		t.Errorf("%d calls and %d findings, want at most %d and 16", r.Calls, len(r.Results), most)
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
	if f := find(r, doctor.CheckThinking); !fit(r) || find(r, doctor.CheckWindow).Status != doctor.Pass || f.Status != doctor.Warn || requests.Load() != 6 {
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
