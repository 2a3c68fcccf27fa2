package cli

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld/internal/settings"
)

// TestAKeyReachesNoServerThatOnlyARunNames resumes a run directory from another user with
// keys in the environment. The user of this machine has never used its endpoints.
func TestAKeyReachesNoServerThatOnlyARunNames(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many runs")
	}
	const theirKey, runKey, ownKey = "their-key-0123456789", "run-key-0123456789", "own-key-987654321"
	stranger, strangers, mine := newPlace(t, "*"), newPlace(t, "*"), newPlace(t, runKey)
	theirs := newProcess(t, map[string]string{"OPENAI_API_KEY": theirKey, "SMALL_KEY": theirKey}, "llm_bootstrap", "--ticks", "3", "--model", "big", "--base-url", stranger.URL,
		"--agent-model", "agent-2=small@"+strangers.URL+",key_env=SMALL_KEY", "--agent-model", "agent-3=small", "--run-dir", "run")
	if code := theirs.run(t); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, theirs.output())
	}
	if saw(stranger.keys) != theirKey || saw(strangers.keys) != theirKey {
		t.Fatalf("keys %q and %q; the test shows nothing", saw(stranger.keys), saw(strangers.keys))
	}
	state := t.TempDir()
	env := map[string]string{"OPENAI_API_KEY": runKey, "SMALL_KEY": ownKey, "XDG_STATE_HOME": state}
	list := filepath.Join(state, "agentworld", "endpoints")
	// going starts a copy of their run with further settings, and returns what it printed.
	going := func(want int, more map[string]string, args ...string) string {
		t.Helper()
		clear(stranger.keys)
		clear(strangers.keys)
		all := maps.Clone(env)
		maps.Copy(all, more)
		p := newProcess(t, all, args...)
		if err := os.CopyFS(filepath.Join(p.dir, "run"), os.DirFS(filepath.Join(theirs.dir, "run"))); err != nil {
			t.Fatal(err)
		}
		if code := p.run(t); code != want {
			t.Errorf("%q: exit code %d, want %d:\n%s", args, code, want, p.output())
		}
		if text := p.output() + allFiles(t, p.dir); strings.Contains(text, runKey) || strings.Contains(text, ownKey) {
			t.Errorf("%q: a key is in a file or in the output", args)
		}
		return p.stderr.String()
	}
	unsent := func(name string) {
		t.Helper()
		for _, p := range []*place{stranger, strangers} {
			if saw(p.keys) != "" {
				t.Errorf("%s: a stranger was sent %q", name, saw(p.keys))
			}
		}
	}
	fork := []string{"fork", "run", "--at-tick", "2", "--ticks", "4", "--run-dir", "forked"}
	resume := []string{"resume", "run", "--until-tick", "4", "--base-url", mine.URL}

	text := going(0, nil, fork...)
	unsent("fork")
	for _, want := range []string{
		"note: the key from environment OPENAI_API_KEY is not sent to " + stranger.URL + "/v1, ", "name it with --base-url " + stranger.URL + "/v1",
		"note: the key from environment SMALL_KEY is not sent to " + strangers.URL + "/v1, ", `AGENT_WORLD_LLM_AGENT_MODELS="agent-2=small@` + strangers.URL + `/v1,key_env=SMALL_KEY"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("a fork does not say %q:\n%s", want, text)
		}
	}
	text = going(0, nil, "resume", "run", "--until-tick", "4")
	unsent("resume without a flag")
	if !strings.Contains(text, "note: the key from environment OPENAI_API_KEY is not sent to "+stranger.URL+"/v1, ") {
		t.Errorf("a resume does not say that it sends no key:\n%s", text)
	}
	// The model is named, not the endpoint.
	going(0, nil, append(fork, "--model", "third")...)
	unsent("fork with a model")
	text = going(0, nil, resume...)
	unsent("resume")
	if saw(mine.keys) != runKey || !strings.Contains(text, "note: the key from environment SMALL_KEY is not sent to "+strangers.URL+"/v1, ") {
		t.Errorf("a resume sends %q to the endpoint that it names:\n%s", saw(mine.keys), text)
	}
	// What was used with a key is known from then on, and nothing else.
	if data, err := os.ReadFile(list); err != nil || string(data) != mine.URL+"/v1\n" {
		t.Errorf("the list is %q, %v", data, err)
	}
	if i, err := os.Stat(list); err != nil || i.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", i.Mode(), err)
	}

	// A configuration file in the directory is as much the stranger's as the run, unless it
	// is named.
	for _, c := range []struct {
		args []string
		code int
		sent string
	}{
		{[]string{"resume", ".", "--until-tick", "4"}, 0, ""},
		{[]string{"fork", ".", "--at-tick", "2", "--ticks", "4", "--run-dir", "../forked"}, 0, ""},
		{[]string{"doctor", "--model", "big", "--offline"}, 0, ""},
		{[]string{"resume", ".", "--until-tick", "4", "--config", "config.toml"}, 0, runKey},
	} {
		clear(stranger.keys)
		p := newProcess(t, map[string]string{"OPENAI_API_KEY": runKey, "SMALL_KEY": ownKey}, c.args...)
		p.dir = filepath.Join(p.dir, "run")
		p.Getwd = func() (string, error) { return p.dir, nil }
		if err := os.CopyFS(p.dir, os.DirFS(filepath.Join(theirs.dir, "run"))); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.dir, settings.ConfigName), []byte("[llm]\nmodel = 'big'\nbase_url = '"+stranger.URL+"'\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if code := p.run(t); code != c.code || saw(stranger.keys) != c.sent || strings.Contains(p.stderr.String(), "config.toml is not read") != (c.sent == "") {
			t.Errorf("%q beside a stranger's file: exit code %d, want %d, key %q, want %q:\n%s", c.args, code, c.code, saw(stranger.keys), c.sent, p.output())
		}
	}

	// An agent's place without a key is none for the run's key.
	going(0, nil, append(fork, "--agent-model", "agent-1=third@"+stranger.URL)...)
	unsent("a place for an agent, without a key")

	// A recorded variable is not sent where another key of this user goes.
	going(0, map[string]string{"AGENT_WORLD_LLM_AGENT_MODELS": "agent-2=small@" + strangers.URL + ",key_env=OTHER_KEY", "OTHER_KEY": "unused-key-1111"}, resume...)
	unsent("another variable for that endpoint")

	// Named, each gets the key that is meant for it, and is known afterwards.
	going(0, nil, append(fork, "--base-url", stranger.URL)...)
	if saw(stranger.keys) != runKey || saw(strangers.keys) != "" {
		t.Errorf("named with a flag: keys %q and %q", saw(stranger.keys), saw(strangers.keys))
	}
	going(0, map[string]string{"AGENT_WORLD_LLM_AGENT_MODELS": "agent-2=small@" + strangers.URL + ",key_env=SMALL_KEY"}, resume...)
	if saw(strangers.keys) != ownKey {
		t.Errorf("named in the environment: keys %q", saw(strangers.keys))
	}
	going(0, nil, fork...)
	if saw(stranger.keys) != runKey || saw(strangers.keys) != ownKey {
		t.Errorf("known: keys %q and %q", saw(stranger.keys), saw(strangers.keys))
	}
	if data, err := os.ReadFile(list); err != nil || strings.Count(string(data), "\n") != 3 || strings.Contains(string(data), "-key-") {
		t.Errorf("the list is %q, %v", data, err)
	}

	// A refusal without a key has another message than a wrong key.
	env["XDG_STATE_HOME"] = t.TempDir()
	stranger.Config.Handler = newPlace(t, "-").Config.Handler
	if text := going(exitProvider, nil, fork...); !strings.Contains(text, "provider_failed after 2 of 4 ticks: auth: HTTP 401") || strings.Count(text, "name it with --base-url") != 2 {
		t.Errorf("a refusal without the key:\n%s", text)
	}
}

// TestAKeyReachesNoServerThatOnlyABatchFileNames: a batch file may come from somebody else. Its cells are
// played at the endpoints that it names, without the user's keys; where the user names them, they get them.
func TestAKeyReachesNoServerThatOnlyABatchFileNames(t *testing.T) {
	const runKey, ownKey = "run-key-0123456789", "own-key-987654321"
	stranger, strangers := newPlace(t, "*"), newPlace(t, "*")
	file := "name = \"b\"\nscenarios = [\"llm_bootstrap\"]\nseeds = \"1\"\n[settings.run]\nticks = 1\n[settings.llm]\nmodel = \"m\"\n" +
		"base_url = \"" + stranger.URL + "\"\n[settings.agents]\nagent-1 = \"small@" + strangers.URL + ",key_env=SMALL_KEY\"\n"
	for _, c := range []struct {
		base, agents string
		run, own     string
	}{
		{"", "", "", ""},
		{stranger.URL, "agent-1=small@" + strangers.URL + ",key_env=SMALL_KEY", runKey, ownKey},
	} {
		clear(stranger.keys)
		clear(strangers.keys)
		env := map[string]string{"OPENAI_API_KEY": runKey, "SMALL_KEY": ownKey, "XDG_STATE_HOME": t.TempDir()}
		if c.base != "" {
			env[settings.EnvPrefix+"BASE_URL"], env[settings.EnvPrefix+"AGENT_MODELS"] = c.base, c.agents
		}
		p := newProcess(t, env, "batch", "run", "b.toml")
		if err := os.WriteFile(filepath.Join(p.dir, "b.toml"), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		// The servers here answer whoever asks, with a key or without.
		if code := p.run(t); code != exitCompleted {
			t.Errorf("named %q: exit code %d:\n%s", c.base, code, p.output())
		}
		if saw(stranger.keys) != c.run || saw(strangers.keys) != c.own {
			t.Errorf("named %q: keys %q and %q, want %q and %q:\n%s",
				c.base, saw(stranger.keys), saw(strangers.keys), c.run, c.own, p.output())
		}
		if told := strings.Contains(p.output(), "which only the batch file names"); told != (c.base == "") {
			t.Errorf("named %q: it says of keys that are not sent: %t\n%s", c.base, told, p.output())
		}
	}
}
