package behavior_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// The scripted player is a measure of players only if they are told what it knows. So the tests here read
// its source for the numbers of the world that it uses, and look for each of them in what a player reads.

// usedByScripted returns the rules and the constants of package world that the scripted player's code uses:
// all functions that its decision reaches, by their names.
func usedByScripted(t *testing.T) (rules, constants []string) {
	t.Helper()
	functions, numbers := map[string][]ast.Node{}, constantsOfWorld(t)
	for _, f := range sources(t, "../baseline") {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				functions[d.Name.Name] = append(functions[d.Name.Name], d.Body)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if v, ok := s.(*ast.ValueSpec); ok && len(v.Values) > 0 {
						functions[v.Names[0].Name] = append(functions[v.Names[0].Name], v.Values[0])
					}
				}
			}
		}
	}
	fields := reflect.TypeFor[world.Rules]()
	reached := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if reached[name] {
			return
		}
		reached[name] = true
		for _, body := range functions[name] {
			ast.Inspect(body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					visit(n.Name)
				case *ast.SelectorExpr:
					if _, is := fields.FieldByName(n.Sel.Name); is {
						rules = append(rules, n.Sel.Name)
					}
					if x, ok := n.X.(*ast.Ident); ok && x.Name == "world" && slices.Contains(numbers, n.Sel.Name) {
						constants = append(constants, n.Sel.Name)
					}
				}
				return true
			})
		}
	}
	visit("Scripted")
	if !reached["stayPowered"] || !reached["scriptedTastes"] || reached["chargeMost"] {
		t.Fatal("the walk through the scripted player's code is not what it was")
	}
	slices.Sort(rules)
	slices.Sort(constants)
	return slices.Compact(rules), slices.Compact(constants)
}

// constantsOfWorld are the constants of package world that are numbers.
func constantsOfWorld(t *testing.T) (names []string) {
	t.Helper()
	for _, f := range sources(t, "../world") {
		for _, d := range f.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.CONST {
				continue
			}
			for _, s := range decl.Specs {
				v := s.(*ast.ValueSpec)
				for i, value := range v.Values {
					if number, is := value.(*ast.BasicLit); is && number.Kind == token.INT {
						names = append(names, v.Names[i].Name)
					}
				}
			}
		}
	}
	return names
}

// sources are the parsed files of a package without its tests.
func sources(t *testing.T, dir string) (files []*ast.File) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// readBy is all that a player of a world reads in a tick before it decides, and that no module has to be
// asked for: instructions, tools and input.
func readBy(t *testing.T, language string, s world.Scenario) string {
	t.Helper()
	w, err := world.New(s, s.Seed)
	if err != nil {
		t.Fatal(err)
	}
	cfg := behavior.Config{Settings: trace.Settings{Language: language}, Needless: w.Needless(s.Rules, w.Forbidden()...)}
	runtime, err := behavior.NewRuntime(cfg, s.Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	// A factory that has made something shows its wear. A rule may shut the agent down before.
	w.Advance()
	var do world.Action = world.BuildFactory{FactoryKind: world.AssemblerMk1}
	for range 9 {
		if slices.Contains(w.Due(), 0) {
			w.Apply([]world.Intent{{Agent: 0, Action: do}})
		} else {
			w.Apply(nil)
		}
		do = world.ScheduleRecipe{FactoryID: "agent-1-f1", RecipeID: "recipe.assembler.control_chip", Batches: 1}
		w.Advance()
	}
	ask := runtime.Agent(w.AgentID(0), w.Persona(0)).Begin(w.View(0)).Next().(behavior.Ask)
	text := ask.Request.Instructions
	for _, tool := range ask.Request.Tools {
		text += "\n" + tool.Description + "\n" + string(tool.Parameters)
	}
	for _, item := range ask.Request.Input {
		text += "\n" + item.Text
	}
	return text
}

// says reports whether a text has a line that begins with start and holds the number.
func saysNumber(text, start string, number int64) bool {
	whole := regexp.MustCompile(fmt.Sprintf(`(^|[^\d])%d([^\d]|$)`, number))
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, start) && whole.MatchString(line) {
			return true
		}
	}
	return false
}

// playground is a world in which everything that the scripted player knows has a use.
func playground(t *testing.T) world.Scenario {
	t.Helper()
	s, _, _ := scenario.Embedded("llm_bootstrap")
	s.Terms = true
	s.Rules.PowerCapacity = 2000 // for the dearest factory
	s.Agents.Stock = [][]world.Amount{{{Resource: world.Electricity, Amount: 900}, {Resource: world.Hardware, Amount: 30},
		{Resource: world.Data, Amount: 10}}}
	return s
}

// TestAPlayerIsToldTheRulesThatScriptedUses changes one rule at a time to a number that nothing else is,
// and looks for it.
func TestAPlayerIsToldTheRulesThatScriptedUses(t *testing.T) {
	rules, _ := usedByScripted(t)
	if len(rules) < 12 {
		t.Fatalf("the scripted player uses only %v", rules)
	}
	const number = 937
	for _, name := range rules {
		if name == "RefineGPerHardware" {
			continue // no scenario can change it; see the constants
		}
		s := playground(t)
		switch name {
		case "RadiationFloor": // what of it can be harvested counts
			s.Rules.RadiationFloorCap = 1000
		case "RadiationFloorCap":
			s.Rules.RadiationFloor = 1000
		}
		reflect.ValueOf(&s.Rules).Elem().FieldByName(name).SetInt(number)
		for _, language := range words.Languages() {
			if text := readBy(t, language, s); !saysNumber(text, "", number) {
				t.Errorf("%s: nothing says what %s is", language, name)
			}
		}
	}
}

// TestAPlayerIsToldTheConstantsThatScriptedUses looks for each number of the kernel on the line where it
// decides something: that of its action, or of the observation.
func TestAPlayerIsToldTheConstantsThatScriptedUses(t *testing.T) {
	lines := map[string]struct {
		start string
		value int64
	}{
		"HarvestMax":    {"harvest_radiation(", world.HarvestMax},
		"MineMaxG":      {"can: ", world.MineMaxG},
		"PowerLot":      {"buy_power(", world.PowerLot},
		"TermsTicksMax": {"offer(", world.TermsTicksMax},
		"WearMax":       {"factories: ", world.WearMax},
	}
	lines["RefineGPerHardware"] = struct {
		start string
		value int64
	}{"refine_compound(", world.DefaultRules().RefineGPerHardware}
	// With these the scripted player says "as much as possible", and "as if there were no end".
	endless := []string{"RefineMaxG", "TaskTicksMax"}
	_, constants := usedByScripted(t)
	for _, name := range append(constants, "RefineGPerHardware") {
		line, known := lines[name]
		switch {
		case slices.Contains(endless, name):
			continue
		case !known:
			t.Errorf("the scripted player uses %s: say here where a player is told what it is", name)
			continue
		}
		for _, language := range words.Languages() {
			start := line.start
			switch w := words.In(language); start {
			case "can: ":
				start = w.Lines.Can
			case "factories: ":
				start = w.Lines.Factories
			}
			if text := readBy(t, language, playground(t)); !saysNumber(text, start, line.value) {
				t.Errorf("%s: no line %q says %s, %d, in\n%s", language, start, name, line.value, text)
			}
		}
	}
}
