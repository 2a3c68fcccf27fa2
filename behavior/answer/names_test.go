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
	names := NamesIn(&world.Observation{
		Here:   world.Here{ID: "p1", Name: "Hub"},
		Places: []world.Sight{{ID: "p2", Name: "Twin"}, {ID: "p3", Name: "Twin"}, {ID: "Rim", Name: "Edge"}, {ID: "p5", Name: "Rim"}, {ID: "p6"}},
		Self:   world.Self{ID: "agent-1", Name: "Ada"}, Agents: []world.Contact{{ID: "agent-2", Name: "Ben"}},
		Factories: []world.Factory{{ID: "a1-f1", Kind: "assembler"}, {ID: "a1-f2", Kind: "plant"}, {ID: "a1-f3", Kind: "plant"}},
	}, nil)
	for _, tt := range []struct {
		name     string
		kind     world.ParamKind
		text, id string
	}{
		{"an id stays", world.ParamPlace, "p1", "p1"},
		{"a name of one", world.ParamPlace, "Hub", "p1"},
		{"a name of two stays", world.ParamPlace, "Twin", "Twin"},
		{"an id that is another's name stays", world.ParamPlace, "Rim", "Rim"},
		{"a name of nothing stays", world.ParamPlace, "Nowhere", "Nowhere"},
		{"another case is another name", world.ParamPlace, "hub", "hub"},
		{"nothing is no name", world.ParamPlace, "", ""},
		{"a place's name is no agent's", world.ParamAgent, "Hub", "Hub"},
		{"an agent", world.ParamAgent, "Ben", "agent-2"},
		{"the only factory of a kind", world.ParamFactory, "assembler", "a1-f1"},
		{"one of two factories of a kind", world.ParamFactory, "plant", "plant"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if id := names.idOf(tt.kind, tt.text); id != tt.id {
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
	seen := w.View(0).Observe()
	got, used := NamesIn(&seen, nil).Resolve(order)
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
		if c := v.Called(written, `{}`)[0]; c.Tool != want {
			t.Errorf("%q is taken for %q, want %q", written, c.Tool, want)
		}
	}
}

// TestNamesOfFixedLists calls the values of a fixed list by their last parts, and things by
// what only looks like their ids.
func TestNamesOfFixedLists(t *testing.T) {
	for _, tt := range []struct {
		raw, want string
		repairs   []Repair
		fault     string
	}{
		{`{"action":"build_factory","what":"assembler.mk1"}`, `{"action":"build_factory","factory_kind":"factory.assembler.mk1"}`, []Repair{ChoicePart}, ""},
		{`{"action":"schedule_recipe","id":"f","what":"control_chip","amount":1}`, `{"action":"schedule_recipe","factory_id":"f","recipe_id":"recipe.assembler.control_chip","batches":1}`, []Repair{ChoicePart}, ""},
		{`{"action":"schedule_recipe","id":"f","what":"Control Chip","amount":1}`, `{"action":"schedule_recipe","factory_id":"f","recipe_id":"recipe.assembler.control_chip","batches":1}`, []Repair{ChoicePart}, ""},
		{`{"action":"transfer_resource","to":"a","what":"compound_g","amount":1}`, `{"action":"transfer_resource","to_agent":"a","kind":"compound","amount":1}`, []Repair{ChoicePart}, ""},
		{`{"action":"place_power_order","what":"BUY","amount":10,"price":1}`, `{"action":"place_power_order","side":"buy","amount":10,"price":1}`, []Repair{ChoicePart}, ""},
		{`{"action":"build_factory","what":"mk1"}`, "", nil, "what: expected one of factory.assembler.mk1, factory.power.radiation.mk1, got a string of 3 characters"},
		{`{"action":"build_factory","what":"assembler"}`, "", nil, "what: expected one of factory.assembler.mk1, factory.power.radiation.mk1, got a value it does not accept"},
		// An id is never completed.
		{`{"action":"schedule_recipe","id":"f1","what":"control_chip","amount":1}`, `{"action":"schedule_recipe","factory_id":"f1","recipe_id":"recipe.assembler.control_chip","batches":1}`, []Repair{ChoicePart}, ""},
	} {
		a, used, e := DecodeAction([]byte(tt.raw), nil)
		switch {
		case e != nil && e.Error() != tt.fault, e == nil && tt.fault != "":
			t.Errorf("%s: %v, want %q", tt.raw, e, tt.fault)
		case e == nil && (string(world.EncodeAction(a)) != tt.want || !slices.Contains(used, tt.repairs[0])):
			t.Errorf("%s: %s with %v, want %s", tt.raw, world.EncodeAction(a), used, tt.want)
		}
	}
}

// TestErrorsNameTheIDsThereAre: the error for a missing or wrong id lists a few of the ids that
// the agent sees.
func TestErrorsNameTheIDsThereAre(t *testing.T) {
	s, _, _ := scenario.Embedded("llm_bootstrap")
	w, err := world.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	v := w.View(0)
	seen := v.Observe()
	seen.Factories = []world.Factory{{ID: "agent-1-f1", Kind: "factory.assembler.mk1"}}
	names := NamesIn(&seen, nil)
	e := func(args string) string {
		c := Call{Tool: ToolDecision, Arguments: args}
		d, _, e := ReadDecision(c, false)
		if e == nil {
			_, _, e = d.Action(c, nil, names, 3)
		}
		if e == nil {
			t.Fatalf("no error for %s", args)
		}
		return e.Error()
	}
	if got := e(`{"action":{"action":"schedule_recipe","what":"control_chip","amount":1},"execute_until":null}`); got != "id: expected one of agent-1-f1, got nothing" {
		t.Error(got)
	}
	if got := e(`{"action":{"action":"transfer_resource","what":"data","amount":1},"execute_until":null}`); got != "to: expected one of agent-2, agent-4, got nothing" {
		t.Error(got)
	}
	recipe := world.ScheduleRecipe{FactoryID: "f1", RecipeID: "recipe.assembler.control_chip", Batches: 1}
	if ids := names.Possible(recipe, v.Check(recipe)); ids != nil {
		t.Errorf("without inputs %v are possible in place of a factory that there is not", ids)
	}
	strange := world.Check{Status: world.CheckUnknown}
	if !names.Unseen(recipe, strange) || names.Unseen(recipe, world.Check{}) || names.Unseen(world.Move{To: "llm-outpost"}, strange) {
		t.Error("an id is unseen if the agent sees others of its kind alone")
	}
	for _, a := range []world.Action{
		world.Move{To: "nowhere"}, world.Transfer{To: "agent-99", Kind: "data", Amount: 1},
	} {
		if ids := names.Possible(a, v.Check(a)); len(ids) == 0 || len(ids) > idsTold || slices.Contains(ids, "agent-1") {
			t.Errorf("%s: %v are possible", world.EncodeAction(a), ids)
		}
	}
	building := world.Check{Status: world.CheckRejected, Rejection: &world.Rejection{Code: world.RejectFactoryBuilding, Field: "factory_id"}}
	if ids := names.Possible(world.ScheduleRecipe{FactoryID: "agent-1-f1"}, building); ids != nil {
		t.Errorf("a factory that is not ready has %v in its place", ids)
	}
	if ids := names.Possible(world.Move{To: "llm-outpost"}, v.Check(world.Move{To: "llm-outpost"})); ids != nil {
		t.Errorf("what is possible has %v in its place", ids)
	}
}
