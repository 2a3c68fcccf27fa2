package cli

import (
	"strings"
	"testing"

	"example.com/agentworld/plaintext"
)

// TestScenariosFitATerminal: in a narrow terminal the table has fewer columns, and each scenario one
// line; in a pipe it is whole.
func TestScenariosFitATerminal(t *testing.T) {
	row := strings.Split("a_scenario_with_a_name_of_40_characters__ 5 50 production 0 79 300 300 160 480 602", " ")
	row = append(row, "Hardware from a shared rock")
	rows := [][]string{scenarioColumns, row}
	for columns, want := range map[int]string{
		0: strings.Join(scenarioColumns, " "), 155: strings.Join(scenarioColumns, " "), 80: "NAME TICKS BOUND TITLE", 60: "NAME TITLE",
	} {
		lines := scenarioTable(rows, columns)
		if got := strings.Join(strings.Fields(lines[0]), " "); got != want || len(lines) != 2 {
			t.Errorf("%d columns have %s, want %s", columns, got, want)
		}
		for _, line := range lines {
			if n := plaintext.Cells(line); columns > 0 && n > columns {
				t.Errorf("%d of %d columns: %s", n, columns, line)
			}
		}
	}
	for line := range strings.Lines(playersLegend) {
		if len(line) > helpWidth+1 {
			t.Errorf("%d characters: %s", len(line), line)
		}
	}
}
