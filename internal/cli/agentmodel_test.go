package cli

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/stub"
)

// place is an endpoint of the scripted model that remembers who called.
type place struct {
	*httptest.Server
	mu     sync.Mutex
	keys   map[string]bool
	models map[string]bool
	agents map[string]bool
}

// newPlace returns an endpoint that answers callers with the key and refuses all others.
// With the key "-" it refuses every caller, with "*" it answers every caller.
func newPlace(t *testing.T, key string) *place {
	t.Helper()
	p := &place{keys: map[string]bool{}, models: map[string]bool{}, agents: map[string]bool{}}
	model := stub.NewHandler(stub.Options{Seed: 1})
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		p.mu.Lock()
		p.keys[sent] = true
		for _, model := range []string{"big", "small", "third"} {
			if bytes.Contains(body, []byte(`"model":"`+model+`"`)) {
				p.models[model] = true
			}
		}
		for n := range 9 {
			if bytes.Contains(body, fmt.Appendf(nil, `\nyou: agent-%d,`, n)) {
				p.agents[fmt.Sprintf("agent-%d", n)] = true
			}
		}
		p.mu.Unlock()
		if sent != key && key != "*" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s","code":"invalid_api_key"}}`, sent)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		model.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// saw lists the names in one of the sets in order.
func saw(set map[string]bool) string {
	var names []string
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// TestAgentsReachTheirOwnEndpoints lets three of five agents use another model, place or
// key, and looks at what each place was sent: no key reaches a place that it was not
// set for, though all three are in the environment.
func TestAgentsReachTheirOwnEndpoints(t *testing.T) {
	run, other, open := newPlace(t, "run-key-0123456789"), newPlace(t, "other-key-987654321"), newPlace(t, "")
	p := newProcess(t, map[string]string{"OPENAI_API_KEY": "run-key-0123456789", "OTHER_KEY": "other-key-987654321"},
		"llm_bootstrap", "--ticks", "4", "--model", "big", "--base-url", run.URL, "--run-dir", "run")
	file := fmt.Sprintf("[agents]\nagent-2 = {model = \"third\", base_url = %q}\nagent-4.model = \"small\"\n"+
		"[agents.\"agent-3\"]\nmodel = \"small\"\nbase_url = %q\nkey_env = \"OTHER_KEY\"\n", open.URL, other.URL)
	if err := os.WriteFile(filepath.Join(p.dir, settings.ConfigName), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := p.run(t); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, p.output())
	}
	for _, c := range []struct {
		name                 string
		place                *place
		keys, models, agents string
	}{
		{"the run's", run, "run-key-0123456789", "big small", "agent-1 agent-4 agent-5"},
		{"agent-2's", open, "", "third", "agent-2"},
		{"agent-3's", other, "other-key-987654321", "small", "agent-3"},
	} {
		if k, m, a := saw(c.place.keys), saw(c.place.models), saw(c.place.agents); k != c.keys || m != c.models || a != c.agents {
			t.Errorf("%s endpoint saw keys %q, models %q, agents %q; want %q, %q, %q", c.name, k, m, a, c.keys, c.models, c.agents)
		}
	}
	r, err := foldReport(p.Main, "run")
	if err != nil {
		t.Fatal(err)
	}
	var models []string
	for _, a := range r.PerAgent {
		models = append(models, a.Model)
	}
	if got := strings.Join(models, " "); got != "big third small small big" || len(r.Timing.Endpoints) != 3 {
		t.Errorf("models of the agents %q at %d endpoints", got, len(r.Timing.Endpoints))
	}
	for _, want := range []string{"model of agent-3: small at " + other.URL + "/v1/responses, key from environment OTHER_KEY", "model of agent-2: third at " + open.URL + "/v1/responses, no key"} {
		if !strings.Contains(p.stderr.String(), want) {
			t.Errorf("%q is not announced:\n%s", want, p.stderr.String())
		}
	}
	text := p.output() + allFiles(t, p.dir)
	if strings.Contains(text, "run-key-0123456789") || strings.Contains(text, "other-key-987654321") {
		t.Error("a key is in a file or in the output")
	}
	replayed(t, p)
}

// TestAnEndpointThatRefusesStopsItsAgentsOnly: the others continue to the end, and the
// report says who stopped, when and why.
func TestAnEndpointThatRefusesStopsItsAgentsOnly(t *testing.T) {
	run, other := newPlace(t, ""), newPlace(t, "-")
	p := newProcess(t, nil, "llm_bootstrap", "--ticks", "6", "--model", "big", "--base-url", run.URL, "--run-dir", "run",
		"--agent-model", "agent-2=small@"+other.URL, "--agent-model", "agent-4=small@"+other.URL)
	if code := p.run(t); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, p.output())
	}
	r, err := foldReport(p.Main, "run")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range r.PerAgent {
		stopped := a.AgentID == "agent-2" || a.AgentID == "agent-4"
		if stopped && (a.StoppedBy != "auth" || a.StoppedAtTick != 1 || a.Calls != 1 || a.WaitsDegraded != 1) {
			t.Errorf("%s: %+v, want it stopped by auth in tick 1 after one call", a.AgentID, a)
		}
		if !stopped && (a.StoppedBy != "" || a.Decisions < 2) {
			t.Errorf("%s: %+v, want it to go on", a.AgentID, a)
		}
	}
	if !strings.Contains(p.stdout.String(), "\nstopped agent-2 after tick 1: the endpoint does not accept the key; agent-4 after tick 1: the endpoint does not accept the key\n") {
		t.Errorf("the summary does not say who stopped:\n%s", p.stdout.String())
	}
	replayed(t, p)
}

// TestARunWithNobodyLeftEnds: when every endpoint refuses, the run does.
func TestARunWithNobodyLeftEnds(t *testing.T) {
	run, other := newPlace(t, "-"), newPlace(t, "-")
	p := newProcess(t, nil, "llm_bootstrap", "--ticks", "6", "--model", "big", "--base-url", run.URL, "--run-dir", "run", "--agent-model", "agent-2=small@"+other.URL)
	if code := p.run(t); code != exitProvider || !strings.Contains(p.stderr.String(), "provider_failed after 0 of 6 ticks: auth: HTTP 401") {
		t.Fatalf("exit code %d:\n%s", code, p.output())
	}
	replayed(t, p)
}

// replayed replays the run of p and demands equality.
func replayed(t *testing.T, p *inProcess) {
	t.Helper()
	again := newProcess(t, nil, "replay", filepath.Join(p.dir, "run"))
	if code := again.run(t); code != 0 {
		t.Errorf("replay: exit code %d:\n%s", code, again.output())
	}
}

// allFiles is everything below a directory, names included.
func allFiles(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all.WriteString(path + "\n")
		all.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func TestAgentModelsAreRefused(t *testing.T) {
	live := map[string]string{"model": "m", "base-url": "http://localhost:1"}
	for _, c := range []struct {
		name, text, want string
		flags, env       map[string]string
	}{
		{"a scripted run", "agent-1=m", "need a live run", nil, nil},
		{"an unknown agent", "agent-9=m", `no agent "agent-9" in the scenario`, live, nil},
		{"a variable that is not set", "agent-1=m,key_env=NOT_SET", "NOT_SET is not set", live, map[string]string{"NOT_SET": " "}},
		{"a variable that holds no key", "agent-1=m,key_env=BAD", "the key holds a space", live, map[string]string{"BAD": planted + " " + planted}},
		{"OpenAI without a key", "agent-1=m@https://api.openai.com", "needs a key", live, map[string]string{"OPENAI_API_KEY": planted}},
	} {
		flags := map[string]string{"agent-model": c.text}
		for name, text := range c.flags {
			flags[name] = text
		}
		p, config := configured(t, c.env, flags)
		if _, err := p.newPlan(config, nil, nil); err == nil || exitCode(err) != 2 || !strings.Contains(err.Error(), c.want) || holdsSecret(err.Error()) {
			t.Errorf("%s: %v, want a refusal about %q", c.name, err, c.want)
		}
	}
}
