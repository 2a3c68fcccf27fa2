package cli

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"

	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"example.com/agentworld/llmclient/stub"
)

// collector is an OTLP/HTTP receiver.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	spans   []*traces.Span
	metrics []*metrics.Metric
	// raw is everything that came, for looking for what must not be in it.
	raw bytes.Buffer
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body io.Reader = r.Body
		if r.Header.Get("Content-Encoding") == "gzip" {
			plain, err := gzip.NewReader(r.Body)
			if err != nil {
				t.Error(err)
				return
			}
			body = plain
		}
		data, err := io.ReadAll(body)
		if err != nil {
			t.Error(err)
		}
		c.take(t, r.URL.Path, data)
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) take(t *testing.T, path string, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw.Write(data)
	switch path {
	case "/v1/traces":
		var sent collectortrace.ExportTraceServiceRequest
		if err := proto.Unmarshal(data, &sent); err != nil {
			t.Error(err)
		}
		for _, r := range sent.ResourceSpans {
			for _, s := range r.ScopeSpans {
				c.spans = append(c.spans, s.Spans...)
			}
		}
	case "/v1/metrics":
		var sent collectormetrics.ExportMetricsServiceRequest
		if err := proto.Unmarshal(data, &sent); err != nil {
			t.Error(err)
		}
		for _, r := range sent.ResourceMetrics {
			for _, s := range r.ScopeMetrics {
				c.metrics = append(c.metrics, s.Metrics...)
			}
		}
	default:
		t.Errorf("a request for %s", path)
	}
}

// attr is the text of an attribute, empty for none.
func attr(list []*common.KeyValue, key string) string {
	for _, a := range list {
		if a.Key == key {
			switch v := a.Value.Value.(type) {
			case *common.AnyValue_StringValue:
				return v.StringValue
			case *common.AnyValue_IntValue:
				return fmt.Sprint(v.IntValue)
			}
			return a.Value.String()
		}
	}
	return ""
}

// named returns the spans whose name begins so.
func (c *collector) named(prefix string) (found []*traces.Span) {
	for _, s := range c.spans {
		if strings.HasPrefix(s.Name, prefix) {
			found = append(found, s)
		}
	}
	return found
}

// TestTelemetry runs with a collector and compares what came with the report. That the
// run is the same with it is what the digest shows.
func TestTelemetry(t *testing.T) {
	c := newCollector(t)
	args := []string{"llm_bootstrap", "--ticks", "6", "--run-dir", "run", "--learn-every", "3", "--faults", "http_400=12%", "--gate", "llm_errors>=1", "--gate", "calls<=1"}
	plain := newProcess(t, nil, args...)
	if code := plain.run(t); code != exitGate {
		t.Fatalf("exit code %d:\n%s", code, plain.output())
	}
	p := newProcess(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL}, args...)
	if code := p.run(t); code != exitGate {
		t.Fatalf("exit code %d:\n%s", code, p.output())
	}
	r, err := foldReport(p.Main, "run")
	if err != nil {
		t.Fatal(err)
	}
	if before, err := foldReport(plain.Main, "run"); err != nil || before.FinalDigest != r.FinalDigest {
		t.Errorf("digest %s with telemetry, %s without (%v)", r.FinalDigest, before.FinalDigest, err)
	}
	calls := r.TraceCounts.ModelCalls + r.Learning.Calls
	for prefix, want := range map[string]int64{
		"invoke_workflow llm_bootstrap": 1, "tick": 6, "upsert_memory": r.Learning.Consolidations, "chat scripted": calls,
		"invoke_agent agent-": r.TotalDecisions + r.DecisionCounts.WaitDegraded + r.Learning.Consolidations,
	} {
		if got := int64(len(c.named(prefix))); got != want {
			t.Errorf("%d spans %q, want %d", got, prefix, want)
		}
	}
	checkNesting(t, c)
	checkOperations(t, c)
	checkCalls(t, c, r.Tokens.Input+r.Learning.Tokens.Input, r.TraceCounts.LLMErrors+r.Learning.Errors)
	checkMetrics(t, c, uint64(calls))
	for _, text := range []string{"electricity", "harvest_radiation\\", "Observation", "You decide", "because"} {
		if bytes.Contains(c.raw.Bytes(), []byte(text)) {
			t.Errorf("%q of a prompt or an answer was exported", text)
		}
	}
}

// checkNesting demands that each span lies within the right one.
func checkNesting(t *testing.T, c *collector) {
	t.Helper()
	within := map[string]string{
		"invoke_workflow": "", "tick": "invoke_workflow", "invoke_agent": "tick", "plan": "invoke_agent", "chat": "invoke_agent",
		"execute_tool": "invoke_agent", "search_memory": "execute_tool", "upsert_memory": "tick",
	}
	byID := map[string]*traces.Span{}
	for _, s := range c.spans {
		byID[string(s.SpanId)] = s
	}
	seen := map[string]bool{}
	for _, s := range c.spans {
		operation, _, _ := strings.Cut(s.Name, " ")
		parent := ""
		if p := byID[string(s.ParentSpanId)]; p != nil {
			parent, _, _ = strings.Cut(p.Name, " ")
		}
		if operation == "chat" && parent == "plan" {
			parent = "invoke_agent"
		}
		if want, known := within[operation]; !known || parent != want {
			t.Errorf("span %q is within %q, want %q", s.Name, parent, want)
		}
		seen[operation] = true
	}
	if len(seen) != len(within) {
		t.Errorf("operations %v, want all of %v", seen, within)
	}
}

// checkOperations demands of all spans but ticks that they name the run and what is done, and
// that the run has its evaluation.
func checkOperations(t *testing.T, c *collector) {
	t.Helper()
	name := ""
	for _, s := range c.spans {
		operation, _, _ := strings.Cut(s.Name, " ")
		id := attr(s.Attributes, "gen_ai.conversation.id")
		if operation == "tick" {
			continue
		}
		if name == "" {
			name = id
		}
		if attr(s.Attributes, "gen_ai.operation.name") != operation || !strings.HasPrefix(id, "run-") || id != name {
			t.Errorf("span %s has the operation %q and the conversation %q", s.Name, attr(s.Attributes, "gen_ai.operation.name"), id)
		}
		if strings.HasSuffix(operation, "_memory") && (attr(s.Attributes, "gen_ai.memory.store.id") == "" || attr(s.Attributes, "gen_ai.memory.record.count") == "") {
			t.Errorf("span %v lacks its store or its records", s)
		}
		if operation == "plan" && !slices.ContainsFunc(c.named("chat "), func(call *traces.Span) bool { return bytes.Equal(call.ParentSpanId, s.SpanId) }) {
			t.Errorf("a plan without the call that made it: %v", s)
		}
	}
	labels := map[string]string{}
	for _, e := range c.named("invoke_workflow ")[0].Events {
		if e.Name != "gen_ai.evaluation.result" {
			t.Errorf("event %s", e.Name)
		}
		labels[attr(e.Attributes, "gen_ai.evaluation.name")] = attr(e.Attributes, "gen_ai.evaluation.score.label")
	}
	if want := map[string]string{"goals_met": "fail", "llm_errors": "pass", "calls": "fail"}; !maps.Equal(labels, want) {
		t.Errorf("evaluations %v, want %v", labels, want)
	}
}

// checkCalls compares the model calls with the report.
func checkCalls(t *testing.T, c *collector, tokens, failures int64) {
	t.Helper()
	var input, failed int64
	for _, s := range c.named("chat ") {
		var n int64
		_, _ = fmt.Sscan(attr(s.Attributes, "gen_ai.usage.input_tokens"), &n)
		input += n
		if attr(s.Attributes, "error.type") == "bad_request" && s.Status.Code == traces.Status_STATUS_CODE_ERROR {
			failed++
		}
		if attr(s.Attributes, "gen_ai.operation.name") != "chat" || attr(s.Attributes, "gen_ai.provider.name") == "" ||
			attr(s.Attributes, "gen_ai.request.model") != "scripted" || s.Kind != traces.Span_SPAN_KIND_CLIENT {
			t.Fatalf("span %v lacks what the conventions ask for", s)
		}
	}
	if input != tokens || failed == 0 || failed != failures {
		t.Errorf("%d input tokens and %d failed calls were exported, the report has %d and %d", input, failed, tokens, failures)
	}
}

// checkMetrics demands both metrics with as many points as there were calls.
func checkMetrics(t *testing.T, c *collector, calls uint64) {
	t.Helper()
	counts := map[string]uint64{}
	for _, m := range c.metrics {
		for _, p := range m.GetHistogram().GetDataPoints() {
			if attr(p.Attributes, "gen_ai.agent.id") == "" && attr(p.Attributes, "gen_ai.token.type") != "output" {
				counts[m.Name] += p.Count
			}
		}
	}
	if counts["gen_ai.client.operation.duration"] != calls || counts["gen_ai.client.token.usage"] == 0 || counts["gen_ai.client.token.usage"] >= calls {
		t.Errorf("metrics %v for %d calls", counts, calls)
	}
}

// TestNothingIsStartedUnasked looks at the goroutines in the middle of a run.
func TestNothingIsStartedUnasked(t *testing.T) {
	c := newCollector(t)
	for name, env := range map[string]map[string]string{
		"nothing set": {},
		"disabled":    {"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, "OTEL_SDK_DISABLED": "true"},
		"none":        {"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, "OTEL_TRACES_EXPORTER": "none", "OTEL_METRICS_EXPORTER": "none"},
		"configured":  {"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL},
	} {
		var found bool
		var once sync.Once
		model := stub.NewHandler(stub.Options{})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			once.Do(func() {
				var stacks bytes.Buffer
				_ = pprof.Lookup("goroutine").WriteTo(&stacks, 2)
				found = strings.Contains(stacks.String(), "opentelemetry.io/otel/sdk")
			})
			model.ServeHTTP(w, r)
		}))
		p := newProcess(t, env, "minimal", "--ticks", "1", "--model", "m", "--base-url", server.URL)
		if code := p.run(t); code != 0 {
			t.Fatalf("exit code %d:\n%s", code, p.output())
		}
		server.Close()
		c.mu.Lock()
		sent := len(c.spans) + len(c.metrics)
		c.spans, c.metrics = nil, nil
		c.mu.Unlock()
		if want := name == "configured"; found != want || (sent > 0) != want {
			t.Errorf("%s: exporter running %v, %d spans and metrics sent; want %v", name, found, sent, want)
		}
	}
}

// TestACollectorThatIsGoneCostsNothing but one note, which shows no secret.
func TestACollectorThatIsGoneCostsNothing(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, planted, http.StatusForbidden)
	}))
	t.Cleanup(refusing.Close)
	p := newProcess(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": strings.Replace(refusing.URL, "http://", "http://user:"+planted+"@", 1)}, "minimal", "--ticks", "1")
	if code := p.run(t); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, p.output())
	}
	if n := strings.Count(p.stderr.String(), "note: OpenTelemetry: something could not be sent"); n != 1 || holdsSecret(p.output()) {
		t.Errorf("%d notes in\n%s", n, p.output())
	}
}

func TestTelemetryIsRefused(t *testing.T) {
	for _, c := range []struct{ env, text, want string }{
		{"OTEL_EXPORTER_OTLP_ENDPOINT", planted, "OTEL_EXPORTER_OTLP_ENDPOINT: it is no URL"},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "ftp://" + planted, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: it is no URL"},
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "OTEL_EXPORTER_OTLP_PROTOCOL: only http/protobuf"},
		{"OTEL_METRICS_EXPORTER", "prometheus", "OTEL_METRICS_EXPORTER: this exporter is not known here; allowed: otlp or none"},
		{"OTEL_LOGS_EXPORTER", "console", "OTEL_LOGS_EXPORTER: this exporter"},
	} {
		p := newProcess(t, map[string]string{c.env: c.text}, "minimal", "--ticks", "1", "--otel")
		code := p.run(t)
		left, err := os.ReadDir(filepath.Join(p.dir))
		if code != 2 || !strings.Contains(p.stderr.String(), c.want) || holdsSecret(p.output()) || len(left) != 0 || err != nil {
			t.Errorf("%s: exit code %d, files %v:\n%s", c.env, code, slices.Collect(func(yield func(string) bool) {
				for _, f := range left {
					yield(f.Name())
				}
			}), p.output())
		}
	}
}
