package scenario

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/world"
)

const beltScenario = `id = "belted"

[belt]
seed_offset = 7
count = 12
min_spacing_cm = 100
radius_min_cm = 50
radius_max_cm = 90
regen_ppm = 20
box = { from = { x_cm = 1 }, to = { x_cm = 2_000_000, y_cm = 3_000_000, z_cm = 4 } }

[[belt.materials]]
material = "ice"
weight = 3
emission_max = 4
reserve_max_g = 5

[agents]
count = 2
spawn = ["frag-12", "frag-1"]

[[goals]]
id = "g"
agent = "*"
text = "Go there."
metric = "place:frag-3"
at_least = 1
`

func TestParseBelt(t *testing.T) {
	s, err := Parse("belted.toml", []byte(beltScenario))
	if err != nil {
		t.Fatal(err)
	}
	want := &world.Belt{
		IDPrefix: "frag", SeedOffset: 7, Count: 12, MinSpacingCM: 100, RadiusMinCM: 50, RadiusMaxCM: 90, RadiusExponent: 3,
		RegenPPM: 20, Materials: []world.BeltMaterial{{Material: "ice", Weight: 3, EmissionMax: 4, ReserveMaxG: 5}}, Box: &world.Box{From: world.Position{X: 1}, To: world.Position{X: 2_000_000, Y: 3_000_000, Z: 4}},
	}
	if diff := cmp.Diff(want, s.Belt); diff != "" {
		t.Errorf("belt differs (-want +got):\n%s", diff)
	}
	w, err := world.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := w.View(0).Observe().Self.Place, w.View(1).Observe().Self.Place; a != "frag-12" || b != "frag-1" {
		t.Errorf("the agents start at %s and %s", a, b)
	}
	s.Agents.Spawn, s.Agents.SpawnStride, s.Agents.Count = nil, 5, 4
	if w, err = world.New(s, 1); err != nil {
		t.Fatal(err)
	}
	for n, want := range []string{"frag-1", "frag-6", "frag-11", "frag-4"} {
		if got := w.View(n).Observe().Self.Place; got != want {
			t.Errorf("agent %d starts at %s, want %s", n, got, want)
		}
	}
}

// TestBeltScenarioErrors changes one thing in a sound scenario.
func TestBeltScenarioErrors(t *testing.T) {
	for _, tc := range []struct{ old, new, want string }{
		{`count = 12`, `cuont = 12`, `f.toml:5: unknown field "belt.cuont"`},
		{`count = 12`, `count = 11`, `agents.spawn[0]: there is no place "frag-12"`},
		{`weight = 3`, `wieght = 3`, `unknown field "belt.materials.wieght"`},
		{`seed_offset = 7`, `seed_offset = -7`, `belt.seed_offset: -7 is negative`},
		{`seed_offset = 7`, `id_prefix = "rock"`, `agents.spawn[0]: there is no place "frag-12"`},
		{`box = { from = { x_cm = 1 }, to = { x_cm = 2_000_000, y_cm = 3_000_000, z_cm = 4 } }`, `box = {}`, `belt.box: is empty`},
		{`box = { from = { x_cm = 1 },`, `box = { from = { x_cm = -1 },`, `belt.box.from.x_cm: -1`},
		{`spawn = ["frag-12", "frag-1"]`, `spawn_stride = -1`, `agents.spawn_stride: -1`},
		{`count = 2`, "count = 2\nspawn_stride = 1", `agents.spawn_stride: needs a belt and no spawn places`},
		{`spawn = ["frag-12", "frag-1"]`, ``, `agents: want 1`},
		{`place:frag-3`, `place:frag-13`, `goals[0].metric: "place:frag-13"`},
		{`[agents]`, "[[places]]\nid = \"frag-3\"\noffset_pct = {}\nmaterial = \"ice\"\n[agents]", `places[0].id: frag-3 is a fragment of the belt`},
		{`[agents]`, "[[places]]\nid = \"p\"\noffset_pct = {}\nmaterial = \"ice\"\nregen_g = -1\n[agents]", `places[0].regen_g: -1`},
	} {
		if !strings.Contains(beltScenario, tc.old) {
			t.Fatalf("the sound scenario has no %s", tc.old)
		}
		_, err := Parse("f.toml", []byte(strings.Replace(beltScenario, tc.old, tc.new, 1)))
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "f.toml:") {
			t.Errorf("with %s instead of %s: error %v, want one with %s", tc.new, tc.old, err, tc.want)
		}
	}
}
