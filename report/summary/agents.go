package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/report/wording"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// agentsMax is how many agents the table lists; of more it lists those that a reader looks for first.
const agentsMax = 20

// amountsMax bounds how many resources a cell lists.
const amountsMax = 2

// agents is the table of the run's agents, with a line below it if some are left out.
func agents(r report.Report, o Options) []Line {
	rows := slices.Clone(r.PerAgent)
	left := 0
	if len(rows) > agentsMax && !o.AllAgents {
		slices.SortStableFunc(rows, func(a, b report.AgentRow) int {
			return cmp.Or(cmp.Compare(b.FailedTurns, a.FailedTurns), cmp.Compare(b.GoalsMet, a.GoalsMet),
				cmp.Compare(b.Tokens.Input+b.Tokens.Output, a.Tokens.Input+a.Tokens.Output))
		})
		left = len(rows) - agentsMax
		rows = rows[:agentsMax]
	}
	if len(rows) == 0 {
		return nil
	}
	lines := tableLines(agentTable(r, rows, o).Text(o.Columns), rows)
	if left > 0 {
		lines = append(lines, Line{Text: fmt.Sprintf("and %d more, with fewer failures, goals and tokens", left)})
	}
	return append([]Line{{}}, append(lines, Line{})...)
}

// tableLines gives lines of a table their tones: that of its agent to each row, which continues in lines that
// begin with a space.
func tableLines(text string, rows []report.AgentRow) (lines []Line) {
	at := -2 // the header is none of the rows
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, " ") {
			at++
		}
		tone := Plain
		switch {
		case at < 0:
			tone = Strong
		case at < len(rows):
			tone = toneOf(rows[at])
		}
		lines = append(lines, Line{line, tone})
	}
	return lines
}

// toneOf warns of agents of which turns failed.
func toneOf(a report.AgentRow) Tone {
	switch {
	case a.StoppedBy != "", a.Turns > 0 && 2*a.FailedTurns >= a.Turns:
		return Bad
	case a.FailedTurns*100 >= a.Turns*shareOfFailedWarn && a.FailedTurns > 0:
		return Warn
	}
	return Plain
}

// column is one column of the table: what it says of an agent. One that says nothing of any is left out.
type column struct {
	name string
	cell func(report.AgentRow) string
}

// agentTable is the table of some agents.
func agentTable(r report.Report, rows []report.AgentRow, o Options) plaintext.Table {
	costs := map[string]int64{}
	for _, c := range r.Cost.ByAgent {
		costs[c.AgentID] = c.Micros
	}
	goals := map[string]string{}
	for _, g := range r.Goals {
		if goals[g.AgentID] == "" || g.MetAt == nil {
			goals[g.AgentID] = g.Text
		}
	}
	columns := []column{
		{"role", func(a report.AgentRow) string { return plain(a.Name) }},
		{"goal", func(a report.AgentRow) string { return plain(goals[a.AgentID]) }},
		{"reached", func(a report.AgentRow) string { return met(r, a) }},
		{"turns", func(a report.AgentRow) string { return fmt.Sprint(a.Turns) }},
		{"failed", func(a report.AgentRow) string { return fmt.Sprint(a.FailedTurns) }},
		{"refused", func(a report.AgentRow) string { return fmt.Sprint(a.Failures) }},
		{"tokens", func(a report.AgentRow) string { return plaintext.Thousands(a.Tokens.Input + a.Tokens.Output) }},
		{"cost", func(a report.AgentRow) string {
			if r.Cost.Currency == "" {
				return ""
			}
			return amount(costs[a.AgentID])
		}},
	}
	if o.Columns == 0 { // a terminal has no room for them
		columns = append(columns, column{"gave", func(a report.AgentRow) string { return amounts(a.Gave) }},
			column{"got", func(a report.AgentRow) string { return amounts(a.Got) }})
	}
	columns = append(columns, column{"last", last})
	t := plaintext.Table{Header: []string{"agent"}, Least: []string{"goal", "role", "cost", "tokens"}}
	t.Rows = make([][]string, len(rows))
	for i, a := range rows {
		t.Rows[i] = []string{plain(a.AgentID)}
	}
	for _, c := range columns {
		said := false
		cells := make([]string, len(rows))
		for i, a := range rows {
			cells[i] = c.cell(a)
			said = said || cells[i] != ""
		}
		if !said {
			continue
		}
		t.Header = append(t.Header, c.name)
		for i := range rows {
			t.Rows[i] = append(t.Rows[i], cmp.Or(cells[i], "-"))
		}
	}
	return t
}

// met says when an agent met its goals, or how far it got.
func met(r report.Report, a report.AgentRow) string {
	switch {
	case a.GoalsMet > 0 && a.GoalsMet >= a.Goals:
		return fmt.Sprintf("tick %d", *a.GoalMetAt)
	case a.Goals > 1:
		return fmt.Sprintf("%d of %d", a.GoalsMet, a.Goals)
	case a.Goals == 0:
		return ""
	}
	for _, g := range r.Goals {
		if g.AgentID == a.AgentID {
			return fmt.Sprintf("%d of %d", g.Now, g.AtLeast)
		}
	}
	return ""
}

// last says what an agent did last, and when.
func last(a report.AgentRow) string {
	if a.LastTick == 0 {
		return "nothing"
	}
	text := plain(a.LastAction)
	switch reason := trace.WaitReason(a.LastCode); {
	case reason == "":
	case reason.Class() == "":
		text += " refused"
	case a.LastAction == "wait":
		text = wording.Outcome(reason)
	default:
		text += " as planned, " + wording.Outcome(reason)
	}
	return fmt.Sprintf("%s, tick %d", text, a.LastTick)
}

// passed says what agents gave to and got from each other, where the table has no room for it.
func passed(r report.Report, o Options) string {
	if o.Columns == 0 {
		return ""
	}
	var list []string
	for _, a := range r.PerAgent {
		if len(a.Gave)+len(a.Got) > 0 {
			list = append(list, fmt.Sprintf("%s gave %s and got %s", plain(a.AgentID), cmp.Or(amounts(a.Gave), "nothing"),
				cmp.Or(amounts(a.Got), "nothing")))
		}
	}
	return firstOf(list, "; ")
}

// amounts are resources in a cell.
func amounts(list []world.Amount) string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b world.Amount) int { return cmp.Compare(b.Amount, a.Amount) })
	var parts []string
	for _, a := range list[:min(len(list), amountsMax)] {
		parts = append(parts, fmt.Sprintf("%s %s", plaintext.Thousands(a.Amount), plain(a.Resource)))
	}
	if more := len(list) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, ", ")
}
