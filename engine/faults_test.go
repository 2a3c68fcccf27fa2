package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/report"
	"example.com/agentworld/trace"
)

// faultSeed is the seed of faults in these tests.
const faultSeed = 11

// faultyServer starts a scripted server that injects the faults of spec. The injector
// is its own: what that counted, it sent.
func faultyServer(t *testing.T, spec string) (url string, faults *stub.Injector) {
	t.Helper()
	plan, err := stub.ParseFaults(spec)
	if err != nil {
		t.Fatal(err)
	}
	faults = stub.NewInjector(plan, faultSeed)
	server, err := stub.Start(context.Background(), "", stub.Options{Seed: 1, Faults: faults})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server.URL(), faults
}

// spoilt points o at a scripted server that injects the faults of spec, over real
// HTTP and the real client. Waits between attempts are short; timeouts are those of
// cfg.
func spoilt(t *testing.T, o engine.Options, spec string, cfg openai.Config) engine.Options {
	t.Helper()
	url, faults := faultyServer(t, spec)
	cfg.BaseURL, cfg.ShownURL, cfg.BackoffBase, cfg.WindowTokens = url, "embedded", time.Millisecond, 128_000
	cfg.Steady = true // as a run reaches its own server
	o = through(t, o, cfg)
	o.BaseURL, o.FaultCounts, o.Faults, o.FaultSeed = "embedded", faults.Counts, spec, faultSeed
	o.Reused = func(r llmclient.Request, attempts int) {
		stub.Options{Seed: 1, Faults: faults}.Recount(r.Body(), attempts)
	}
	return o
}

// once is a client that tries everything once.
var once = openai.Config{RetriesMax: -1}

// transportEnd is what becomes of one kind; want is empty for one that is read.
type transportEnd struct {
	kind string
	want llmclient.ErrorKind
	cfg  openai.Config
	// attempts of one call when all of them fail, the first included.
	attempts int64
}

// transportEnds lists what the client reports for each transport fault. hang is separate,
// because it needs a short timeout.
var transportEnds = []transportEnd{
	{"reset", llmclient.ErrConnection, openai.Config{}, 4},
	{"truncated_body", llmclient.ErrConnection, openai.Config{}, 4},
	{"empty_body", llmclient.ErrMalformed, openai.Config{}, 1},
	{"not_json", llmclient.ErrMalformed, openai.Config{}, 1},
	{"null_body", llmclient.ErrMalformed, openai.Config{}, 1},
	{"byte_order_mark", "", openai.Config{}, 1},
	{"event_stream", "", openai.Config{}, 1},
	{"huge_arguments", llmclient.ErrTooLarge, openai.Config{}, 1},
	{"huge_digits", llmclient.ErrTooLarge, openai.Config{}, 1},
	{"huge_text", llmclient.ErrTooLarge, openai.Config{}, 1},
	{"wrong_type", llmclient.ErrChatCompletions, openai.Config{}, 1},
	{"html", llmclient.ErrMalformed, openai.Config{}, 1},
	{"html_502", llmclient.ErrServer, openai.Config{}, 4},
	{"error_object", llmclient.ErrServer, openai.Config{}, 4},
	{"failed_response", llmclient.ErrServer, openai.Config{}, 4},
	{"http_400", llmclient.ErrBadRequest, openai.Config{}, 1},
	{"http_401", llmclient.ErrAuth, openai.Config{}, 1},
	{"http_403", llmclient.ErrForbidden, openai.Config{}, 1},
	{"http_404", llmclient.ErrWrongPath, openai.Config{}, 1},
	{"http_404_model", llmclient.ErrModelNotFound, openai.Config{}, 1},
	{"http_408", llmclient.ErrBadRequest, openai.Config{}, 4},
	{"http_409", llmclient.ErrBadRequest, openai.Config{}, 4},
	{"http_425", llmclient.ErrBadRequest, openai.Config{}, 4},
	{"http_429", llmclient.ErrRateLimited, openai.Config{}, 4},
	{"http_429_retry_after", llmclient.ErrRateLimited, once, 1},
	{"http_429_retry_after_ms", llmclient.ErrRateLimited, openai.Config{}, 4},
	{"http_429_retry_after_long", llmclient.ErrRateLimited, openai.Config{}, 4},
	{"http_429_quota", llmclient.ErrQuota, openai.Config{}, 1},
	{"http_500", llmclient.ErrServer, openai.Config{}, 4},
	{"http_502", llmclient.ErrServer, openai.Config{}, 4},
	{"http_503", llmclient.ErrServer, openai.Config{}, 4},
	{"http_503_retry_after", llmclient.ErrServer, once, 1},
	{"http_529", llmclient.ErrServer, openai.Config{}, 4},
}

// TestTransportFaultsEndAsTheyShould injects one kind into every answer to one agent. The
// run continues without that agent, since the endpoint answers the other one. The kind is
// counted, the report is complete and the run replays.
func TestTransportFaultsEndAsTheyShould(t *testing.T) {
	slow(t)
	for _, tt := range transportEnds {
		t.Run(tt.kind, func(t *testing.T) {
			const ticks = 2
			o := spoilt(t, options(t, "two_bases", ticks), tt.kind+"=100%,agent=agent-2", tt.cfg)
			result := run(t, o)
			r := fold(t, o.RunDir)
			if tt.want == "" {
				if n := r.FaultsInjectedByKind[tt.kind]; n == 0 || total(r.TraceCounts.ItemRepairsByKind) != n || r.TraceCounts.LLMErrors != 0 || r.DecisionCounts.WaitDegraded != 0 {
					t.Errorf("%d faults, repairs %v, %d errors", n, r.TraceCounts.ItemRepairsByKind, r.TraceCounts.LLMErrors)
				}
				requireReplays(t, o.RunDir, ticks)
				return
			}
			if result.Status != trace.RunCompleted || r.TraceCounts.LLMErrorsByKind[string(tt.want)] != ticks || r.TraceCounts.LLMErrors != ticks {
				t.Errorf("the run ended %s with errors %v, want completed and %d %s", result.Status, r.TraceCounts.LLMErrorsByKind, ticks, tt.want)
			}
			if got := r.DecisionCounts.WaitDegradedByReason["llm_error:"+string(tt.want)]; got != ticks || r.DecisionCounts.WaitDegraded != ticks {
				t.Errorf("%d degraded waits for it, want %d", got, ticks)
			}
			if diff := cmp.Diff(map[string]int64{tt.kind: ticks * tt.attempts}, map[string]int64(r.FaultsInjectedByKind)); diff != "" {
				t.Errorf("injected (-want +got):\n%s", diff)
			}
			requireReplays(t, o.RunDir, ticks)
		})
	}
}

// TestAHangEndsByTheTimeout lets one agent's provider say nothing.
func TestAHangEndsByTheTimeout(t *testing.T) {
	const spec = "hang=100%,agent=agent-2"
	plan, err := stub.ParseFaults(spec)
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, "two_bases", 1)
	var result engine.Result
	synctest.Test(t, func(t *testing.T) {
		faults := stub.NewInjector(plan, faultSeed)
		client := inProcess(t, stub.Options{Seed: 1, Faults: faults}, openai.Config{Timeout: 8 * time.Second})
		o.Source, o.FaultCounts, o.Faults, o.FaultSeed = engine.Live(client), faults.Counts, spec, faultSeed
		result = run(t, o)
	})
	r := fold(t, o.RunDir)
	if result.Status != trace.RunCompleted || r.TraceCounts.LLMErrorsByKind["timeout"] != 1 || r.TraceCounts.LLMErrors != 1 {
		t.Errorf("the run ended %s with errors %v, want completed and one timeout", result.Status, r.TraceCounts.LLMErrorsByKind)
	}
	if r.FaultsInjectedByKind["hang"] != 2 {
		t.Errorf("injected %v, want a hang for each of two attempts", r.FaultsInjectedByKind)
	}
	requireReplays(t, o.RunDir, 1)
}

// TestFaultsAreTheSameAtAnyConcurrency compares whole canonical traces, the counts of
// injections in their last record included.
func TestFaultsAreTheSameAtAnyConcurrency(t *testing.T) {
	slow(t)
	var want []byte
	for _, concurrency := range []int{1, 16} {
		o := spoilt(t, options(t, "llm_bootstrap", 10), "any_shape=30%,reset=5%,http_500=5%,http_404=2%,html=2%,latency=0ms..4ms", openai.Config{})
		o.Concurrency = concurrency
		run(t, o)
		got := canonical(t, o.RunDir)
		if want == nil {
			want = got
			if r := fold(t, o.RunDir); len(r.FaultsInjectedByKind) < 10 || r.Timing.HTTPAttempts <= r.TraceCounts.ModelCalls {
				t.Errorf("only %v injected, %d attempts for %d calls; the test shows little", r.FaultsInjectedByKind, r.Timing.HTTPAttempts, r.TraceCounts.ModelCalls)
			}
			requireReplays(t, o.RunDir, 10)
		}
		if !bytes.Equal(want, got) {
			t.Errorf("concurrency %d gives another canonical trace:\n%.2000s", concurrency, cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")))
		}
	}
}

// TestAnInterruptedRunCountsItsFaults stops a run in the middle. What was injected is
// recorded all the same.
func TestAnInterruptedRunCountsItsFaults(t *testing.T) {
	o := spoilt(t, options(t, "llm_bootstrap", 50), "http_500=20%,text_call=20%", openai.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o.Progress = func(p engine.Progress) {
		if p.Tick == 3 {
			cancel()
		}
	}
	result, err := engine.Run(ctx, o)
	if err != nil || result.Status != trace.RunInterrupted {
		t.Fatalf("result %+v, error %v; want an interrupted run", result, err)
	}
	if got := fold(t, o.RunDir).FaultsInjectedByKind; len(got) != 2 || !maps.Equal(map[string]int64(got), o.FaultCounts()) {
		t.Errorf("the report has %v, the server injected %v", got, o.FaultCounts())
	}
	requireReplays(t, o.RunDir, 3)
}

// fortyPercent spoils 40% of the answers to one agent, within and beside them.
const fortyPercent = "repairable=8%,unusable=14%,http_400=8%,http_500=5%,reset=5%,agent=agent-2"

// TestOneSpoiltAgentIsKnownByItsActionsLong runs agents that meet and trade. They
// may react to what the spoilt one does, and to nothing else of it: with a model
// that simply answers with the same actions, they decide the same.
func TestOneSpoiltAgentIsKnownByItsActionsLong(t *testing.T) {
	slow(t)
	ticks := ticksUpTo(30, 300)
	faulty := spoilt(t, options(t, "llm_bootstrap", ticks), fortyPercent, openai.Config{})
	if result := run(t, faulty); result.Status != trace.RunCompleted {
		t.Fatalf("the run ended %s: %s", result.Status, result.Reason)
	}
	requireReplays(t, faulty.RunDir, ticks)
	requireHurt(t, faulty.RunDir)
	puppet := through(t, options(t, "llm_bootstrap", ticks), openai.Config{BaseURL: actingServer(t, "agent-2", executedActions(t, faulty.RunDir, "agent-2")).URL})
	if result := run(t, puppet); result.Status != trace.RunCompleted {
		t.Fatalf("the run ended %s: %s", result.Status, result.Reason)
	}
	if r := fold(t, puppet.RunDir); r.TraceCounts.ParseErrors != 0 || r.DecisionCounts.WaitDegraded != 0 {
		t.Errorf("the clean replies were not all clean: %v, %v", r.TraceCounts.ParseErrorsByKind, r.DecisionCounts.WaitDegradedByReason)
	}
	requireSameDecisions(t, faulty.RunDir, puppet.RunDir)
	if a, b := fold(t, faulty.RunDir).FinalDigest, fold(t, puppet.RunDir).FinalDigest; a != b {
		t.Errorf("the worlds ended differently: %s and %s", a, b)
	}
}

// requireHurt demands that the faults of a run were felt: otherwise its comparison
// with a clean one shows nothing.
func requireHurt(t *testing.T, dir string) {
	t.Helper()
	r := fold(t, dir)
	failed := r.DecisionCounts.DecidedBy[report.DecidedByFallback] + r.DecisionCounts.DecidedBy[report.DecidedByNobody]
	if failed == 0 || r.TraceCounts.ParseErrors == 0 || r.TraceCounts.ParseRepaired == 0 || r.Timing.HTTPAttempts <= r.TraceCounts.ModelCalls {
		t.Errorf("failed turns %d, parse errors %d, repaired %d, attempts %d for %d calls: the faults were hardly felt", failed,
			r.TraceCounts.ParseErrors, r.TraceCounts.ParseRepaired, r.Timing.HTTPAttempts, r.TraceCounts.ModelCalls)
	}
}

// requireSameDecisions compares the canonical decision records of two runs, those of
// agent-2 left out.
func requireSameDecisions(t *testing.T, a, b string) {
	t.Helper()
	want, got := decisionsOfOthers(t, a), decisionsOfOthers(t, b)
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			t.Fatalf("decision %d differs:\n%.700s\n%.700s", i+1, want[i], got[i])
		}
	}
	if len(want) != len(got) || len(want) == 0 {
		t.Errorf("%d and %d decisions of the other agents", len(want), len(got))
	}
}

func decisionsOfOthers(t *testing.T, dir string) (lines []string) {
	t.Helper()
	for _, d := range canonicalDecisions(t, dir) {
		if d.AgentID != "agent-2" {
			// What the endpoint once refused to anybody, all requests go without. That costs or
			// saves tokens and decides nothing.
			d.Tokens = nil
			line, err := trace.Encode(d)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, string(line))
		}
	}
	return lines
}

// canonicalDecisions reads the decision records of a run in canonical order.
func canonicalDecisions(t *testing.T, dir string) (all []trace.Decision) {
	t.Helper()
	for record, err := range trace.NewReader(bytes.NewReader(canonical(t, dir))).All() {
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := record.(trace.Decision); ok {
			all = append(all, d)
		}
	}
	return all
}

// executedActions are what an agent did, in order, as arguments of the decision tool;
// what it did by a standing order is part of the decision that gave the order.
func executedActions(t *testing.T, dir, agent string) (arguments []string) {
	t.Helper()
	for _, d := range canonicalDecisions(t, dir) {
		if d.AgentID != agent || d.DecidedBy == trace.ByStanding {
			continue
		}
		var executed struct {
			Action   string          `json:"action"`
			Do       json.RawMessage `json:"do"`
			Until    json.RawMessage `json:"until"`
			MaxTicks json.RawMessage `json:"max_ticks"`
		}
		if err := json.Unmarshal(d.Executed, &executed); err != nil {
			t.Fatal(err)
		}
		action, order := d.Executed, json.RawMessage("null")
		if executed.Action == "execute_until" {
			action = executed.Do
			order = llmclient.Marshal(map[string]json.RawMessage{"until": executed.Until, "max_ticks": executed.MaxTicks})
		}
		arguments = append(arguments, fmt.Sprintf(`{"action":%s,"execute_until":%s,"why":"as before","sources_used":[]}`, action, order))
	}
	return arguments
}

// actingServer is the scripted model, except that it answers one agent's requests
// with the given decisions, one after another.
func actingServer(t *testing.T, agent string, arguments []string) *httptest.Server {
	t.Helper()
	var next atomic.Int64
	return endpoint(t, func(w http.ResponseWriter, _ *http.Request, body []byte) bool {
		if agentOf(body) != agent {
			return false
		}
		n := next.Add(1)
		if n > int64(len(arguments)) {
			http.Error(w, "no decision is left", http.StatusBadRequest)
			return true
		}
		call := llmclient.FunctionCall(fmt.Sprintf("call_%d", n), "decision", arguments[n-1])
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"r","object":"response","status":"completed","model":"m","output":[`+string(call.Raw)+`]}`)
		return true
	})
}
