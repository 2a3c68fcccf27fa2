package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// knownEndpoint is a line of the user's list of endpoints that got a key. It holds the
// endpoint without its query, because the query may hold a secret. For an agent's key it
// also holds the name of the variable, and no other variable matches. It is never the key.
func knownEndpoint(url openai.BaseURL, keyEnv string) string {
	place, _, _ := strings.Cut(url.String(), "?")
	return strings.TrimSpace(place + " " + keyEnv)
}

// knownEndpoints reads the list, and returns where it is; empty where the user has no place
// for it. What cannot be read is unknown.
func (m *Main) knownEndpoints() (known map[string]bool, file string) {
	known = map[string]bool{}
	for _, place := range [][2]string{{"XDG_STATE_HOME", ""}, {"LOCALAPPDATA", ""}, {"HOME", ".local/state"}} {
		if dir, _ := m.LookupEnv(place[0]); file == "" && filepath.IsAbs(dir) {
			file = filepath.Join(dir, place[1], "agentworld", "endpoints")
		}
	}
	data, _ := readBounded(file, settings.FileLimits.Bytes)
	for line := range strings.Lines(string(data)) {
		known[strings.TrimSpace(line)] = true
	}
	return known, file
}

// rememberEndpoint adds an endpoint that gets a key to the list. A run does not fail for
// it.
func (m *Main) rememberEndpoint(url openai.BaseURL, keyEnv string) {
	known, name := m.knownEndpoints()
	line := knownEndpoint(url, keyEnv)
	if name == "" || known[line] {
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

// trusted returns which endpoints may get a key, the run's or that of a variable. A run
// directory may come from another user, so an endpoint that only the directory names is
// untrusted. It must be in the list, or in own: flags, environment or file.
func (m *Main) trusted(own settings.Values) func(url openai.BaseURL, keyEnv string) bool {
	known, _ := m.knownEndpoints()
	agents, _ := settings.ParseAgentModels(own.Find(settings.AgentsTable).Text) // a wrong one is reported elsewhere
	run := cmp.Or(own.Find("llm.base_url").Text, openai.BaseURLDefault)
	for _, a := range append(agents, trace.AgentModel{BaseURL: run}) {
		// An endpoint that the user names for an agent without a key is not known for the
		// run's key.
		if url, err := openai.ParseBaseURL(cmp.Or(a.BaseURL, run)); err == nil && (a.KeyEnv != "" || a.Agent == "") {
			known[knownEndpoint(url, a.KeyEnv)] = true
		}
	}
	return func(url openai.BaseURL, keyEnv string) bool { return known[knownEndpoint(url, keyEnv)] }
}

// withholdKey takes the key away from a run whose endpoint only a run directory names. own are
// the settings without those of that run.
func (m *Main) withholdKey(c *config, own settings.Values) {
	c.trusts = m.trusted(own)
	if c.APIKey.Empty() {
		return
	}
	if url, err := openai.ParseBaseURL(c.endpoint()); err != nil || !c.trusts(url, "") {
		c.APIKey = openai.Secret{}
		c.withheld = withheld(c.Values.Find("llm.api_key").Origin.String(), url, "name it with --base-url "+url.String())
		plaintext.Fprintf(m.Stderr, "note: %s\n", c.withheld)
	}
}

// withheld says that an endpoint does not get a key, and what to do.
func withheld(key string, url openai.BaseURL, remedy string) string {
	return fmt.Sprintf("the key from %s is not sent to %s, which only the run directory names and which you never used "+
		"with it: if it is meant to get it, %s",
		key, knownEndpoint(url, ""), remedy)
}
