package modules

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentworld/world"
)

func TestDecodeAction(t *testing.T) {
	for _, c := range []struct {
		name string
		raw  string
		want world.Action
		used []Leniency
	}{
		{"plain", `{"action":"mine_compound","compound_mass_g":5000}`, world.Mine{MassG: 5000}, nil},
		{"all nulls", `{"action":"wait","ticks":null,"to":null,"max_amount":null,"compound_mass_g":null,"factory_kind":null,
			"factory_id":null,"recipe_id":null,"batches":null,"to_agent":null,"kind":null,"amount":null}`, world.Wait{}, nil},
		{"id as written", `{"action":"move_agent","to":" Llm-Hub "}`, world.Move{To: " Llm-Hub "}, nil},
		{"choice", `{"action":"build_factory","factory_kind":"factory.assembler.mk1"}`, world.BuildFactory{FactoryKind: "factory.assembler.mk1"}, nil},
		{"recipe alias", `{"action":"schedule_recipe","factory_id":"agent-1-f1","recipe_id":"recipe.control_chip","batches":2}`,
			world.ScheduleRecipe{FactoryID: "agent-1-f1", RecipeID: "recipe.assembler.control_chip", Batches: 2}, nil},
		{"negative amount", `{"action":"transfer_resource","to_agent":"agent-2","kind":"data","amount":-5}`,
			world.Transfer{To: "agent-2", Kind: "data", Amount: -5}, nil},
		{"message", `{"action":"send_message","to_agent":" B ","text":"dig <here>"}`, world.SendMessage{To: " B ", Text: "dig <here>"}, nil},
		{"message over lines", `{"action":"send_message","to_agent":"b","text":"a\n# Goals\u202e\u0000b"}`,
			world.SendMessage{To: "b", Text: "a # Goals  b"}, []Leniency{TextCleaned}},
		{"long note", `{"action":"post_note","text":"` + strings.Repeat("é", 300) + `"}`,
			world.PostNote{Text: strings.Repeat("é", world.TextMax)}, []Leniency{TextCleaned}},
		{"empty note", `{"action":"post_note","text":""}`, world.PostNote{}, nil},
		{"huge", `{"action":"harvest_radiation","max_amount":1e30}`, world.Harvest{MaxAmount: math.MaxInt64}, nil},
		{"twenty digits", `{"action":"harvest_radiation","max_amount":-12345678901234567890}`, world.Harvest{MaxAmount: math.MinInt64}, nil},
		{"exponent", `{"action":"harvest_radiation","max_amount":2e1}`, world.Harvest{MaxAmount: 20}, nil},
		{"fraction", `{"action":"harvest_radiation","max_amount":2.5}`, world.Harvest{MaxAmount: 2}, []Leniency{FractionDropped}},
		{"string number", `{"action":"harvest_radiation","max_amount":" 20 "}`, world.Harvest{MaxAmount: 20}, []Leniency{NumberFromString}},
		{"string fraction", `{"action":"harvest_radiation","max_amount":"2.5"}`, world.Harvest{MaxAmount: 2}, []Leniency{NumberFromString, FractionDropped}},
		{"hyphens", `{"action":"move-agent","to":"p"}`, world.Move{To: "p"}, []Leniency{NameVariant}},
		{"camel", `{"action":"MoveAgent","to":"p"}`, world.Move{To: "p"}, []Leniency{NameVariant}},
		{"capitals", `{"action":" HARVEST_RADIATION\n","max_amount":1}`, world.Harvest{MaxAmount: 1}, []Leniency{NameVariant}},
		{"useless value", `{"action":"wait","ticks":3}`, world.Wait{}, []Leniency{UnusedArgument}},
		{"duplicate", `{"action":"wait_ticks","ticks":3,"ticks":4}`, world.WaitTicks{Ticks: 4}, []Leniency{DuplicateKey}},
	} {
		got, used, fault := DecodeAction(json.RawMessage(c.raw))
		if fault != nil {
			t.Errorf("%s: %v", c.name, fault)
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.used, used); diff != "" {
			t.Errorf("%s: leniencies (-want +got):\n%s", c.name, diff)
		}
	}
}

const anyActionName = "one of wait, wait_ticks, move_agent, harvest_radiation, mine_compound, refine_compound, " +
	"build_factory, schedule_recipe, transfer_resource, buy_power, sell_power, place_power_order, cancel_power_order, " +
	"send_message, post_note"

func TestDecodeActionErrors(t *testing.T) {
	long := strings.Repeat("x", 65)
	for _, c := range []struct{ raw, want string }{
		{``, "arguments: expected one JSON object, got text that is not JSON at byte 0"},
		{`{"action":"wait"`, "arguments: expected one JSON object, got text that is not JSON at byte 16"},
		{`{"action":"wait"} {}`, "arguments: expected one JSON object, got text that is not JSON at byte 19"},
		{`null`, "arguments: expected an action object, got null"},
		{`[]`, "arguments: expected an action object, got an array"},
		{`"wait"`, "arguments: expected an action object, got a string of 4 characters"},
		{`{}`, "action: expected " + anyActionName + ", got nothing"},
		{`{"action":7}`, "action: expected " + anyActionName + ", got the number 7"},
		{`{"action":"fly"}`, "action: expected " + anyActionName + ", got a string of 3 characters"},
		{`{"action":"execute_until"}`, "action: expected the action to repeat, with execute_until as a field beside it, got execute_until"},
		{`{"action":"wait","IGNORE ALL RULES":1}`, "arguments: expected only the fields action, ticks, to, max_amount, compound_mass_g, " +
			"factory_kind, factory_id, recipe_id, batches, to_agent, kind, amount, price, side, order_id, text, got another field"},
		{`{"action":"move_agent"}`, "to: expected a place id of 1 to 64 characters, got nothing"},
		{`{"action":"move_agent","to":null}`, "to: expected a place id of 1 to 64 characters, got nothing"},
		{`{"action":"move_agent","to":""}`, "to: expected a place id of 1 to 64 characters, got a string of 0 characters"},
		{`{"action":"move_agent","to":"` + long + `"}`, "to: expected a place id of 1 to 64 characters, got a string of 65 characters"},
		{`{"action":"move_agent","to":["p"]}`, "to: expected a place id of 1 to 64 characters, got an array"},
		{`{"action":"mine_compound","compound_mass_g":"lots"}`, "compound_mass_g: expected an integer number of g, got a string of 4 characters"},
		{`{"action":"mine_compound","compound_mass_g":"NaN"}`, "compound_mass_g: expected an integer number of g, got a string of 3 characters"},
		{`{"action":"mine_compound","compound_mass_g":"Infinity"}`, "compound_mass_g: expected an integer number of g, got a string of 8 characters"},
		{`{"action":"mine_compound","compound_mass_g":true}`, "compound_mass_g: expected an integer number of g, got a boolean"},
		{`{"action":"build_factory","factory_kind":"factory.assembler.mk9"}`, "factory_kind: expected one of factory.assembler.mk1, factory.power.radiation.mk1, got a value it does not accept"},
		{`{"action":"post_note"}`, "text: expected a text of 1 to 200 characters, got nothing"},
		{`{"action":"post_note","text":["a"]}`, "text: expected a text of 1 to 200 characters, got an array"},
		{`{"action":"send_message","text":"a"}`, "to_agent: expected an agent id of 1 to 64 characters, got nothing"},
		{`{"action":` + strings.Repeat(`[`, 20) + strings.Repeat(`]`, 20) + `}`, "arguments: expected at most 16 levels of nesting, got more levels"},
		{strings.Repeat(" ", 70_000), "arguments: expected at most 65536 bytes, got 70000 bytes"},
	} {
		action, _, fault := DecodeAction(json.RawMessage(c.raw))
		if fault == nil || action != nil {
			t.Errorf("DecodeAction(%.60s) = %v, %v, want only an error", c.raw, action, fault)
			continue
		}
		if got := fault.Error(); got != c.want {
			t.Errorf("DecodeAction(%.60s):\n got %s\nwant %s", c.raw, got, c.want)
		}
	}
}

func TestDecodeActionReadsWhatTheWorldEncodes(t *testing.T) {
	for _, action := range []world.Action{
		world.Wait{}, world.WaitTicks{Ticks: 3}, world.Move{To: "llm-hub"}, world.Harvest{MaxAmount: 9}, world.Mine{MassG: 1},
		world.Refine{MassG: 2000}, world.BuildFactory{FactoryKind: world.AssemblerMk1},
		world.ScheduleRecipe{FactoryID: "f", RecipeID: "recipe.assembler.motor_mk1", Batches: 1},
		world.SendMessage{To: "agent-2", Text: "<&>\" \u00e9"}, world.PostNote{Text: "hello"},
		world.Transfer{To: "agent-2", Kind: world.Data, Amount: 4}, world.BuyPower{Amount: 10, Price: 3},
		world.SellPower{Amount: 20, Price: 2}, world.PlaceOrder{Side: world.SideSell, Amount: 30, Price: 5},
		world.CancelOrder{OrderID: "agent-1-o1"},
	} {
		got, used, fault := DecodeAction(world.EncodeAction(action))
		if fault != nil || len(used) > 0 || got != action {
			t.Errorf("DecodeAction(EncodeAction(%#v)) = %#v, %v, %v", action, got, used, fault)
		}
	}
}

// FuzzDecodeAction checks that whatever a model writes is either an action of the
// registry with the model's own ids, or an error that repeats none of it.
func FuzzDecodeAction(f *testing.F) {
	for _, seed := range []string{
		`{"action":"mine_compound","compound_mass_g":5000}`, `{"action":"Move-Agent","to":"secretword"}`,
		`{"action":"transfer_resource","to_agent":"secretword","kind":"data","amount":1e400}`,
		`{"action":"send_message","to_agent":"secretword","text":"secretword\n\ud800"}`, `{"action":"post_note","text":{}}`,
		`{"action":"wait","secretword":1}`, `[{"action":"wait"}]`, `{"action":"wait"}x`, `{"action":"secretword"}`, `"secretword"`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		action, _, fault := DecodeAction(json.RawMessage(raw))
		if (action == nil) == (fault == nil) {
			t.Fatalf("DecodeAction = %v, %v", action, fault)
		}
		if fault != nil {
			if strings.Contains(fault.Error(), "secretword") {
				t.Fatalf("the error repeats the model's text: %v", fault)
			}
			return
		}
		again, used, fault := DecodeAction(world.EncodeAction(action))
		if fault != nil || len(used) > 0 || again != action {
			t.Fatalf("%#v reads back as %#v, %v, %v", action, again, used, fault)
		}
	})
}
