package export

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// Table is one of the tables that a run can be exported to.
type Table struct {
	// Name of the table, and of its file.
	Name string
	// About says in a few words what a row is.
	About string
	row   reflect.Type
}

// Tables are all tables, in the order in which they are shown.
var Tables = []Table{
	{"runs", "a run", reflect.TypeFor[RunRow]()},
	{"ticks", "a whole tick with its score", reflect.TypeFor[TickRow]()},
	{"states", "an agent after a tick", reflect.TypeFor[StateRow]()},
	{"decisions", "a decision with its tokens, cost, latency and authority", reflect.TypeFor[DecisionRow]()},
	{"calls", "a request to a model", reflect.TypeFor[CallRow]()},
	{"tool_calls", "a call of a tool of your own", reflect.TypeFor[ToolCallRow]()},
	{"refusals", "a request that a cap refused", reflect.TypeFor[RefusalRow]()},
	{"steps", "a fact of a turn: a plan, a repair, a verdict of the guard", reflect.TypeFor[StepRow]()},
	{"events", "an event of the world", reflect.TypeFor[EventRow]()},
	{"messages", "a message that was sent or delivered", reflect.TypeFor[MessageRow]()},
	{"trades", "a trade", reflect.TypeFor[TradeRow]()},
	{"goals", "a goal of an agent", reflect.TypeFor[GoalRow]()},
}

// RunsTable is the name of the table that says what of each run is missing.
const RunsTable = "runs"

// StatesTable is the only table for which the world is played again.
const StatesTable = "states"

// TableNames are the names of all tables.
func TableNames() (names []string) {
	for _, t := range Tables {
		names = append(names, t.Name)
	}
	return names
}

// TableNamed returns the table with a name; ok is false if there is none.
func TableNamed(name string) (t Table, ok bool) {
	i := slices.IndexFunc(Tables, func(t Table) bool { return t.Name == name })
	if i < 0 {
		return Table{}, false
	}
	return Tables[i], true
}

// TableOf is the name of the table of a row.
func TableOf(r Row) string {
	of := reflect.TypeOf(r)
	i := slices.IndexFunc(Tables, func(t Table) bool { return t.row == of })
	if i < 0 {
		panic("export: no table has rows of type " + of.String())
	}
	return Tables[i].Name
}

// Stock is what an agent holds besides electricity. In JSON it is an object.
type Stock []world.Amount

// MarshalJSON implements json.Marshaler: {"compound":1200}.
func (s Stock) MarshalJSON() ([]byte, error) {
	amounts := make(map[string]int64, len(s))
	for _, a := range s {
		amounts[a.Resource] = a.Amount
	}
	return json.Marshal(amounts)
}

// Column is a column of a table.
type Column struct {
	// Name in CSV and JSON.
	Name string
	// Type is text, integer, boolean or json.
	Type string
	// Unit of a quantity, empty for a number that counts rows or names something.
	Unit string
	// Empty says that the cell may be empty, in JSON null, although it is no text.
	Empty bool
	// Field is the Go type and field that has it, such as DecisionRow.Tick.
	Field string

	index []int
}

// Columns are those of the table.
func (t Table) Columns() []Column { return columnsOf(t.row, nil) }

func columnsOf(row reflect.Type, at []int) (list []Column) {
	for i := range row.NumField() {
		field := row.Field(i)
		index := append(slices.Clone(at), i)
		if field.Anonymous {
			list = append(list, columnsOf(field.Type, index)...)
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		c := Column{Name: name, Unit: field.Tag.Get("unit"), Field: row.Name() + "." + field.Name, index: index}
		of := field.Type
		if of.Kind() == reflect.Pointer {
			c.Empty, of = true, of.Elem()
		}
		switch of.Kind() {
		case reflect.String:
			c.Type = "text"
		case reflect.Bool:
			c.Type = "boolean"
		case reflect.Int64, reflect.Uint64:
			c.Type = "integer"
		case reflect.Slice:
			c.Type, c.Empty = "json", true
		default:
			panic("export: a column of type " + of.String())
		}
		list = append(list, c)
	}
	return list
}
