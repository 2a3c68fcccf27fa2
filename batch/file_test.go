package batch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const sampleFile = `name = "protocols"
scenarios = ["task_production_chips_40", "mine.toml"]
seeds = "1-3,7"
repeats = 2
[settings.llm]
timeout_ms = 30000
[settings.run]
ticks = 40
[axes.model.small.llm]
model = "m-small"
[axes.model.large.llm]
model = "m-large"
temperature = 0.5
[axes.protocol.full]
[axes.protocol.lean.run]
protocol = "lean"
[budget]
calls = 1000
cost = "2.50"
[compare]
axis = "protocol"
baseline = "full"
metrics = ["calls"]
[[gates]]
metric = "score_share"
at_least = 0.25
[[gates]]
arm = "lean"
metric = "score_share"
verdict = ["better", "equivalent"]
`

// TestFieldsOfTheScenario: tables below world are fields of the scenario, each with its value as JSON and its line.
func TestFieldsOfTheScenario(t *testing.T) {
	f, err := Parse([]byte(`name = "n"
scenarios = ["s"]
[settings.world]
terms = true
[axes.draw.low]
[axes.draw.high.world.rules]
idle_draw = 2
[axes.draw.high.world]
personas.Ada.text = "You \"wait\"."
agents.spawn = ["hub"]
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []AxisValue{{"low", nil}, {"high", []Setting{{"world.agents.spawn", `["hub"]`, 10},
		{"world.personas.Ada.text", `"You \"wait\"."`, 9}, {"world.rules.idle_draw", "2", 7}}}}
	if diff := cmp.Diff(want, f.Axes[0].Values); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Setting{{"world.terms", "true", 4}}, f.Settings); diff != "" {
		t.Error(diff)
	}
}

func TestParse(t *testing.T) {
	f, err := Parse([]byte(sampleFile), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]uint64{1, 2, 3, 7}, f.Seeds); diff != "" {
		t.Error(diff)
	}
	want := []Axis{
		{"model", []AxisValue{{"small", []Setting{{"llm.model", "m-small", 10}}}, {"large", []Setting{{"llm.model", "m-large", 12}, {"llm.temperature", "0.5", 13}}}}},
		{"protocol", []AxisValue{{"full", nil}, {"lean", []Setting{{"run.protocol", "lean", 16}}}}},
	}
	if diff := cmp.Diff(want, f.Axes); diff != "" {
		t.Error(diff)
	}
	if f.Budget != (Budget{Calls: 1000, Cost: "2.50"}) || *f.Gates[0].AtLeast != 0.25 || f.Compare.Baseline != "full" {
		t.Errorf("%+v", f)
	}
	all := slices.Collect(f.Combinations())
	if len(all) != 2*4*2*4 {
		t.Errorf("%d cells, want 2 scenarios, 4 seeds, 2 repeats and 4 arms", len(all))
	}
	seen := map[string]bool{}
	firsts := map[string]int{}
	for i, c := range all {
		seen[c.Cell.Name()] = true
		if i%4 == 0 {
			firsts[c.Cell.Arm()]++
			for _, other := range all[i : i+4] {
				if other.Cell.Seed != c.Cell.Seed || other.Cell.Repeat != c.Cell.Repeat || other.Cell.Scenario != c.Cell.Scenario {
					t.Errorf("%s stands between the arms of %s", other.Cell.Name(), c.Cell.Name())
				}
			}
		}
	}
	if len(seen) != len(all) || len(firsts) != 4 {
		t.Errorf("%d different cells of %d; %d arms come first somewhere", len(seen), len(all), len(firsts))
	}
}

// TestParseNamesEverythingThatIsWrong expects all problems of a file at once, each with its line.
func TestParseNamesEverythingThatIsWrong(t *testing.T) {
	for _, of := range []struct {
		text string
		want []string
	}{
		{"", []string{"name is missing", "scenarios is missing"}},
		{"name = \"a\"\nscenarios = [\"a\", \"a\"]\nseeds = \"5-1\"\nrepeats = 0\nmodel = 3\n[settings.llm]\nmodel = [1]\n[axes.x]\n[budget]\ncall = 3\n[compare]\nbase = \"x\"\n[[gates]]\nmetrik = \"x\"\n", []string{
			"line 2: scenarios: \"a\" is empty or given twice", "line 3: seeds: 5-1 is no range", "line 4: repeats: 0 is out of range", "line 5: unknown key model; allowed: name,",
			"line 7: llm.model: the value has the wrong type", "line 8: axis \"x\" has no values", "line 10: unknown key budget.call; allowed: calls, tokens, cost", "line 12: unknown key compare.base", "line 14: unknown key gates.metrik",
		}},
		{"name = \"a\"\nscenarios = 3\n", []string{"line 2: scenarios:"}},
		{"name = \"a\"\nscenarios = [\n", []string{"line "}},
		{"name = \"a\"\nscenarios = [\"s\"]\nsed = 3\nrepeats = \"two\"\nseeds = true\n[settings.run]\nticks = [1]\n[budget]\ncalls = \"x\"\ntokens = -1\n[compare]\nprimary = \"scor\"\nalpha = 7.0\n[axes.x.one.llm]\n", []string{
			"line 3: unknown key sed", "line 4: repeats: cannot be", "line 5: seeds: ", "line 7: run.ticks: the value has the wrong type", "line 9: budget.calls: cannot be", "line 10: budget.tokens: -1 is out of range",
			"line 12: compare: unknown metric \"scor\"", "line 13: compare.alpha: 7 is out of range",
		}},
		{"name = \"a\"\nscenarios = [\"s\"]\n[compare]\nprimary = 3\naxis = \"y\"\nmargin = -1.0\n[axes.x.one.llm]\n[[gates]]\nmetric = \"scor\"\nat_least = \"x\"\n", []string{
			"line 4: compare.primary: cannot be", "line 6: compare.margin: -1 is out of range", "line 10: gates.at_least: cannot be",
		}},
		{"name = \"a\"\nscenarios = [\"s\"]\nseeds = [1, 2, 1]\n", []string{"line 3: seeds: 1 is given twice"}},
		{"name = \"a\"\nscenarios = [\"s\"]\nseeds = \"1-90000\"\nrepeats = 10\n", []string{"line 3: the file describes 900000 cells"}},
		{"name = \"a\"\nscenarios = [\"s\"]\n[axes.x.one.run]\nticks = 2\n[axes.x.two.run]\nticks = 4\n[axes.y.three.run]\nprotocol = \"lean\"\nticks = 2\n[axes.y.four.run]\nticks = 3\n", []string{"line 9: run.ticks is set by axis \"y\", and by axis \"x\" in line 6", "line 11: run.ticks is set by axis \"y\", and by axis \"x\" in line 4"}},
		{"name = \"a\"\nscenarios = [\"s\"]\n[compare]\nbaseline = \"thre\"\nprimary = \"callz\"\nmetrics = [\"calls\", \"tokns\"]\npass_at = -3\n[axes.x.one.llm]\n[axes.x.two.llm]\n[[gates]]\nmetric = \"foo\"\narm = \"tow\"\nat_least = 3\nat_most = 2\n", []string{
			"line 4: compare: baseline \"thre\"", "line 5: compare: unknown metric \"callz\"; did you mean \"calls\"?", "line 6: compare: unknown metric \"tokns\"; did you mean \"tokens\"?", "line 7: compare.pass_at: -3 is out of range",
			"line 10: gate \"mean foo of tow at least 3, mean foo of tow at most 2\": no mean is at least 3 and at most 2", "line 10: gate \"mean foo of tow at least 3, mean foo of tow at most 2\": unknown metric \"foo\"", "no value \"tow\"",
		}},
		{"name = \"a\"\nscenarios = [\"s\"]\n[compare]\nprimary = \"score_share\"\npass_at = 1.5\n[axes.x.one.llm]\n", []string{"line 5: compare.pass_at: 1.5 is out of range; allowed: 0 to 1, a value of score_share"}},
		{"name = \"..\"\nscenarios = [\"s\"]\n", []string{"line 1: name \"..\"; allowed: 1 to 64 letters"}},
		{"name = \"../evil\\u001b[31m\"\nscenarios = [\"s\"]\n[axes.\"a\\u001b\".c.llm]\n[axes.\"b\\u001b\"]\n", []string{"line 1: name \"../evil\\u001b[31m\"", "line 3: axis \"a\\u001b\"", "line 4: axis \"b\\u001b\"", "line 4: axis \"b\\u001b\" has no values"}},
		{"name = \"a\"\nscenarios = [\"s\"]\n[axes.\"a b\".c.llm]\nmodel = \"m\"\n", []string{"line 3: axis \"a b\""}},
		{"name = \"a\"\nscenarios = [\"s\"]\n[compare]\naxis = \"x\"\n", []string{"line 4: compare: axis is about the values of an axis, and the batch has none"}},
		{"name = \"a\"\nscenarios = [\"s\"]\n[compare]\nprimary = \"calls\"\n", nil},
		{"name = \"a\"\nscenarios = [\"s\"]\n[compare]\nprimary = \"cals\"\nbaseline = \"a\"\n", []string{"line 4: compare: unknown metric", "line 5: compare: baseline is about"}},
		{"name = \"a\"\nscenarios = [\"s\"]\n[axes.x.old]\nengine = \"/bin/sh -c\"\n[axes.x.new]\nengine = \"new\"\n", []string{"line 4: axes.x.old.engine: \"/bin/sh -c\"; allowed: 1 to 64 letters"}},
		{"name = \"a\"\nscenarios = [\"s\"]\n[[gates]]\nmetric = \"scor\"\nat_least = 1.0\n", []string{"unknown metric \"scor\""}},
		{"name = \"a\"\nscenarios = [\"s\"]\n[[gates]]\nmetric = \"score\"\nverdict = [\"better\"]\n", []string{"nothing is compared"}},
		{"name = \"a\"\nscenarios = [\"s\"]\n[[gates]]\nmetric = \"score\"\n", []string{"no condition"}},
		{"name = \"a\"\nscenarios = [\"s\"]\ngates = [\n{metrik = \"score\"}]\n", []string{"line 4: unknown key gates.metrik"}},
		{"name = \"a\"\nscenarios = [\"s\"]\n[axes.x.one.llm]\n[axes.x.two.llm]\n[[gates]]\nmetric = \"score\"\narm = \"one\"\nverdict = [\"better\"]\n", []string{"line 5: gate \"score of one better\": \"one\" is not compared with one; allowed: two"}},
		{"name = \"a\"\nscenarios = [\"s\"]\nseeds = []\n[budget]\ncalls = 0\ntokens = 5\n", []string{"line 3: seeds: the list is empty", "line 5: budget.calls: 0 is out of range"}},
		{"name = \"a\"\nscenarios = [\"s\"]\nrepeats = 0\n[compare]\naxis = \"q\"\n[axes.x.one.llm]\n[axes.x.two.llm]\n[[gates]]\nmetric = \"score\"\narm = \"tow\"\nundecided = \"maybe\"\n", []string{
			"line 3: repeats: 0", "line 5: compare: axis \"q\"", "line 8: gate \"score of tow\": undecided = \"maybe\"", "line 8: gate \"score of tow\": it has no condition",
		}},
		{"name = \"a\"\nscenarios = [\"s\"]\n[compare]\naxis = \"x\"\nmargin = nan\nalpha = 7.0\n[axes.x.one.llm]\n[axes.x.two.llm]\n[[gates]]\nmetric = \"score\"\narm = \"tow\"\nat_least = nan\n[[gates]]\nmetric = \"accepted.typo\"\nat_most = 0.0\n", []string{
			"line 5: compare.margin: NaN is out of range", "line 6: compare.alpha: 7 is out of range", "line 9: gate \"mean score of tow at least NaN\": the bound NaN", "line 9: gate \"mean score of tow at least NaN\": no value \"tow\"", "line 13: gate \"mean accepted.typo at most 0\": unknown metric \"accepted.typo\"",
		}},
	} {
		_, err := Parse([]byte(of.text), nil)
		problems := Problems(err)
		var got []string
		for _, p := range problems {
			got = append(got, p.Error())
		}
		if len(got) != len(of.want) {
			t.Errorf("%q: %d problems, want %d:\n%s", of.text, len(got), len(of.want), strings.Join(got, "\n"))
			continue
		}
		for i := range got {
			if !strings.Contains(got[i], of.want[i]) {
				t.Errorf("%q: got %q, want %q", of.text, got[i], of.want[i])
			}
		}
	}
}

func TestSeeds(t *testing.T) {
	for text, want := range map[string]string{"1-4": "[1 2 3 4]", " 5 , 7-8": "[5 7 8]", "18446744073709551615": "[18446744073709551615]", "1-1": "[1]"} {
		got, err := seedsOf(text)
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: %v %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "a", "3-1", "1-", "-1", "1-200000", "1,1", "1-3,2"} {
		if got, err := seedsOf(text); err == nil {
			t.Errorf("%q: %d seeds and no error", text, len(got))
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sampleFile))
	f.Add([]byte("name = \"a\"\nscenarios = [\"s\"]\naxes = { a = { b = { llm = { model = 1 } } } }\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(data, nil)
		if err == nil && file.Size() < 1000 && len(slices.Collect(file.Combinations())) != file.Size() {
			t.Errorf("%d cells of %d", len(slices.Collect(file.Combinations())), file.Size())
		}
		if err != nil && !slices.IsSortedFunc(Problems(err), func(a, b *Problem) int { return a.Line - b.Line }) {
			t.Error("problems are not in the order of lines")
		}
	})
}
