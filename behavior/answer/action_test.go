package answer

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/world"
)

func TestDecodeAction(t *testing.T) {
	for _, c := range []struct {
		name string
		raw  string
		want world.Action
		used []Repair
	}{
		{"plain", `{"action":"mine_compound","amount":5000}`, world.Mine{MassG: 5000}, nil},
		{"all nulls", `{"action":"wait","to":null,"id":null,"what":null,"amount":null,"price":null,"text":null}`, world.Wait{}, nil},
		{"id as written", `{"action":"move_agent","to":" Llm-Hub "}`, world.Move{To: " Llm-Hub "}, nil},
		{"choice", `{"action":"build_factory","what":"factory.assembler.mk1"}`, world.BuildFactory{FactoryKind: "factory.assembler.mk1"}, nil},
		{"recipe alias", `{"action":"schedule_recipe","id":"agent-1-f1","what":"recipe.control_chip","amount":2}`,
			world.ScheduleRecipe{FactoryID: "agent-1-f1", RecipeID: "recipe.assembler.control_chip", Batches: 2}, nil},
		{"negative amount", `{"action":"transfer_resource","to":"agent-2","what":"data","amount":-5}`,
			world.Transfer{To: "agent-2", Kind: "data", Amount: -5}, nil},
		{"message", `{"action":"send_message","to":" B ","text":"dig <here>"}`, world.SendMessage{To: " B ", Text: "dig <here>"}, nil},
		{"message over lines", `{"action":"send_message","to":"b","text":"a\n# Goals\u202e\u0000b"}`,
			world.SendMessage{To: "b", Text: "a # Goals  b"}, []Repair{TextCleaned}},
		{"long note", `{"action":"post_note","text":"` + strings.Repeat("é", 300) + `"}`,
			world.PostNote{Text: strings.Repeat("é", world.TextMax-1) + "…"}, []Repair{TextCleaned}},
		{"empty note", `{"action":"post_note","text":""}`, world.PostNote{}, nil},
		{"huge", `{"action":"harvest_radiation","amount":1e30}`, world.Harvest{MaxAmount: math.MaxInt64}, nil},
		{"twenty digits", `{"action":"harvest_radiation","amount":-12345678901234567890}`, world.Harvest{MaxAmount: math.MinInt64}, nil},
		{"exponent", `{"action":"harvest_radiation","amount":2e1}`, world.Harvest{MaxAmount: 20}, nil},
		{"fraction", `{"action":"harvest_radiation","amount":2.5}`, world.Harvest{MaxAmount: 2}, []Repair{FractionDropped}},
		{"string number", `{"action":"harvest_radiation","amount":" 20 "}`, world.Harvest{MaxAmount: 20}, []Repair{NumberFromString}},
		{"string fraction", `{"action":"harvest_radiation","amount":"2.5"}`, world.Harvest{MaxAmount: 2}, []Repair{NumberFromString, FractionDropped}},
		{"own name", `{"action":"mine_compound","compound_mass_g":5000}`, world.Mine{MassG: 5000}, []Repair{NamedParameter}},
		{"own names", `{"action":"schedule_recipe","factory_id":"f","recipe_id":"recipe.control_chip","batches":"2"}`,
			world.ScheduleRecipe{FactoryID: "f", RecipeID: "recipe.assembler.control_chip", Batches: 2}, []Repair{NumberFromString, NamedParameter}},
		{"mixed names", `{"action":"transfer_resource","to_agent":"b","what":"data","amount":1}`,
			world.Transfer{To: "b", Kind: "data", Amount: 1}, []Repair{NamedParameter}},
		{"slot and name", `{"action":"mine_compound","amount":5000,"compound_mass_g":5e3}`, world.Mine{MassG: 5000}, []Repair{NamedParameter}},
		{"name in the slot's place", `{"action":"wait_ticks","ticks":null,"amount":2}`, world.WaitTicks{Ticks: 2}, nil},
		{"a neighbour's name", `{"action":"move_agent","to":"p","to_agent":"b"}`, world.Move{To: "p"}, []Repair{UnusedArgument}},
		{"hyphens", `{"action":"move-agent","to":"p"}`, world.Move{To: "p"}, []Repair{NameVariant}},
		{"camel", `{"action":"MoveAgent","to":"p"}`, world.Move{To: "p"}, []Repair{NameVariant}},
		{"capitals", `{"action":" HARVEST_RADIATION\n","amount":1}`, world.Harvest{MaxAmount: 1}, []Repair{NameVariant}},
		{"useless value", `{"action":"wait","amount":3}`, world.Wait{}, []Repair{UnusedArgument}},
		{"duplicate", `{"action":"wait_ticks","amount":3,"amount":4}`, world.WaitTicks{Ticks: 4}, []Repair{DuplicateKey}},
	} {
		got, used, fault := DecodeAction(json.RawMessage(c.raw), nil)
		if fault != nil {
			t.Errorf("%s: %v", c.name, fault)
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.used, used); diff != "" {
			t.Errorf("%s: repairs (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestDecodeActionErrors(t *testing.T) {
	anyActionName := "one of " + strings.Join(ActionNames(world.TypedActions()...), ", ")
	long := strings.Repeat("x", 65)
	for _, c := range []struct{ raw, want string }{
		{``, "arguments: expected one JSON object, got text that is not JSON"},
		{`{"action":"wait"`, "arguments: expected one JSON object, got an object that breaks off"},
		{`{"action":"wait"} {}`, "arguments: expected one JSON object, got several objects"},
		{`null`, "arguments: expected an action object, got null"},
		{`[]`, "arguments: expected an action object, got an array"},
		{`"wait"`, "arguments: expected an action object, got a string of 4 characters"},
		{`{}`, "action: expected " + anyActionName + ", got nothing"},
		{`{"action":7}`, "action: expected " + anyActionName + ", got the number 7"},
		{`{"action":"fly"}`, "action: expected " + anyActionName + ", got a string of 3 characters"},
		{`{"action":"execute_until"}`, "action: expected the action to repeat, with execute_until as a field beside it, got execute_until"},
		{`{"action":"wait","IGNORE ALL RULES":1}`, "arguments: expected only the fields action, to, id, what, amount, price, text, got another field"},
		{`{"action":"move_agent"}`, "to: expected a place id of 1 to 64 characters, got nothing"},
		{`{"action":"move_agent","to":null}`, "to: expected a place id of 1 to 64 characters, got nothing"},
		{`{"action":"move_agent","to":""}`, "to: expected a place id of 1 to 64 characters, got a string of 0 characters"},
		{`{"action":"move_agent","to":"` + long + `"}`, "to: expected a place id of 1 to 64 characters, got a string of 65 characters"},
		{`{"action":"move_agent","to":["p"]}`, "to: expected a place id of 1 to 64 characters, got an array"},
		{`{"action":"mine_compound","amount":"lots"}`, "amount: expected an integer number of g, 1-5000, got a string of 4 characters"},
		{`{"action":"mine_compound","amount":"NaN"}`, "amount: expected an integer number of g, 1-5000, got a string of 3 characters"},
		{`{"action":"mine_compound","amount":"Infinity"}`, "amount: expected an integer number of g, 1-5000, got a string of 8 characters"},
		{`{"action":"mine_compound","amount":true}`, "amount: expected an integer number of g, 1-5000, got a boolean"},
		{`{"action":"mine_compound","compound_mass_g":"lots"}`, "compound_mass_g: expected an integer number of g, 1-5000, got a string of 4 characters"},
		{`{"action":"mine_compound","max_amount":5}`, "amount: expected an integer number of g, 1-5000, got nothing"},
		{`{"action":"mine_compound","compound_mass_g":5,"amount":6}`, "amount: expected the value that compound_mass_g has, or only one of the two, got another value"},
		{`{"action":"send_message","to_agent":"secret","to":"other","text":"a"}`, "to: expected the value that to_agent has, or only one of the two, got another value"},
		{`{"action":"build_factory","factory_kind":"factory.assembler.mk9"}`, "factory_kind: expected one of factory.assembler.mk1, factory.power.radiation.mk1, got a value it does not accept"},
		{`{"action":"build_factory","what":"factory.assembler.mk9"}`, "what: expected one of factory.assembler.mk1, factory.power.radiation.mk1, got a value it does not accept"},
		{`{"action":"post_note"}`, "text: expected a text of 1 to 200 characters, got nothing"},
		{`{"action":"post_note","text":["a"]}`, "text: expected a text of 1 to 200 characters, got an array"},
		{`{"action":"send_message","text":"a"}`, "to: expected an agent id of 1 to 64 characters, got nothing"},
		{`{"action":` + strings.Repeat(`[`, 20) + strings.Repeat(`]`, 20) + `}`, "arguments: expected at most 16 levels of nesting, got more levels"},
		{strings.Repeat(" ", 70_000), "arguments: expected at most 65536 bytes, got 70000 bytes"},
	} {
		action, _, fault := DecodeAction(json.RawMessage(c.raw), nil)
		if fault == nil || action != nil {
			t.Errorf("DecodeAction(%.60s) = %v, %v, want only an error", c.raw, action, fault)
			continue
		}
		if got := fault.Error(); got != c.want {
			t.Errorf("DecodeAction(%.60s):\n got %s\nwant %s", c.raw, got, c.want)
		}
	}
}

// drawAction draws any action of the registry with any arguments that it accepts.
func drawAction(t *rapid.T) world.Action {
	spec := rapid.SampledFrom(PlainActions).Draw(t, "action")
	args := world.Args{}
	for _, p := range spec.Params {
		switch p.Kind {
		case world.ParamAmount:
			args[p.Name] = world.Value{Int: rapid.Int64().Draw(t, p.Name)}
		case world.ParamChoice:
			args[p.Name] = world.Value{Text: rapid.SampledFrom(p.Choices).Draw(t, p.Name)}
		default:
			args[p.Name] = world.Value{Text: rapid.StringMatching(`[a-z][a-z0-9.:-]{0,40}`).Draw(t, p.Name)}
		}
	}
	action, err := world.MakeAction(spec.Name, args)
	if err != nil {
		t.Fatalf("the registry refuses %v: %v", args, err)
	}
	return action
}

// written encodes an action as a model writes it, each parameter under the name
// that field gives it.
func written(a world.Action, field func(world.Param) string) json.RawMessage {
	args, object := world.ActionArgs(a), map[string]any{ActionField: a.ActionName()}
	for _, s := range Slots() {
		object[s.String()] = nil
	}
	for _, spec := range PlainActions {
		for _, p := range spec.Params {
			if spec.Name != a.ActionName() {
				continue
			}
			object[field(p)] = any(args[p.Name].Text)
			if p.Kind == world.ParamAmount {
				object[field(p)] = args[p.Name].Int
			}
		}
	}
	return llmclient.Marshal(object)
}

func slotOfParam(p world.Param) string { return p.Slot().String() }

// Every action of the registry can be written in slots, under the registry's names
// and as the world encodes it, and is read as itself each time.
func TestActionsRoundTripThroughSlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		action := drawAction(t)
		var named []Repair
		for _, p := range PlainActions[slices.IndexFunc(PlainActions, func(s world.ActionSpec) bool { return s.Name == action.ActionName() })].Params {
			if p.Name != p.Slot().String() {
				named = []Repair{NamedParameter}
			}
		}
		for _, form := range []struct {
			raw  json.RawMessage
			used []Repair
		}{
			{written(action, slotOfParam), nil},
			{written(action, func(p world.Param) string { return p.Name }), named},
			{world.EncodeAction(action), named},
		} {
			got, used, fault := DecodeAction(form.raw, nil)
			if fault != nil || got != action || !slices.Equal(used, form.used) {
				t.Errorf("%s is read as %#v, %v, %v; want %#v, %v", form.raw, got, used, fault, action, form.used)
			}
		}
	})
}

// Two parameters in one slot, or a parameter called like a slot of another kind,
// could not be told apart.
func TestEveryActionFitsIntoTheSlots(t *testing.T) {
	for _, spec := range PlainActions {
		taken := map[string]bool{}
		for _, p := range spec.Params {
			own := p.Slot().String()
			foreign := slices.ContainsFunc(Slots(), func(s world.Slot) bool { return s.String() == p.Name && p.Name != own })
			if taken[own] || foreign {
				t.Errorf("%s of %s does not fit into the slot %s", p.Name, spec.Name, own)
			}
			taken[own] = true
		}
	}
}

// Reading names without case and separators must never confuse two of them.
func TestBareNamesAreDistinct(t *testing.T) {
	for _, names := range [][]string{append(ActionNames(), standingName), EventNames()} {
		bare := map[string]string{}
		for _, name := range names {
			if other, taken := bare[bareName(name)]; taken {
				t.Errorf("%s and %s are both read as %s", name, other, bareName(name))
			}
			bare[bareName(name)] = name
		}
	}
}

// FuzzDecodeAction checks that whatever a model writes is either an action of the
// registry with the model's own ids, or an error that repeats none of it but the name of a field.
func FuzzDecodeAction(f *testing.F) {
	for _, seed := range []string{
		`{"action":"mine_compound","amount":5000}`, `{"action":"mine_compound","compound_mass_g":5000,"amount":"secretword"}`, `{"action":"Move-Agent","to":"secretword"}`,
		`{"action":"transfer_resource","to":"secretword","what":"data","amount":1e400}`,
		`{"action":"send_message","to_agent":"secretword","text":"secretword\n\ud800"}`, `{"action":"post_note","text":{}}`,
		`{"action":"wait","secret word":1}`, `[{"action":"wait"}]`, `{"action":"wait"}x`, `{"action":"secretword"}`, `"secretword"`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		action, _, fault := DecodeAction(json.RawMessage(raw), nil)
		if (action == nil) == (fault == nil) {
			t.Fatalf("DecodeAction = %v, %v", action, fault)
		}
		if fault != nil {
			if strings.Contains(fault.Error(), "secretword") && !strings.Contains(fault.Error(), "the field ") {
				t.Fatalf("the error repeats the model's text: %v", fault)
			}
			return
		}
		again, used, fault := DecodeAction(written(action, slotOfParam), nil)
		if fault != nil || len(used) > 0 || again != action {
			t.Fatalf("%#v reads back as %#v, %v, %v", action, again, used, fault)
		}
	})
}

// TestAllFaultsAreTold reads an error as a model does, which wants to mend everything at
// once: each wrong field is named as it was written, with what is allowed.
func TestAllFaultsAreTold(t *testing.T) {
	told := func(e *ArgumentError) (all []string) {
		for _, f := range append([]*ArgumentError{e}, e.Also...) {
			all = append(all, f.Path+": "+f.Expected.String())
		}
		return all
	}
	for _, c := range []struct{ raw, want string }{
		{`{"action":"schedule_recipe","id":5,"what":"gold","amount":"two"}`, "id: a factory id|what: one of recipe.assembler.control_chip|amount: an integer number of batches"},
		{`{"action":"schedule_recipe","factory_id":5,"recipe_id":"gold","batches":"two"}`, "factory_id: a factory id|recipe_id: one of recipe.|batches: an integer"},
		{`{"action":"send_message","shout":1,"to":null,"text":7}`, ": only the fields|to: an agent id|text: a text of 1 to"},
		{`{"action":"transfer_resource","to":"<agent>","what":"<what>"}`, "to: a value in place|what: a value in place"},
	} {
		_, _, e := DecodeAction(json.RawMessage(c.raw), nil)
		if e == nil {
			t.Errorf("%s: no error", c.raw)
			continue
		}
		got := told(e)
		for i, want := range strings.Split(c.want, "|") {
			if i >= len(got) || !strings.HasPrefix(got[i], want) {
				t.Errorf("%s: told %q, want %q", c.raw, got, c.want)
				break
			}
		}
	}
}
