package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"example.com/agentworld/world"
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
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\n", s.ID, s.Agents.Count, taskColumns(s.Task), oneLine(s.Name))
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("list the scenarios: %w", err)
	}
	return nil
}

// taskColumns are the columns from TICKS to BOUND.
func taskColumns(t *world.Task) string {
	if t == nil {
		return strings.Repeat("-\t", 4) + "-"
	}
	return fmt.Sprintf("%d\t%s\t%d\t%d\t%d", t.Ticks, t.Family, t.BaselineNothing, t.BaselineScripted, t.UpperBound)
}
