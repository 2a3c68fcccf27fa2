package settings

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/trace"
)

// AgentModelForm is the form of one entry, for errors and help.
const AgentModelForm = "AGENT=MODEL[@URL][,key_env=NAME], separated by spaces"

// AgentKeys are the keys of an agent's table in the configuration file.
var AgentKeys = []string{"model", "base_url", "key_env"}

var (
	// An @ may be part of a model's name; the one before a URL is followed by a scheme
	// or by a loopback host.
	atURL     = regexp.MustCompile(`@(?:[A-Za-z][A-Za-z0-9+.-]*://|localhost\b|127\.|\[::1\])`)
	keySuffix = regexp.MustCompile(`,key_env=([^,@]*)$`)
	// A misspelt option is not the end of a model's name or of a URL: the key it was to
	// name would be missing.
	otherSuffix = regexp.MustCompile(`,[A-Za-z_-]+=`)
	variable    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// ParseAgentModels reads a text with any number of entries, separated by spaces, each
// of the form
//
//	AGENT=MODEL[@URL][,key_env=NAME]
//
// such as agent-1=small@http://127.0.0.1:8000/v1,key_env=SMALL_KEY. In the configuration
// file each has a table:
//
//	[agents."agent-1"]
//	model = "small"
//	base_url = "http://127.0.0.1:8000/v1"
//	key_env = "SMALL_KEY"
//
// A key is bound to the place it was set for: an agent with an endpoint of its own gets no
// key but the one its key_env names. The error names the agent and never repeats a URL,
// which may hold a key.
func ParseAgentModels(text string) ([]trace.AgentModel, error) {
	var all []trace.AgentModel
	for _, entry := range strings.Fields(text) {
		a, err := parseAgentModel(entry)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(b trace.AgentModel) bool { return b.Agent == a.Agent }) {
			return nil, fmt.Errorf("agent %s is given twice; allowed: once", openai.Quoted(a.Agent))
		}
		all = append(all, a)
	}
	return all, nil
}

func parseAgentModel(entry string) (trace.AgentModel, error) {
	agent, rest, ok := strings.Cut(entry, "=")
	if !ok || agent == "" || rest == "" {
		return trace.AgentModel{}, errors.New("an entry is not of the form AGENT=MODEL; allowed: " + AgentModelForm)
	}
	a := trace.AgentModel{Agent: agent, Model: rest}
	if key := keySuffix.FindStringSubmatchIndex(rest); key != nil {
		a.Model, a.KeyEnv = rest[:key[0]], rest[key[2]:key[3]]
		if !variable.MatchString(a.KeyEnv) {
			// It may be the key itself, put in the wrong place, so it is not repeated.
			return trace.AgentModel{}, fmt.Errorf(
				"agent %s: key_env is no name of an environment variable; allowed: letters, digits and underscores",
				openai.Quoted(agent))
		}
	}
	if otherSuffix.MatchString(a.Model) {
		return trace.AgentModel{}, fmt.Errorf("agent %s: an option is not key_env, or is given twice; allowed: %s",
			openai.Quoted(agent), AgentModelForm)
	}
	if strings.HasSuffix(a.Model, "@") {
		return trace.AgentModel{}, fmt.Errorf("agent %s: no endpoint follows the @; allowed: %s", openai.Quoted(agent),
			AgentModelForm)
	}
	if at := atURL.FindStringIndex(a.Model); at != nil {
		a.Model, a.BaseURL = a.Model[:at[0]], a.Model[at[0]+1:]
		if _, err := openai.ParseBaseURL(a.BaseURL); err != nil {
			return trace.AgentModel{}, fmt.Errorf("agent %s: %w", openai.Quoted(agent), err)
		}
	}
	if a.Model == "" && a.BaseURL == "" {
		return trace.AgentModel{}, fmt.Errorf("agent %s has neither a model nor an endpoint; allowed: %s",
			openai.Quoted(agent),
			AgentModelForm)
	}
	return a, nil
}

// AgentModelsText are the entries as parseAgentModels reads them.
func AgentModelsText(all []trace.AgentModel) string {
	texts := make([]string, len(all))
	for i, a := range all {
		texts[i] = a.Agent + "=" + a.Model
		if a.BaseURL != "" {
			texts[i] += "@" + a.BaseURL
		}
		if a.KeyEnv != "" {
			texts[i] += ",key_env=" + a.KeyEnv
		}
	}
	return strings.Join(texts, " ")
}

// MaskedAgentModels are entries with effective URLs, in which what looks like a secret is masked.
func MaskedAgentModels(text string) string {
	all, err := ParseAgentModels(text)
	if err != nil {
		return "not readable"
	}
	for i, a := range all {
		if url, err := openai.ParseBaseURL(a.BaseURL); err == nil {
			all[i].BaseURL = url.String()
		}
	}
	return AgentModelsText(all)
}
