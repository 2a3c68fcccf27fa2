package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.com/agentworld/llmclient/openai"
)

// A key goes where its owner sent it. An endpoint that only a run directory names may be a
// stranger's: the directory may have been made elsewhere. It gets a key only if this user
// ran against it with that key before, which a list of the user's tells; see
// [Main.trusted].

// knownEndpoint is a line of that list: an endpoint, without its query, which may hold a
// secret, and the variable with the key of an agent, which another variable must not stand
// in for. It is never the key.
func knownEndpoint(url openai.BaseURL, keyEnv string) string {
	place, _, _ := strings.Cut(url.String(), "?")
	return strings.TrimSpace(place + " " + keyEnv)
}

// knownEndpointsFile is the list, empty where the user has no place for it.
func (m *Main) knownEndpointsFile() string {
	for _, place := range [][2]string{{"XDG_STATE_HOME", ""}, {"LOCALAPPDATA", ""}, {"HOME", ".local/state"}} {
		if dir, _ := m.LookupEnv(place[0]); filepath.IsAbs(dir) {
			return filepath.Join(dir, place[1], "agentworld", "endpoints")
		}
	}
	return ""
}

// knownEndpoints reads the list. What cannot be read is unknown.
func (m *Main) knownEndpoints() map[string]bool {
	data, _ := readBounded(m.knownEndpointsFile(), configBytesMax)
	known := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		known[strings.TrimSpace(line)] = true
	}
	return known
}

// rememberEndpoint adds an endpoint that gets a key to the list. A run does not fail for
// it.
func (m *Main) rememberEndpoint(url openai.BaseURL, keyEnv string) {
	name, line := m.knownEndpointsFile(), knownEndpoint(url, keyEnv)
	if name == "" || m.knownEndpoints()[line] {
		return
	}
	err := os.MkdirAll(filepath.Dir(name), 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			_, err = f.WriteString(line + "\n")
			err = cmp.Or(err, f.Close())
		}
	}
	if err != nil {
		fmt.Fprintf(m.Stderr, "note: the endpoint cannot be added to %s: %v; fork and resume of this run may want it named again\n", oneLine(name), cause(err))
	}
}

// trusted tells which endpoints may get a key, the run's or that of a variable: those that
// flags, environment or file name, which are in own, and those in the list.
func (m *Main) trusted(own []value) func(url openai.BaseURL, keyEnv string) bool {
	known := m.knownEndpoints()
	run, err := openai.ParseBaseURL(cmp.Or(find(own, "llm.base_url").text, openai.BaseURLDefault))
	if err == nil {
		known[knownEndpoint(run, "")] = true
	}
	agents, _ := parseAgentModels(find(own, agentsTable).text) // a wrong one is said elsewhere
	for _, a := range agents {
		if url, err := openai.ParseBaseURL(cmp.Or(a.BaseURL, run.String())); err == nil {
			known[knownEndpoint(url, a.KeyEnv)] = true
		}
	}
	return func(url openai.BaseURL, keyEnv string) bool { return known[knownEndpoint(url, keyEnv)] }
}

// withheld says that an endpoint does not get a key, and what to do.
func withheld(key string, url openai.BaseURL, remedy string) string {
	return oneLine(fmt.Sprintf("the key from %s is not sent to %s, which only the run directory names and which you never used with it: if it is meant to get it, %s", key, knownEndpoint(url, ""), remedy))
}
