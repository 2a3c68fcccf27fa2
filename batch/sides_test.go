package batch

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/report"
	"example.com/agentworld/report/stats"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// sideRuns are runs of some files, each in a shape, over eight seeds; their score is the seed and more, a little
// less steady than that.
func sideRuns(more float64, shapes map[string]Shape) (list []Result) {
	for _, file := range slices.Sorted(maps.Keys(shapes)) {
		for seed := range uint64(8) {
			r := Result{Cell: Cell{ID: ID(fmt.Sprint(file, seed)), Scenario: file, Seed: seed}, Status: trace.RunCompleted,
				Shape: shapes[file], Versions: Versions{Engine: "7", Rules: "5", Prompt: "21"}, Answered: []string{"m-1"}, Ticks: 40}
			r.Metrics = MetricsOf(map[string]float64{"score": float64(seed) + more + more*float64(seed%3)/10})
			list = append(list, r)
		}
	}
	return list
}

const shapeA, shapeB, shapeC Shape = "model=m\nworld.places=a\nworld.agents=1", "model=m\nworld.places=b\nworld.agents=1",
	"model=m\nworld.places=c\nworld.agents=1"

// TestSidesAreComparedInWhatIsDeclared: what is planted between two sides is named and stops the verdict, unless it
// is what is compared or makes no other run.
func TestSidesAreComparedInWhatIsDeclared(t *testing.T) {
	edited := func(change func(*Result)) []Result {
		list := sideRuns(1, map[string]Shape{"a.toml": shapeA})
		for i := range list {
			change(&list[i])
		}
		return list
	}
	for name, c := range map[string]struct {
		base, arm []Result
		by        string
		pairs     int
		undecided string // names what else differs
		lines     string
	}{
		"one world under two paths": {arm: sideRuns(1, map[string]Shape{"copy/b.toml": shapeA}), pairs: 8},
		"a harder world": {arm: sideRuns(1, map[string]Shape{"a.toml": shapeB}), pairs: 8, undecided: "world.places",
			lines: "no verdict, since what else differs is world.places (b against a)"},
		"a harder world, declared": {arm: sideRuns(1, map[string]Shape{"a.toml": shapeB}), by: "world", pairs: 8,
			lines: "what is compared: world.places (b against a)"},
		"one part, declared": {arm: sideRuns(1, map[string]Shape{"other.toml": shapeB}), by: "world.places", pairs: 8},
		"another part, declared": {arm: sideRuns(1, map[string]Shape{"a.toml": shapeB}), by: "world.agents", pairs: 8,
			undecided: "world.places"},
		"three scenarios of which one was edited": {
			base:  sideRuns(0, map[string]Shape{"a": shapeA, "b": shapeB, "c": shapeC}),
			arm:   sideRuns(1, map[string]Shape{"a": shapeA, "b": shapeB, "c": "model=m\nworld.places=d\nworld.agents=1"}),
			pairs: 24, undecided: "world.places"},
		"three scenarios under other names": {
			base: sideRuns(0, map[string]Shape{"a": shapeA, "b": shapeB, "c": shapeC}),
			arm:  sideRuns(1, map[string]Shape{"x": shapeC, "y": shapeA, "z": shapeB}), pairs: 24},
		"three scenarios whose worlds are declared": {
			base: sideRuns(0, map[string]Shape{"a": shapeA, "b": shapeB}),
			arm:  sideRuns(1, map[string]Shape{"a": shapeC, "b": "model=m\nworld.places=d\nworld.agents=1"}),
			by:   "world.places", pairs: 16},
		"a scenario that only one side has": {arm: sideRuns(1, map[string]Shape{"a.toml": shapeA, "b.toml": shapeB}), pairs: 8,
			lines: "8 runs of arm and 0 of base"},
		"another world under another name": {base: sideRuns(0, map[string]Shape{"a.toml": "world.places=a\nworld.goals=a\nworld.agents=1"}),
			arm: sideRuns(1, map[string]Shape{"b.toml": "world.places=b\nworld.goals=b\nworld.agents=2"}), pairs: 0,
			lines: "8 runs of arm and 8 of base have no partner"},
		"an edited world under another name": {base: sideRuns(0, map[string]Shape{"a.toml": "world.places=a\nworld.goals=a"}),
			arm: sideRuns(1, map[string]Shape{"b.toml": "world.places=b\nworld.goals=a"}), pairs: 8, undecided: "world.places"},
		"caps of one side": {arm: edited(func(r *Result) { r.Shape += "\ncaps=50000 tokens of the run" }), by: "caps", pairs: 8,
			lines: "only arm has caps (50000 tokens of the run)"},
		"programs, declared": {arm: edited(func(r *Result) { r.Versions.Program = strings.Repeat("ab", 32) }), by: "version", pairs: 8,
			lines: "version.program (sha256 abababababab against this one)"},
		"another model": {arm: edited(func(r *Result) { r.Shape, r.Answered = "model=n\nworld.places=a\nworld.agents=1", []string{"n-1"} }),
			pairs: 8, undecided: "model"},
		"another model, declared": {arm: edited(func(r *Result) {
			r.Shape, r.Answered = "model=n\nbase_url=u\nworld.places=a\nworld.agents=1", []string{"n-1"}
		}), by: "model", pairs: 8},
		"a snapshot that changed": {arm: edited(func(r *Result) { r.Answered = []string{"m-2"} }), pairs: 8,
			undecided: "answered", lines: "answered (m-2 against m-1)"},
		"a snapshot that changed for some": {arm: edited(func(r *Result) {
			if r.Seed > 5 {
				r.Answered = []string{"m-2"}
			}
		}), pairs: 8, undecided: "answered", lines: "answered (m-1, m-2 against m-1)"},
		"another version": {arm: edited(func(r *Result) { r.Versions.Rules = "6" }), pairs: 8, undecided: "version.rules"},
		"versions, declared": {arm: edited(func(r *Result) { r.Versions = Versions{Engine: "8", Rules: "6", Prompt: "22"} }), by: "version",
			pairs: 8},
		"other ticks":        {arm: edited(func(r *Result) { r.Ticks = 30 }), pairs: 8, undecided: "ticks"},
		"an earlier version": {arm: edited(func(r *Result) { r.Shape = "" }), pairs: 8, undecided: "of an earlier version"},
		"runs that failed at once": {arm: append(edited(func(*Result) {}), Result{
			Cell: Cell{ID: "x", Scenario: "a.toml", Seed: 99}, Status: trace.RunInternalError}), pairs: 8},
		"a prompt that follows from a setting": {arm: edited(func(r *Result) { r.Shape += "\nprotocol=lean"; r.Versions.Prompt = "22" }),
			pairs: 8, undecided: "protocol, which"},
		"and is declared with it": {arm: edited(func(r *Result) { r.Shape += "\nprotocol=lean"; r.Versions.Prompt = "22" }),
			by: "protocol", pairs: 8, lines: "protocol (lean against full), version.prompt (22 against 21)"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.base == nil {
				c.base = sideRuns(0, map[string]Shape{"a.toml": shapeA})
			}
			var by []string
			if c.by != "" {
				by = strings.Split(c.by, ",")
			}
			s, err := CompareSides(File{Name: "n", Compare: &Compare{Primary: "score"}}, by,
				[]Side{{"base", c.base}, {"arm", c.arm}})
			if err != nil {
				t.Fatal(err)
			}
			one := s.Comparisons[0]
			if one.Pairs != c.pairs {
				t.Errorf("%d pairs, want %d", one.Pairs, c.pairs)
			}
			decided := one.Metrics[0].Outcome != NoVerdict
			if decided == (c.undecided != "") || !strings.Contains(one.Why, c.undecided) {
				t.Errorf("%s, why %q, want no verdict for %q", one.Metrics[0].Outcome, one.Why, c.undecided)
			}
			if said := strings.Join(append(openedText(s), one.Notes...), "\n"); !strings.Contains(said, c.lines) {
				t.Errorf("the first lines and notes are %q, want %q", said, c.lines)
			}
		})
	}
}

// TestMixedSnapshotsAreTold: where two models answered in both arms alike, that is said and stops nothing.
func TestMixedSnapshotsAreTold(t *testing.T) {
	mixed := func(more float64) []Result {
		list := sideRuns(more, map[string]Shape{"a.toml": shapeA})
		for i := range list {
			list[i].Answered = []string{fmt.Sprint("m-", i%2)}
		}
		return list
	}
	s, err := CompareSides(File{}, nil, []Side{{"base", mixed(0)}, {"arm", mixed(1)}})
	if err != nil {
		t.Fatal(err)
	}
	one := s.Comparisons[0]
	want := "several models answered in the runs of arm: m-0 (4 runs), m-1 (4 runs)"
	if one.Metrics[0].Outcome != stats.Better || !slices.Contains(one.Notes, want) {
		t.Errorf("%s, %q", one.Metrics[0].Outcome, one.Notes)
	}
}

// TestABatchTellsWhatItsAxisDoesToTheWorld: an axis may change whatever it says, but a snapshot is no axis.
func TestABatchTellsWhatItsAxisDoesToTheWorld(t *testing.T) {
	cells, results := played(8, []string{"small", "large"}, func(arm string, seed int) (float64, bool) {
		return float64(seed + len(arm)*seed%3), true
	})
	for i := range results {
		r := &results[i]
		r.Shape = shapeA
		if r.Label("model") == "large" {
			r.Shape = shapeB
		}
	}
	s, err := Summarize(File{}, cells, results)
	if err != nil {
		t.Fatal(err)
	}
	if got := openedText(s)[1]; s.Comparisons[0].Why != "" || got != "arms: large against small: what is compared: world.places (b against a)" {
		t.Errorf("%q, %q", got, s.Comparisons[0].Why)
	}
	for i := range results {
		results[i].Answered = []string{"m-" + results[i].Label("model")}
	}
	s, err = Summarize(File{}, cells, results)
	if err != nil || !strings.Contains(s.Comparisons[0].Why, "answered") {
		t.Errorf("with another model in each arm: %q, %v", s.Comparisons[0].Why, err)
	}
}

// TestOneWorldCountsOnce: scenarios of a batch that differ in their titles alone are no two tasks.
func TestOneWorldCountsOnce(t *testing.T) {
	cells, results := played(8, []string{"small", "large"}, better)
	for i := range results {
		results[i].Shape = shapeA
		if results[i].Seed > 4 {
			cells[i].Scenario, results[i].Scenario = "copy", "copy"
		}
	}
	for shape, want := range map[Shape]string{shapeA: "chips and copy are the same world", shapeB: ""} {
		for i := range results {
			if results[i].Scenario == "copy" {
				results[i].Shape = shape
			}
		}
		s, err := Summarize(File{Compare: &Compare{Primary: "score"}}, cells, results)
		if err != nil || (s.Comparisons[0].Why == "") != (want == "") || !strings.Contains(s.Comparisons[0].Why, want) {
			t.Errorf("%q, %v, want %q", s.Comparisons[0].Why, err, want)
		}
	}
}

// TestDeclaredNames: what shapes runs can be declared, and nothing else.
func TestDeclaredNames(t *testing.T) {
	got, err := Declared([]string{"model", " prompt-profile", "world.personas", "version", "version.engine", "world.rules", "world.rules.idle_draw"})
	if err != nil || !slices.Equal(got, []string{"model", "prompt_profile", "world.personas", "version", "version.engine", "world.rules", "world.rules.idle_draw"}) {
		t.Errorf("%q, %v", got, err)
	}
	const settings, parts = "allowed: world, version, ticks, answered, rules", "allowed: world.rules, world.space, "
	for name, allowed := range map[string]string{"seed": settings, "": settings, "modl": "did you mean \"model\"? " + settings, "modl.x": settings,
		"world.": parts, "world.personas.Foo": "did you mean \"world.personas\"? " + parts, "world.rules.idle_drw": "did you mean \"world.rules.idle_draw\"? " + parts,
		"version.": "allowed: version.engine, version.rules, version.prompt", "version.model": "allowed: version.engine"} {
		if _, err := Declared([]string{name}); err == nil || !strings.Contains(err.Error(), allowed) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// unshaped are the settings that change no shape, and recordings, of which the source of the model tells.
var unshaped = append([]string{"recording"}, notShaping...)

// TestShapesKnowEverySetting: whatever setting of a run changes, its shape does, or that of its world.
func TestShapesKnowEverySetting(t *testing.T) {
	const text = "id = \"s\"\n[[places]]\nid = \"p\"\nmaterial = \"ice\"\noffset_pct = {}\n[agents]\ncount = 1\nspawn = [\"p\"]\n"
	shapeWith := func(s trace.Settings) Shape {
		var b bytes.Buffer
		b.Write(llmclient.Marshal(map[string]any{"type": "header", "tick": 0, "format": trace.FormatVersion, "settings": s}))
		b.WriteString("\n")
		r, err := report.Fold(trace.NewReader(&b))
		if err != nil {
			t.Fatal(err)
		}
		return shapeOf(r)
	}
	plain := trace.DefaultSettings()
	plain.ScenarioTOML = text
	before := shapeWith(plain)
	if before == "" || strings.Contains(string(before), "protocol") || !strings.Contains(string(before), "world.places=sha256 ") {
		t.Fatalf("the shape is %q", before)
	}
	kind := reflect.TypeFor[trace.Settings]()
	for i, name := range trace.SettingNames() {
		changed := plain
		switch field := reflect.ValueOf(&changed).Elem().Field(i); name {
		case "rules":
			rules := world.DefaultRules()
			rules.IdleDraw++
			changed.Rules = &rules
		case "goals":
			changed.Goals = []world.Goal{{ID: "g"}}
		case "caps":
			changed.Caps.Run.Calls = 7
		case "prices":
			changed.Prices = []price.Price{{Model: "m"}}
		case "scenario_toml":
			changed.ScenarioTOML = "# a comment\nname = \"a title\"\n" + text
		case "extra_body":
			changed.ExtraBody = []byte("{}")
		default:
			anotherValue(t, field)
		}
		same := shapeWith(changed) == before
		if want := slices.Contains(unshaped, name) || kind.Field(i).Tag.Get("json") == "-"; same != want {
			t.Errorf("another %s: the shape is the same: %v", name, same)
		}
	}
	off := plain
	off.ChainSteps = 0
	if got := shapeWith(off); got == before || !strings.Contains(string(got), "chain_steps=\n") {
		t.Errorf("with no chain steps in place of the default: %q", got)
	}
}

// anotherValue gives a setting a value that is not its own.
func anotherValue(t *testing.T, field reflect.Value) {
	t.Helper()
	switch field.Kind() {
	case reflect.String:
		field.SetString(field.String() + "1")
	case reflect.Bool:
		field.SetBool(!field.Bool())
	case reflect.Int, reflect.Int64:
		field.SetInt(field.Int() + 1)
	case reflect.Uint64:
		field.SetUint(field.Uint() + 1)
	case reflect.Slice:
		field.Set(reflect.MakeSlice(field.Type(), 1, 1))
	case reflect.Pointer:
		field.Set(reflect.New(field.Type().Elem()))
	default:
		t.Fatalf("a setting of kind %s", field.Kind())
	}
}

// openedText are the first lines of a report.
func openedText(s Summary) (lines []string) {
	for _, line := range s.opening() {
		lines = append(lines, line.String())
	}
	return lines
}

// TestAReportSaysWhatWasPlayed: worlds with their instances, the models that answered also without anything to compare,
// and all that an axis changes.
func TestAReportSaysWhatWasPlayed(t *testing.T) {
	var cells []Cell
	var results []Result
	for _, arm := range []string{"this", "old"} {
		for i, r := range sideRuns(0, map[string]Shape{"a.toml": shapeA, "b.toml": shapeB}) {
			r.ID, r.Repeat, r.Labels = ID(fmt.Sprint(arm, i)), 1, []Label{{"engine", arm}}
			if arm == "old" {
				r.Versions = Versions{Engine: "6", Rules: "5", Prompt: "21", Program: strings.Repeat("cd", 32)}
			}
			cells, results = append(cells, r.Cell), append(results, r)
		}
	}
	s, err := Summarize(File{Name: "n"}, cells, results)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"worlds: a.toml, 8 instances; b.toml, 8 instances",
		"arms: old against this: what is compared: version.engine (6 against 7), version.program (sha256 cdcdcdcdcdcd against this one)"}
	if got := openedText(s); !slices.Equal(got, want) || s.Comparisons[0].Why != "" {
		t.Errorf("the first lines are %q, and there is no verdict for %q", got, s.Comparisons[0].Why)
	}
	for i := range cells {
		cells[i].Labels = nil
		results[i].Cell, cells[i].Repeat = cells[i], int64(1+i/16)
	}
	s, err = Summarize(File{Name: "n"}, cells, results)
	want = []string{"worlds: a.toml, 8 instances, each 2 times; b.toml, 8 instances, each 2 times", "models: answered by m-1"}
	if got := openedText(s); err != nil || !slices.Equal(got, want) {
		t.Errorf("without an axis the first lines are %q, %v", got, err)
	}
}
