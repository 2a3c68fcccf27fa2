package engine_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/limiter"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/trace"
)

// respondTo returns a client for a server.
func respondTo(t *testing.T, cfg openai.Config) *openai.Client {
	t.Helper()
	client, err := openai.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// TestALimiterNeverChangesARun compares canonical traces with faults of the kinds that
// hold calls back: without a limiter, with one, and with one that is narrow.
func TestALimiterNeverChangesARun(t *testing.T) {
	slow(t)
	plan, err := stub.ParseFaults("http_429=6%,http_429_retry_after_ms=4%,http_503=4%,http_529=3%,http_429_retry_after_long=1%,repairable=10%")
	if err != nil {
		t.Fatal(err)
	}
	var first []byte
	for _, c := range []struct {
		name        string
		limiter     *limiter.Limiter
		concurrency int
	}{
		{"none", nil, 4},
		{"wide", limiter.New(limiter.Limits{InFlightMax: 8}), 8},
		{"one at a time", limiter.New(limiter.Limits{InFlightMax: 1}), 8},
		{"paced", limiter.New(limiter.Limits{InFlightMax: 3, RequestsPerMinute: 60_000, TokensPerMinute: 100_000_000}), 2},
	} {
		server := httptest.NewServer(stub.NewHandler(stub.Options{Seed: 1, Faults: stub.NewInjector(plan, 3)}))
		t.Cleanup(server.Close)
		o := options(t, "isolated_five", 5)
		o.Concurrency = c.concurrency
		o.Source = engine.Live(respondTo(t, openai.Config{BaseURL: server.URL, Limiter: c.limiter, BackoffBase: time.Millisecond}))
		o.BaseURL = "http://model.test"
		run(t, o)
		got := canonical(t, o.RunDir)
		if first == nil {
			first = got
		}
		if !bytes.Equal(got, first) {
			t.Errorf("%s: another canonical trace than without a limiter", c.name)
		}
		if c.limiter == nil {
			continue
		}
		if s := c.limiter.Stats(); s.Throttled == 0 || s.Attempts < 50 || s.InFlightMost > c.concurrency {
			t.Errorf("%s: %+v; the test shows little", c.name, s)
		}
	}
}

// TestAnEndpointThatIsDownStopsItsAgentsOnly: ten turns in a row without an answer end
// an endpoint, and the failed turns of its agents are not counted against the others.
func TestAnEndpointThatIsDownStopsItsAgentsOnly(t *testing.T) {
	good := endpoint(t, func(http.ResponseWriter, *http.Request, []byte) bool { return false })
	bad := endpoint(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) bool {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":"down"}`)
		return true
	})
	o := options(t, "isolated_five", 9)
	down := respondTo(t, openai.Config{BaseURL: bad.URL})
	o.Source = engine.LiveByAgent(respondTo(t, openai.Config{BaseURL: good.URL}), map[string]engine.Responder{"agent-2": down, "agent-5": down})
	o.AgentModels = []trace.AgentModel{{Agent: "agent-2", BaseURL: "http://bad.test"}, {Agent: "agent-5", BaseURL: "http://bad.test"}}
	if result := run(t, o); result.Status != trace.RunCompleted {
		t.Fatalf("%s: %s", result.Status, result.Reason)
	}
	for _, a := range fold(t, o.RunDir).PerAgent {
		if a.BaseURL != "" && (a.StoppedBy != "bad_request" || a.StoppedAtTick != 5 || a.WaitsDegraded != 5) {
			t.Errorf("%s stopped by %q at tick %d after %d waits, want bad_request at tick 5 after 5", a.AgentID, a.StoppedBy, a.StoppedAtTick, a.WaitsDegraded)
		}
		if a.BaseURL == "" && (a.StoppedBy != "" || a.WaitsDegraded != 0 || a.Decisions == 0) {
			t.Errorf("%s: %+v, want it to go on", a.AgentID, a)
		}
	}
	requireReplays(t, o.RunDir, 9)
}

// TestAnInvalidModelOfAnAgentIsRefused before anything is created.
func TestAnInvalidModelOfAnAgentIsRefused(t *testing.T) {
	for want, models := range map[string][]trace.AgentModel{
		"there is no such agent": {{Agent: "nobody", Model: "m"}},
		"it is set twice":        {{Agent: "agent-1", Model: "m"}, {Agent: "agent-1", Model: "n"}},
	} {
		o := options(t, "minimal", 1)
		o.AgentModels = models
		if _, err := engine.Prepare(o.Settings); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want an error about %q", models, err, want)
		}
	}
}
