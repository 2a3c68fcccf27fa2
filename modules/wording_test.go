package modules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"example.com/agentworld/world"
)

// requireFilled demands a text in every string of a table, at any depth.
func requireFilled(t *testing.T, path string, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		if strings.TrimSpace(v.String()) == "" {
			t.Errorf("%s is empty", path)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			requireFilled(t, path, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			requireFilled(t, path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			requireFilled(t, path+"["+key.String()+"]", v.MapIndex(key))
		}
	}
}

func TestWordingIsComplete(t *testing.T) {
	for _, l := range Languages() {
		requireFilled(t, l, reflect.ValueOf(wordsOf(l)))
	}
	defer func() {
		if recover() == nil {
			t.Error("a language without a table does not panic")
		}
	}()
	wordsOf("de")
}

// TestChineseCoversTheRegistry: a text for each action, event, kind of factory and
// module, and none for what does not exist.
func TestChineseCoversTheRegistry(t *testing.T) {
	rules := world.DefaultRules()
	var actions, events, kinds, names []string
	for _, spec := range rules.Actions() {
		actions = append(actions, spec.Name)
		for _, p := range spec.Params {
			if p.Kind != world.ParamText && p.Kind != world.ParamChoice && p.Kind != world.ParamAmount && chinese.noun(string(p.Kind)) == string(p.Kind) {
				t.Errorf("%s: no noun for the kind %s", spec.Name, p.Kind)
			}
		}
	}
	for _, e := range world.StopEvents() {
		events = append(events, e.Name)
	}
	for _, k := range rules.FactoryKinds() {
		kinds = append(kinds, k.Name)
	}
	for _, s := range New().Specs() {
		names = append(names, s.Module)
	}
	requireKeys(t, "actions", chinese.registry.actions, actions)
	requireKeys(t, "events", chinese.registry.events, events)
	requireKeys(t, "kinds", chinese.registry.kinds, kinds)
	requireKeys(t, "modules", chinese.docs, names)
	requireKeys(t, "English modules", english.docs, names)
}

func requireKeys[V any](t *testing.T, what string, table map[string]V, want []string) {
	t.Helper()
	for name := range table {
		if !slices.Contains(want, name) {
			t.Errorf("%s: a text for %s, which does not exist", what, name)
		}
	}
	for _, name := range want {
		if _, ok := table[name]; !ok {
			t.Errorf("%s: no text for %s", what, name)
		}
	}
}

// TestChineseCostsComeFromTheRules: numbers in a text change with the rules.
func TestChineseCostsComeFromTheRules(t *testing.T) {
	rules, changed := world.DefaultRules(), world.DefaultRules()
	changed.MoveCostPerKM, changed.HeatFactor, changed.MineCostPerKG = rules.MoveCostPerKM+70, rules.HeatFactor+70, rules.MineCostPerKG+70
	changed.RefineCostPerKG, changed.BuildHardware = rules.RefineCostPerKG+70, rules.BuildHardware+70
	for _, name := range []string{"move_agent", "harvest_radiation", "mine_compound", "refine_compound", "build_factory"} {
		if doc := chinese.registry.actions[name]; doc(rules) == doc(changed) {
			t.Errorf("%s says %q whatever the rules are", name, doc(rules))
		}
	}
}

// TestRulesInChinese: every topic is told, with the same numbers as in English.
func TestRulesInChinese(t *testing.T) {
	numbers := regexp.MustCompile(`\d+`)
	for _, topic := range ruleTopics {
		english, chinese := rulesAbout(&english, world.DefaultRules(), ruleTopic(topic)), rulesAbout(&chinese, world.DefaultRules(), ruleTopic(topic))
		if len(english) != len(chinese) {
			t.Errorf("%s: %d lines in English, %d in Chinese", topic, len(english), len(chinese))
			continue
		}
		for i := range english {
			said, told := numbers.FindAllString(english[i], -1), numbers.FindAllString(chinese[i], -1)
			for _, n := range said {
				if n != "1" && n != "0" && n != "10" && !slices.Contains(told, n) {
					t.Errorf("%s: %q has no %s of %q", topic, chinese[i], n, english[i])
				}
			}
			if strings.Contains(chinese[i], "%!") || !hasHan(chinese[i]) {
				t.Errorf("%s: %q", topic, chinese[i])
			}
		}
	}
}

func hasHan(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// TestFaultsAreTranslated reads the sources for what argument errors say, and
// demands a Chinese form for each, and no form for what none says.
func TestFaultsAreTranslated(t *testing.T) {
	var said []string
	for _, dir := range []string{".", "../behavior", "../behavior/answer"} {
		said = append(said, faultsIn(t, dir)...)
	}
	if len(said) < 40 {
		t.Fatalf("only %d texts of errors found in the sources: %q", len(said), said)
	}
	sample := strings.NewReplacer("%s", "x_1", "%d", "7")
	for _, form := range said {
		if text := sample.Replace(form); !hasHan(faultText(text)) && !slices.Contains(jsonTypes, text) && form != "a %s" && form != "an %s" {
			t.Errorf("no Chinese form for %q", form)
		}
	}
	for _, described := range []string{"a string", "a boolean", "a number", "an array", "an object"} {
		if !hasHan(faultText(described)) {
			t.Errorf("no Chinese form for %q", described)
		}
	}
	for _, f := range faultForms {
		used := slices.ContainsFunc(said, func(form string) bool {
			pattern := strings.NewReplacer("%s", ".+", "%d", ".+").Replace(regexp.QuoteMeta(form))
			return regexp.MustCompile("^" + pattern + "$").MatchString(sample.Replace(f.english))
		})
		if !used {
			t.Errorf("no error says %q", f.english)
		}
		if strings.Count(f.english, "%") != strings.Count(f.chinese, "%") {
			t.Errorf("%q and %q hold different values", f.english, f.chinese)
		}
	}
}

// jsonTypes are names that stay as they are.
var jsonTypes = []string{"null", "object", "array", "string", "boolean", "number"}

// faultsIn returns the forms of everything errors say in a directory's sources: the
// fields of an ArgumentError, what is passed to the functions that make one, and
// what the functions return that describe a value.
func faultsIn(t *testing.T, dir string) (forms []string) {
	t.Helper()
	add := func(e ast.Expr) {
		if form := formOf(e); strings.Trim(form, "%sd ") != "" {
			forms = append(forms, form)
		}
	}
	for _, file := range sourcesOf(t, dir) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && (key.Name == "Expected" || key.Name == "Got") {
					add(n.Value)
				}
			case *ast.CallExpr:
				if name, ok := n.Fun.(*ast.Ident); ok && slices.Contains([]string{"mismatch", "missing", "notJSON"}, name.Name) {
					add(n.Args[min(1, len(n.Args)-1)])
				}
			case *ast.FuncDecl:
				if slices.Contains([]string{"describe", "expectedOf", "oneOf", "jsonKind", "typeName", "expectedTypes"}, n.Name.Name) {
					ast.Inspect(n, func(inner ast.Node) bool {
						if r, ok := inner.(*ast.ReturnStmt); ok {
							add(r.Results[0])
						}
						return true
					})
				}
			case *ast.AssignStmt:
				if name, ok := n.Lhs[0].(*ast.Ident); ok && name.Name == "expected" {
					add(n.Rhs[0])
				}
			}
			return true
		})
	}
	return forms
}

func sourcesOf(t *testing.T, dir string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// formOf is what an expression says, with %s for what varies.
func formOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return text
		}
	case *ast.BinaryExpr:
		return formOf(e.X) + formOf(e.Y)
	case *ast.CallExpr:
		switch f := e.Fun.(type) {
		case *ast.SelectorExpr:
			switch f.Sel.Name {
			case "Sprintf":
				return formOf(e.Args[0])
			case "Join":
				if between := formOf(e.Args[1]); strings.ContainsFunc(between, unicode.IsLetter) {
					return "%s" + between + "%s"
				}
			}
		case *ast.Ident:
			if f.Name == "oneOf" {
				return "one of %s"
			}
		}
	}
	return "%s"
}
