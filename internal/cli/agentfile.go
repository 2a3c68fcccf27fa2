package cli

import (
	"slices"
	"strings"

	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/trace"
)

// agentEntry makes one text of the tables of agents in a configuration file, in the
// order of the file. Its line is that of the first. The text reads back as the same
// models, or it would be refused here, where the line is known.
func agentEntry(name string, document map[string]any, keys []keyLine) (entry, error) {
	var all []trace.AgentModel
	var lines []int
	for _, key := range keys {
		path, inside := strings.CutPrefix(key.path, agentsTable+".")
		if !inside {
			continue
		}
		dot := strings.LastIndex(path, ".")
		agent, field := path[:max(dot, 0)], path[dot+1:]
		at := slices.IndexFunc(all, func(a trace.AgentModel) bool { return a.Agent == agent })
		if at < 0 {
			at, all, lines = len(all), append(all, trace.AgentModel{Agent: agent}), append(lines, key.line)
		}
		a := &all[at]
		into := map[string]*string{"model": &a.Model, "base_url": &a.BaseURL, "key_env": &a.KeyEnv}[field]
		if into == nil || agent == "" {
			return entry{}, badInput("%s:%d: unknown key %s in [%s]; allowed: [%s.\"ID\"] with %s; a key is given by the name of the variable that holds it",
				name, key.line, shown(path), agentsTable, agentsTable, strings.Join(agentKeys, ", "))
		}
		tables, _ := document[agentsTable].(map[string]any)
		table, _ := tables[agent].(map[string]any)
		text, ok := table[field].(string)
		if text = strings.TrimSpace(text); !ok || text == "" || strings.ContainsAny(agent+text, " \t\r\n=") && field != "base_url" {
			return entry{}, badInput("%s:%d: %s.%s: the value has the wrong type; allowed: a text in quotes without spaces", name, key.line, agentsTable, path)
		}
		*into = text
	}
	for i, a := range all {
		if a.BaseURL != "" {
			if _, err := openai.ParseBaseURL(a.BaseURL); err != nil {
				return entry{}, badInput("%s:%d: agent %s: %w", name, lines[i], shown(a.Agent), err)
			}
		}
		b, err := parseAgentModel(agentModelsText([]trace.AgentModel{a}))
		if err != nil {
			return entry{}, badInput("%s:%d: %w", name, lines[i], err)
		}
		if b != a {
			return entry{}, badInput("%s:%d: agent %s: the model or its endpoint holds what belongs elsewhere; allowed: a plain name of a model and a URL",
				name, lines[i], shown(a.Agent))
		}
	}
	return entry{agentModelsText(all), append(lines, 0)[0]}, nil
}
