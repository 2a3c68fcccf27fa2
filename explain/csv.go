package explain

import (
	"encoding/csv"
	"io"
	"strconv"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// TableCSV writes the rows of a [Table] as CSV. The columns are those of its header line. Amounts
// are in the resources' own units. A text that a spreadsheet would take for a formula begins with
// an apostrophe.
type TableCSV struct {
	w     *csv.Writer
	table *Table
	// resources are the columns of the stock, nil before the header line is written.
	resources []string
}

// NewTableCSV writes rows of a table to w, which it buffers. The resources of its world are columns.
func NewTableCSV(w io.Writer, table *Table) *TableCSV {
	return &TableCSV{w: csv.NewWriter(w), table: table}
}

// head writes the header line, unless it is there.
func (t *TableCSV) head() {
	if t.resources != nil {
		return
	}
	t.resources = t.table.resources()
	header := []string{"tick", "agent", "state", "place", "going_to", "power_state", "heat"}
	header = append(header, t.resources...)
	// Flush reports it
	_ = t.w.Write(append(header, "decided_by", "action", "executed", "outcome", "code", "wait_reason", "why"))
}

// Row writes one row. Errors of writing may come with a later row or with Flush.
func (t *TableCSV) Row(r Row) error {
	t.head()
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	cells := []string{
		number(r.Tick), plaintext.Cell(r.Agent), string(r.State), plaintext.Cell(r.Place), plaintext.Cell(r.GoingTo),
		r.PowerState, number(r.Heat),
	}
	held := map[string]int64{world.Electricity: r.Electricity}
	for _, a := range r.Stock {
		held[a.Resource] = a.Amount
	}
	for _, name := range t.resources {
		cells = append(cells, number(held[name]))
	}
	d := r.Decision
	if d == nil {
		d = &trace.Decision{}
	}
	ruling, _ := d.Ruling() // what cannot be read is shown as nothing
	action, _ := d.Action()
	verdict := ""
	switch {
	case ruling.Accepted:
		verdict = "accepted"
	case ruling.Refused():
		verdict = "rejected"
	}
	return t.w.Write(append(cells, plaintext.Cell(string(d.DecidedBy)), plaintext.Cell(action.Repeats()),
		plaintext.Line(string(d.Executed)), verdict, plaintext.Cell(ruling.Code), plaintext.Cell(string(d.WaitReason)),
		plaintext.Cell(d.Why)))
}

// Flush writes what is buffered. It is called once, after the last row.
func (t *TableCSV) Flush() error {
	t.head()
	t.w.Flush()
	return t.w.Error()
}
