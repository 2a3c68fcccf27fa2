package session_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/session"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

// place is an endpoint of the scripted model that remembers the keys it was sent.
type place struct {
	*httptest.Server
	mu   sync.Mutex
	keys map[string]bool
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{keys: map[string]bool{}}
	model := stub.NewHandler(stub.Options{Seed: 1})
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.keys[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")] = true
		p.mu.Unlock()
		model.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// saw are the keys that came since the last look, "-" for a call without one.
func (p *place) saw() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	keys := slices.Sorted(maps.Keys(p.keys))
	p.keys = map[string]bool{}
	for i, key := range keys {
		if key == "" {
			keys[i] = "-"
		}
	}
	return strings.Join(keys, " ")
}

func key(endpoint, name, secret string) access.Key {
	return access.Key{Endpoint: endpoint, Name: name, Secret: openai.NewSecret(secret)}
}

// TestAKeyGoesWhereItWasGivenFor lets agents use three endpoints with the keys for two of them, some
// of which are offered for other endpoints than those that the settings name.
func TestAKeyGoesWhereItWasGivenFor(t *testing.T) {
	mine, other, open := newPlace(t), newPlace(t), newPlace(t)
	c := session.Config{Settings: settingsOf(t, "llm_bootstrap", 2), Dir: filepath.Join(t.TempDir(), "run")}
	c.Model, c.BaseURL = "big", mine.URL
	c.AgentModels = []trace.AgentModel{{Agent: "agent-2", Model: "third", BaseURL: open.URL}, {Agent: "agent-4", Model: "small"},
		{Agent: "agent-3", Model: "small", BaseURL: other.URL, KeyEnv: "OTHER_KEY"}}
	c.Access.Keys = []access.Key{key(mine.URL, "", "run-key"), key(other.URL, "OTHER_KEY", "other-key"), key(other.URL, "", "stray"), key(open.URL, "OTHER_KEY", "stray")}
	s, err := session.New(c)
	played(t, s, err)
	// The stray keys are for the runs' own use and for another name.
	if a, b, d := mine.saw(), other.saw(), open.saw(); a != "run-key" || b != "other-key" || d != "-" {
		t.Errorf("the endpoints saw %q, %q and %q", a, b, d)
	}
}

// TestAKeyIsWithheldFromWhatOnlyARunNames resumes, forks and asks a run of a stranger, whose settings
// name endpoints that no key was given for: they get none, and that is said of each.
func TestAKeyIsWithheldFromWhatOnlyARunNames(t *testing.T) {
	mine, stranger, strangers := newPlace(t), newPlace(t), newPlace(t)
	dir := filepath.Join(t.TempDir(), "run")
	c := session.Config{Settings: settingsOf(t, "llm_bootstrap", 2), Dir: dir}
	c.Model, c.BaseURL = "big", stranger.URL
	c.AgentModels = []trace.AgentModel{{Agent: "agent-2", Model: "small", BaseURL: strangers.URL, KeyEnv: "SMALL_KEY"}}
	c.Access.Keys = []access.Key{key(strangers.URL, "SMALL_KEY", "its-own")}
	s, err := session.New(c)
	played(t, s, err)
	stranger.saw()
	strangers.saw()

	ours := []access.Key{key(mine.URL, "", "run-key"), key(mine.URL, "SMALL_KEY", "small-key")}
	listener := &heard{}
	again := session.Config{Dir: dir, Hooks: session.Hooks{Listener: listener}, Access: access.Config{Keys: ours}}
	withheld := func(doing string) {
		t.Helper()
		var names []string
		for _, n := range listener.notices {
			if w, ok := n.(access.Withheld); ok {
				names = append(names, w.Name+" of "+w.Place)
			}
		}
		want := []string{" of " + stranger.URL + "/v1", "SMALL_KEY of " + strangers.URL + "/v1"}
		if !slices.Equal(names, want) {
			t.Errorf("%s: withheld are %q, want %q", doing, names, want)
		}
		if a, b := stranger.saw(), strings.TrimLeft(strangers.saw(), "-"); strings.Trim(a, "-") != "" || b != "" {
			t.Errorf("%s: the endpoints saw %q and %q", doing, a, b)
		}
		listener.notices = nil
	}
	s, err = session.Resume(again, session.Continued{UntilTick: 3})
	played(t, s, err)
	withheld("resume")
	forked := again
	forked.Settings, forked.Dir = c.Settings, filepath.Join(t.TempDir(), "fork")
	forked.Ticks = 4
	s, err = session.Fork(forked, session.Left{Parent: dir, AtTick: 2})
	played(t, s, err)
	withheld("fork")
	again.Settings = trace.DefaultSettings()
	i, err := session.Ask(again, session.Question{Text: "Why?"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	if _, err := i.Reach(t.Context()); err != nil {
		t.Fatal(err)
	}
	i.Run(t.Context())
	withheld("ask")

	// Named by its user, an endpoint gets the key that was given for it.
	again.Settings = trace.Settings{BaseURL: mine.URL}
	s, err = session.Resume(again, session.Continued{UntilTick: 4})
	played(t, s, err)
	if got := mine.saw(); got != "run-key" || stranger.saw() != "" {
		t.Errorf("the endpoint that was named saw %q", got)
	}
}

// TestNoKeyIsSentThatWasNotHandedOver plays, with keys in every place where programs look for them,
// a run that was handed none.
func TestNoKeyIsSentThatWasNotHandedOver(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"AGENT_WORLD_LLM_API_KEY", "OPENAI_API_KEY", "SMALL_KEY"} {
		t.Setenv(name, "sk-planted-0123456789abcdef")
	}
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, home)
	}
	t.Chdir(home)
	if err := os.WriteFile("config.toml", []byte("[llm]\napi_key = 'sk-planted-0123456789abcdef'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	mine := newPlace(t)
	c := session.Config{Settings: settingsOf(t, "minimal", 2), Dir: filepath.Join(t.TempDir(), "run")}
	c.Model, c.BaseURL = "m", mine.URL
	c.AgentModels = []trace.AgentModel{{Agent: "agent-1", Model: "small", BaseURL: mine.URL, KeyEnv: "SMALL_KEY"}}
	s, err := session.New(c)
	played(t, s, err)
	if got := mine.saw(); got != "-" {
		t.Errorf("the endpoint saw %q", got)
	}
}
