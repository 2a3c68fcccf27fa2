package modules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/memory"
	"example.com/agentworld/world"
)

// TestTablesCoverTheRegistries: English has a text for each action, event, kind of factory, module
// and kind of id, and none for what does not exist. Its texts state the numbers of the actions. Every
// language has the same names and places.
func TestTablesCoverTheRegistries(t *testing.T) {
	w, rules := words.In(words.English), world.DefaultRules().Industry()
	actions, events, names := []string{}, []string{}, []string{}
	for _, spec := range rules.Actions() {
		actions = append(actions, spec.Name)
		if places := w.Actions[spec.Name].Places(); !slices.Equal(slices.Sorted(slices.Values(places)), slices.Sorted(maps.Keys(spec.Numbers))) {
			t.Errorf("%s: the text has places for %v, the action has the numbers %v", spec.Name, places, spec.Numbers)
		}
		if doc := ActionDoc(w, spec, rules, kinds()...); len(doc) > 160 {
			t.Errorf("%s: %d characters", spec.Name, len(doc))
		}
		for _, p := range spec.Params {
			_, hasNoun := w.Nouns[string(p.Kind)]
			if p.Kind != world.ParamText && p.Kind != world.ParamChoice && p.Kind != world.ParamAmount && !hasNoun {
				t.Errorf("%s: no noun for the kind %s", spec.Name, p.Kind)
			}
		}
	}
	for _, e := range world.StopEvents() {
		events = append(events, e.Name)
	}
	for _, s := range New().WithDocuments().modules {
		names = append(names, s.Module)
	}
	requireKeys(t, "actions", w.Actions, actions)
	requireKeys(t, "events", w.StopEvents, events)
	requireKeys(t, "kinds", w.FactoryKinds, kinds())
	requireKeys(t, "modules", w.ModuleDocs, names)
}

// kinds are the names of the kinds of factory.
func kinds() (names []string) {
	for _, k := range world.DefaultRules().Industry().Kinds {
		names = append(names, k.Name)
	}
	return names
}

func requireKeys(t *testing.T, what string, table words.Table, want []string) {
	t.Helper()
	if diff := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Sorted(maps.Keys(table))); diff != "" {
		t.Errorf("%s (-want +texts):\n%s", what, diff)
	}
}

// TestCostsComeFromTheRules: numbers in a text change with the rules, in every language.
func TestCostsComeFromTheRules(t *testing.T) {
	rules := world.DefaultRules().Industry()
	other := rules.Rules
	other.MoveCostPerKM, other.HeatFactor, other.MineCostPerKG = rules.MoveCostPerKM+70, rules.HeatFactor+70, rules.MineCostPerKG+70
	other.RefineCostPerKG, other.BuildHardware = rules.RefineCostPerKG+70, rules.BuildHardware+70
	changed := other.Industry()
	costly := []string{"move_agent", "harvest_radiation", "mine_compound", "refine_compound", "build_factory"}
	for _, l := range words.Languages() {
		w := words.In(l)
		for i, spec := range rules.Actions() {
			if doc := ActionDoc(w, spec, rules); (doc == ActionDoc(w, changed.Actions()[i], changed)) == slices.Contains(costly, spec.Name) {
				t.Errorf("%s says %q whatever the rules are", spec.Name, doc)
			}
		}
	}
}

// TestRulesInChinese: every topic has a text, with the same numbers as in English.
func TestRulesInChinese(t *testing.T) {
	numbers := regexp.MustCompile(`\d+`)
	for _, topic := range ruleTopics {
		rules := world.DefaultRules().Industry()
		english, chinese := rulesAbout(words.In("en"), rules, topic, nil), rulesAbout(words.In("zh"), rules, topic, nil)
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
			if !hasHan(chinese[i]) {
				t.Errorf("%s: %q", topic, chinese[i])
			}
		}
	}
}

func hasHan(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// TestFaultsAreTranslated reads the sources for the forms of what argument errors say, and
// demands a text for each with a word in it, with the same places, and none for what none says.
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
				said[text] = err == nil && !slices.Contains([]string{"{name}", "{number}", "null"}, text)
			}
			return true
		})
	}
	if len(said) < 40 {
		t.Fatalf("only %d forms of errors found in the sources: %v", len(said), said)
	}
	english := words.In(words.English).Faults
	for form, translated := range said {
		if _, ok := english[form]; ok != translated {
			t.Errorf("a text for %q: %t, want %t", form, ok, translated)
		}
	}
	for form, text := range english {
		if !said[form] {
			t.Errorf("no error says %q", form)
		}
		if !slices.Equal(text.Places(), words.Of(form).Places()) {
			t.Errorf("the text for %q has places for %v", form, text.Places())
		}
	}
	told := FaultIn(words.In("zh"), &answer.ArgumentError{
		Expected: answer.Phrase{Form: "a {kind} id of 1 to {most} characters", Values: []any{answer.Noun("place"), 64}}, Got: answer.Phrase{Form: "null"},
	})
	if got, want := told.Error(), "arguments: expected 1 到 64 个字符的地点 id, got null"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
}

// TestEveryStateHasAWord: no code of the world that an observation or a history shows is left in English.
func TestEveryStateHasAWord(t *testing.T) {
	files, err := filepath.Glob("../world/*.go")
	if err != nil {
		t.Fatal(err)
	}
	refusal := regexp.MustCompile(`RejectionCode += "([a-z_]+)"`)
	codes := append(world.Materials(), "normal", "low", "critical", "shutdown", "building", "working", "idle",
		string(world.EventWaitOver), string(world.EventArrived), string(world.EventPowerState),
		string(world.EventMessageDelivered), string(memory.KindObservation), string(memory.KindOutcome))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range refusal.FindAllSubmatch(text, -1) {
			codes = append(codes, string(m[1]))
		}
	}
	if len(codes) < 50 {
		t.Fatalf("only %d codes were found", len(codes))
	}
	for _, code := range codes {
		if words.In("zh").Word(code) == code {
			t.Errorf("Chinese has no word for %s", code)
		}
	}
}
