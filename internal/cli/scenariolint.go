package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/agentworld/baseline"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/world/scenario"
)

// lintCommand proves that scenarios can be played and that their tasks state true
// numbers.
func (m *Main) lintCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "lint [NAME|FILE...]",
		Short: "check that places can be reached, goals met, that tasks state true numbers and that no clause is idle",
		Long: "Lint lets scripted agents play each scenario, or all built-in ones, and prints one line per finding, " +
			"clauses of a mandate that can never make a difference included. " +
			"It calls no model. With findings the exit code is 2.",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = scenario.Names()
			}
			return m.lintScenarios(args)
		},
	}
}

// lintScenarios checks each scenario and prints the findings on stdout, since they
// are what was asked for.
func (m *Main) lintScenarios(names []string) error {
	findings, faulty := 0, 0
	for _, name := range names {
		list := m.lintScenario(name)
		findings += len(list)
		if len(list) > 0 {
			faulty++
		}
		for _, line := range list {
			if _, err := fmt.Fprintln(m.Stdout, oneLine(line)); err != nil {
				return fmt.Errorf("lint: %w", err)
			}
		}
	}
	if findings > 0 {
		return badInput("%d findings in %d of %d scenarios", findings, faulty, len(names))
	}
	_, err := fmt.Fprintf(m.Stdout, "%d scenarios, no findings\n", len(names))
	return err
}

// lintScenario lists the findings about one scenario, each a line. That it cannot
// be read is one too, so that the scenarios after it are still checked.
func (m *Main) lintScenario(name string) []string {
	name, _, chosen, err := m.chooseScenario(namedScenario(name), nil)
	if err != nil {
		return []string{err.Error()}
	}
	var lines []string
	for _, f := range baseline.Lint(chosen, chosen.Seed) {
		lines = append(lines, name+": "+f.String())
	}
	for _, idle := range policy.FindIdle(chosen.Mandate) {
		lines = append(lines, name+": "+idle.String())
	}
	return lines
}
