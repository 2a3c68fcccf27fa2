package export

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the columns in docs/data.md")

// dictionaryPath is the page with all columns, between two lines.
const (
	dictionaryPath = "../../docs/data.md"
	columnsBegin   = "<!-- columns: written by go test ./explain/export -update -->\n"
	columnsEnd     = "<!-- end of columns -->\n"
)

// comments are those of the fields of all rows, by type and field.
func comments(t *testing.T) map[string]string {
	t.Helper()
	docs := map[string]string{}
	for _, name := range []string{"rows.go", "turnrows.go", "worldrows.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		addComments(file, docs)
	}
	return docs
}

// addComments adds the comments of the fields in a file.
func addComments(file *ast.File, docs map[string]string) {
	ast.Inspect(file, func(n ast.Node) bool {
		spec, is := n.(*ast.TypeSpec)
		if !is {
			return true
		}
		row, is := spec.Type.(*ast.StructType)
		if !is {
			return true
		}
		for _, field := range row.Fields.List {
			for _, name := range field.Names {
				docs[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(field.Doc.Text()), " ")
			}
		}
		return true
	})
}

// TestDictionaryIsCurrent: the page lists every column of every table with type, unit and comment. The columns that
// begin every table are listed once.
func TestDictionaryIsCurrent(t *testing.T) {
	docs := comments(t)
	var b strings.Builder
	list := func(columns []Column) {
		b.WriteString("| column | type | unit | meaning |\n|---|---|---|---|\n")
		for _, c := range columns {
			if docs[c.Field] == "" {
				t.Errorf("%s has no comment", c.Field)
			}
			kind := c.Type
			if c.Empty && kind != "json" {
				kind += ", or empty"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, kind, c.Unit, strings.ReplaceAll(docs[c.Field], "|", "\\|"))
		}
		b.WriteString("\n")
	}
	common := columnsOf(reflect.TypeFor[Of](), nil)
	b.WriteString("Every table begins with these:\n\n")
	list(common)
	for _, table := range Tables {
		columns := table.Columns()
		fmt.Fprintf(&b, "### %s\n\nA row is %s.\n\n", table.Name, table.About)
		for i, c := range common {
			if columns[i].Field != c.Field {
				t.Errorf("%s does not begin with %s", table.Name, c.Name)
			}
		}
		names := map[string]bool{}
		for _, c := range columns {
			if names[c.Name] || strings.HasPrefix(c.Name, "stock_") {
				t.Errorf("%s has two columns %s", table.Name, c.Name)
			}
			names[c.Name] = true
		}
		list(columns[len(common):])
	}
	page, err := os.ReadFile(dictionaryPath)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(page), columnsBegin)
	columns, after, found := strings.Cut(rest, columnsEnd)
	if !found {
		t.Fatalf("%s has no place for columns", dictionaryPath)
	}
	want := "\n" + b.String()
	if *update {
		err := os.WriteFile(dictionaryPath, []byte(before+columnsBegin+want+columnsEnd+after), 0o644)
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	if columns != want {
		t.Errorf("%s does not list the columns as they are; run go test ./explain/export -update", dictionaryPath)
	}
}
