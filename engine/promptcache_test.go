package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/trace"
)

// cachingProvider is the scripted model at a provider that caches prompts by the rule of OpenAI's
// guide to prompt caching: it keeps the prompt at a request's breakpoints, the latest four, from
// 1,024 tokens on, under its key; it reads the longest prompt that it has at one of them. What is
// read costs a tenth of plain input, what is kept 1.25 times as much.
type cachingProvider struct {
	t     *testing.T
	model http.Handler

	mu   sync.Mutex
	kept map[string]bool
	// plain, read and written are in tokens, of which plain is all input.
	plain, read, written float64
	keys                 map[string]bool
	marks                int
	// billed and input are sums of the model server's own log.
	billed, input float64
}

// used takes a line of the model server's log.
func (p *cachingProvider) used(u stub.Used) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.billed += u.Billed()
	p.input += float64(u.Input)
}

const breakpointJSON = `,"prompt_cache_breakpoint":{"mode":"explicit"}`

// ServeHTTP answers a request and bills its input.
func (p *cachingProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var q struct {
		Model, Instructions string
		Tools               json.RawMessage
		Key                 string                `json:"prompt_cache_key"`
		Cache               struct{ Mode string } `json:"prompt_cache_options"`
		Input               []json.RawMessage
	}
	if err != nil || json.Unmarshal(body, &q) != nil || q.Cache.Mode != "explicit" {
		p.t.Errorf("a request without the explicit mode: %.200s", body)
		return
	}
	// The prompt is what the model reads; marks are not part of it.
	prompt := strings.Join([]string{q.Key, q.Model, q.Instructions, string(q.Tools)}, "\x00")
	var at []string
	for _, item := range q.Input {
		text := strings.ReplaceAll(string(item), breakpointJSON, "")
		prompt += "\x00" + text
		if text != string(item) {
			at = append(at, prompt)
		}
	}
	tokens := func(text string) float64 { return float64(len(text)-len(q.Key)) / 4 }
	read, written := 0.0, 0.0
	p.mu.Lock()
	for _, prefix := range at {
		if p.kept[prefix] {
			read = tokens(prefix)
		}
	}
	p.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(body))
	p.model.ServeHTTP(w, r)
	// A prompt is kept when it was read, so calls at the same time all write it.
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, prefix := range at[max(0, len(at)-4):] {
		if n := tokens(prefix); n >= 1024 && n > read {
			written = n - read
			p.kept[prefix] = true
		}
	}
	p.plain += tokens(prompt)
	p.read += read
	p.written += written
	p.keys[q.Key] = true
	p.marks = max(p.marks, len(at))
}

// share is billed input over plain input.
func (p *cachingProvider) share() float64 {
	return (p.plain - p.read - p.written + 0.1*p.read + 1.25*p.written) / p.plain
}

// TestPrefixIsPaidOnce plays runs against a provider that caches prompts, one call at a time and
// eight. It judges two bills: the model server's own log, and one in which calls at the same time
// cannot read what each other writes. The static prefix alone would give 0.34 and 0.31.
func TestPrefixIsPaidOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("more than a second; the whole test command plays it")
	}
	for _, c := range []struct {
		scenario string
		agents   int
		most     float64
		keys     int
	}{{"llm_bootstrap", 0, 0.31, 2}, {"asteroid_fragment_bootstrap", 25, 0.28, 7}} {
		for _, concurrency := range []int{1, 8} {
			if c.agents > 0 && os.Getenv("AGENT_WORLD_LONG") == "" && concurrency == 1 {
				continue
			}
			t.Run(fmt.Sprintf("%s %d", c.scenario, concurrency), func(t *testing.T) {
				p := &cachingProvider{t: t, kept: map[string]bool{}, keys: map[string]bool{}}
				p.model = stub.NewHandler(stub.Options{Seed: 1, Caching: true, OnUsage: p.used})
				result := playCached(t, p, c.scenario, c.agents, concurrency)
				if result.Status != trace.RunCompleted {
					t.Fatalf("the run is %s: %s", result.Status, result.Reason)
				}
				if p.share() > c.most {
					t.Errorf("billed over plain input is %.4f, at most %.2f is allowed (plain %.0f, read %.0f, written %.0f)",
						p.share(), c.most, p.plain, p.read, p.written)
				}
				if logged := p.billed / p.input; logged > c.most {
					t.Errorf("by the model server's log billed over plain input is %.4f, at most %.2f is allowed",
						logged, c.most)
				}
				t.Logf("billed over plain input is %.4f, by the model server's log %.4f",
					p.share(), p.billed/p.input)
				if len(p.keys) != c.keys || p.marks < 3 || p.marks > 4 {
					t.Errorf("%d keys and at most %d marks in a request; want %d keys, 3 or 4 marks",
						len(p.keys), p.marks, c.keys)
				}
			})
		}
	}
}

// playCached plays 30 ticks of a scenario at a server.
func playCached(t *testing.T, p http.Handler, name string, agents, concurrency int) engine.Result {
	t.Helper()
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	o := options(t, name, 30)
	o.AgentsOverride = agents
	o.Concurrency = concurrency
	return run(t, through(t, o, openai.Config{BaseURL: server.URL}))
}
