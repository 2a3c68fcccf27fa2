package report

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// TableCSV writes the rows of a [Table] as CSV. The columns are those of its header line. Amounts
// are in the resources' own units. A text that a spreadsheet would take for a formula begins with
// an apostrophe.
type TableCSV struct{ w *csv.Writer }

// NewTableCSV writes the header line to w, which it buffers.
func NewTableCSV(w io.Writer) TableCSV {
	t := TableCSV{csv.NewWriter(w)}
	header := []string{"tick", "agent", "state", "place", "going_to", "power_state", "heat"}
	header = append(header, world.Resources()...)
	// Flush reports it
	_ = t.w.Write(append(header, "decided_by", "action", "executed", "outcome", "code", "wait_reason", "why"))
	return t
}

// Row writes one row. Errors of writing may come with a later row or with Flush.
func (t TableCSV) Row(r Row) error {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	cells := []string{
		number(r.Tick), plaintext.Cell(r.Self.ID), string(r.State), plaintext.Cell(r.Self.Place), plaintext.Cell(r.GoingTo),
		r.Self.PowerState, number(r.Self.Heat),
	}
	held := map[string]int64{world.Electricity: r.Self.Electricity}
	for _, a := range r.Stock {
		held[a.Resource] = a.Amount
	}
	for _, name := range world.Resources() {
		cells = append(cells, number(held[name]))
	}
	d := r.Decision
	if d == nil {
		d = &trace.Decision{}
	}
	ruling, code := rulingOf(d.Outcome)
	return t.w.Write(append(cells, plaintext.Cell(string(d.DecidedBy)), actionName(d.Executed),
		plaintext.Line(string(d.Executed)),
		ruling, plaintext.Cell(code), plaintext.Cell(string(d.WaitReason)), plaintext.Cell(d.Why)))
}

// rulingOf says whether the world accepted an action, and the code of its rejection. Both are empty
// if the world was not asked, or the outcome cannot be read.
func rulingOf(encoded json.RawMessage) (ruling, code string) {
	var o outcome
	switch {
	case !llmclient.Given(encoded) || json.Unmarshal(encoded, &o) != nil:
		return "", ""
	case o.Accepted:
		return "accepted", ""
	case o.Rejection == nil:
		return "rejected", ""
	}
	return "rejected", o.Rejection.Code
}

// Flush writes what is buffered. It is called once, after the last row.
func (t TableCSV) Flush() error {
	t.w.Flush()
	return t.w.Error()
}

// actionName is the name of an encoded action, of a standing order that of what it repeats.
func actionName(encoded json.RawMessage) string {
	var a action
	if json.Unmarshal(encoded, &a) != nil {
		return ""
	}
	return plaintext.Cell(a.kind())
}
