package engine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/trace"
)

// endpoint serves the scripted model behind a handler that may interfere: it
// answers itself and returns true, or returns false to let the model answer.
func endpoint(t *testing.T, interfere func(w http.ResponseWriter, r *http.Request, body []byte) bool) *httptest.Server {
	t.Helper()
	model := stub.NewHandler(stub.Options{Seed: 1})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if !interfere(w, r, body) {
			r.Body = io.NopCloser(bytes.NewReader(body))
			model.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// through points o at a server.
func through(t *testing.T, o engine.Options, cfg openai.Config) engine.Options {
	t.Helper()
	client, err := openai.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	o.Source, o.BaseURL, o.RunDir = engine.Live(client), client.URL(), t.TempDir()
	return o
}

func TestEveryBaseURLFormGivesTheSameRun(t *testing.T) {
	server := endpoint(t, func(http.ResponseWriter, *http.Request, []byte) bool { return false })
	base := options(t, "minimal", 5)
	var first []byte
	for _, form := range []string{"", "/v1", "/v1/", "/v1/chat/completions", "/v1/responses"} {
		o := through(t, base, openai.Config{BaseURL: server.URL + form})
		run(t, o)
		got := canonical(t, o.RunDir)
		if first == nil {
			first = got
		}
		if !bytes.Equal(got, first) {
			t.Errorf("base URL form %q gives another run", form)
		}
	}
}

// opens reports whether body is the first request of agent's turn in tick.
func opens(body []byte, agent string, tick int) bool {
	return bytes.Contains(body, []byte(fmt.Sprintf(`# Observation, tick %d\nyou: %s,`, tick, agent))) &&
		!bytes.Contains(body, []byte(`"function_call"`))
}

func TestAFaultCostsOneAgentOneTurn(t *testing.T) {
	write := func(status int, contentType, text string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			io.WriteString(w, text)
		}
	}
	for kind, fault := range map[string]func(http.ResponseWriter){
		"malformed_body/null": write(200, "application/json", "null"),
		"malformed_body/html": write(200, "text/html", "<html><body>Bad gateway</body></html>"),
		"server_error/200":    write(200, "application/json", `{"error":{"message":"overloaded","type":"server_error"}}`),
		"malformed_body/cut":  write(200, "application/json", `{"id":"r","object":"response","status":"completed","output":[{"type":"mess`),
		"bad_request/400":     write(400, "application/json", `{"error":"text"}`),
	} {
		t.Run(strings.ReplaceAll(kind, "/", "_"), func(t *testing.T) {
			server := endpoint(t, func(w http.ResponseWriter, _ *http.Request, body []byte) bool {
				if !opens(body, "agent-2", 1) {
					return false
				}
				fault(w)
				return true
			})
			o := through(t, options(t, "llm_bootstrap", 3), openai.Config{BaseURL: server.URL, RetriesMax: -1})
			if result := run(t, o); result.Status != trace.RunCompleted {
				t.Fatalf("run status %s: %s", result.Status, result.Reason)
			}
			r := fold(t, o.RunDir)
			want := "llm_error:" + strings.Split(kind, "/")[0]
			if r.TraceCounts.LLMErrors != 1 || r.DecisionCounts.WaitDegraded != 1 || r.DecisionCounts.WaitDegradedByReason[want] != 1 {
				t.Errorf("llm errors %d, degraded waits %v, want one %s", r.TraceCounts.LLMErrors, r.DecisionCounts.WaitDegradedByReason, want)
			}
			requireReplays(t, o.RunDir, 3)
		})
	}
}

func TestShortTimeoutIsFollowedByThePatientOne(t *testing.T) {
	var hung atomic.Int64
	server := endpoint(t, func(_ http.ResponseWriter, r *http.Request, body []byte) bool {
		if hung.Load() > 0 || !opens(body, "agent-1", 1) {
			return false
		}
		hung.Add(1)
		<-r.Context().Done()
		return true
	})
	o := through(t, options(t, "minimal", 2), openai.Config{BaseURL: server.URL, Timeout: 300 * time.Millisecond})
	run(t, o)
	r := fold(t, o.RunDir)
	if r.TraceCounts.LLMErrors != 0 || r.DecisionCounts.WaitDegraded != 0 || hung.Load() != 1 {
		t.Errorf("llm errors %d, degraded waits %d after %d hangs, want none after one", r.TraceCounts.LLMErrors, r.DecisionCounts.WaitDegraded, hung.Load())
	}
	if r.Timing.HTTPAttempts != r.TraceCounts.ModelCalls+1 {
		t.Errorf("%d HTTP attempts for %d calls, want one more", r.Timing.HTTPAttempts, r.TraceCounts.ModelCalls)
	}
}

// harvester answers every request with the same harvest decision.
func harvester(t *testing.T, amount string) *httptest.Server {
	action := `{"action":"harvest_radiation"` + amount + `}`
	arguments, err := json.Marshal(`{"action":` + action + `,"execute_until":null,"why":"test","sources_used":[]}`)
	if err != nil {
		t.Fatal(err)
	}
	var calls atomic.Int64
	return endpoint(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) bool {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"r","object":"response","status":"completed","model":"m","output":[{"type":"function_call","id":"f","call_id":"c%d","name":"decision","arguments":%s}]}`,
			calls.Add(1), arguments)
		return true
	})
}

func TestAmountsAreClampedOrRefusedNeverMisread(t *testing.T) {
	for name, tt := range map[string]struct {
		amount  string
		clamped bool
	}{
		"runaway":  {`,"amount":999999999`, true},
		"float":    {`,"amount":1e30`, true},
		"negative": {`,"amount":-5`, true},
		"missing":  {``, false},
	} {
		t.Run(name, func(t *testing.T) {
			o := through(t, options(t, "minimal", 1), openai.Config{BaseURL: harvester(t, tt.amount).URL})
			run(t, o)
			r := fold(t, o.RunDir)
			if tt.clamped {
				if r.Actions.ClampsByField["harvest_radiation.max_amount"] != 1 || r.TraceCounts.ParseErrors != 0 || r.ActionKindSuccessCounts["harvest_radiation"] != 1 {
					t.Errorf("clamps %v, parse errors %d, successes %v; want one clamp, no parse error, one harvest",
						r.Actions.ClampsByField, r.TraceCounts.ParseErrors, r.ActionKindSuccessCounts)
				}
				return
			}
			if r.TraceCounts.ParseErrorsByKind["invalid_arguments"] != 2 || r.DecisionCounts.WaitDegraded != 1 || r.TotalActions != 0 {
				t.Errorf("parse errors %v, degraded waits %d, actions %d; want two invalid arguments, one wait, no action",
					r.TraceCounts.ParseErrorsByKind, r.DecisionCounts.WaitDegraded, r.TotalActions)
			}
		})
	}
}

// TestExchangesFitTheAPI validates every request of clean runs and of runs with answers in
// every bad shape, and every answer of the clean ones, against the API's own description,
// where that is present. Of the faulty runs every answer has call ids that are longer than the API's own: they
// come back as they came, so they are left out of the check, and counted. At full size (AGENT_WORLD_LONG) the runs have 400 ticks.
func TestExchangesFitTheAPI(t *testing.T) {
	if testing.Short() {
		t.Skip("more than a second; the whole test command plays it")
	}
	request, response := apiSchema(t, "CreateResponse"), apiSchema(t, "Response")
	ticks := ticksUpTo(8, 400)
	plan, err := stub.ParseFaults("any_shape=30%,byte_order_mark=5%,event_stream=5%,http_500=5%")
	if err != nil {
		t.Fatal(err)
	}
	var checked, longIDs atomic.Int64
	for name, faults := range map[string]*stub.Injector{"clean": nil, "faulty": stub.NewInjector(plan, faultSeed)} {
		model := stub.NewHandler(stub.Options{Seed: 1, Faults: faults, OnRequest: func(body []byte) {
			checked.Add(1)
			if err := request(body); err != nil {
				t.Errorf("%s: a request does not fit the API: %v\n%.2000s", name, err, body)
			}
		}})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			recorder := httptest.NewRecorder()
			if faults != nil { // the embedded model itself makes short ids
				sent, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				own, long := withoutLongIDs(sent)
				longIDs.Add(long)
				r.Body = io.NopCloser(bytes.NewReader(own))
			}
			model.ServeHTTP(recorder, r)
			if faults != nil {
				maps.Copy(w.Header(), recorder.Header())
				w.WriteHeader(recorder.Code)
				_, _ = w.Write(bytes.ReplaceAll(recorder.Body.Bytes(), []byte(`"call_id":"c`), []byte(`"call_id":"`+longID+`c`)))
				return
			}
			if err := response(recorder.Body.Bytes()); err != nil {
				t.Errorf("%s: an answer does not fit the API: %v\n%.2000s", name, err, recorder.Body)
			}
			_, _ = w.Write(recorder.Body.Bytes())
		}))
		t.Cleanup(server.Close)
		for _, protocol := range []string{"full", "lean"} {
			o := through(t, options(t, "llm_bootstrap", ticks), openai.Config{BaseURL: server.URL, BackoffBase: time.Millisecond})
			o.Protocol = protocol
			if got := run(t, o); got.TicksDone != ticks {
				t.Errorf("%s, %s: %s after %d of %d ticks", name, protocol, got.Status, got.TicksDone, ticks)
			}
		}
	}
	t.Logf("%d requests, %d call ids of the server's own that are longer than the API's", checked.Load(), longIDs.Load())
	if checked.Load() < 12*ticks || longIDs.Load() == 0 {
		t.Errorf("only %d requests and %d long ids", checked.Load(), longIDs.Load())
	}
}

// longID begins the call ids of a server that keeps a signature in them.
var longID = strings.Repeat("signature", 32)

// withoutLongIDs is a request in which the call ids that a server sent have a length of the API's, and
// how many had not.
func withoutLongIDs(body []byte) ([]byte, int64) {
	long := []byte(`"call_id":"` + longID)
	return bytes.ReplaceAll(body, long, []byte(`"call_id":"`)), int64(bytes.Count(body, long))
}

// apiSchema returns a check against one type of the API's own description, which lies
// beside the repository or, for a worktree, one level up.
func apiSchema(t *testing.T, name string) func([]byte) error {
	t.Helper()
	const file = "shared/openai-responses-schema/responses.schema.json"
	raw, err := os.ReadFile("../../" + file)
	if err != nil {
		raw, err = os.ReadFile("../../../" + file)
	}
	if err != nil {
		t.Skipf("NOT CHECKED against the API's description, which is not here: %v", err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	s.Schema, s.ID, s.Ref = "", "", "#/$defs/"+name
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(value []byte) error {
		var v any
		return errors.Join(json.Unmarshal(value, &v), resolved.Validate(v))
	}
}
