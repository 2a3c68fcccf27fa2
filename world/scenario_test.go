package world

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

func TestParseScenario(t *testing.T) {
	got, err := ParseScenario("sound.toml", []byte(soundScenario))
	if err != nil {
		t.Fatal(err)
	}
	want := Scenario{
		ID: "sound", Space: Space{10_000_000, 10_000_000, 1_000_000},
		VisibilityKM: 12, PlacesShown: 8, AgentsShown: 8, Rules: DefaultRules(),
		Places: []Place{
			{ID: "here", Position: Position{5_100_000, 4_900_000, 500_000}, Material: "ice", RadiusCM: 100, Charted: true},
			{
				ID: "there", Position: Position{1, 2, 3}, Material: "metal", RadiusCM: 7, Emission: 8, CompoundG: 9,
			},
		},
		Agents: AgentPlan{Count: 2, Spawn: []string{"here"}, Stock: [][]Amount{{{Electricity, 3}, {Data, 4}}}},
		Goals:  []Goal{{"g", "agent-2", "Go there.", "place:there", 1}},
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
		{`id = "there"`, `id = "here"`, `places[1].id: here is used twice`},
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
		_, err := ParseScenario("f.toml", []byte(strings.Replace(soundScenario, tc.old, tc.new, 1)))
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "f.toml:") {
			t.Errorf("with %s instead of %s: error %v, want one with %s", tc.new, tc.old, err, tc.want)
		}
	}
}

func TestNewRefusesWhatParsingWould(t *testing.T) {
	s := mustScenario(t, "minimal")
	s.Rules.RefineGPerHardware = 1
	if _, err := New(s, 1); err == nil || !strings.Contains(err.Error(), "rules.refine_g_per_hardware") {
		t.Errorf("New = %v, want a fault in the rules", err)
	}
	if _, err := New(Scenario{}, 1); err == nil {
		t.Error("New accepts the zero scenario")
	}
	if _, err := New(mustScenario(t, "minimal").WithAgents(0), 1); err == nil {
		t.Error("New accepts a world without agents")
	}
}

func TestEmbeddedScenarios(t *testing.T) {
	names := EmbeddedScenarios()
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
		if s, text, ok := EmbeddedScenario(alias); !ok || s.ID != want || len(text) == 0 {
			t.Errorf("EmbeddedScenario(%s) = %s, %v, want %s", alias, s.ID, ok, want)
		}
	}
	if _, _, ok := EmbeddedScenario("nowhere"); ok {
		t.Error("there is a scenario called nowhere")
	}
	taken := map[string]string{}
	for _, name := range names {
		s := mustScenario(t, name)
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

func TestIsolatedFiveIsIsolated(t *testing.T) {
	s := mustScenario(t, "isolated_five")
	for i, p := range s.Places {
		for _, q := range s.Places[:i] {
			d := p.Position.distanceCM(q.Position)
			if d <= 40*CMPerKM || newLaw(s.Rules).moveCost(d) <= s.Rules.PowerCapacity {
				t.Errorf("%s and %s are %d cm apart", p.ID, q.ID, d)
			}
		}
		if p.Charted {
			t.Errorf("%s is charted", p.ID)
		}
	}
}

func TestWithAgents(t *testing.T) {
	s := mustScenario(t, "llm_bootstrap").WithAgents(12)
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	if w.Agents() != 12 || w.AgentID(11) != "agent-12" {
		t.Errorf("there are %d agents, the last is %s", w.Agents(), w.AgentID(11))
	}
	if n, ok := w.AgentNumber("agent-12"); n != 11 || !ok {
		t.Errorf("agent-12 is number %d, %v", n, ok)
	}
	goals := w.Goals()
	if len(goals) != 12 {
		t.Fatalf("there are %d goals, want one each", len(goals))
	}
	if w.Persona(7) != w.Persona(2) || goals[7].Goal.Metric != goals[2].Goal.Metric || goals[7].AgentID != "agent-8" {
		t.Errorf("agent-8 is not like agent-3: %+v", goals[7])
	}
	if few := mustScenario(t, "llm_bootstrap").WithAgents(2); len(few.Goals) != 2 {
		t.Errorf("two agents have %d goals", len(few.Goals))
	}
}
