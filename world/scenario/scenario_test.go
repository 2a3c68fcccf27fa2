package scenario

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/world"
)

const soundScenario = `id = "sound"
visibility_km = 12

[[places]]
id = "here"
offset_pct = { x = 1, y = -1, z = 0 }
material = "ice"

[[places]]
id = "there"
x_cm = 1
y_cm = 2
z_cm = 3
material = "metal"
radius_cm = 7
emission = 8
compound_g = 9
charted = false

[agents]
count = 2
spawn = ["here"]
stock = [{ electricity = 3, data = 4 }]

[[goals]]
id = "g"
agent = "agent-2"
text = "Go there."
metric = "place:there"
at_least = 1
`

func TestParse(t *testing.T) {
	got, err := Parse("sound.toml", []byte(soundScenario))
	if err != nil {
		t.Fatal(err)
	}
	want := world.Scenario{
		ID: "sound", Space: world.Space{WidthCM: 10_000_000, DepthCM: 10_000_000, HeightCM: 1_000_000},
		VisibilityKM: 12, PlacesShown: 8, AgentsShown: 8, Rules: world.DefaultRules(),
		Places: []world.Place{
			{ID: "here", Position: world.Position{X: 5_100_000, Y: 4_900_000, Z: 500_000}, Material: "ice", RadiusCM: 100, Charted: true},
			{
				ID: "there", Position: world.Position{X: 1, Y: 2, Z: 3}, Material: "metal", RadiusCM: 7, Emission: 8, CompoundG: 9,
			},
		},
		Agents: world.AgentPlan{Count: 2, Spawn: []string{"here"}, Stock: [][]world.Amount{{{Resource: world.Electricity, Amount: 3}, {Resource: world.Data, Amount: 4}}}},
		Goals:  []world.Goal{{ID: "g", Agent: "agent-2", Text: "Go there.", Metric: "place:there", AtLeast: 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("scenario differs (-want +got):\n%s", diff)
	}
}

// TestScenarioErrors changes one thing in a sound scenario and expects a message
// that names it.
func TestScenarioErrors(t *testing.T) {
	for _, tc := range []struct{ old, new, want string }{
		{`visibility_km = 12`, `visibilty_km = 12`, `f.toml:2: unknown field "visibilty_km"`},
		{`emission = 8`, `emision = 8`, `f.toml:16: unknown field "places.emision"`},
		{`visibility_km = 12`, `visibility_km = "far"`, `f.toml:2: visibility_km: cannot be a TOML string`},
		{`visibility_km = 12`, `visibility_km = 1.5`, `f.toml:2:`},
		{`visibility_km = 12`, `visibility_km = `, `f.toml:2:`},
		{`visibility_km = 12`, `visibility_km = -1`, `visibility_km: -1`},
		{`visibility_km = 12`, `seed = -1`, `seed: -1`},
		{`visibility_km = 12`, `places_shown = 0`, `places_shown: 0`},
		{`visibility_km = 12`, "[space]\nwidth_cm = 0", `space.width_cm: 0`},
		{`visibility_km = 12`, "[space]\nwidth_cm = 9000000000000000000", `space.width_cm`},
		{`visibility_km = 12`, "[rules]\nidle_draw = 0", `rules.idle_draw: 0`},
		{`visibility_km = 12`, "[rules]\nambient_floor = 0", `rules.ambient_floor: 0`},
		{`visibility_km = 12`, "[rules]\nidle = 1", `unknown field "rules.idle"`},
		{`visibility_km = 12`, `aliases = ["a b"]`, `aliases[0]`},
		{`visibility_km = 12`, `name = "` + strings.Repeat("n", 81) + `"`, `name: `},
		{`id = "sound"`, `id = ""`, `id: ""`},
		{`id = "sound"`, `id = "` + strings.Repeat("i", 65) + `"`, `id: `},
		{`id = "here"`, `id = "he/re"`, `places[0].id: "he/re"`},
		{`id = "there"`, `id = "here"`, `places[1].id: "here" is used twice`},
		{`material = "ice"`, `material = "cheese"`, `places[0].material: "cheese"`},
		{`x_cm = 1`, `x_cm = 10_000_001`, `places[1].x_cm: 10000001`},
		{`z_cm = 3`, ``, `places[1]: offset_pct`},
		{`x = 1, y`, `x = 51, y`, `places[0]: offset_pct: 51`},
		{`radius_cm = 7`, `radius_cm = 0`, `places[1].radius_cm: 0`},
		{`emission = 8`, `emission = -8`, `places[1].emission: -8`},
		{`compound_g = 9`, `compound_g = -9`, `places[1].compound_g: -9`},
		{`count = 2`, `count = 0`, `agents.count: 0`},
		{`count = 2`, `count = 1`, `goals[0].agent: there is no agent "agent-2"`},
		{`spawn = ["here"]`, `spawn = ["nowhere"]`, `agents.spawn[0]: there is no place "nowhere"`},
		{`spawn = ["here"]`, `spawn = []`, `agents: want 1`},
		{`data = 4`, `gold = 4`, `agents.stock[0]`},
		{`data = 4`, `data = -4`, `agents.stock[0].data: -4`},
		{`electricity = 3`, `electricity = 101`, `agents.stock[0].electricity: 101`},
		{`metric = "place:there"`, `metric = "place:nowhere"`, `goals[0].metric: "place:nowhere"`},
		{`metric = "place:there"`, `metric = "product:data"`, `goals[0].metric: "product:data"`},
		{`metric = "place:there"`, `metric = "mood"`, `goals[0].metric: "mood"`},
		{`at_least = 1`, `at_least = 0`, `goals[0].at_least: 0`},
	} {
		if !strings.Contains(soundScenario, tc.old) {
			t.Fatalf("the sound scenario has no %s", tc.old)
		}
		_, err := Parse("f.toml", []byte(strings.Replace(soundScenario, tc.old, tc.new, 1)))
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "f.toml:") {
			t.Errorf("with %s instead of %s: error %v, want one with %s", tc.new, tc.old, err, tc.want)
		}
	}
}

// TestScenarioErrorsTogether expects all wrong values at once, each with its line, and what is
// allowed in place of a wrong word.
func TestScenarioErrorsTogether(t *testing.T) {
	for _, tc := range []struct{ edits, want []string }{
		{[]string{"visibility_km = 12", "visibility_km = -1\nplaces_shown = 0", "radius_cm = 7", "radius_cm = 0", "emission = 8", "emission = -8"},
			[]string{"f.toml:2: visibility_km: -1", "f.toml:3: places_shown: 0", "places[1].radius_cm: 0", "places[1].emission: -8"}},
		{[]string{"data = 4", "dato = 4", "z_cm = 3", ""},
			[]string{`agents.stock[0]: "dato" is no resource; did you mean "data"? allowed: `, "places[1]: offset_pct"}},
		{[]string{"emission = 8", "emision = 8"}, []string{`unknown field "places.emision"; did you mean "emission"? allowed: charted, compound_g, `}},
		{[]string{`agent = "agent-2"`, `agent = "agent-9"`, "at_least = 1", "at_least = 0"}, []string{`goals[0].agent: there is no agent "agent-9"`, "goals[0].at_least: 0"}},
	} {
		text := soundScenario
		for i := 0; i < len(tc.edits); i += 2 {
			if !strings.Contains(text, tc.edits[i]) {
				t.Fatalf("the sound scenario has no %s", tc.edits[i])
			}
			text = strings.Replace(text, tc.edits[i], tc.edits[i+1], 1)
		}
		_, err := Parse("f.toml", []byte(text))
		for _, want := range tc.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: error %v, want one with %s", tc.edits, err, want)
			}
		}
	}
}

func TestEmbedded(t *testing.T) {
	names := Names()
	if names[0] != "llm_bootstrap" || !slices.IsSorted(names[1:]) {
		t.Errorf("names are %v, want llm_bootstrap first and the others sorted", names)
	}
	for alias, want := range map[string]string{
		"llm": "llm_bootstrap", "bootstrap": "llm_bootstrap", "llm-bootstrap": "llm_bootstrap",
		"two-bases": "two_bases", "isolated-five": "isolated_five", "minimal": "minimal",
		"fragments": "asteroid_fragment_bootstrap", "asteroid-fragment-bootstrap": "asteroid_fragment_bootstrap",
		"power": "power_bootstrap", "power-bootstrap": "power_bootstrap", "resources": "resource_bootstrap",
		"twin": "twin_region_bootstrap", "triad-region": "triad_region_bootstrap", "triad-p2p": "triad_p2p_bootstrap",
		"asteroid-fragment-detail-bootstrap":       "asteroid_fragment_detail_bootstrap",
		"asteroid-fragment-twin-region-bootstrap":  "asteroid_fragment_twin_region_bootstrap",
		"asteroid_fragment_triad_region_bootstrap": "asteroid_fragment_triad_region_bootstrap",
		"task-production-chips-40":                 "task_production_chips_40",
	} {
		if s, text, ok := Embedded(alias); !ok || s.ID != want || len(text) == 0 {
			t.Errorf("Embedded(%s) = %s, %v, want %s", alias, s.ID, ok, want)
		}
	}
	if _, _, ok := Embedded("nowhere"); ok {
		t.Error("there is a scenario called nowhere")
	}
	taken := map[string]string{}
	for _, name := range names {
		s, _, _ := Embedded(name)
		if s.ID != name {
			t.Errorf("the file %s holds the scenario %s", name, s.ID)
		}
		for _, alias := range append(s.Aliases, s.ID) {
			if other := taken[alias]; other != "" {
				t.Errorf("%s and %s are both called %s", name, other, alias)
			}
			taken[alias] = name
		}
	}
}

const soundTask = soundScenario + `
[task]
family = "survival"
ticks = 30
metric = "held_min:data"
agents = ["agent-2"]
meet = "here"
`

func TestParseTask(t *testing.T) {
	s, err := Parse("f.toml", []byte(soundTask))
	if err != nil {
		t.Fatal(err)
	}
	if s.Task.From != 1 || s.Task.Window() != 30 || s.Task.Counts("agent-1") || !s.Task.Counts("agent-2") {
		t.Errorf("the task is %+v", *s.Task)
	}
	if s.WithAgents(2).Task == nil || s.WithAgents(3).Task != nil {
		t.Error("a task belongs to its own number of agents")
	}
	for _, tc := range []struct{ old, new, want string }{
		{`family = "survival"`, `family = "sport"`, `task.family: "sport"`},
		{`family = "survival"`, `familiy = "survival"`, `unknown field "task.familiy"`},
		{`ticks = 30`, `ticks = 19`, `task.ticks: 19`},
		{`ticks = 30`, `ticks = 1001`, `task.ticks: 1001`},
		{`ticks = 30`, "ticks = 30\nfrom = 31", `task.from: 31`},
		{`ticks = 30`, "ticks = 30\nfrom = -1", `task.from: -1`},
		{`held_min:data`, `held_min:electricity`, `task.metric: "held_min:electricity"`},
		{`held_min:data`, `produced:compound`, `task.metric: "produced:compound"`},
		{`held_min:data`, `produced`, `task.metric: "produced"`},
		{`held_min:data`, `uptime:data`, `task.metric: "uptime:data"`},
		{`held_min:data`, `mood:data`, `task.metric: "mood:data"`},
		{`["agent-2"]`, `["agent-3"]`, `task.agents[0]: there is no agent "agent-3"`},
		{`["agent-2"]`, `["agent-2", "agent-2"]`, `task.agents[1]: agent-2 is listed twice`},
		{`meet = "here"`, `meet = "there"`, `task.meet: there is no charted place "there"`},
	} {
		if !strings.Contains(soundTask, tc.old) {
			t.Fatalf("the sound task has no %s", tc.old)
		}
		_, err := Parse("f.toml", []byte(strings.Replace(soundTask, tc.old, tc.new, 1)))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("with %s instead of %s: error %v, want one with %s", tc.new, tc.old, err, tc.want)
		}
	}
}

// TestAllFaultsAtOnce: what is wrong in different ways is told together, in the order of lines, and
// nothing that is wrong only because something else cannot be read.
func TestAllFaultsAtOnce(t *testing.T) {
	_, err := Parse("f", []byte(`id = "x"
seeed = 4
name = 5
visibility_km = -4
[[places]]
id = "camp"
radius_cm = true
material = "stuff"
offset_pct = { x = 0, y = 0, z = 0 }
[agents]
count = "two"
spawn = ["camp"]
`))
	var got []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		got = append(got, line[:min(len(line), 30)])
	}
	want := []string{
		`f:2: unknown field "seeed"; di`, "f:3: name: cannot be a TOML in", "f:4: visibility_km: -4 is outs", "f:7: places.radius_cm: cannot ",
		`f:8: places[0].material: "stuf`, "f:11: agents.count: cannot be ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the errors are\n%s\nwant those that begin with\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestWrongProductsAreToldOnce: what is wrong with the products is told, and not again wherever they are used. What a
// recipe takes and cannot be read is not missing from it.
func TestWrongProductsAreToldOnce(t *testing.T) {
	const smithy = "[[factory_kinds]]\nid = \"smithy\"\ncost = { hardware = 1 }\nticks = 2\n" +
		"[[recipes]]\nid = \"nail\"\nfactory_kind = \"factory.smithy\"\nticks = 1\ninputs = { hardware = 1 }\noutputs = { nail = 2 }\n"
	for products, want := range map[string]string{
		`products = "nail"`: "f:1: products: cannot be a TOML string", `products = ["nail", 3]`: "f:1: products: cannot be a TOML integer",
		`product = ["nail"]`: `f:1: unknown field "product"; did you mean "products"?`, `products = ["Nail"]`: `f:1: products[0]: "Nail" is not 1 to 32 of a-z 0-9 _`,
		`products = ["bolt"]`: `f:41: recipes[0].outputs: "nail" is no resource; allowed: `, "seeed = 1": `f:1: unknown field "seeed"`,
	} {
		_, err := Parse("f", []byte(products+"\n"+soundScenario+smithy))
		var lines []string
		if err != nil {
			lines = strings.Split(err.Error(), "\n")
		}
		most := 1
		if strings.HasPrefix(products, "seeed") {
			most = 2 // nail, too
		}
		if len(lines) != most || !strings.HasPrefix(lines[0], want) {
			t.Errorf("%s: the errors are\n%s\nwant %s", products, strings.Join(lines, "\n"), want)
		}
	}
}
