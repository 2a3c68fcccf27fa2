package cli

import (
	"bytes"
	"strings"
	"testing"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

// configured reads settings from flags and environment.
func configured(t *testing.T, env, flags map[string]string) (*inProcess, config) {
	t.Helper()
	p := newProcess(t, env)
	all := runCommand(p.Main).Flags()
	for name, text := range flags {
		if err := all.Set(name, text); err != nil {
			t.Fatal(err)
		}
	}
	values, err := p.gather(all, "")
	if err != nil {
		t.Fatal(err)
	}
	c, err := newConfig(trace.DefaultSettings(), values)
	if err != nil {
		t.Fatal(err)
	}
	return p, c
}

// chosen is configured with a model chosen.
func chosen(t *testing.T, env, flags map[string]string) (config, error) {
	t.Helper()
	p, c := configured(t, env, flags)
	_, err := access.Choose(&c.Settings, p.reach(c, c.Values))
	return c, c.refused(err)
}

func TestChooseModel(t *testing.T) {
	key := map[string]string{"OPENAI_API_KEY": planted}
	for _, c := range []struct {
		name       string
		env, flags map[string]string
		live       bool
		url        string
		refusal    string
	}{
		{name: "nothing set"},
		{name: "a key alone does not make a run live", env: key},
		{name: "an endpoint alone does not", env: map[string]string{"OPENAI_BASE_URL": "http://localhost:1"}},
		{name: "a model and a key", env: key, flags: map[string]string{"model": "m"}, live: true, url: "https://api.openai.com/v1"},
		{name: "a model from the environment", env: map[string]string{settings.EnvPrefix + "MODEL": "m", settings.EnvPrefix + "API_KEY": "k"}, live: true, url: "https://api.openai.com/v1"},
		{name: "a model and an endpoint need no key", flags: map[string]string{"model": "m", "base-url": "localhost:8000"}, live: true, url: "http://localhost:8000/v1"},
		{name: "offline wins", env: key, flags: map[string]string{"model": "m", "offline": "true"}},
		{name: "offline said to be off", env: key, flags: map[string]string{"model": "m", "offline": "false"}, live: true, url: "https://api.openai.com/v1"},
		{name: "a model alone needs a key", flags: map[string]string{"model": "m"}, refusal: "AGENT_WORLD_LLM_API_KEY, OPENAI_API_KEY, or api_key under [llm] in config.toml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := chosen(t, c.env, c.flags)
			if c.refusal != "" {
				if err == nil || exitCode(err) != 2 || !strings.Contains(err.Error(), c.refusal) {
					t.Errorf("error %v, want one that names %s", err, c.refusal)
				}
				return
			}
			if err != nil || got.Live() != c.live {
				t.Fatalf("live = %v, %v, want %v", got.Live(), err, c.live)
			}
			if want := c.url; c.live && got.BaseURL != want {
				t.Errorf("endpoint %s, want %s", got.BaseURL, want)
			}
			if !c.live && (got.BaseURL != stub.EmbeddedURL || got.Model != stub.ModelName) {
				t.Errorf("a scripted run takes model %s, endpoint %s", got.Model, got.BaseURL)
			}
		})
	}
}

func TestAnnounceScriptedNamesWhatIsNotUsed(t *testing.T) {
	a, err := chosen(t, map[string]string{"OPENAI_API_KEY": planted, "OPENAI_BASE_URL": "http://localhost:1"}, map[string]string{"model": "m", "offline": "true", "agent-model": "agent-1=n"})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	a.announceScripted(&out, "http://127.0.0.1:5/v1/responses")
	want := `model: scripted stub at http://127.0.0.1:5/v1/responses (embedded, no network, no cost); results check the wiring and say nothing about models
note: the API key from environment OPENAI_API_KEY is not used: the run is offline (flag --offline)
note: the endpoint from environment OPENAI_BASE_URL is not used: the run is offline (flag --offline)
note: the model from flag --model is not used: the run is offline (flag --offline)
note: the list of agents' models from flag --agent-model is not used: the run is offline (flag --offline)
`
	if out.String() != want {
		t.Errorf("announced:\n%swant:\n%s", out.String(), want)
	}
}

func TestAnnounceLive(t *testing.T) {
	a, err := chosen(t, map[string]string{"OPENAI_API_KEY": planted}, map[string]string{"model": "m\x1b[2J"})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	reached := []access.Endpoint{{Model: a.Model, URL: "https://api.openai.com/v1/responses", HasKey: true}}
	announce(newProcess(t, nil).Main, &out, a, reached, "at most 1950", spending{})
	want := `model: live, m\u001b[2J (flag --model) at https://api.openai.com/v1/responses, key from environment OPENAI_API_KEY
calls: at most 1950
`
	if out.String() != want {
		t.Errorf("announced:\n%swant:\n%s", out.String(), want)
	}
}

func TestProviderHintNamesTheKeySettings(t *testing.T) {
	withKey, err := chosen(t, map[string]string{"OPENAI_API_KEY": planted}, map[string]string{"model": "m"})
	if err != nil {
		t.Fatal(err)
	}
	without, err := chosen(t, nil, map[string]string{"model": "m", "base-url": "http://localhost:1"})
	if err != nil {
		t.Fatal(err)
	}
	hintOf := func(c config) string { return plan{config: c, hears: &listener{}}.modelHint() }
	for _, hint := range []string{hintOf(withKey), hintOf(without)} {
		if !strings.Contains(hint, settings.KeyPlaces) || holdsSecret(hint) {
			t.Errorf("hint %q must name %s and no key", hint, settings.KeyPlaces)
		}
	}
	if !strings.Contains(hintOf(withKey), "environment OPENAI_API_KEY;") || !strings.Contains(hintOf(without), "none is set") {
		t.Errorf("hints %q and %q do not tell a wrong key from a missing one", hintOf(withKey), hintOf(without))
	}
}
