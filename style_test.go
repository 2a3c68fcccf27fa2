package agentworld_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// columnsMost is how long a line of the product may be; a tab counts as one column.
const columnsMost = 120

// TestPlainLines: in the product a condition changes nothing, an assignment gives one or two values,
// and a line has at most 120 columns. Raw strings and generated tables are texts, not lines of code.
func TestPlainLines(t *testing.T) {
	for _, name := range productFiles(t, ".go") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files := token.NewFileSet()
		tree, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		raw := map[int]bool{} // lines that hold a raw string or a part of one
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				for line := files.Position(n.Pos()).Line; n.Value[0] == '`' && line <= files.Position(n.End()).Line; line++ {
					raw[line] = true
				}
			case *ast.IfStmt:
				changesNothing(t, files, n.Init)
			case *ast.SwitchStmt:
				changesNothing(t, files, n.Init)
			case *ast.TypeSwitchStmt:
				changesNothing(t, files, n.Init)
			case *ast.AssignStmt:
				if len(n.Rhs) >= 3 {
					t.Errorf("%s: an assignment of %d values", files.Position(n.Pos()), len(n.Rhs))
				}
			}
			return true
		})
		if !ast.IsGenerated(tree) {
			shortLines(t, name, string(text), raw)
		}
	}
	for _, name := range append(productFiles(t, ".js"), productFiles(t, ".css")...) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "The table is written by") {
			shortLines(t, name, string(text), nil)
		}
	}
}

// changesNothing fails for the init of a condition that changes a variable of before.
func changesNothing(t *testing.T, files *token.FileSet, init ast.Stmt) {
	t.Helper()
	changed := false
	switch s := init.(type) {
	case *ast.AssignStmt:
		changed = s.Tok != token.DEFINE
	case *ast.IncDecStmt:
		changed = true
	}
	if changed {
		t.Errorf("%s: a condition changes a variable", files.Position(init.Pos()))
	}
}

// shortLines fails for lines that are too long, but for those in texts.
func shortLines(t *testing.T, name, text string, texts map[int]bool) {
	t.Helper()
	number := 0
	for line := range strings.Lines(text) {
		number++
		n := utf8.RuneCountInString(strings.TrimRight(line, "\n"))
		if n > columnsMost && !texts[number] {
			t.Errorf("%s:%d: %d columns; allowed: %d", name, number, n, columnsMost)
		}
	}
}

// productFiles are the files of the product with an ending, without those of others.
func productFiles(t *testing.T, ending string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if b := d.Name(); b == "testdata" || b == "vendor" || b == ".tmp" || b == ".git" {
				return filepath.SkipDir
			}
		case strings.HasSuffix(name, ending) && !strings.HasSuffix(name, "_test.go"):
			names = append(names, name)
		}
		return nil
	})
	if err != nil || len(names) == 0 {
		t.Fatalf("files *%s: %v, %v", ending, names, err)
	}
	return names
}

// methodsMost is how many methods a type of the command line may have: commands are functions over what they
// work with, and no type knows all of them.
const methodsMost = 40

// TestNoTypeKnowsAllCommands counts the methods of each type of the command line.
func TestNoTypeKnowsAllCommands(t *testing.T) {
	counts := map[string]int{}
	for _, name := range productFiles(t, ".go") {
		dir := filepath.ToSlash(filepath.Dir(name))
		if dir != "internal/cli" && dir != "internal/settings" && dir != "internal/terminal" {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil {
				continue
			}
			of := f.Recv.List[0].Type
			if star, ok := of.(*ast.StarExpr); ok {
				of = star.X
			}
			if id, ok := of.(*ast.Ident); ok {
				counts[dir+"."+id.Name]++
			}
		}
	}
	if counts["internal/cli.Main"] == 0 {
		t.Fatal("no methods of internal/cli.Main were found")
	}
	for of, n := range counts {
		if n > methodsMost {
			t.Errorf("%s has %d methods; allowed: %d", of, n, methodsMost)
		}
	}
}
