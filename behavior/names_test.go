package behavior

import (
	"slices"
	"testing"

	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// TestResolveNames looks names up among what an agent knows.
func TestResolveNames(t *testing.T) {
	known := registers{
		places:    register{{"p1", "Hub"}, {"p2", "Twin"}, {"p3", "Twin"}, {"Rim", "Edge"}, {"p5", "Rim"}, {"p6", ""}},
		agents:    register{{"agent-1", "Ada"}, {"agent-2", "Ben"}},
		factories: register{{"a1-f1", "assembler"}, {"a1-f2", "plant"}, {"a1-f3", "plant"}},
	}
	for _, tt := range []struct {
		name     string
		kind     register
		text, id string
		resolved bool
	}{
		{"an id stays", known.places, "p1", "p1", false},
		{"a name of one", known.places, "Hub", "p1", true},
		{"a name of two stays", known.places, "Twin", "Twin", false},
		{"an id that is another's name stays", known.places, "Rim", "Rim", false},
		{"nobody's name stays", known.places, "Nowhere", "Nowhere", false},
		{"another case is another name", known.places, "hub", "hub", false},
		{"nothing is no name", known.places, "", "", false},
		{"a place's name is no agent's", known.agents, "Hub", "Hub", false},
		{"an agent", known.agents, "Ben", "agent-2", true},
		{"the only factory of a kind", known.factories, "assembler", "a1-f1", true},
		{"one of two factories of a kind", known.factories, "plant", "plant", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			id, leniencies := tt.kind.resolve(tt.text)
			if id != tt.id || slices.Contains(leniencies, lenNameResolved) != tt.resolved {
				t.Errorf("%q with %v, want %q", id, leniencies, tt.id)
			}
		})
	}
}

// TestResolveNamesInOrders reaches into a standing order.
func TestResolveNamesInOrders(t *testing.T) {
	s, _, _ := scenario.Embedded("llm_bootstrap")
	w, err := world.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	order := world.ExecuteUntil{Do: world.Move{To: "Outpost"}, Until: []world.Condition{{Event: world.StopJobDone}}, MaxTicks: 2}
	got, leniencies := resolveNames(w.View(0).Observe(), order)
	if do := got.(world.ExecuteUntil).Do; do != (world.Move{To: "llm-outpost"}) || !slices.Equal(leniencies, []string{lenNameResolved}) {
		t.Errorf("%v with %v", do, leniencies)
	}
}
