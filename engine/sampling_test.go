package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/trace"
)

// asked is what one request asked, as a server reads it.
type asked struct {
	Agent       string          `json:"-"`
	Length      *int64          `json:"max_output_tokens"`
	Temperature json.RawMessage `json:"temperature"`
	Reasoning   struct{ Effort string }
	TopK        int  `json:"top_k"`
	Parallel    bool `json:"parallel_tool_calls"`
	Include     []string
}

// lengths are the lengths asked for, in the order of first use; 0 is none.
func lengths(list []asked) string {
	var found []int64
	for _, a := range list {
		if a.Length == nil {
			a.Length = new(int64)
		}
		if !slices.Contains(found, *a.Length) {
			found = append(found, *a.Length)
		}
	}
	return fmt.Sprint(found)
}

// thinking is an endpoint whose model reasons for 3,000 tokens before each answer, and cuts
// answers at its own limit where none is asked for, 0 for none.
func thinking(t *testing.T, limit int64) (url string, seen func() []asked) {
	t.Helper()
	thinker, err := stub.ParseManners("thinker")
	if err != nil {
		t.Fatal(err)
	}
	model := stub.NewHandler(stub.Options{Seed: 1, Manners: thinker})
	var mu sync.Mutex
	var list []asked
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		var a asked
		var raw json.RawMessage
		if json.NewDecoder(r.Body).Decode(&raw) != nil || json.Unmarshal(raw, &body) != nil || json.Unmarshal(raw, &a) != nil {
			t.Error("a request that is no JSON")
			return
		}
		a.Agent = agentOf(raw)
		mu.Lock()
		list = append(list, a)
		mu.Unlock()
		delete(body, "top_k") // of which the embedded model knows nothing
		if a.Length == nil && limit > 0 {
			body["max_output_tokens"] = limit
		}
		r.Body = http.MaxBytesReader(w, nopCloser{bytes.NewReader(llmclient.Marshal(body))}, 1<<24)
		model.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, func() []asked {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(list)
	}
}

type nopCloser struct{ *bytes.Reader }

func (nopCloser) Close() error { return nil }

// TestThinkersDecide: 3,000 tokens of reasoning before each answer cost no decision, with
// or without a cap on tokens, and no matter which side cuts them.
func TestThinkersDecide(t *testing.T) {
	remote := func(o *engine.Options) { o.BaseURL = "https://model.example/v1" } // as it is recorded
	for _, c := range []struct {
		name             string
		limit            int64
		change           func(*engine.Options)
		lengths          string // empty is not looked at
		lengthened, errs int64
	}{
		{"no cap", 0, remote, "[0]", 0, 0},
		{"no cap, on this machine", 0, func(*engine.Options) {}, "[4096]", 0, 0},
		{"a cap on calls", 0, func(o *engine.Options) { o.Caps.Run.Calls = 100; remote(o) }, "[0]", 0, 0},
		{"a cap on tokens", 0, func(o *engine.Options) { o.Caps.Run.Tokens = 1_000_000 }, "[4096]", 0, 0},
		{"a length with room", 0, func(o *engine.Options) { o.MaxOutputTokens = 8000 }, "[8000]", 0, 0},
		{"a length without", 0, func(o *engine.Options) { o.MaxOutputTokens = 1000 }, "[1000 4000]", 1, 0},
		{"a length without under a cap", 0, func(o *engine.Options) { o.MaxOutputTokens, o.Caps.Run.Tokens = 1000, 1_000_000 }, "[1000 4000]", 1, 0},
		{"the server's own limit", 1024, remote, "[0 4096]", 1, 0},
		{"the server's own low limit", 512, remote, "[0 2048 8192]", 1, 1},
		{"a small window", 0, func(o *engine.Options) { o.ContextWindowTokens, o.MaxOutputTokens = 16_000, 1000 }, "", 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, seen := thinking(t, c.limit)
			o := through(t, options(t, "minimal", 2), openai.Config{BaseURL: url})
			c.change(&o)
			if result := run(t, o); result.Status != trace.RunCompleted {
				t.Errorf("%+v", result)
			}
			r := fold(t, o.RunDir)
			if r.DecisionCounts.WaitDegraded > 0 || r.TraceCounts.ParseErrors != c.errs || r.TraceCounts.StepTypeCounts["lengthened"] != c.lengthened {
				t.Errorf("degraded %v, parse errors %d, lengthened %d", r.DecisionCounts.WaitDegradedByReason, r.TraceCounts.ParseErrors, r.TraceCounts.StepTypeCounts["lengthened"])
			}
			if got := lengths(seen()); c.lengths != "" && got != c.lengths {
				t.Errorf("asked for lengths %s, want %s", got, c.lengths)
			}
			requireReplays(t, o.RunDir, 2)
		})
	}
}

// TestACapHoldsLongerAnswers: the longer request is reserved like any other, and refused
// if it does not fit.
func TestACapHoldsLongerAnswers(t *testing.T) {
	url, _ := thinking(t, 0)
	o := through(t, options(t, "minimal", 2), openai.Config{BaseURL: url})
	o.Protocol, o.MaxOutputTokens, o.Caps.Tick.Tokens = "lean", 2000, 10_000
	run(t, o)
	r := fold(t, o.RunDir)
	if r.TraceCounts.StepTypeCounts["lengthened"] == 0 || r.TraceCounts.CallsRefused == 0 {
		t.Fatalf("lengthened %d, refused %d: the test shows nothing", r.TraceCounts.StepTypeCounts["lengthened"], r.TraceCounts.CallsRefused)
	}
	for _, use := range r.Cost.Caps {
		if use.Spent > use.Cap {
			t.Errorf("%d of %d %s", use.Spent, use.Cap, use.Unit)
		}
	}
	requireReplays(t, o.RunDir, r.WorldTime)
}

// TestSamplingReachesItsRequests: an agent's settings override its model's, and those
// override the run's; a resume and a fork send the same.
func TestSamplingReachesItsRequests(t *testing.T) {
	url, seen := thinking(t, 0)
	o := through(t, options(t, "two_bases", 2), openai.Config{BaseURL: url})
	o.Temperature, o.MaxOutputTokens, o.ReasoningEffort, o.ExtraBody = "0.20", 5000, "low", json.RawMessage(`{"top_k":7}`)
	o.AgentModels = []trace.AgentModel{{Agent: "agent-2", Model: "other"}}
	o.Sampling = []trace.SamplingFor{
		{Agent: "agent-2", Sampling: llmclient.Sampling{Temperature: "1.0", ExtraBody: json.RawMessage(`{"parallel_tool_calls":false,"include":null}`)}},
		{Model: "other", Sampling: llmclient.Sampling{Temperature: "0.5", MaxOutputTokens: 6000}},
	}
	check := func(from int) {
		t.Helper()
		list := seen()[from:]
		if len(list) == 0 {
			t.Fatal("nothing was asked")
		}
		for _, a := range list {
			got := fmt.Sprint(a.Agent, " ", *a.Length, " ", string(a.Temperature), " ", a.Reasoning.Effort, " ", a.TopK, " ", a.Parallel, " ", len(a.Include))
			if want := map[string]string{"agent-1": "agent-1 5000 0.20 low 7 true 1", "agent-2": "agent-2 6000 1.0 low 0 false 0"}[a.Agent]; got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	}
	run(t, o)
	check(0)
	requireReplays(t, o.RunDir, 2)
	before := len(seen())
	if _, err := resume(t, o.RunDir, o, 3); err != nil {
		t.Fatal(err)
	}
	check(before)
	before = len(seen())
	f := forkOf(t, o, 1)
	fork(t, f)
	check(before)
	requireReplays(t, f.RunDir, f.Ticks)
	var rows []string
	for _, row := range fold(t, f.RunDir).Sampling {
		rows = append(rows, strings.TrimSpace(row.For+" "+row.Setting+" "+row.Value))
	}
	if got := strings.Join(rows, ", "); !strings.HasPrefix(got, `extra_body {"top_k":7}, max_output_tokens 5000, reasoning_effort low, temperature 0.20, agent-2 extra_body`) {
		t.Errorf("report: %s", got)
	}
	f = forkOf(t, o, 1)
	f.Temperature, f.Sampling = "0.9", nil
	before = len(seen())
	if _, err := engine.Fork(context.Background(), f); err != nil {
		t.Fatal(err)
	}
	for _, a := range seen()[before:] {
		if string(a.Temperature) != "0.9" {
			t.Errorf("after the fork %s asks at temperature %s", a.Agent, a.Temperature)
		}
	}
}

// TestLongReasoningFitsTheWindow: reasoning of 30,000 tokens is sent back to the model if
// the window holds it. If not, the reasoning is omitted and the turn continues.
func TestLongReasoningFitsTheWindow(t *testing.T) {
	for window, drops := range map[int]bool{200_000: false, 36_000: true} {
		o := options(t, "minimal", 3)
		scripted := o.Source
		o.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
			a := scripted.Respond(ctx, key, r)
			if len(a.Reply.Items) > 1 { // the decision has an answer of its own
				a.Reply.Items = slices.DeleteFunc(a.Reply.Items, func(it llmclient.Item) bool { return it.Name == "decision" })
			}
			thought, _ := llmclient.ParseItem(llmclient.Marshal(map[string]any{
				"type": "reasoning", "id": fmt.Sprint("rs_", key.Tick, "_", key.Step), "summary": []any{}, "encrypted_content": strings.Repeat("gAAAAAB", 180_000/7),
			}))
			a.Reply.Items = slices.Insert(a.Reply.Items, 0, thought)
			a.Reply.Usage.Output, a.Reply.Usage.Reasoning = a.Reply.Usage.Output+30_000, 30_000
			return a
		})
		o.ContextWindowTokens, o.Caps.Run.Tokens = window, 5_000_000
		run(t, o)
		r := fold(t, o.RunDir)
		dropped := r.TraceCounts.ItemRepairsByKind["reasoning_dropped"]
		if r.DecisionCounts.WaitDegraded > 0 || r.TraceCounts.CallsRefused > 0 || (dropped > 0) != drops {
			t.Errorf("window %d: degraded %v, refused %d, dropped %d", window, r.DecisionCounts.WaitDegradedByReason, r.TraceCounts.CallsRefused, dropped)
		}
		requireReplays(t, o.RunDir, 3)
	}
}
