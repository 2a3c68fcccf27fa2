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

	"example.com/agentworld/behavior/answer"
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
	for _, s := range New().WithDocuments().modules {
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

// TestRulesInChinese: every topic has a text, with the same numbers as in English.
func TestRulesInChinese(t *testing.T) {
	numbers := regexp.MustCompile(`\d+`)
	for _, topic := range ruleTopics {
		english, chinese := rulesAbout(&english, world.DefaultRules(), topic), rulesAbout(&chinese, world.DefaultRules(), topic)
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

// TestFaultsAreTranslated reads the sources for the forms of what argument errors say, and
// demands a Chinese one for each with a letter in it, and none for what none says.
func TestFaultsAreTranslated(t *testing.T) {
	names, err := filepath.Glob("../behavior/answer/*.go")
	if err != nil {
		t.Fatal(err)
	}
	// The types of JSON and of Go that are told with an article, and that are not.
	said := map[string]bool{"a string": true, "a boolean": true, "a number": true, "an array": true, "an object": true}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			f, named := call.Fun.(*ast.Ident)
			if form, ok := call.Args[0].(*ast.BasicLit); ok && named && f.Name == "say" {
				text, err := strconv.Unquote(form.Value)
				said[text] = err == nil && !slices.Contains([]string{"%s", "%d", "null"}, text)
			}
			return true
		})
	}
	if len(said) < 40 {
		t.Fatalf("only %d forms of errors found in the sources: %v", len(said), said)
	}
	verb := regexp.MustCompile(`%(\[\d\])?[sd]`)
	for form, translated := range said {
		if _, ok := chineseFaults[form]; ok != translated {
			t.Errorf("a Chinese form for %q: %t, want %t", form, ok, translated)
		}
	}
	for english, chinese := range chineseFaults {
		if !said[english] {
			t.Errorf("no error says %q", english)
		}
		if len(verb.FindAllString(english, -1)) != len(verb.FindAllString(chinese, -1)) || english != "%s or %s" && !hasHan(chinese) {
			t.Errorf("%q and %q hold different values", english, chinese)
		}
	}
	told := FaultIn(Chinese, &answer.ArgumentError{
		Expected: answer.Phrase{Form: "a %s id of 1 to %d characters", Values: []any{answer.Noun("place"), 64}}, Got: answer.Phrase{Form: "null"},
	})
	if got, want := told.Error(), "arguments: expected 1 到 64 个字符的地点 id, got null"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
}
