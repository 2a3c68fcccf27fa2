package engine_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/trace"
)

// cachedRun is what a server that caches prompts saw of a run.
type cachedRun struct {
	mu   sync.Mutex
	keys map[string]bool
	// marks are the most breakpoints of a request.
	marks int
	// billed is the input in plain tokens, input all of it.
	billed, input float64
}

// used takes a line of the server's log.
func (c *cachedRun) used(u stub.Used) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keys[u.CacheKey] = true
	c.billed += u.Billed()
	c.input += float64(u.Input)
}

// marking counts the marks of the requests to a server.
func (c *cachedRun) marking(server http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what is cut short is refused by the server
		r.Body = io.NopCloser(bytes.NewReader(body))
		c.mu.Lock()
		c.marks = max(c.marks, bytes.Count(body, []byte(`"prompt_cache_breakpoint":{`)))
		c.mu.Unlock()
		server.ServeHTTP(w, r)
	})
}

// TestPrefixIsPaidOnce plays runs against the model server, which caches prompts as OpenAI's guide to
// prompt caching says, one call at a time and eight. The static prefix alone would give 0.34 and 0.31.
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
				p := &cachedRun{keys: map[string]bool{}}
				server := p.marking(stub.NewHandler(stub.Options{Seed: 1, Caching: true, OnUsage: p.used}))
				result := playCached(t, server, c.scenario, c.agents, concurrency)
				if result.Status != trace.RunCompleted {
					t.Fatalf("the run is %s: %s", result.Status, result.Reason)
				}
				share := p.billed / p.input
				if share > c.most {
					t.Errorf("billed over plain input is %.4f, at most %.2f is allowed", share, c.most)
				}
				t.Logf("billed over plain input is %.4f", share)
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
