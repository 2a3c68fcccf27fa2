package cli

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/trace"
)

// agentModel is what one agent uses in place of the run's model. As a text it is
//
//	AGENT=MODEL[@URL][,key_env=NAME]
//
// such as agent-1=small@http://127.0.0.1:8000/v1,key_env=SMALL_KEY, and several of
// them are separated by spaces. In the configuration file each has a table:
//
//	[agents."agent-1"]
//	model = "small"
//	base_url = "http://127.0.0.1:8000/v1"
//	key_env = "SMALL_KEY"
//
// A key is bound to the place it was set for: an agent with an endpoint of its own
// gets no key but the one its key_env names.
type agentModel struct {
	agent string
	// model and baseURL are empty where the run's hold.
	model, baseURL string
	// keyEnv names a variable, empty for none.
	keyEnv string
}

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

// parseAgentModels reads a text with any number of entries. The error names the agent
// and never repeats a URL, which may hold a key.
func parseAgentModels(text string) ([]agentModel, error) {
	var all []agentModel
	for _, entry := range strings.Fields(text) {
		a, err := parseAgentModel(entry)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(b agentModel) bool { return b.agent == a.agent }) {
			return nil, fmt.Errorf("agent %s is given twice; allowed: once", shown(a.agent))
		}
		all = append(all, a)
	}
	return all, nil
}

func parseAgentModel(entry string) (agentModel, error) {
	agent, rest, ok := strings.Cut(entry, "=")
	if !ok || agent == "" || rest == "" {
		return agentModel{}, errors.New("an entry is not of the form AGENT=MODEL; allowed: " + agentModelForm)
	}
	a := agentModel{agent: agent, model: rest}
	if key := keySuffix.FindStringSubmatchIndex(rest); key != nil {
		a.model, a.keyEnv = rest[:key[0]], rest[key[2]:key[3]]
		if !variable.MatchString(a.keyEnv) {
			// It may be the key itself, put in the wrong place, so it is not repeated.
			return agentModel{}, fmt.Errorf("agent %s: key_env is no name of an environment variable; allowed: letters, digits and underscores", shown(agent))
		}
	}
	if otherSuffix.MatchString(a.model) {
		return agentModel{}, fmt.Errorf("agent %s: an option is not key_env, or is given twice; allowed: %s", shown(agent), agentModelForm)
	}
	if strings.HasSuffix(a.model, "@") {
		return agentModel{}, fmt.Errorf("agent %s: no endpoint follows the @; allowed: %s", shown(agent), agentModelForm)
	}
	if at := atURL.FindStringIndex(a.model); at != nil {
		a.model, a.baseURL = a.model[:at[0]], a.model[at[0]+1:]
		if _, err := openai.ParseBaseURL(a.baseURL); err != nil {
			return agentModel{}, fmt.Errorf("agent %s: %w", shown(agent), err)
		}
	}
	if a.model == "" && a.baseURL == "" {
		return agentModel{}, fmt.Errorf("agent %s has neither a model nor an endpoint; allowed: %s", shown(agent), agentModelForm)
	}
	return a, nil
}

// text is the entry as parseAgentModel reads it.
func (a agentModel) text() string {
	text := a.agent + "=" + a.model
	if a.baseURL != "" {
		text += "@" + a.baseURL
	}
	if a.keyEnv != "" {
		text += ",key_env=" + a.keyEnv
	}
	return text
}

// shownAgentModels is the text of all entries for a terminal: URLs in their effective
// form, with what looks like a secret masked.
func shownAgentModels(text string) string {
	all, err := parseAgentModels(text)
	if err != nil {
		return "not readable"
	}
	var shown []string
	for _, a := range all {
		if url, err := openai.ParseBaseURL(a.baseURL); err == nil {
			a.baseURL = url.String()
		}
		shown = append(shown, a.text())
	}
	return oneLine(strings.Join(shown, " "))
}

// readAgentModels keeps the text as written, once it can be read.
func readAgentModels(text string, into *string) error {
	if _, err := parseAgentModels(text); err != nil {
		return err
	}
	*into = text
	return nil
}

// agentAccess is how one agent reaches its model.
type agentAccess struct {
	agentModel
	// url is where its calls go, key what they carry.
	url openai.BaseURL
	key openai.Secret
	// keyFrom says where the key came from, for messages.
	keyFrom string
}

// chooseAgents finds the endpoint and the key of every agent with a model of its own.
// agents are those of the scenario. A run that is offline has none, which is said among
// what it does not use.
func (m *Main) chooseAgents(access modelAccess, models value, agents []string) ([]agentAccess, error) {
	all, err := parseAgentModels(models.text)
	if err != nil || len(all) == 0 || access.offline {
		return nil, err
	}
	if !access.live {
		return nil, badInput("%s: agents with models of their own need a live run for the others: set --model, or leave this out", models.where())
	}
	run, err := openai.ParseBaseURL(access.baseURL)
	if err != nil {
		return nil, badInput("%w", err)
	}
	var chosen []agentAccess
	for _, a := range all {
		if !slices.Contains(agents, a.agent) {
			return nil, badInput("%s: no agent %s in the scenario; allowed: %s", models.where(), shown(a.agent), listed(agents))
		}
		own, err := m.agentAccess(access, run, a)
		if err != nil {
			return nil, badInput("%s: agent %s: %w", models.where(), shown(a.agent), err)
		}
		chosen = append(chosen, own)
	}
	return chosen, nil
}

// agentAccess finds one agent's endpoint and key. The run's key goes to the run's
// endpoint and nowhere else.
func (m *Main) agentAccess(access modelAccess, run openai.BaseURL, a agentModel) (agentAccess, error) {
	own := agentAccess{agentModel: a, url: run}
	if a.baseURL != "" {
		url, err := openai.ParseBaseURL(a.baseURL)
		if err != nil {
			return own, err
		}
		own.url = url
	}
	switch {
	case a.keyEnv != "":
		text, _ := m.LookupEnv(a.keyEnv)
		if text = strings.TrimSpace(text); text == "" {
			return own, fmt.Errorf("the environment variable %s is not set; it should hold the key", a.keyEnv)
		}
		if err := readSecret(text, &own.key); err != nil {
			return own, err
		}
		own.keyFrom = "environment " + a.keyEnv
	case own.url.Equal(run):
		own.key, own.keyFrom = access.key, access.keyFrom.String()
	}
	if standard, err := openai.ParseBaseURL(openai.BaseURLDefault); err == nil && own.url.Equal(standard) && own.key.Empty() {
		return own, fmt.Errorf("%s needs a key: name the environment variable that holds it with key_env", openai.BaseURLDefault)
	}
	return own, nil
}

// engineModels are the agents' models for the engine, which records them.
func (p plan) engineModels() []trace.AgentModel {
	var models []trace.AgentModel
	for _, a := range p.agents {
		model := trace.AgentModel{Agent: a.agent, Model: a.model, KeyEnv: a.keyEnv}
		if a.baseURL != "" {
			model.BaseURL = a.url.String()
		}
		models = append(models, model)
	}
	return models
}
