package cli

import (
	"bytes"
	"fmt"
	"strings"

	"example.com/agentworld/explain"
	"example.com/agentworld/plaintext"
)

// explainTimeline prints what an agent did, tick by tick.
func explainTimeline(m *Main, runDir string, f explainFlags) error {
	dir, err := m.openRun(runDir)
	if err != nil {
		return err
	}
	t := explain.Timeline{From: f.From, To: f.To}
	var rows []explain.Row
	last := int64(0) // whole tick
	table := explain.TableOf(dir, f.Agent)
	for r, err := range table.Rows() {
		if err != nil {
			return m.unread(runDir, err)
		}
		last = r.Tick
		switch {
		case !f.JSON:
			t.Add(r)
		case r.Tick >= f.From && (f.To == 0 || r.Tick <= f.To):
			r.Decision = nil // which has much that is not shown
			rows = append(rows, r)
		}
	}
	switch {
	case last == 0:
		return badInput("the trace holds no whole tick yet")
	case last < f.From:
		return badInput("no tick from %d on; the run has ticks 1 to %d", f.From, last)
	case f.JSON:
		return m.printJSON(struct {
			Agent string        `json:"agent_id"`
			Rows  []explain.Row `json:"rows"`
		}{f.Agent, rows})
	}
	var b, next bytes.Buffer
	columns := m.outputColumns()
	plaintext.Fprintf(&b, "%s\n\n",
		fitText(fmt.Sprintf("%s in %s", f.Agent, plaintext.Escape(runText(table.Header().Settings))), columns))
	writeTimeline(&b, t.Lines, columns)
	if t.More > 0 {
		m.printAdvice(&next, timelineAdvice(runDir, f.Agent, t.More))
	}
	m.printAdvice(&next, lastTurnAdvice(t.Lines, runDir, f.Agent)...)
	plaintext.Fprintf(&b, "\n")
	for line := range strings.Lines(next.String()) {
		plaintext.Fprintf(&b, "%s\n", fitAdvice(strings.TrimSuffix(line, "\n"), columns))
	}
	return m.print(b.String())
}

// fitText is a line cut to so many columns, or whole if columns is 0.
func fitText(text string, columns int) string {
	if columns > 0 {
		return plaintext.Fit(text, columns)
	}
	return text
}

// fitAdvice cuts what a line says of a command. The command itself stays whole: a part of it would
// do something else.
func fitAdvice(line string, columns int) string {
	command, _, _ := strings.Cut(line, "   # ")
	if columns == 0 || plaintext.Cells(line) <= columns {
		return line
	}
	if plaintext.Cells(command)+len("   # ") >= columns {
		return command
	}
	return plaintext.Fit(line, columns)
}

// The columns of a timeline before what the agent did.
const (
	columnTicks = iota
	columnPlace
	columnCharge
	columnHeat
	columnStock
	columnsBefore
)

// stockMin is the least width of a cut stock in cells.
const stockMin = 12

// columnsToDrop are the columns that a narrow terminal has no room for, the least important first.
var columnsToDrop = []int{columnHeat, columnStock, columnPlace, columnCharge, columnTicks}

// writeTimeline writes the lines with aligned columns. Where columns is not 0, each line is cut to so many.
func writeTimeline(b *bytes.Buffer, lines []explain.TimelineLine, columns int) {
	cells := [][]string{{"ticks", "place", "charge", "heat", "stock"}}
	did := plaintext.Cells(didTitle)
	for _, l := range lines {
		ticks := fmt.Sprint(l.First)
		if l.Last > l.First {
			ticks += fmt.Sprintf("-%d", l.Last)
		}
		place := l.Row.Place
		if place == "" {
			place = "-"
		}
		cells = append(cells, []string{ticks, place, fmt.Sprint(l.Row.Electricity), fmt.Sprint(l.Row.Heat),
			stockText(l.Row.Stock)})
		did = max(did, plaintext.Cells(plaintext.Escape(l.Did)))
	}
	most := make([]int, columnsBefore) // 0 for any width
	most[columnPlace] = columns / 6
	wide := make([]int, columnsBefore)
	for _, row := range cells {
		for i := range row {
			row[i] = fitText(plaintext.Escape(row[i]), most[i])
			wide[i] = max(wide[i], plaintext.Cells(row[i]))
		}
	}
	if columns > 0 {
		narrow(wide, columns-min(did, columns/2))
	}
	for i, row := range cells {
		line := ""
		for k, cell := range row {
			if wide[k] == 0 {
				continue
			}
			cell = plaintext.Fit(cell, wide[k])
			pad := strings.Repeat(" ", wide[k]-plaintext.Cells(cell))
			if k == columnCharge || k == columnHeat { // numbers to the right
				line += pad + cell + "  "
			} else {
				line += cell + pad + "  "
			}
		}
		if i == 0 {
			plaintext.Fprintf(b, "%s\n", fitText(line+didTitle, columns))
			continue
		}
		l := lines[i-1]
		plaintext.Fprintf(b, "%s\n", fitText(line+plaintext.Escape(l.Did), columns))
		for _, n := range l.Notes {
			plaintext.Fprintf(b, "%s\n", fitText(strings.Repeat(" ", wide[columnTicks]+2)+"* "+plaintext.Escape(n), columns))
		}
	}
}

// didTitle is the title of the last column.
const didTitle = "what it did"

// narrow makes the widths of columns, with two spaces after each, fit a room: the stock gets
// narrower, and the columns of [columnsToDrop] get the width 0.
func narrow(wide []int, room int) {
	over := -room
	for _, w := range wide {
		over += w + 2
	}
	for _, k := range columnsToDrop {
		switch {
		case over <= 0:
			return
		case k == columnStock && wide[k]-over >= stockMin:
			wide[k] -= over
			return
		}
		over -= wide[k] + 2
		wide[k] = 0
	}
}

// outputColumns is how wide the lines of a table on stdout may be: 0 for any width, since what reads
// them is no terminal.
func (p *printer) outputColumns() int {
	if p.OutputColumns == nil {
		return 0
	}
	return p.OutputColumns()
}

// lastTurnAdvice shows the turn that most deserves a look: the last before the first shutdown, else
// the last.
func lastTurnAdvice(lines []explain.TimelineLine, runDir, agent string) []advice {
	decided := int64(0)
	for _, l := range lines {
		if l.Row.PowerState == "shutdown" && decided > 0 {
			return []advice{turnAdvice(runDir, decided, agent, "shows what it did last before it had no power")}
		}
		if l.Row.Decision != nil {
			decided = l.Last
		}
	}
	if decided == 0 {
		return nil
	}
	return []advice{turnAdvice(runDir, decided, agent, "shows its last decision here")}
}
