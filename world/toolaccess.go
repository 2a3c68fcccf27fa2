package world

import (
	"errors"
	"fmt"
	"slices"
)

// ToolAccess says which agents may call a tool of the user's. Nothing in the world depends on it. A scenario
// can only name a tool: what the tool is, and where, is for the user of the scenario to say.
type ToolAccess struct {
	// Name is that of the tool. A run of the scenario must have it.
	Name string `toml:"name"`
	// Agents are the ids of those that may call it; nil means all, and an empty list none.
	Agents []string `toml:"agents"`
}

// toolAccessMax bounds the tools that a scenario names.
const toolAccessMax = 32

// checkTools checks that names are unique and that the agents exist.
func (s Scenario) checkTools() error {
	var w wrongs
	w.when(len(s.Tools) > toolAccessMax, "tools: %d, want at most %d", len(s.Tools), toolAccessMax)
	for i, t := range s.Tools {
		field := fmt.Sprintf("tools[%d]", i)
		w.when(!isToolName(t.Name), "%s.name: %q is no name of a tool; want 1 to 64 of a-z, 0-9 and _", field,
			cleanText(t.Name, idLengthMax))
		twice := slices.ContainsFunc(s.Tools[:i], func(e ToolAccess) bool { return e.Name == t.Name })
		w.when(twice, "%s.name: %q is used twice", field, t.Name)
		for _, id := range t.Agents {
			_, known := s.agentNumber(id)
			w.when(!known && !s.planning(id), "%s.agents: there is no agent %q", field, cleanText(id, idLengthMax))
		}
	}
	return errors.Join(w...)
}

func isToolName(name string) bool {
	for _, c := range name {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return len(name) >= 1 && len(name) <= 64
}

// goRound gives lists of agents of a scenario for m agents to n agents: agent k has what agent k mod m has.
func (s Scenario) goRound(agents []string, m, n int) (all []string) {
	for _, id := range agents {
		first, known := s.agentNumber(id)
		for k := first; known && k < n; k += m {
			all = append(all, agentID(k))
		}
	}
	return all
}
