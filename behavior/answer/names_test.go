package answer

import (
	"slices"
	"testing"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// TestResolveNames looks names up among what an agent knows.
func TestResolveNames(t *testing.T) {
	known := Names{
		places:    []named{{"p1", "Hub"}, {"p2", "Twin"}, {"p3", "Twin"}, {"Rim", "Edge"}, {"p5", "Rim"}, {"p6", ""}},
		agents:    []named{{"agent-1", "Ada"}, {"agent-2", "Ben"}},
		factories: []named{{"a1-f1", "assembler"}, {"a1-f2", "plant"}, {"a1-f3", "plant"}},
	}
	for _, tt := range []struct {
		name     string
		kind     []named
		text, id string
	}{
		{"an id stays", known.places, "p1", "p1"},
		{"a name of one", known.places, "Hub", "p1"},
		{"a name of two stays", known.places, "Twin", "Twin"},
		{"an id that is another's name stays", known.places, "Rim", "Rim"},
		{"nobody's name stays", known.places, "Nowhere", "Nowhere"},
		{"another case is another name", known.places, "hub", "hub"},
		{"nothing is no name", known.places, "", ""},
		{"a place's name is no agent's", known.agents, "Hub", "Hub"},
		{"an agent", known.agents, "Ben", "agent-2"},
		{"the only factory of a kind", known.factories, "assembler", "a1-f1"},
		{"one of two factories of a kind", known.factories, "plant", "plant"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if id := idOf(tt.kind, tt.text); id != tt.id {
				t.Errorf("%q, want %q", id, tt.id)
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
	got, used := NamesIn(w.View(0).Observe()).resolve(order)
	if do := got.(world.ExecuteUntil).Do; do != (world.Move{To: "llm-outpost"}) || !slices.Equal(used, []Repair{NameResolved}) {
		t.Errorf("%v with %v", do, used)
	}
}

// TestNamesOfTools calls tools by what models and templates make of their names.
func TestNamesOfTools(t *testing.T) {
	v := Vocabulary{
		Tools:   []llmclient.Tool{{Name: "plan"}, {Name: "decision"}, {Name: "world_route"}, {Name: "get_price"}, {Name: "getPrice"}},
		ToolOf:  func(module string) (string, bool) { return "world_route", module == "world.route" },
		Decides: "decision",
	}
	for written, want := range map[string]string{
		"plan": "plan", "PLAN": "plan", " Plan ": "plan", "\ufeffplan": "plan", "functions.plan": "plan", "tool.plan": "plan", "tools/plan": "plan", "functions::plan": "plan",
		"default_api.plan": "plan", "functions.tools.plan": "plan", "plan:0": "plan", "plan()": "plan", "plan<|channel|>commentary": "plan", "functions.World Route": "world_route",
		"world.route": "world_route", "world-route": "world_route", "functions.world.route": "world_route",
		"get_price": "get_price", "getPrice": "getPrice", "functions.getPrice": "getPrice", "wait": "decision", "Wait-Ticks": "decision",
		// What could be two tools, or would be another's, is none.
		"GetPrice": "GetPrice", "get-price": "get-price", "calendar.plan": "calendar.plan", "planner": "planner", "unknown": "unknown", "": "",
	} {
		if c := v.Called(written, `{}`); c.Tool != want {
			t.Errorf("%q is taken for %q, want %q", written, c.Tool, want)
		}
	}
}
