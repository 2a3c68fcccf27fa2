package cli

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

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
		again := settings.AgentModelsText([]trace.AgentModel{a})
		plaintext.Fprintf(m.Stderr, "note: %s\n", withheld("environment "+a.KeyEnv, own.url,
			fmt.Sprintf("set %sAGENT_MODELS=%q, or the same under [%s] in %s", settings.EnvPrefix, again, settings.AgentsTable,
				settings.ConfigName)))
	case a.KeyEnv != "":
		text, _ := m.LookupEnv(a.KeyEnv)
		text = strings.TrimSpace(text)
		if text == "" && c.estimateOnly {
			break
		}
		if text == "" {
			return own, fmt.Errorf("the environment variable %s is not set; it should hold the key", a.KeyEnv)
		}
		if err := settings.ReadSecret(text, &own.key); err != nil {
			return own, err
		}
		own.keyFrom = "environment " + a.KeyEnv
	case own.url.Equal(run):
		own.key, own.keyFrom = c.APIKey, c.Values.Find("llm.api_key").Origin.String()
	}
	if isDefault(own.url.String()) && own.key.Empty() && !c.estimateOnly {
		return own, fmt.Errorf("%s needs a key: name the environment variable that holds it with key_env",
			openai.BaseURLDefault)
	}
	return own, nil
}
