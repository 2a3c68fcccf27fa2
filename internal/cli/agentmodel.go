package cli

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// agentModelForm is the form of one entry, for errors and help.
const agentModelForm = "AGENT=MODEL[@URL][,key_env=NAME], separated by spaces"

// agentKeys are the keys of an agent's table in the configuration file.
var agentKeys = []string{"model", "base_url", "key_env"}

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

// parseAgentModels reads a text with any number of entries, separated by spaces, each
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
func parseAgentModels(text string) ([]trace.AgentModel, error) {
	var all []trace.AgentModel
	for _, entry := range strings.Fields(text) {
		a, err := parseAgentModel(entry)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(b trace.AgentModel) bool { return b.Agent == a.Agent }) {
			return nil, fmt.Errorf("agent %s is given twice; allowed: once", shown(a.Agent))
		}
		all = append(all, a)
	}
	return all, nil
}

func parseAgentModel(entry string) (trace.AgentModel, error) {
	agent, rest, ok := strings.Cut(entry, "=")
	if !ok || agent == "" || rest == "" {
		return trace.AgentModel{}, errors.New("an entry is not of the form AGENT=MODEL; allowed: " + agentModelForm)
	}
	a := trace.AgentModel{Agent: agent, Model: rest}
	if key := keySuffix.FindStringSubmatchIndex(rest); key != nil {
		a.Model, a.KeyEnv = rest[:key[0]], rest[key[2]:key[3]]
		if !variable.MatchString(a.KeyEnv) {
			// It may be the key itself, put in the wrong place, so it is not repeated.
			return trace.AgentModel{}, fmt.Errorf(
				"agent %s: key_env is no name of an environment variable; allowed: letters, digits and underscores", shown(agent))
		}
	}
	if otherSuffix.MatchString(a.Model) {
		return trace.AgentModel{}, fmt.Errorf("agent %s: an option is not key_env, or is given twice; allowed: %s",
			shown(agent), agentModelForm)
	}
	if strings.HasSuffix(a.Model, "@") {
		return trace.AgentModel{}, fmt.Errorf("agent %s: no endpoint follows the @; allowed: %s", shown(agent),
			agentModelForm)
	}
	if at := atURL.FindStringIndex(a.Model); at != nil {
		a.Model, a.BaseURL = a.Model[:at[0]], a.Model[at[0]+1:]
		if _, err := openai.ParseBaseURL(a.BaseURL); err != nil {
			return trace.AgentModel{}, fmt.Errorf("agent %s: %w", shown(agent), err)
		}
	}
	if a.Model == "" && a.BaseURL == "" {
		return trace.AgentModel{}, fmt.Errorf("agent %s has neither a model nor an endpoint; allowed: %s", shown(agent),
			agentModelForm)
	}
	return a, nil
}

// agentModelsText are the entries as parseAgentModels reads them.
func agentModelsText(all []trace.AgentModel) string {
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

// maskedAgentModels are entries with effective URLs, in which what looks like a secret is masked.
func maskedAgentModels(text string) string {
	all, err := parseAgentModels(text)
	if err != nil {
		return "not readable"
	}
	for i, a := range all {
		if url, err := openai.ParseBaseURL(a.BaseURL); err == nil {
			all[i].BaseURL = url.String()
		}
	}
	return agentModelsText(all)
}

// agentAccess is how one agent reaches its model.
type agentAccess struct {
	trace.AgentModel
	// url is where its calls go, key what they carry.
	url openai.BaseURL
	key openai.Secret
	// keyFrom says where the key came from, for messages.
	keyFrom string
}

// chooseAgents finds the endpoint and the key of every agent with a model of its own.
// agents are those of the scenario; where names the place in messages. A run that is offline
// or asks no model has none. An offline run lists them among the settings it does not use.
func (m *Main) chooseAgents(c config, where string, agents []string) ([]agentAccess, error) {
	if len(c.AgentModels) == 0 || c.Offline || c.strict() {
		return nil, nil
	}
	if !c.Live() {
		return nil, badInput(
			"%s: agents with models of their own need a live run for the others: set --model, or leave this out", where)
	}
	run, err := openai.ParseBaseURL(c.endpoint())
	if err != nil {
		return nil, badInput("%w", err)
	}
	var chosen []agentAccess
	for _, a := range c.AgentModels {
		if !slices.Contains(agents, a.Agent) {
			return nil, badInput("%s: no agent %s in the scenario; %s", where, shown(a.Agent), offered(a.Agent, agents))
		}
		own, err := m.agentAccess(c, run, a)
		if err != nil {
			return nil, badInput("%s: agent %s: %w", where, shown(a.Agent), err)
		}
		chosen = append(chosen, own)
	}
	return chosen, nil
}

// agentAccess finds one agent's endpoint and key. The run's key goes to the run's
// endpoint and nowhere else.
func (m *Main) agentAccess(c config, run openai.BaseURL, a trace.AgentModel) (agentAccess, error) {
	own := agentAccess{AgentModel: a, url: run}
	if a.BaseURL != "" {
		url, err := openai.ParseBaseURL(a.BaseURL)
		if err != nil {
			return own, err
		}
		own.url = url
	}
	switch {
	case a.KeyEnv != "" && c.trusts != nil && !c.trusts(own.url, a.KeyEnv):
		again := agentModelsText([]trace.AgentModel{a})
		plaintext.Fprintf(m.Stderr, "note: %s\n", withheld("environment "+a.KeyEnv, own.url,
			fmt.Sprintf("set %sAGENT_MODELS=%q, or the same under [%s] in %s", envPrefix, again, agentsTable, configName)))
	case a.KeyEnv != "":
		text, _ := m.LookupEnv(a.KeyEnv)
		text = strings.TrimSpace(text)
		if text == "" && c.estimateOnly {
			break
		}
		if text == "" {
			return own, fmt.Errorf("the environment variable %s is not set; it should hold the key", a.KeyEnv)
		}
		if err := readSecret(text, &own.key); err != nil {
			return own, err
		}
		own.keyFrom = "environment " + a.KeyEnv
	case own.url.Equal(run):
		own.key, own.keyFrom = c.APIKey, find(c.values, "llm.api_key").origin.String()
	}
	if isDefault(own.url.String()) && own.key.Empty() && !c.estimateOnly {
		return own, fmt.Errorf("%s needs a key: name the environment variable that holds it with key_env",
			openai.BaseURLDefault)
	}
	return own, nil
}
