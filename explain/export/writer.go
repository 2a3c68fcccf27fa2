package export

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"reflect"
	"strconv"
	"strings"

	"example.com/agentworld/plaintext"
)

// Format is the form of a table.
type Format string

// The formats: CSV has a header line, in JSONLines every line is an object. Both have the same columns.
const (
	CSV       Format = "csv"
	JSONLines Format = "jsonl"
)

// Writer writes the rows of one table.
type Writer struct {
	table   Table
	columns []Column
	// resources are the columns of a stock.
	resources []string
	lines     *bufio.Writer
	// cells is nil for JSON lines.
	cells *csv.Writer
	rows  int64
}

// Rows counts the rows so far.
func (w *Writer) Rows() int64 { return w.rows }

// NewWriter writes the rows of a table to w, which it buffers, and first the header line of a CSV file. resources are
// those that have a column in the table of states; no other table needs them.
func NewWriter(w io.Writer, format Format, t Table, resources []string) *Writer {
	out := &Writer{table: t, columns: t.Columns(), resources: resources, lines: bufio.NewWriterSize(w, 64<<10)}
	if format != CSV {
		return out
	}
	out.cells = csv.NewWriter(out.lines)
	var header []string
	for _, c := range out.columns {
		if t.Name == StatesTable && c.Type == "json" {
			for _, name := range resources {
				header = append(header, plaintext.Inert("stock_"+name))
			}
			continue
		}
		header = append(header, c.Name)
	}
	_ = out.cells.Write(header) // Flush reports it
	return out
}

// Row writes a row of the table. Errors of writing may come with a later row or with Flush.
func (w *Writer) Row(r Row) error {
	if reflect.TypeOf(r) != w.table.row {
		panic("export: a row of another table than " + w.table.Name)
	}
	w.rows++
	if w.cells == nil {
		return WriteLine(w.lines, r)
	}
	row := reflect.ValueOf(r)
	cells := make([]string, 0, len(w.columns)+len(w.resources))
	for _, c := range w.columns {
		value := row.FieldByIndex(c.index)
		if stock, is := value.Interface().(Stock); is {
			cells = append(cells, w.stock(stock)...)
			continue
		}
		cells = append(cells, cell(value))
	}
	return w.cells.Write(cells)
}

// stock are the cells of a stock.
func (w *Writer) stock(held Stock) []string {
	cells := make([]string, len(w.resources))
	for i, name := range w.resources {
		cells[i] = "0"
		for _, a := range held {
			if a.Resource == name {
				cells[i] = strconv.FormatInt(a.Amount, 10)
			}
		}
	}
	return cells
}

// Flush writes what is buffered. It is called once, after the last row.
func (w *Writer) Flush() error {
	if w.cells != nil {
		w.cells.Flush()
		if err := w.cells.Error(); err != nil {
			return err
		}
	}
	return w.lines.Flush()
}

// cell is a value in a CSV file.
func cell(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return cell(v.Elem())
	case reflect.String:
		return plaintext.Inert(plaintext.Line(v.String()))
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Slice:
		return plaintext.Inert(cellJSON(v.Bytes()))
	}
	panic("export: a cell of type " + v.Type().String())
}

// cellJSON is JSON on one line in which no character is hidden: as an escape it means the same.
func cellJSON(text []byte) string { return plaintext.Escape(breaks.Replace(string(text))) }

// breaks are between the tokens of JSON, where any space will do.
var breaks = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ")

// WriteLine writes a value as a line of JSON. Characters that steer how text is shown are escapes, since such files
// are printed.
func WriteLine(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, plaintext.Escape(b.String()))
	return err
}
