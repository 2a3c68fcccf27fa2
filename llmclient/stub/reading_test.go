package stub

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/world"
)

func TestReadGoals(t *testing.T) {
	products := []string{"control_chip", "motor_mk1"}
	for _, tc := range []struct {
		text string
		want []wish
	}{
		{"Make 2 control chips.", []wish{{products[0], 2}}},
		{"Short term: two Control-Chips, then a motor", []wish{{products[0], 2}, {products[1], 1}}},
		{"product:control_chip >= 3", []wish{{products[0], 3}}},
		{"control_chip at least 4", []wish{{products[0], 4}}},
		{"5 motor_mk1", []wish{{products[1], 5}}},
		{"Make control chips in series.", []wish{{products[0], 2}}},
		{"2 control chips (met at tick 9)\nnot met: 1 motor", []wish{{products[1], 1}}},
		{"Control the chip market.", nil},
		{"", nil},
	} {
		got := readGoals(tc.text).wishes(products)
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
		llmclient.Message("user", "# Goals\nold\n# Observation, tick 1\ncan: wait"),
		llmclient.Message("user", "# Goals\nMake 1 motor.\n# Other\n# Observation, tick 2 \n\nyou: a\ncan: wait\n# History, oldest first, 3 earlier left out\n[m1] a\n[m2] b\n"),
		llmclient.FunctionCall("c", "plan", "{}"),
		llmclient.Message("assistant", "# Observation, tick 3\nyou: b"),
	}
	want := prompt{language: languages[0], observation: "\nyou: a\ncan: wait\n", tick: "tick 2", goals: "Make 1 motor.\n", latest: "[m2] b", turnStart: 2}
	if diff := cmp.Diff(want, readPrompt(input), cmp.AllowUnexported(prompt{}, language{})); diff != "" {
		t.Errorf("readPrompt (-want +got):\n%s", diff)
	}
	input = append(input, llmclient.Message("user", "# Last outcome\n[m3] c\n# Observation"))
	if got := readPrompt(input); got.latest != "[m3] c" || got.turnStart != len(input) || got.tick != "" {
		t.Errorf("with an outcome: %+v", got)
	}
}

// TestReadObservation reads every line of the grammar in both languages, with names that try to pass
// for something else and lines a later version may add.
func TestReadObservation(t *testing.T) {
	english := []string{
		`you: agent-2 "Miner; agents: 9", at hub, power low, electricity 14/200, heat 96 (harmless to 100), compound 3000 g, hardware 2, data 16, control_chip 2`,
		`here: "The \"Hub\", compound 7 g", metal, radiation 46, compound 20000 g`,
		"weather: fine; wait", "woken: job_done", "texts: 3 shown after the plan",
		"can: wait; move_agent to amber|a..b; mine_compound 1..45; schedule_recipe f1 (recipe.x max 2, recipe.y)|f2 (recipe.y max 1); buy_power 10..50 (20 free) price 3; place_power_order buy max 160|sell max 10|1 more",
		"cannot: refine_compound (compound 400 short, electricity 2 short); build_factory, sell_power (no_offer); 2 more",
		`places (km, cost, ticks, emission, compound g, material): amber "Amber; 1 more" 5.1 6 1 12 30000 silicate; drift 36.0 36 4 ? ? ice; 7 more`,
		`agents: here agent-1 "Maker, at drift", agent-4; at amber 5.1 km agent-3; 1 more`,
		"requests and offers: offer-16-agent-4-1 from agent-4 here, gives data 3, wants electricity 10, answers req-12-agent-2-1, expires in 2; offer-18-agent-1-1 from agent-1 to anyone here, gives hardware 2, wants data 7, expires in 5; req-17-agent-1-1 from agent-1, wants hardware 4, 3 left, expires in 8; offer-15-agent-3-1 from agent-3 at amber, gives data 5, wants compound 900, expires in 3; 2 more",
		"own requests and offers: req-19-agent-2-1 to agent-9, wants motor_mk1 2, expires in 9; offer-3-agent-2-1 to agent-1 at amber, gives hardware 1, wants electricity 30, answers req-2-agent-1-1, claim 12, over",
		"factories: f1 factory.assembler here, working recipe.x 2 batches, 3 queued, next in 4, all in 9, wear 60, stops at 1000; f2 factory.power at amber, idle",
	}
	chinese := []string{
		`你: agent-2 "Miner; agents: 9", 在 hub, 电力 不足, electricity 14/200, 热量 96 (到 100 无影响), compound 3000 g, hardware 2, data 16, control_chip 2`,
		`此处: "The \"Hub\", compound 7 g", metal, 辐射 46, compound 20000 g`,
		"天气: 晴; wait", "唤醒原因: job_done", "消息: 3 条在计划之后给出",
		"可做: wait; move_agent 至 amber|a..b; mine_compound 1..45; schedule_recipe f1 (recipe.x 最多 2, recipe.y)|f2 (recipe.y 最多 1); buy_power 10..50 (20 免费) 价 3; place_power_order buy 最多 160|sell 最多 10|另有 1",
		"不可做: refine_compound (compound 缺 400, electricity 缺 2); build_factory, sell_power (no_offer); 另有 2",
		`地点 (km, 耗电, 回合, 辐射源, compound g, 材质): amber "Amber; 1 more" 5.1 6 1 12 30000 silicate; drift 36.0 36 4 ? ? ice; 另有 7`,
		`智能体: 在此 agent-1 "Maker, at drift", agent-4; 在 amber 5.1 km agent-3; 另有 1`,
		"请求和提议: offer-16-agent-4-1 来自 agent-4 在此, 给出 data 3, 想要 electricity 10, 答复 req-12-agent-2-1, 2 回合后到期; offer-18-agent-1-1 来自 agent-1 给 anyone 在此, 给出 hardware 2, 想要 data 7, 5 回合后到期; req-17-agent-1-1 来自 agent-1, 想要 hardware 4, 还差 3, 8 回合后到期; offer-15-agent-3-1 来自 agent-3 在 amber, 给出 data 5, 想要 compound 900, 3 回合后到期; 另有 2",
		"自己的请求和提议: req-19-agent-2-1 给 agent-9, 想要 motor_mk1 2, 9 回合后到期; offer-3-agent-2-1 给 agent-1 在 amber, 给出 hardware 1, 想要 electricity 30, 答复 req-2-agent-1-1, 待领 12, 已结束",
		"工厂: f1 factory.assembler 在此, 生产中 recipe.x 2 批, 排队 3 批, 下一批尚需 4, 全部 9, 磨损 60 (满 1000); f2 factory.power 在 amber, 空闲",
	}
	number := func(n int64) *int64 { return &n }
	want := world.Observation{
		Tick: 20, Self: world.Self{ID: "agent-2", Place: "hub", Electricity: 14, PowerCapacity: 200, Heat: 96, HeatCapacity: 100, CompoundG: 3000, Hardware: 2, Data: 16,
			Products: []world.Amount{{Resource: "control_chip", Amount: 2}}},
		Here: world.Here{ID: "hub", Name: `The "Hub", compound 7 g`, Radiation: 46, CompoundG: 20000, Offers: []world.Terms{
			{ID: "offer-16-agent-4-1", From: "agent-4", To: "agent-2", Place: "hub", Give: "data", GiveAmount: 3, Want: "electricity", WantAmount: 10, Re: "req-12-agent-2-1", ExpiresIn: 2},
			{ID: "offer-18-agent-1-1", From: "agent-1", To: "anyone", Place: "hub", Give: "hardware", GiveAmount: 2, Want: "data", WantAmount: 7, ExpiresIn: 5},
		}},
		Requests:    []world.Terms{{ID: "req-17-agent-1-1", From: "agent-1", To: "agent-2", Want: "hardware", WantAmount: 4, Left: 3, ExpiresIn: 8}},
		Offers:      []world.Terms{{ID: "offer-15-agent-3-1", From: "agent-3", To: "agent-2", Place: "amber", Give: "data", GiveAmount: 5, Want: "compound", WantAmount: 900, ExpiresIn: 3}},
		OwnRequests: []world.Terms{{ID: "req-19-agent-2-1", From: "agent-2", To: "agent-9", Want: "motor_mk1", WantAmount: 2, Left: 2, ExpiresIn: 9}},
		OwnOffers: []world.Terms{
			{ID: "offer-3-agent-2-1", From: "agent-2", To: "agent-1", Place: "amber", Give: "hardware", GiveAmount: 1, Want: "electricity", WantAmount: 30, Re: "req-2-agent-1-1", Claim: 12},
		},
		Can: []world.Affordance{
			{Action: "wait", OK: true},
			{Action: "move_agent", OK: true, Options: []world.Option{{Target: "amber"}, {Target: "a..b"}}},
			{Action: "mine_compound", OK: true, Min: 1, Max: 45},
			{Action: "schedule_recipe", OK: true, Options: []world.Option{
				{Target: "f1", Item: "recipe.x", Max: 2}, {Target: "f1", Item: "recipe.y"}, {Target: "f2", Item: "recipe.y", Max: 1},
			}},
			{Action: "buy_power", OK: true, Min: 10, Max: 50},
			{Action: "place_power_order", OK: true, Options: []world.Option{{Target: "buy", Max: 160}, {Target: "sell", Max: 10}}},
		},
		Places: []world.Sight{
			{ID: "amber", Name: "Amber; 1 more", MoveCost: 6, MoveTicks: 1, Visible: true, Emission: number(12), CompoundG: number(30000)},
			{ID: "drift", MoveCost: 36, MoveTicks: 4},
		},
		Agents: []world.Contact{{ID: "agent-1", Place: "hub"}, {ID: "agent-4", Place: "hub"}, {ID: "agent-3", Place: "amber"}},
		Factories: []world.Factory{
			{ID: "f1", Kind: "factory.assembler", Place: "hub", State: "working", Recipe: "recipe.x", Batches: 2, Queued: 3, ReadyIn: 4, Wear: 60},
			{ID: "f2", Kind: "factory.power", Place: "amber", State: "idle"},
		},
	}
	for i, written := range []struct {
		tick  string
		lines []string
	}{{"tick 20", english}, {"第 20 回合", chinese}} {
		got := readObservation(languages[i], written.tick, strings.Join(written.lines, "\n"))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("readObservation %s (-want +got):\n%s", written.tick, diff)
		}
		for _, text := range []string{"", "nothing", "weather: fine", "you", "你", "agents: ;", "you: ", "factories: f, idle"} {
			if got := readObservation(languages[i], "", text); len(got.Can) > 0 || got.Self.Place != "" || got.Agents != nil || got.Factories != nil {
				t.Errorf("%q was taken for an observation: %+v", text, got)
			}
		}
	}
}

func TestExperience(t *testing.T) {
	e := experience{refusal: languages[0].refused, latest: "[m7][m9] ticks 4-6: mine_compound 5000 x2 refused: contended requested 5000 available 300"}
	for _, tc := range []struct {
		action string
		want   bool
	}{
		{`{"action":"mine_compound","amount":5000}`, true},
		{`{"action":"mine_compound","amount":5000,"to":null}`, true},
		{`{"action":"mine_compound","amount":400}`, false},
		{`{"action":"refine_compound","amount":5000}`, false},
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
	job := experience{refusal: "被拒", latest: "第 3 回合: schedule_recipe f.1 recipe.motor 1 被拒: queue_full"}
	for recipe, want := range map[string]bool{"recipe.assembler.motor": true, "recipe.motor": true, "recipe.assembler.chip": false, "make.assembler.motor": false} {
		if got := job.failed(object{"action": "schedule_recipe", "factory_id": "f.1", "recipe_id": recipe, "batches": 1}); got != want {
			t.Errorf("failed(%s) = %v, want %v", recipe, got, want)
		}
	}
	for _, line := range []string{"", "plain", "[open"} {
		if got := (experience{latest: line}).source(); got != "" {
			t.Errorf("source of %q = %q, want none", line, got)
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
		{"wrong type", `{"properties":{"a":{"type":"string"},"b":{"type":"array"},"c":{"type":"boolean"}}}`, `{"a":7,"b":"x","c":1}`, `{"a":"","b":[],"c":false}`},
		{"JSON as text", `{"properties":{"a":{"type":"string"}}}`, `{"a":{"b":[1]}}`, `{"a":"{\"b\":[1]}"}`},
		{"alternatives by type", `{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}},{"type":"null"}]}}}`, `{"a":["x"]}`, `{"a":["x"]}`},
		{"nullable alternative", `{"properties":{"a":{"oneOf":[{"type":"null"},{"type":"object","properties":{"b":{"type":"null"}},"required":["b"]}]}}}`, `{}`, `{"a":null}`},
		{"negative lengths", `{"properties":{"a":{"type":"array","maxItems":-1},"b":{"type":"string","maxLength":-5}}}`, `{"a":[1],"b":"x"}`, `{"a":[],"b":""}`},
	} {
		var values object
		if err := decode([]byte(tc.values), &values); err != nil {
			t.Fatal(err)
		}
		got := string(llmclient.Marshal(parseSchema(json.RawMessage(tc.schema)).arguments(values)))
		if got != tc.want {
			t.Errorf("%s: arguments = %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestCatalogueComesFromTheRequest(t *testing.T) {
	for _, p := range []protocol{full, lean} {
		var tools []tool
		for _, offered := range toolsOf(p) {
			tools = append(tools, tool{"function", offered.Name, offered.Description, offered.Parameters, false})
		}
		c := readCatalogue(tools)
		want := catalogue{
			events: []string{"action_rejected", "harvest_yield_below", "thermal_overload"},
			rules:  world.Rules{MineCostPerKG: 1, RefineGPerHardware: 1000, RefineCostPerKG: 2, BuildElectricity: 10, BuildHardware: 5},
			kind:   "factory.assembler.mk1", recipes: []string{"recipe.assembler.control_chip", "recipe.assembler.motor_mk1", "recipe.assembler.logistics_drone"},
		}
		if diff := cmp.Diff(want, c, cmp.AllowUnexported(catalogue{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", p, diff)
		}
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
