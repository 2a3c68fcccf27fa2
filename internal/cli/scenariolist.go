package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"example.com/agentworld/world/scenario"
)

// listScenarios prints a table of what can be run, the default one first. The
// columns of the score are empty where nothing is scored.
func (m *Main) listScenarios() error {
	table := tabwriter.NewWriter(m.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tAGENTS\tTICKS\tFAMILY\tNOTHING\tSCRIPTED\tBOUND\tTITLE")
	for _, name := range scenario.Names() {
		s, _, ok := scenario.Embedded(name)
		if !ok {
			panic("world_llm_agent_demo: a listed scenario does not exist: " + name)
		}
		score := strings.Repeat("-\t", 4) + "-"
		if t := s.Task; t != nil {
			score = fmt.Sprintf("%d\t%s\t%d\t%d\t%d", t.Ticks, t.Family, t.BaselineNothing, t.BaselineScripted, t.UpperBound)
		}
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\n", s.ID, s.Agents.Count, score, oneLine(s.Name))
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("list the scenarios: %w", err)
	}
	return nil
}
