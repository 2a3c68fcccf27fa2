package scripted

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentworld/llmclient"
)

func TestReadGoals(t *testing.T) {
	recipes := []string{"recipe.assembler.control_chip", "recipe.assembler.motor_mk1"}
	for _, tc := range []struct {
		text string
		want []wish
	}{
		{"Make 2 control chips.", []wish{{recipes[0], 2}}},
		{"Short term: two Control-Chips, then a motor", []wish{{recipes[0], 2}, {recipes[1], 1}}},
		{"product:control_chip >= 3", []wish{{recipes[0], 3}}},
		{"control_chip at least 4", []wish{{recipes[0], 4}}},
		{"5 motor_mk1", []wish{{recipes[1], 5}}},
		{"Make control chips in series.", []wish{{recipes[0], 2}}},
		{"2 control chips (met at tick 9)\nnot met: 1 motor", []wish{{recipes[1], 1}}},
		{"Control the chip market.", nil},
		{"", nil},
	} {
		got := readGoals(tc.text).wishes(recipes)
		if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(wish{})); diff != "" {
			t.Errorf("wishes of %q (-want +got):\n%s", tc.text, diff)
		}
	}
}

func TestGoalsNamePlaces(t *testing.T) {
	g := readGoals("Go to Far Harbour 2.")
	for _, tc := range []struct {
		label string
		want  bool
	}{{"far-harbour-2", true}, {"Far Harbour", true}, {"harbour 3", false}, {"", false}, {"ar-harbour", false}} {
		if got := g.names(tc.label); got != tc.want {
			t.Errorf("names(%q) = %v, want %v", tc.label, got, tc.want)
		}
	}
}

func TestReadPrompt(t *testing.T) {
	input := []llmclient.Item{
		llmclient.Message("user", "# Goals\nold\n# Observation\n{\"tick\":1}"),
		llmclient.Message("user", "# Goals\nMake 1 motor.\n# Other\n# Observation \n\nin {words}: {\"tick\":2,\n\"self\":{}} tail {\n# History, oldest first\n[m1] a\n[m2] b\n"),
		llmclient.FunctionCall("c", "plan", "{}"),
		llmclient.Message("assistant", "# Observation\n{\"tick\":3}"),
		llmclient.Message("user", "# Last outcome\n{\"accepted\":false}"),
	}
	got := readPrompt(input)
	want := prompt{
		observation: json.RawMessage("{\"tick\":2,\n\"self\":{}}"), outcome: json.RawMessage(`{"accepted":false}`),
		goals: "Make 1 motor.\n", latest: "[m2] b", turnStart: 2,
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(prompt{})); diff != "" {
		t.Errorf("readPrompt (-want +got):\n%s", diff)
	}
}

func TestExperience(t *testing.T) {
	e := readExperience(prompt{
		outcome: json.RawMessage(`{"tick":4,"accepted":false,"action":{"action":"move_agent","to":"p-1"}}`),
		latest:  "[m7] tick 4 outcome failed: mine_compound 5000 refused: contended requested 5000 available 300",
	}, nil)
	for _, tc := range []struct {
		action string
		want   bool
	}{
		{`{"action":"mine_compound","amount":5000}`, true},
		{`{"action":"mine_compound","amount":5000,"to":null}`, true},
		{`{"action":"mine_compound","amount":400}`, false},
		{`{"action":"move_agent","to":"p-1","amount":null}`, true},
		{`{"action":"move_agent","to":"p-2"}`, false},
		{`"{\"action\":\"move_agent\",\"to\":\"p-1\"}"`, true},
		{`"no JSON"`, false},
		{`{}`, false},
	} {
		var action any
		if err := decode([]byte(tc.action), &action); err != nil {
			t.Fatal(err)
		}
		if got := e.failed(action); got != tc.want {
			t.Errorf("failed(%s) = %v, want %v", tc.action, got, tc.want)
		}
	}
	if got := e.source(); got != "m7" {
		t.Errorf("source() = %q, want m7", got)
	}
	for _, line := range []string{"", "plain", "[open"} {
		if got := (experience{latest: line}).source(); got != "" {
			t.Errorf("source of %q = %q, want none", line, got)
		}
	}
}

func TestRequiredAddsTheShortfallToTheStock(t *testing.T) {
	s := situation{Self: self{Hardware: 3}, Can: []affordance{{Action: "a", Need: []amount{{"hardware", 2}}}}}
	for _, tc := range []struct {
		action, resource string
		want             int64
	}{{"a", "hardware", 5}, {"a", "data", 0}, {"b", "hardware", 0}} {
		if got := s.required(tc.action, tc.resource); got != tc.want {
			t.Errorf("required(%s, %s) = %d, want %d", tc.action, tc.resource, got, tc.want)
		}
	}
}

func TestArgumentsFitTheSchema(t *testing.T) {
	for _, tc := range []struct{ name, schema, values, want string }{
		{"null where it does not apply", `{"properties":{"a":{"type":["string","null"]},"b":{"type":"integer"}},"required":["a","b"]}`, `{"b":4}`, `{"a":null,"b":4}`},
		{"unknown properties go", `{"properties":{"a":{"type":"string"}},"required":["a"]}`, `{"a":"x","z":1}`, `{"a":"x"}`},
		{"optional ones stay away", `{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"]}`, `{}`, `{"a":""}`},
		{"no properties declared", `{"type":"object"}`, `{"z":1}`, `{"z":1}`},
		{"no schema", ``, `{"z":1}`, `{"z":1}`},
		{"text to length", `{"properties":{"a":{"type":"string","maxLength":2}}}`, `{"a":"åbc"}`, `{"a":"åb"}`},
		{"list to length", `{"properties":{"a":{"type":"array","maxItems":1,"items":{"type":"integer"}}}}`, `{"a":[1,2]}`, `{"a":[1]}`},
		{"list from length", `{"properties":{"a":{"type":"array","minItems":2,"items":{"type":"integer","minimum":7}}}}`, `{"a":[1]}`, `{"a":[1,7]}`},
		{"value outside the enum", `{"properties":{"a":{"enum":[null,"x","y"]}}}`, `{"a":"q"}`, `{"a":"x"}`},
		{"constant", `{"properties":{"a":{"type":"string","const":"k"}}}`, `{"a":"q"}`, `{"a":"k"}`},
		{"wrong type", `{"properties":{"a":{"type":"string"},"b":{"type":"array"},"c":{"type":"boolean"}}}`, `{"a":7,"b":"x","c":1}`, `{"a":"","b":[],"c":false}`},
		{"JSON as text", `{"properties":{"a":{"type":"string"}}}`, `{"a":{"b":[1]}}`, `{"a":"{\"b\":[1]}"}`},
		{"alternatives by type", `{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}},{"type":"null"}]}}}`, `{"a":["x"]}`, `{"a":["x"]}`},
		{"nullable alternative", `{"properties":{"a":{"oneOf":[{"type":"null"},{"type":"object","properties":{"b":{"type":"null"}},"required":["b"]}]}}}`, `{}`, `{"a":null}`},
		{"reference", `{"$defs":{"x/y":{"type":"integer"}},"properties":{"a":{"$ref":"#/$defs/x~1y"}},"required":["a"]}`, `{"a":3}`, `{"a":3}`},
		{"dangling reference", `{"properties":{"a":{"$ref":"#/$defs/none"}},"required":["a"]}`, `{"a":3}`, `{"a":3}`},
		{"circular reference", `{"$defs":{"x":{"$ref":"#/$defs/x"}},"properties":{"a":{"$ref":"#/$defs/x"}},"required":["a"]}`, `{"a":3}`, `{"a":3}`},
		{"negative lengths", `{"properties":{"a":{"type":"array","maxItems":-1},"b":{"type":"string","maxLength":-5}}}`, `{"a":[1],"b":"x"}`, `{"a":[],"b":""}`},
	} {
		var values object
		if err := decode([]byte(tc.values), &values); err != nil {
			t.Fatal(err)
		}
		got := string(llmclient.Marshal(newFiller(json.RawMessage(tc.schema)).arguments(values)))
		if got != tc.want {
			t.Errorf("%s: arguments = %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestASelfContainingSchemaEnds(t *testing.T) {
	f := newFiller(json.RawMessage(`{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","required":["a","b"],"properties":{"a":{"$ref":"#/$defs/n"},"b":{"$ref":"#/$defs/n"}}}}}`))
	f.arguments(object{})
	if f.nodes > 4*schemaNodesMax {
		t.Errorf("filled %d values, want a bounded number", f.nodes)
	}
}

func TestCatalogueComesFromTheRequest(t *testing.T) {
	for _, p := range []protocol{full, lean} {
		var tools []tool
		for _, offered := range toolsOf(p) {
			tools = append(tools, tool{"function", offered.Name, offered.Description, offered.Parameters})
		}
		c := readCatalogue(tools)
		if !c.offers("mine_compound") || c.offers("buy_power") {
			t.Errorf("%s: actions %v", p, c.actions)
		}
		if !c.stopsOn("harvest_yield_below") || c.stopsOn("job_done") {
			t.Errorf("%s: stop events %v", p, c.events)
		}
		if diff := cmp.Diff([]string{"recipe.assembler.control_chip", "recipe.assembler.motor_mk1", "recipe.assembler.logistics_drone"}, c.recipes); diff != "" {
			t.Errorf("%s: recipes (-want +got):\n%s", p, diff)
		}
	}
	if c := (catalogue{}); !c.offers("anything") || c.stopsOn("anything") {
		t.Error("without schemas every action is offered and no stop event")
	}
}

func TestNamedAfter(t *testing.T) {
	for _, tc := range []struct {
		text string
		want []string
	}{
		{"Say what you want.\n- make(what food.(bread|cake), amount)", []string{"food.bread", "food.cake"}},
		{"what: food.bread|food.cake; more", []string{"food.bread", "food.cake"}},
		{"what food.bread, amount", []string{"food.bread"}},
		{"what", nil},
		{"", nil},
	} {
		if diff := cmp.Diff(tc.want, namedAfter(tc.text, slotWhat)); diff != "" {
			t.Errorf("namedAfter(%q) (-want +got):\n%s", tc.text, diff)
		}
	}
}

// A record names the arguments of an action more fully than its slots do.
func TestSignaturesOverlookTheNamesOfArguments(t *testing.T) {
	same := []string{
		`{"action":"transfer_resource","to":"b","what":"data","amount":1,"id":null}`,
		`{"action":"transfer_resource","to_agent":"b","kind":"data","amount":1}`,
		`{"action":"execute_until","do":{"action":"transfer_resource","kind":"data","to_agent":"b","amount":1},"max_ticks":3}`,
	}
	marks := map[string]string{}
	for _, raw := range append(same, `{"action":"transfer_resource","to":"b","what":"data","amount":2}`, `{"action":"wait"}`, `{}`) {
		var action object
		if err := decode([]byte(raw), &action); err != nil {
			t.Fatal(err)
		}
		marks[raw] = signature(action)
	}
	for raw, mark := range marks {
		if want := slices.Contains(same, raw); (mark == marks[same[0]]) != want {
			t.Errorf("%s has the signature %q, that of the transfer of one data is %q", raw, mark, marks[same[0]])
		}
	}
}
