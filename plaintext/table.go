package plaintext

import (
	"slices"
	"strings"
)

// Table is rows of cells for people, below a header. Each cell is one line.
type Table struct {
	Header []string
	Rows   [][]string
	// Least are the columns that a narrow terminal leaves out, by their headers, the first one first.
	Least []string
	// Names are the columns, by their headers, that are shortened before any other, and at their beginning: the
	// ends of long names tell more.
	Names []string
}

// tableGap is between columns. tableCellMin is the width that no column goes below, and tableNameMin that of names.
const (
	tableGap     = "  "
	tableCellMin = 12
	tableNameMin = 8
)

// Text is the table with aligned columns; empty without rows. Where columns is not 0, no line is wider:
// columns are left out as [Table.Least] says, which a line below tells, the widest ones are cut, and
// the last one continues below.
func (t Table) Text(columns int) string {
	if len(t.Rows) == 0 {
		return ""
	}
	var out []string
	wide := t.widths()
	for _, name := range t.Least {
		if columns == 0 || total(wide) <= columns {
			break
		}
		if at := slices.Index(t.Header, name); at >= 0 {
			t, out = t.without(at), append(out, name)
			wide = t.widths()
		}
	}
	last := len(wide) - 1
	for columns > 0 && total(wide) > columns {
		at := t.narrowed(wide, columns)
		if wide[at] <= tableCellMin && !slices.Contains(t.Names, t.Header[at]) {
			break
		}
		wide[at]--
	}
	var b strings.Builder
	for _, row := range append([][]string{t.Header}, t.Rows...) {
		line := ""
		for i, cell := range row[:last] {
			if slices.Contains(t.Names, t.Header[i]) {
				cell = fitEnd(cell, wide[i])
			}
			cell = Fit(cell, wide[i])
			line += cell + strings.Repeat(" ", wide[i]-Cells(cell)) + tableGap
		}
		indent := strings.Repeat(" ", Cells(line))
		for i, part := range broken(row[last], wide[last]) {
			if i > 0 {
				line = indent
			}
			line = strings.TrimRight(line+part, " ")
			if columns > 0 {
				line = Fit(line, columns)
			}
			b.WriteString(line + "\n")
		}
	}
	if len(out) > 0 {
		slices.Reverse(out)
		for _, line := range broken("a wider terminal or a pipe also has: "+strings.Join(out, ", "), columns) {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// narrowed is the column to narrow next: the widest name, then the last column down to half of the line, or to a
// quarter beside names, then the widest.
func (t Table) narrowed(wide []int, columns int) int {
	last := len(wide) - 1
	at := -1
	for i, name := range t.Header[:last] {
		if slices.Contains(t.Names, name) && wide[i] > tableNameMin && (at < 0 || wide[i] > wide[at]) {
			at = i
		}
	}
	if at >= 0 {
		return at
	}
	least := columns / 2
	if len(t.Names) > 0 {
		least = columns / 4
	}
	if front := wide[:last]; wide[last] <= least && len(front) > 0 {
		return slices.Index(front, slices.Max(front))
	}
	return last
}

// widths are those of the columns.
func (t Table) widths() []int {
	wide := make([]int, len(t.Header))
	for _, row := range append([][]string{t.Header}, t.Rows...) {
		for i, cell := range row {
			wide[i] = max(wide[i], Cells(cell))
		}
	}
	return wide
}

// total is the width of a line of such columns.
func total(wide []int) (n int) {
	for _, one := range wide {
		n += one
	}
	return n + len(tableGap)*(len(wide)-1)
}

// without is the table without a column.
func (t Table) without(at int) Table {
	drop := func(row []string) []string { return slices.Delete(slices.Clone(row), at, at+1) }
	next := Table{Header: drop(t.Header)}
	for _, row := range t.Rows {
		next.Rows = append(next.Rows, drop(row))
	}
	next.Least = t.Least
	next.Names = t.Names
	return next
}

// broken is a text in lines of at most so many columns, broken between words. A word that is wider is
// cut.
func broken(text string, columns int) (lines []string) {
	line := ""
	for _, word := range strings.Split(text, " ") {
		switch {
		case line == "":
			line = word
		case Cells(line)+1+Cells(word) > columns:
			lines, line = append(lines, Fit(line, columns)), word
		default:
			line += " " + word
		}
	}
	return append(lines, Fit(line, columns))
}
