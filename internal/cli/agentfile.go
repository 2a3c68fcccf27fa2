package cli

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/llmclient/openai"
)

// agentEntry makes one text of the tables of agents in a configuration file, in the
// order of the file. Its line is that of the first. The text reads back as the same
// models, or it would be refused here, where the line is known.
func agentEntry(name string, document map[string]any, keys []keyLine) (entry, error) {
	var all []agentModel
	var lines []int
	for _, key := range keys {
		path, inside := strings.CutPrefix(key.path, agentsTable+".")
		if !inside {
			continue
		}
		dot := strings.LastIndex(path, ".")
		agent, field := path[:max(dot, 0)], path[dot+1:]
		at := slices.IndexFunc(all, func(a agentModel) bool { return a.agent == agent })
		if at < 0 {
			at, all, lines = len(all), append(all, agentModel{agent: agent}), append(lines, key.line)
		}
		into := all[at].field(field)
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
	texts := make([]string, len(all))
	for i, a := range all {
		if err := a.readsBack(); err != nil {
			return entry{}, badInput("%s:%d: %w", name, lines[i], err)
		}
		texts[i] = a.text()
	}
	return entry{strings.Join(texts, " "), append(lines, 0)[0]}, nil
}

// field returns the place of a key of an agent's table, nil for no such key.
func (a *agentModel) field(key string) *string {
	switch key {
	case "model":
		return &a.model
	case "base_url":
		return &a.baseURL
	case "key_env":
		return &a.keyEnv
	}
	return nil
}

// readsBack says what about the model cannot be written as an entry.
func (a agentModel) readsBack() error {
	if a.baseURL != "" {
		if _, err := openai.ParseBaseURL(a.baseURL); err != nil {
			return fmt.Errorf("agent %s: %w", shown(a.agent), err)
		}
	}
	b, err := parseAgentModel(a.text())
	if err == nil && b != a {
		err = fmt.Errorf("agent %s: the model or its endpoint holds what belongs elsewhere; allowed: a plain name of a model and a URL", shown(a.agent))
	}
	return err
}
