package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// output is the body of a response with one item.
func output(item string) string {
	return `{"id":"r","object":"response","status":"completed","model":"m","usage":{"input_tokens":9,"output_tokens":7},"output":[` + item + `]}`
}

// text is a message, as the only item of an output.
func text(s string) string {
	said, _ := json.Marshal(s)
	return output(`{"type":"message","id":"m","role":"assistant","status":"completed","content":[{"type":"output_text","annotations":[],"text":` + string(said) + `}]}`)
}

// callOf is a call, as the only item of an output.
func callOf(name, arguments string) string {
	raw, _ := json.Marshal(arguments)
	return output(`{"type":"function_call","id":"f","call_id":"c","status":"completed","name":"` + name + `","arguments":` + string(raw) + `}`)
}

// unusable are answers that no turn can use, by what they are, with the kind they are
// counted as and what is shown of them.
var unusable = map[string]struct{ body, kind, shown string }{
	"nothing":           {output(""), "empty_output", "no text and no call"},
	"blank":             {text("  "), "empty_output", "7 output tokens"},
	"prose":             {text("I would \u202egather\nsome energy first.\x1b[31m\u009b5m"), "no_json", "I would gather some energy first.[31m5m"},
	"refusal":           {output(`{"type":"message","id":"m","role":"assistant","content":[{"type":"refusal","refusal":"I will not."}]}`), "refusal", "I will not."},
	"truncated":         {strings.Replace(text(`{"acti`), `"completed","model"`, `"incomplete","incomplete_details":{"reason":"max_output_tokens"},"model"`, 1), "truncated", `{"acti`},
	"reasoning":         {output(`{"type":"reasoning","id":"rs","summary":[]}`), "empty_output", "no text and no call"},
	"no JSON":           {callOf("decision", "{\"action\":"), "invalid_arguments", `decision({"action":)`},
	"wrong fields":      {callOf("decision", `{"move":"there"}`), "invalid_arguments", `decision({"move":"there"})`},
	"unknown tool":      {callOf("launch_rocket", `{}`), "unknown_tool", "launch_rocket({})"},
	"wrong module":      {callOf("memory_long_term_search", `{"query":5,"limit":"all"}`), "", "memory_long_term_search("},
	"html":              {"<html><body>Welcome to the hotel's network</body></html>", "malformed_body", ""},
	"null":              {"null", "malformed_body", ""},
	"another API":       {`{"id":"x","object":"chat.completion","choices":[{"message":{"role":"assistant","content":"hello"}}]}`, "", ""},
	"an error in a 200": {`{"error":{"message":"no luck today","type":"odd"}}`, "error_object", "no luck today"},
	"failed":            {`{"id":"r","object":"response","status":"failed","error":{"code":"odd","message":"no luck"},"output":[]}`, "failed_response", "no luck"},
}

// saying is an endpoint that always answers so.
func saying(t *testing.T, body string) (url string, calls *atomic.Int64) {
	calls = new(atomic.Int64)
	return endpoint(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) bool {
		calls.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
		return true
	}).URL, calls
}

// TestAnEndpointWithoutUsableAnswersEndsTheRun: the run ends after three ticks with calls
// and six calls, whichever is later, and names the answers.
func TestAnEndpointWithoutUsableAnswersEndsTheRun(t *testing.T) {
	for name, u := range unusable {
		for scenario, agents := range map[string]int64{"llm_bootstrap": 5, "minimal": 1} {
			t.Run(strings.ReplaceAll(name, " ", "_")+"/"+scenario, func(t *testing.T) {
				url, calls := saying(t, u.body)
				o := through(t, options(t, scenario, 20), openai.Config{BaseURL: url})
				result := run(t, o)
				perTick := calls.Load() / result.TicksDone
				if want := max(3, (5+perTick)/perTick); result.Status != trace.RunNoUsableAnswers || result.TicksDone != want || perTick < agents {
					t.Errorf("%s after %d ticks with %d calls, want no_usable_answers after %d", result.Status, result.TicksDone, calls.Load(), want)
				}
				if want := fmt.Sprintf("(%s %d), such as: ", u.kind, calls.Load()); u.kind != "" && (!strings.Contains(result.Reason, want) || result.Unused != u.kind) || !strings.Contains(result.Reason, u.shown) {
					t.Errorf("%q (%s), want it to say %q and show %q", result.Reason, result.Unused, want, u.shown)
				}
				if strings.ContainsFunc(result.Reason, plaintext.Hidden) {
					t.Errorf("%q holds what steers a terminal", result.Reason)
				}
				requireReplays(t, o.RunDir, result.TicksDone)
			})
		}
	}
}

// TestAShortRunWithoutUsableAnswersIsNoSuccess also where its ticks, or what it may spend,
// end before it is judged.
func TestAShortRunWithoutUsableAnswersIsNoSuccess(t *testing.T) {
	url, _ := saying(t, unusable["prose"].body)
	o := through(t, options(t, "llm_bootstrap", 1), openai.Config{BaseURL: url})
	if result := run(t, o); result.Status != trace.RunNoUsableAnswers || result.TicksDone != 1 {
		t.Errorf("%+v", result)
	}
	o = through(t, options(t, "minimal", 9), openai.Config{BaseURL: url})
	o.Caps.Run.Calls = 4
	if result := run(t, o); result.Status != trace.RunNoUsableAnswers || result.TicksDone != 2 || !strings.Contains(result.Reason, "; before that: cap on calls of the run, 4") {
		t.Errorf("%+v", result)
	}
}

// TestOneUsableAnswerIsEnough: how many turns degrade after it is another matter.
func TestOneUsableAnswerIsEnough(t *testing.T) {
	server := endpoint(t, func(w http.ResponseWriter, _ *http.Request, body []byte) bool {
		if bytes.Contains(body, []byte(`# Observation, tick 2\nyou: agent-3,`)) {
			return false
		}
		_, _ = io.WriteString(w, unusable["prose"].body)
		return true
	})
	o := through(t, options(t, "llm_bootstrap", 6), openai.Config{BaseURL: server.URL})
	if result := run(t, o); result.Status != trace.RunCompleted || result.TicksDone != 6 {
		t.Errorf("%+v", result)
	}
	requireReplays(t, o.RunDir, 6)
}

// TestAnEndpointWithoutUsableAnswersStopsItsAgentsOnly, and a fork and a resume of the run
// agree with it.
func TestAnEndpointWithoutUsableAnswersStopsItsAgentsOnly(t *testing.T) {
	url, _ := saying(t, unusable["prose"].body)
	good := endpoint(t, func(http.ResponseWriter, *http.Request, []byte) bool { return false })
	o := options(t, "isolated_five", 6)
	bad := respondTo(t, openai.Config{BaseURL: url})
	o.Source = engine.LiveByAgent(respondTo(t, openai.Config{BaseURL: good.URL}), map[string]engine.Responder{"agent-2": bad, "agent-5": bad})
	o.AgentModels = []trace.AgentModel{{Agent: "agent-2", BaseURL: "http://bad.test"}, {Agent: "agent-5", BaseURL: "http://bad.test"}}
	if result := run(t, o); result.Status != trace.RunCompleted {
		t.Fatalf("%s: %s", result.Status, result.Reason)
	}
	for _, a := range fold(t, o.RunDir).PerAgent {
		if bad := a.BaseURL != ""; bad && (a.StoppedBy != "no_usable_answers" || a.StoppedAtTick != 3) || !bad && (a.StoppedBy != "" || a.WaitsDegraded != 0) {
			t.Errorf("%s: stopped by %q at tick %d after %d degraded waits", a.AgentID, a.StoppedBy, a.StoppedAtTick, a.WaitsDegraded)
		}
	}
	requireReplays(t, o.RunDir, 6)
	if result, err := resume(t, o.RunDir, o, 8); err != nil || result.Status != trace.RunCompleted || result.TicksDone != 8 {
		t.Errorf("%+v, %v", result, err)
	}
	requireReplays(t, o.RunDir, 8)
	// The endpoint may be fixed before a resume: its agents are asked again, and once
	// more.
	o.Source = engine.Live(respondTo(t, openai.Config{BaseURL: good.URL}))
	for _, until := range []int64{10, 12} {
		if result, err := resume(t, o.RunDir, o, until); err != nil || result.Status != trace.RunCompleted {
			t.Errorf("%+v, %v", result, err)
		}
		requireReplays(t, o.RunDir, until)
	}
	if r := fold(t, o.RunDir); r.PerAgent[1].StoppedBy != "" || r.PerAgent[1].Decisions < 3 {
		t.Errorf("agent-2 with a mended endpoint: %+v", r.PerAgent[1])
	}
	f := engine.ForkOptions{Options: o, Parent: o.RunDir, AtTick: 4}
	f.RunDir, f.Ticks = t.TempDir(), 8
	if result, err := engine.Fork(context.Background(), f); err != nil || result.Status != trace.RunCompleted {
		t.Errorf("%+v, %v", result, err)
	}
	if r := fold(t, f.RunDir); r.PerAgent[1].StoppedAtTick != 3 {
		t.Errorf("in the fork agent-2 stopped at tick %d", r.PerAgent[1].StoppedAtTick)
	}
	requireReplays(t, f.RunDir, 8)
}

// TestAMendedEndpointGoesOn: a run that ended without usable answers continues with a
// server that was fixed, and ends again with one that was not.
func TestAMendedEndpointGoesOn(t *testing.T) {
	url, _ := saying(t, unusable["refusal"].body)
	o := through(t, options(t, "llm_bootstrap", 20), openai.Config{BaseURL: url})
	run(t, o)
	if result, err := resume(t, o.RunDir, o, 0); err != nil || result.Status != trace.RunNoUsableAnswers || result.TicksDone != 6 {
		t.Errorf("%+v, %v, want it ended after three more ticks", result, err)
	}
	o.Source = options(t, "llm_bootstrap", 1).Source
	if result, err := resume(t, o.RunDir, o, 8); err != nil || result.Status != trace.RunCompleted || result.TicksDone != 8 {
		t.Errorf("%+v, %v", result, err)
	}
	requireReplays(t, o.RunDir, 8)
}

// midRefusals are answers that are fatal from an endpoint that has not answered yet, and a
// wrong path, which never is.
var midRefusals = map[string]struct {
	status int
	body   string
}{
	"auth":               {401, `{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`},
	"forbidden":          {403, `{"error":{"message":"no","code":"forbidden"}}`},
	"model_not_found":    {404, `{"error":{"message":"no such model","code":"model_not_found"}}`},
	"insufficient_quota": {429, `{"error":{"message":"no credit","code":"insufficient_quota"}}`},
	"wrong_path":         {404, `{"error":{"message":"no such path"}}`},
}

// TestOneRefusalInTheMiddleEndsNobodysRun, and three in a row do.
func TestOneRefusalInTheMiddleEndsNobodysRun(t *testing.T) {
	for kind, refusal := range midRefusals {
		t.Run(kind, func(t *testing.T) {
			var always atomic.Bool
			server := endpoint(t, func(w http.ResponseWriter, _ *http.Request, body []byte) bool {
				if !always.Load() && !opens(body, "agent-1", 2) {
					return false
				}
				w.WriteHeader(refusal.status)
				_, _ = io.WriteString(w, refusal.body)
				return true
			})
			o := through(t, options(t, "llm_bootstrap", 3), openai.Config{BaseURL: server.URL, RetriesMax: -1})
			o.ModelSource = trace.SourceLive
			if result := run(t, o); result.Status != trace.RunCompleted {
				t.Fatalf("%s: %s", result.Status, result.Reason)
			}
			if r := fold(t, o.RunDir); r.DecisionCounts.WaitDegraded != 1 || r.DecisionCounts.WaitDegradedByReason["llm_error:"+kind] != 1 {
				t.Errorf("degraded waits %v, want one", r.DecisionCounts.WaitDegradedByReason)
			}
			requireReplays(t, o.RunDir, 3)
			always.Store(true)
			if kind == "wrong_path" {
				return
			}
			// A resume may use a wrong key, which must not cost ticks.
			if result, err := resume(t, o.RunDir, o, 6); err != nil || result.Status != trace.RunProviderFailed || result.TicksDone != 3 || !strings.HasPrefix(result.Reason, kind) {
				t.Errorf("%+v, %v, want it to end before tick 4", result, err)
			}
			always.Store(false)
			if result, err := resume(t, o.RunDir, o, 4); err != nil || result.Status != trace.RunCompleted {
				t.Errorf("%+v, %v", result, err)
			}
			requireReplays(t, o.RunDir, 4)
		})
	}
}

// TestAnEndpointThatRefusesThreeTurnsInARowIsGivenUp after a whole tick, although it has
// answered before.
func TestAnEndpointThatRefusesThreeTurnsInARowIsGivenUp(t *testing.T) {
	server := endpoint(t, func(w http.ResponseWriter, _ *http.Request, body []byte) bool {
		if bytes.Contains(body, []byte(`# Observation, tick 1\n`)) {
			return false
		}
		w.WriteHeader(http.StatusUnauthorized)
		return true
	})
	for scenario, ticks := range map[string]int64{"llm_bootstrap": 2, "minimal": 4} {
		o := through(t, options(t, scenario, 9), openai.Config{BaseURL: server.URL})
		if result := run(t, o); result.Status != trace.RunProviderFailed || result.TicksDone != ticks || !strings.HasPrefix(result.Reason, "provider_down: 3 turns in a row were refused, the last with auth: HTTP 401") {
			t.Errorf("%s: %+v, want it ended after tick %d", scenario, result, ticks)
		}
		requireReplays(t, o.RunDir, ticks)
		o.Source = options(t, scenario, 1).Source
		if result, err := resume(t, o.RunDir, o, ticks+2); err != nil || result.Status != trace.RunCompleted {
			t.Errorf("%s: %+v, %v", scenario, result, err)
		}
		requireReplays(t, o.RunDir, ticks+2)
	}
}

// TestWhoIsRefusedFirstDecides: an endpoint that refuses one agent of the first tick and
// answers another counts as answering, whichever is first; the order of agents decides.
func TestWhoIsRefusedFirstDecides(t *testing.T) {
	for agent, want := range map[string]trace.RunStatus{"agent-1": trace.RunProviderFailed, "agent-2": trace.RunCompleted, "agent-5": trace.RunCompleted} {
		for range 3 {
			server := endpoint(t, func(w http.ResponseWriter, _ *http.Request, body []byte) bool {
				if !opens(body, agent, 1) {
					return false
				}
				w.WriteHeader(http.StatusForbidden)
				return true
			})
			o := through(t, options(t, "llm_bootstrap", 2), openai.Config{BaseURL: server.URL})
			if result := run(t, o); result.Status != want {
				t.Errorf("%s: %+v, want %s", agent, result, want)
			}
		}
	}
}

// TestEveryShapeThatIsAnErrorEndsTheRun plays each shape of malformed answers that stays
// malformed in all answers.
func TestEveryShapeThatIsAnErrorEndsTheRun(t *testing.T) {
	if testing.Short() {
		t.Skip("more than a second; the whole test command plays it")
	}
	shapes := 0
	for _, s := range stub.Corpus() {
		if s.Ends != stub.EndsError {
			continue
		}
		shapes++
		o := spoilt(t, options(t, "minimal", 8), s.Name+"=100%", openai.Config{})
		if result := run(t, o); result.Status != trace.RunNoUsableAnswers || result.TicksDone != 3 || result.Unused != s.Error {
			t.Errorf("%s: %s after %d ticks (%s), want no_usable_answers after 3 for %s", s.Name, result.Status, result.TicksDone, result.Reason, s.Error)
		}
	}
	if shapes < 10 {
		t.Errorf("only %d shapes; the test shows little", shapes)
	}
}

// opened is a handler that plays the scripted model in the first tick, and one answer after it.
func opened(t *testing.T, ticks int, body func(request []byte) string) string {
	return endpoint(t, func(w http.ResponseWriter, _ *http.Request, request []byte) bool {
		for tick := 1; tick <= ticks; tick++ {
			if bytes.Contains(request, fmt.Appendf(nil, `# Observation, tick %d\n`, tick)) {
				return false
			}
		}
		_, _ = io.WriteString(w, body(request))
		return true
	}).URL
}

// onlyPlan is an answer with the same plan and nothing else.
var onlyPlan = callOf("plan", `{"goal":"Gather.","steps":[],"actions":[{"action":"harvest_radiation","amount":5}]}`)

// TestTenTicksWithoutADecisionEndTheRun: a run whose model has decided before ends after ten ticks
// with answers in which nobody but the engine decided anything; it replays, and goes on with a model
// that decides.
func TestTenTicksWithoutADecisionEndTheRun(t *testing.T) {
	for name, tt := range map[string]struct {
		answer, kind, protocol string
	}{
		"prose":        {unusable["prose"].body, "no_json", "full"},
		"modules":      {callOf("memory_short_term_recent", `{"limit":3}`), "not_allowed_now", "full"},
		"plans":        {onlyPlan, "rounds_used_up", "full"},
		"prose, lean":  {unusable["prose"].body, "no_json", "lean"},
		"plans, lean":  {onlyPlan, "rounds_used_up", "lean"},
		"unknown tool": {callOf("launch_rocket", `{}`), "unknown_tool", "full"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			url := opened(t, 1, func([]byte) string { return tt.answer })
			// Where nobody else is, the lean protocol has no plan.
			o := through(t, options(t, "two_bases", 30), openai.Config{BaseURL: url})
			o.Protocol = tt.protocol
			result := run(t, o)
			if result.Status != trace.RunNoUsableAnswers || result.TicksDone != 11 || result.Unused != tt.kind {
				t.Errorf("%s after %d ticks (%s: %s), want no_usable_answers after 11 for %s", result.Status, result.TicksDone, result.Unused, result.Reason, tt.kind)
			}
			if !strings.HasPrefix(result.Reason, "no decision of a model in 10 ticks in a row with answers") {
				t.Errorf("%q", result.Reason)
			}
			requireReplays(t, o.RunDir, result.TicksDone)
			o.Source = options(t, "two_bases", 1).Source
			if result, err := resume(t, o.RunDir, o, 14); err != nil || result.Status != trace.RunCompleted || result.TicksDone != 14 {
				t.Errorf("%+v, %v", result, err)
			}
			requireReplays(t, o.RunDir, 14)
		})
	}
}

// TestWhatIsNoMissingDecision: drafts, chosen waits, failures of the provider and refusals by caps do
// not make the ten ticks.
func TestWhatIsNoMissingDecision(t *testing.T) {
	drafts := 0
	for name, tt := range map[string]struct {
		answer func(request []byte) string
		change func(o *engine.Options)
	}{
		"drafts": {func([]byte) string {
			drafts++
			if drafts%2 == 0 {
				return unusable["prose"].body
			}
			return callOf("decision_draft", `{"candidates":[{"action":"harvest_radiation","amount":5}]}`)
		}, nil},
		"chosen waits": {func([]byte) string {
			return callOf("decision", `{"candidate":0,"execute_until":null,"why":"","sources_used":[]}`)
		}, nil},
		"failures": {func([]byte) string { return `{"error":{"message":"overloaded","type":"server_error"}}` }, nil},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			o := through(t, options(t, "minimal", 14), openai.Config{BaseURL: opened(t, 1, tt.answer), RetriesMax: -1})
			result := run(t, o)
			if strings.Contains(result.Reason, "no decision of a model") {
				t.Errorf("%+v", result)
			}
			requireReplays(t, o.RunDir, result.TicksDone)
		})
	}
}
