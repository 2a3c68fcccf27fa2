package guardlab

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// edit is a place in a file where a mutant can differ: an expression that has another
// value, or a statement that is skipped, while conditions hold.
type edit struct {
	of         *checked
	file       string
	start, end int
	// old is the source text, mutated what a boolean expression becomes; a statement has none.
	old, mutated string
	// what names place and change, across marks code that keeps or reads other ticks.
	what   string
	across bool
	// conditions can be asked at this place, by the variable they are about.
	conditions map[string][]string
}

// text is the edit's source, which differs only while mutant id is chosen and all of when
// hold. A probe notes whether it would ever differ, in one run for all mutants.
func (e edit) text(id int, when []string) string {
	conditions := "(" + strings.Join(when, ") && (") + ")"
	differs := conditions
	if e.mutated != "" {
		differs += fmt.Sprintf(" && (%s) != (%s)", e.mutated, e.old)
	}
	gate := fmt.Sprintf("chosenMutant == %d && %s || chosenMutant < 0 && probeMutant(%d, func() bool { return %s })", id, conditions, id, differs)
	if e.mutated == "" {
		return fmt.Sprintf("if !(%s) { %s }", gate, e.old)
	}
	return fmt.Sprintf("func() bool { if %s { return %s }; return %s }()", gate, e.mutated, e.old)
}

// draw takes n conditions about different variables, or fewer where there are fewer.
func (e edit) draw(r *rand.Rand, n int) (when []string) {
	variables := make([]string, 0, len(e.conditions))
	for name := range e.conditions {
		variables = append(variables, name)
	}
	slices.Sort(variables)
	r.Shuffle(len(variables), func(i, j int) { variables[i], variables[j] = variables[j], variables[i] })
	for _, name := range variables[:min(n, len(variables))] {
		list := e.conditions[name]
		when = append(when, list[r.IntN(len(list))])
	}
	return when
}

// acrossTicks matches functions that keep or read what happened in other ticks.
var acrossTicks = regexp.MustCompile(`(?i)ledger|spen|deviat|window|settle|recent|learn|record|since|sum|within|used|left|remain|count|answer|quota|round|limit|lower|keep|takeup|admit|replies`)

// opposites are what comparisons become.
var opposites = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==",
}

// checked is a package that was type-checked, so that changes of it can be, too.
type checked struct {
	dir      string
	set      *token.FileSet
	importer types.Importer
	files    map[string]*ast.File
	pkg      *types.Package
}

// check parses and type-checks the package in a folder.
func check(t *testing.T, dir string) *checked {
	// A binary built with -trimpath does not know where the standard library is.
	if goroot, ok := output(".", "go", "env", "GOROOT"); ok {
		build.Default.GOROOT = strings.TrimSpace(goroot)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	c := &checked{dir: dir, set: token.NewFileSet(), files: map[string]*ast.File{}}
	c.importer = importer.ForCompiler(c.set, "source", nil)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		if c.files[file], err = parser.ParseFile(c.set, file, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	if c.pkg, err = c.with("", nil); err != nil {
		t.Fatal(err)
	}
	return c
}

// with type-checks the package with one file replaced.
func (c *checked) with(file string, replaced *ast.File) (*types.Package, error) {
	var list []*ast.File
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		if name == file {
			list = append(list, replaced)
		} else {
			list = append(list, c.files[name])
		}
	}
	return (&types.Config{Importer: c.importer}).Check(c.dir, c.set, list, nil)
}

// compiles reports whether the package compiles with an edit under some conditions.
func (c *checked) compiles(t *testing.T, e edit, when []string) bool {
	src := source(t, e.file)
	src = src[:e.start] + e.text(0, when) + src[e.end:] + "\nvar chosenMutant int\nfunc probeMutant(int, func() bool) bool\n"
	f, err := parser.ParseFile(c.set, e.file, src, 0)
	if err == nil {
		_, err = c.with(e.file, f)
	}
	return err == nil
}

// edits lists the edits of the files that matches accepts, in order.
func (c *checked) edits(t *testing.T, matches func(base string) bool) (list []edit) {
	for _, file := range slices.Sorted(maps.Keys(c.files)) {
		if matches(filepath.Base(file)) {
			list = append(list, fileEdits(c.set, c.pkg, c.files[file], file, source(t, file))...)
		}
	}
	for i := range list {
		list[i].of = c
	}
	return list
}

// fileEdits lists the edits of one file.
func fileEdits(set *token.FileSet, pkg *types.Package, f *ast.File, file, src string) (list []edit) {
	text := func(n ast.Node) string { return src[set.Position(n.Pos()).Offset:set.Position(n.End()).Offset] }
	for _, d := range f.Decls {
		function, ok := d.(*ast.FuncDecl)
		if !ok || function.Body == nil {
			continue
		}
		name := function.Name.Name
		add := func(n ast.Node, mutated, what string) {
			at := set.Position(n.Pos())
			list = append(list, edit{
				file: file, start: at.Offset, end: set.Position(n.End()).Offset, old: text(n), mutated: mutated,
				what:       fmt.Sprintf("%s:%d %s: %s", filepath.Base(file), at.Line, name, what),
				across:     acrossTicks.MatchString(name) || strings.Contains(file, "ledger"),
				conditions: conditionsAt(pkg, f, n.Pos()),
			})
		}
		ast.Inspect(function.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if opposite, ok := opposites[n.Op]; ok {
					add(n, text(n.X)+" "+opposite+" "+text(n.Y), text(n)+" with "+opposite)
				}
				if n.Op == token.LAND || n.Op == token.LOR {
					add(n, text(n.X), "without "+n.Op.String()+" "+text(n.Y))
					add(n, text(n.Y), "without "+text(n.X)+" "+n.Op.String())
				}
			case *ast.IfStmt:
				add(n.Cond, "false", "never if "+text(n.Cond))
			case *ast.AssignStmt:
				if _, field := n.Lhs[0].(*ast.SelectorExpr); field && n.Tok != token.DEFINE || n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
					add(n, "", "without "+text(n))
				}
			case *ast.IncDecStmt:
				add(n, "", "without "+text(n))
			}
			return true
		})
	}
	return list
}

// conditionsAt are what can be asked at a place: about each variable of the function that
// is in scope there, and about the fields of those that are structs.
func conditionsAt(pkg *types.Package, f *ast.File, at token.Pos) map[string][]string {
	imported := map[string]string{}
	for _, other := range pkg.Imports() {
		for _, spec := range f.Imports {
			if strings.Trim(spec.Path.Value, `"`) == other.Path() {
				imported[other.Path()] = cmp.Or(nameOf(spec), other.Name()) + "."
			}
		}
	}
	found := map[string][]string{}
	for scope := pkg.Scope().Innermost(at); scope != nil && scope.Parent() != pkg.Scope() && scope != pkg.Scope(); scope = scope.Parent() {
		for _, name := range scope.Names() {
			v, ok := scope.Lookup(name).(*types.Var)
			if !ok || v.Pos() >= at || name == "_" {
				continue
			}
			ask(found, name, v.Type(), pkg, imported)
			under := v.Type().Underlying()
			if p, ok := under.(*types.Pointer); ok {
				under = p.Elem().Underlying()
			}
			if s, ok := under.(*types.Struct); ok {
				for i := range s.NumFields() {
					if field := s.Field(i); field.Exported() || field.Pkg() == pkg {
						ask(found, name+"."+field.Name(), field.Type(), pkg, imported)
					}
				}
			}
		}
	}
	return found
}

// nameOf is the name that a file gives an import, or nothing.
func nameOf(spec *ast.ImportSpec) string {
	if spec.Name == nil {
		return ""
	}
	return spec.Name.Name
}

// ask adds conditions about an expression of a type: of each constant for a type that has
// some, of size and parity for numbers, of length for texts and collections.
func ask(found map[string][]string, expr string, typ types.Type, pkg *types.Package, imported map[string]string) {
	var list []string
	if named, ok := typ.(*types.Named); ok && named.Obj().Pkg() != nil {
		from := named.Obj().Pkg()
		qualifier, ok := imported[from.Path()]
		if ok || from == pkg {
			for _, name := range from.Scope().Names() {
				if c, ok := from.Scope().Lookup(name).(*types.Const); ok && types.Identical(c.Type(), typ) && (c.Exported() || from == pkg) {
					list = append(list, expr+" == "+qualifier+name)
				}
			}
		}
	}
	switch under := typ.Underlying().(type) {
	case *types.Basic:
		switch {
		case under.Info()&types.IsBoolean != 0:
			list = append(list, expr, "!"+expr)
		case under.Info()&types.IsInteger != 0 && len(list) == 0:
			list = append(list, expr+" > 1", expr+" > 5", expr+" > 20", expr+" <= 1", expr+"%2 == 0", expr+"%3 == 1")
		case under.Info()&types.IsString != 0 && len(list) == 0:
			list = append(list, "len("+expr+")%2 == 0", expr+` == ""`, expr+` != ""`)
		}
	case *types.Slice, *types.Map:
		list = append(list, "len("+expr+") == 0", "len("+expr+") > 0", "len("+expr+") > 1")
	case *types.Pointer:
		list = append(list, expr+" == nil", expr+" != nil")
	}
	if len(list) > 0 {
		found[expr] = list
	}
}
