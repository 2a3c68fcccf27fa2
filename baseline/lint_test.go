package baseline

import (
	"reflect"
	"strings"
	"testing"

	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// TestEmbeddedScenariosAreClean is the proof that everything that ships can be
// played and that every task states true numbers.
func TestEmbeddedScenariosAreClean(t *testing.T) {
	for _, name := range scenario.Names() {
		s := embedded(t, name)
		for _, f := range Lint(s, s.Seed) {
			t.Errorf("%s: %s", name, f)
		}
	}
}

// faulty is a scenario with something wrong in every respect.
const faulty = `id = "faulty"
seed = 3
[[places]]
id = "here"
offset_pct = { x = 40, y = 40, z = 0 }
material = "ice"
emission = 30
compound_g = 9_000
[[places]]
id = "hop"
offset_pct = { x = 40, y = -40, z = 0 }
material = "ice"
[[places]]
id = "far"
offset_pct = { x = -45, y = -45, z = 0 }
material = "ice"
[agents]
count = 2
spawn = ["here"]
stock = [{ electricity = 50 }]
[[goals]]
id = "many"
agent = "agent-2"
text = "Hold 9 drones."
metric = "product:logistics_drone"
at_least = 9
[task]
family = "production"
ticks = 30
metric = "METRIC"
`

func TestLintFinds(t *testing.T) {
	s := mustParse(t, faulty, "produced:control_chip")
	var lines []string
	for _, f := range Lint(s, s.Seed) {
		lines = append(lines, f.String())
	}
	text := strings.Join(lines, "\n")
	for _, want := range []string{
		"place far: cannot be reached; the way from hop takes 86 electricity, and an agent has at most 12 there",
		"goal many of agent-2: product:logistics_drone is 0, want 9, after 120 ticks of the scripted agents",
		"task: the scripted agents score 0, no more than the 0 of doing nothing",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the findings lack %q:\n%s", want, text)
		}
	}
	s.Task = nil
	if got := Lint(s, s.Seed); len(got) > 2 {
		t.Errorf("without a task there are %d findings", len(got))
	}
	if got := Lint(world.Scenario{}, 1); len(got) != 1 || got[0].What != "scenario" {
		t.Errorf("the zero scenario gives %v", got)
	}
}

func TestLintOfUselessTask(t *testing.T) {
	s := mustParse(t, faulty, "held:compound")
	s.Places[0].CompoundG, s.Places[0].Emission = 0, 0
	text := ""
	for _, f := range Lint(s, s.Seed) {
		text += f.String() + "\n"
	}
	if want := "task: no player can score anything: "; !strings.Contains(text, want) {
		t.Errorf("the findings lack %q:\n%s", want, text)
	}
}

// TestReachChains goes hop by hop, recharging only where there is light.
func TestReachChains(t *testing.T) {
	place := func(id string, km, emission int64) world.Place {
		return world.Place{ID: id, Position: world.Position{X: km * world.CMPerKM}, Material: "ice", RadiusCM: 100, Emission: emission}
	}
	s := embedded(t, "minimal")
	s.Places = []world.Place{place("start", 0, 0), place("lamp", 30, 20), place("dark", 90, 0), place("beyond", 99, 0), place("behind", 5, 0)}
	s.Agents.Spawn, s.Agents.Stock = []string{"start"}, [][]world.Amount{{{Resource: world.Electricity, Amount: 40}}}
	// From 40: 30 and 3 ticks to the lamp, full there; 60 and 6 ticks on to the dark.
	for i, want := range []int64{67, 100, 34, 24, 72} {
		if got := reach(s.Rules, s.Survey(1))[i]; got != want {
			t.Errorf("at %s an agent has at most %d, want %d", s.Places[i].ID, got, want)
		}
	}
	s.Agents.Stock[0][0].Amount = 29
	for i, want := range []int64{29, -1, -1, -1, 23} {
		if got := reach(s.Rules, s.Survey(1))[i]; got != want {
			t.Errorf("with too little charge, at %s an agent has at most %d, want %d", s.Places[i].ID, got, want)
		}
	}
}

// TestDrawnBootstrapsCanBePlayed: the default scenario varies on request, within what the
// scripted agents can play.
func TestDrawnBootstrapsCanBePlayed(t *testing.T) {
	s, text, ok := scenario.Embedded("llm_bootstrap")
	if !ok {
		t.Fatal("llm_bootstrap is missing")
	}
	if other := s.Instance(8); !reflect.DeepEqual(other.Places, s.Places) || !reflect.DeepEqual(other.Agents, s.Agents) || other.Rules.PowerCapacity != s.Rules.PowerCapacity {
		t.Error("a run that does not ask for another instance gets one")
	}
	for seed := range uint64(10) {
		drawn, err := scenario.Instance(s.ID, text, scenario.Choice{Seed: seed, Vary: true})
		if err != nil {
			t.Fatal(err)
		}
		if reflect.DeepEqual(drawn.Places, s.Places) {
			t.Errorf("seed %d: nothing is drawn", seed)
		}
		for _, f := range Lint(drawn, seed) {
			t.Errorf("seed %d: %s", seed, f)
		}
	}
}
