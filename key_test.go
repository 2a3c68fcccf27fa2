package agentworld_test

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/agentworld"
	"example.com/agentworld/llmclient/stub"
)

// endpoint is an endpoint of the embedded model that remembers the keys it was sent.
type endpoint struct {
	*httptest.Server
	mu   sync.Mutex
	seen map[string]bool
}

func newEndpoint(t *testing.T) *endpoint {
	e := &endpoint{seen: map[string]bool{}}
	model := stub.NewHandler(stub.Options{Seed: 1})
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.mu.Lock()
		e.seen[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")] = true
		e.mu.Unlock()
		model.ServeHTTP(w, r)
	}))
	t.Cleanup(e.Close)
	return e
}

// keys are those that came since the last look, empty for a call without one.
func (e *endpoint) keys() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	keys := slices.Sorted(maps.Keys(e.seen))
	e.seen = map[string]bool{}
	return keys
}

// planted is a key that a program could find without being handed it.
const planted = "sk-planted-0123456789abcdef"

// TestNoKeyIsSentThatWasNotHandedOver does all that calls a model, with keys in the environment, and one
// that was handed over for another endpoint: the endpoint sees none, and the program is told of it.
func TestNoKeyIsSentThatWasNotHandedOver(t *testing.T) {
	for _, name := range []string{"AGENT_WORLD_LLM_API_KEY", "AGENT_WORLD_API_KEY", "OPENAI_API_KEY", "SMALL_KEY"} {
		t.Setenv(name, planted)
	}
	e := newEndpoint(t)
	var mu sync.Mutex
	withheld := 0
	settings, err := agentworld.Defaults("llm_bootstrap")
	if err != nil {
		t.Fatal(err)
	}
	settings.Ticks, settings.Model, settings.BaseURL = 2, "m", e.URL
	settings.AgentModels = []agentworld.AgentModel{{Agent: "agent-2", Model: "small", BaseURL: e.URL, KeyEnv: "SMALL_KEY"}}
	dir := t.TempDir()
	o := agentworld.Options{
		Settings: settings, Dir: filepath.Join(dir, "run"),
		Keys: []agentworld.Key{agentworld.NewKey("https://model.test/v1", "", planted), agentworld.NewKey("https://model.test/v1", "SMALL_KEY", planted)},
		Notice: func(n agentworld.Notice) {
			mu.Lock()
			defer mu.Unlock()
			if _, ok := n.(agentworld.Withheld); ok {
				withheld++
			}
		},
	}
	fork := func(ctx context.Context, to string) error {
		s, err := agentworld.ForkSettings(o.Dir, 1)
		if err != nil {
			return err
		}
		of := o
		of.Settings, of.Dir = s, to
		_, err = agentworld.Fork(ctx, of, agentworld.Left{Parent: o.Dir, AtTick: 1})
		return err
	}
	recorded := o
	recorded.Settings = agentworld.Settings{}
	for _, step := range []struct {
		name string
		do   func(ctx context.Context) error
	}{
		{"run", func(ctx context.Context) error { _, err := agentworld.Run(ctx, o); return err }},
		{"resume", func(ctx context.Context) error {
			_, err := agentworld.Resume(ctx, recorded, agentworld.Continued{UntilTick: 3})
			return err
		}},
		{"fork", func(ctx context.Context) error { return fork(ctx, filepath.Join(dir, "fork")) }},
		{"ask", func(ctx context.Context) error {
			_, err := agentworld.Ask(ctx, recorded, agentworld.Question{Text: "Why?"})
			return err
		}},
		{"learn", func(ctx context.Context) error {
			_, _, err := agentworld.Learn(ctx, o, agentworld.Lessons{Runs: []string{o.Dir}})
			return err
		}},
		{"batch", func(ctx context.Context) error {
			of := o
			of.Dir = filepath.Join(dir, "batch")
			_, _, err := agentworld.PlayBatch(ctx, of, agentworld.Batch{Name: "one", Arms: []agentworld.Arm{{Name: "only"}}})
			return err
		}},
	} {
		withheld = 0
		if err := step.do(t.Context()); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if keys := e.keys(); !slices.Equal(keys, []string{""}) {
			t.Errorf("%s: the endpoint saw the keys %q", step.name, keys)
		}
		if withheld == 0 {
			t.Errorf("%s: nothing was said of the keys that are withheld", step.name)
		}
	}
}

// TestAgentsHaveModelsOfTheirOwn plays agents on two endpoints, each with the key that was handed over
// for it, alone and in a batch.
func TestAgentsHaveModelsOfTheirOwn(t *testing.T) {
	first, second := newEndpoint(t), newEndpoint(t)
	settings, err := agentworld.Defaults("llm_bootstrap")
	if err != nil {
		t.Fatal(err)
	}
	settings.Ticks, settings.Model, settings.BaseURL = 1, "big", first.URL
	settings.AgentModels = []agentworld.AgentModel{{Agent: "agent-2", Model: "small", BaseURL: second.URL, KeyEnv: "SMALL_KEY"}}
	o := agentworld.Options{
		Settings: settings, Dir: filepath.Join(t.TempDir(), "run"),
		Keys: []agentworld.Key{agentworld.NewKey(first.URL, "", "first"), agentworld.NewKey(second.URL, "SMALL_KEY", "second")},
	}
	result, err := agentworld.Run(t.Context(), o)
	if err != nil || result.TicksDone != 1 {
		t.Fatalf("%+v, %v", result.Result, err)
	}
	saw := func(doing string) {
		t.Helper()
		if a, b := first.keys(), second.keys(); !slices.Equal(a, []string{"first"}) || !slices.Equal(b, []string{"second"}) {
			t.Errorf("%s: the endpoints saw %q and %q", doing, a, b)
		}
	}
	saw("run")
	o.Dir = filepath.Join(t.TempDir(), "batch")
	summary, _, err := agentworld.PlayBatch(t.Context(), o, agentworld.Batch{Name: "two", Arms: []agentworld.Arm{{Name: "only"}}})
	if err != nil || summary.Scored != 1 {
		t.Fatalf("%+v, %v", summary.Failures, err)
	}
	saw("batch")
}
