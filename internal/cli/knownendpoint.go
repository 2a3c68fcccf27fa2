package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

// knownEndpoints reads the user's list of endpoints that got a key, a line each: the endpoint without
// its query, which may hold a secret, and for an agent's key the name of its variable. It is never the
// key. file is where the list is, empty where the user has no place for it. What cannot be read is
// unknown.
func (e *environment) knownEndpoints() (lines []string, file string) {
	for _, place := range [][2]string{{"XDG_STATE_HOME", ""}, {"LOCALAPPDATA", ""}, {"HOME", ".local/state"}} {
		if dir, _ := e.LookupEnv(place[0]); file == "" && filepath.IsAbs(dir) {
			file = filepath.Join(dir, place[1], "agentworld", "endpoints")
		}
	}
	data, _ := readBounded(file, settings.FileLimits.Bytes)
	for line := range strings.Lines(string(data)) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines, file
}

// rememberEndpoint adds an endpoint that gets a key to the list. A run does not fail for it.
func (m *Main) rememberEndpoint(e access.Endpoint) {
	known, name := m.knownEndpoints()
	line := strings.TrimSpace(e.Place + " " + e.Name)
	if name == "" || slices.Contains(known, line) {
		return
	}
	err := os.MkdirAll(filepath.Dir(name), 0o700)
	if f, openErr := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); openErr == nil {
		_, err = f.WriteString(line + "\n")
		err = cmp.Or(err, f.Close())
	} else {
		err = cmp.Or(err, openErr)
	}
	if err != nil {
		plaintext.Fprintf(m.Stderr, "note: the endpoint cannot be added to %s: %v; fork and resume may want it named again\n",
			name, cause(err))
	}
}

// reach is how this machine reaches models: each key with the endpoints that it was given for. These
// are those that own names, the settings of flags, environment and file, and those of the list. A run
// directory may come from another user, so what only that names is none of them.
func (m *Main) reach(c config, own settings.Values) access.Config {
	run := cmp.Or(own.Find("llm.base_url").Text, openai.BaseURLDefault)
	keys := []access.Key{{Endpoint: run, Secret: c.APIKey}}
	agents, _ := settings.ParseAgentModels(own.Find(settings.AgentsTable).Text) // a wrong one is reported elsewhere
	for _, a := range agents {
		// An endpoint that the user names for an agent without a key is not known for the run's key.
		if a.KeyEnv != "" {
			keys = append(keys, m.namedKey(cmp.Or(a.BaseURL, run), a.KeyEnv))
		}
	}
	known, _ := m.knownEndpoints()
	for _, line := range known {
		place, name, named := strings.Cut(line, " ")
		if named {
			keys = append(keys, m.namedKey(place, name))
		} else {
			keys = append(keys, access.Key{Endpoint: place, Secret: c.APIKey})
		}
	}
	return access.Config{
		Keys: keys, Offline: c.Offline, Unsent: c.estimateOnly, Prices: c.table,
		RequestsPerMinute: c.RequestsPerMinute, TokensPerMinute: c.TokensPerMinute,
		Backoff: settings.Millis(c.RetryBackoffMS), AllowStore: c.AllowStore, Now: m.Now,
	}
}

// namedKey is the key that a variable holds for an endpoint.
func (e *environment) namedKey(endpoint, name string) access.Key {
	key := access.Key{Endpoint: endpoint, Name: name}
	text, _ := e.LookupEnv(name)
	text = strings.TrimSpace(text)
	if text != "" {
		key.Wrong = settings.ReadSecret(text, &key.Secret)
	}
	return key
}

// withheld says that an endpoint, which only something of others names, does not get a key, and what to do.
// keyFrom is where the run's key comes from.
func withheld(w access.Withheld, keyFrom, named, remedy string) string {
	if w.Agent != nil {
		keyFrom = "environment " + w.Name
		remedy = fmt.Sprintf("set %sAGENT_MODELS=%q, or the same under [%s] in %s", settings.EnvPrefix,
			settings.AgentModelsText([]trace.AgentModel{*w.Agent}), settings.AgentsTable, settings.ConfigName)
	}
	return fmt.Sprintf("the key from %s is not sent to %s, which only the %s names and which you never used "+
		"with it: if it is meant to get it, %s", keyFrom, w.Place, named, remedy)
}
