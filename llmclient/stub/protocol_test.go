package stub

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/llmclient"
)

// opened returns a table whose world has made its first tick.
func opened(t *testing.T, seed uint64, p protocol) *table {
	b := newBelt(30)
	b.advance()
	return &table{t: t, seed: seed, protocol: p, goals: chips, world: b}
}

func names(r Result) string {
	var out []string
	for _, call := range calls(r) {
		out = append(out, call.Name)
	}
	return strings.Join(out, " ")
}

func TestStageComesFromTheRequest(t *testing.T) {
	required := func(names ...string) llmclient.ToolChoice {
		return llmclient.ToolChoice{Mode: llmclient.ChoiceRequired, Allowed: names}
	}
	for _, tc := range []struct {
		name     string
		protocol protocol
		choice   llmclient.ToolChoice
		want     string
	}{
		{"all at once", full, required(toolPlan, toolDraft, toolDecision), toolDraft + " " + toolDecision},
		{"plan before skipping ahead", full, required(toolDecision, toolPlan), toolPlan},
		{"only a decision", full, required(toolDecision), toolDecision},
		{"only a draft", full, required(toolDraft), toolDraft},
		{"only one module", full, required(moduleRules), moduleRules},
		{"only a module the policy seldom wants", full, required(moduleCurrent), moduleCurrent},
		{"lean with a plan of its own", lean, required(toolPlan), toolPlan},
		{"lean", lean, required(toolTurn), toolTurn},
		{"text only", full, llmclient.ToolChoice{Mode: llmclient.ChoiceNone}, ""},
		{"nothing allowed", full, required([]string{}...), ""},
	} {
		g := opened(t, 1, tc.protocol)
		r := g.ask(g.opening(), tc.choice)
		if got := names(r); got != tc.want {
			t.Errorf("%s: calls %q, want %q", tc.name, got, tc.want)
		}
		if last := r.Items[len(r.Items)-1]; tc.want == "" && (last.Kind != llmclient.KindMessage || strings.Count(last.Text, ". ") != 1) {
			t.Errorf("%s: answer %q, want a text of two sentences", tc.name, last.Text)
		}
	}
}

func TestOneFunctionMayBeChosenByName(t *testing.T) {
	g := opened(t, 1, full)
	body := llmclient.Request{Model: "m", Input: g.opening(), Tools: toolsOf(full)}.Body()
	body = edited(t, body, "tool_choice", object{"type": "function", "name": toolDecision})
	r, err := Decide(1, body)
	if err != nil {
		t.Fatal(err)
	}
	if got := names(r); got != toolDecision {
		t.Errorf("calls %q, want the chosen function", got)
	}
}

// edited returns body with one field replaced.
func edited(t *testing.T, body []byte, field string, value any) []byte {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		t.Fatal(err)
	}
	fields[field] = llmclient.Marshal(value)
	return llmclient.Marshal(fields)
}

func TestParallelCallsOnlyWherePermitted(t *testing.T) {
	several := 0
	for seed := range uint64(40) {
		g := opened(t, seed, full)
		input := g.opening()
		plan := g.ask(input, llmclient.ToolChoice{Mode: llmclient.ChoiceRequired, Allowed: []string{toolPlan}})
		input = append(append(input, plan.Items...), llmclient.FunctionOutput(calls(plan)[0].CallID, `{"status":"ok"}`))
		r := g.ask(input, llmclient.ToolChoice{Mode: llmclient.ChoiceRequired, Allowed: moduleNames})
		if n := len(calls(r)); n > 1 {
			several++
		} else if n == 0 {
			t.Fatalf("seed=%d: no call where one is required", seed)
		}
		single, err := Decide(seed, edited(t, g.bodies[1], "parallel_tool_calls", false))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(calls(single)); n != 1 {
			t.Errorf("seed=%d: %d calls with parallel calls switched off, want 1", seed, n)
		}
	}
	if several == 0 || several == 40 {
		t.Errorf("%d of 40 seeds call two modules at once, want some", several)
	}
}

func TestARefusedDecisionIsReplacedAndThenGivenUp(t *testing.T) {
	g := opened(t, 3, full)
	input := g.opening()
	tried := map[string]bool{}
	for round := range 4 {
		r := g.ask(input, llmclient.ToolChoice{Mode: llmclient.ChoiceRequired, Allowed: []string{toolDecision}})
		call := calls(r)[0]
		var decided struct {
			Action object `json:"action"`
		}
		if err := decode([]byte(call.Text), &decided); err != nil {
			t.Fatal(err)
		}
		mark := signature(decided.Action)
		if tried[mark] && name(decided.Action) != "wait" {
			t.Errorf("round %d repeats the refused %s", round, mark)
		}
		if round == 3 && name(decided.Action) != "wait" {
			t.Errorf("after three refusals the policy wants %s, want wait", mark)
		}
		tried[mark] = true
		input = append(append(input, r.Items...), llmclient.FunctionOutput(call.CallID, `{"status":"error","code":"WORLD_WOULD_REFUSE"}`))
	}
}

func TestDecisionTakesTheFirstCandidateThatIsNotRejected(t *testing.T) {
	const draft = `{"candidates":[
		{"action":"harvest_radiation","amount":3},{"action":"mine_compound","amount":700},{"action":"wait_ticks","amount":2}]}`
	for _, tc := range []struct{ output, want string }{
		{`{"candidates":[{"status":"accepted"},{"status":"accepted"},{"status":"accepted"}]}`, "harvest_radiation"},
		{`{"candidates":[{"status":"rejected"},{"status":"accepted"},{"status":"accepted"}]}`, "mine_compound"},
		{`{"candidates":[{"status":"unknown_until_tried"},{"status":"rejected"},{"status":"accepted"}]}`, "harvest_radiation"},
		{`{"candidates":[{"status":"rejected"},{"status":"unknown_until_tried"},{"status":"rejected"}]}`, "mine_compound"},
		{`{"status":"ok","data":{"results":[{"status":"rejected"},{"status":"rejected"},{"status":"accepted"}]}}`, "wait_ticks"},
		{`[{"status":"rejected"},{"status":"accepted"}]`, "mine_compound"},
	} {
		g := opened(t, 3, full)
		input := append(g.opening(), llmclient.FunctionCall("call_a", toolDraft, draft), llmclient.FunctionOutput("call_a", tc.output))
		r := g.ask(input, llmclient.ToolChoice{Mode: llmclient.ChoiceRequired, Allowed: []string{toolDecision}})
		var decided struct{ Action struct{ Action string } }
		if err := json.Unmarshal([]byte(calls(r)[0].Text), &decided); err != nil {
			t.Fatal(err)
		}
		if decided.Action.Action != tc.want {
			t.Errorf("with output %s the decision is %q, want %q", tc.output, decided.Action.Action, tc.want)
		}
	}
}

func TestUnreadableDraftStillEndsInADecision(t *testing.T) {
	for _, output := range []string{"", "no JSON", "{}", `{"candidates":"none"}`, `{"candidates":[1,2]}`} {
		g := opened(t, 3, full)
		input := append(g.opening(), llmclient.FunctionCall("c", toolDraft, `{"candidates":[7]}`), llmclient.FunctionOutput("c", output))
		r := g.ask(input, llmclient.ToolChoice{Mode: llmclient.ChoiceRequired, Allowed: []string{toolDecision}})
		if got := names(r); got != toolDecision {
			t.Errorf("output %q: calls %q, want a decision", output, got)
		}
	}
}

func TestOnlyCallsOfThisTurnCount(t *testing.T) {
	g := opened(t, 1, full)
	before := []llmclient.Item{llmclient.FunctionCall("c", toolPlan, "{}"), llmclient.FunctionOutput("c", "{}")}
	r := g.ask(append(before, g.opening()...), llmclient.ToolChoice{Mode: llmclient.ChoiceRequired, Allowed: []string{toolPlan, toolDecision}})
	if got := names(r); got != toolPlan {
		t.Errorf("calls %q, want a plan: the call before the observation is of another turn", got)
	}
}

func TestUnknownToolsGetArgumentsThatFit(t *testing.T) {
	reflect := functionTool("reflect", `{"type":"object","additionalProperties":false,"required":["tags","note","score","kind","deep"],"properties":{
		"tags":{"type":"array","minItems":1,"items":{"type":"object","additionalProperties":false,"required":["id"],"properties":{"id":{"type":"string"}}}},
		"note":{"type":["string","null"]},"score":{"type":"integer","minimum":3},"kind":{"type":"string","enum":["good","bad"]},"deep":{"type":"boolean"},"skip":{"type":"string"}}}`)
	reflect.Strict = false // strict schemas leave nothing out
	request := llmclient.Request{Model: "m", Input: []llmclient.Item{llmclient.Message("user", "Reflect.")}, Tools: []llmclient.Tool{reflect},
		Choice: llmclient.ToolChoice{Mode: llmclient.ChoiceAuto}}
	r, err := Decide(1, request.Body())
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"deep":false,"kind":"good","note":null,"score":3,"tags":[{"id":""}]}`
	if got := calls(r); len(got) != 1 || got[0].Text != want {
		t.Fatalf("calls %v, want one with %s", got, want)
	}
	call := calls(r)[0]
	request.Input = append(append(request.Input, r.Items...), llmclient.FunctionOutput(call.CallID, "{}"))
	again, err := Decide(1, request.Body())
	if err != nil {
		t.Fatal(err)
	}
	if len(calls(again)) != 0 {
		t.Errorf("the tool was called again though it need not be: %v", calls(again))
	}
}

func TestWithoutToolsThereIsAText(t *testing.T) {
	for _, body := range []string{
		`{"model":"m","input":"Hello"}`, `{"model":"m","input":[{"role":"user","content":"Hello"}]}`, `{"model":"m","input":"","tools":null,"tool_choice":null,"temperature":0}`,
		`{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"# Observation\nnone {yet"}]}],"tools":[{"type":"web_search"}]}`,
	} {
		r, err := Decide(1, []byte(body))
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if len(r.Items) != 1 || r.Items[0].Kind != llmclient.KindMessage || r.Items[0].Text == "" {
			t.Errorf("%s: items %v, want one text", body, shape(r.Items))
		}
	}
}

func TestRefusedRequests(t *testing.T) {
	for _, tc := range []struct{ body, code, param string }{
		{``, "invalid_json", ""}, {`{`, "invalid_json", ""}, {`[]`, "invalid_type", ""}, {`null`, "missing_required_parameter", ""}, {`"text"`, "invalid_type", ""},
		{`{"input":"Hello"}`, "missing_required_parameter", "model"}, {`{"model":"m"}`, "missing_required_parameter", "input"},
		{`{"model":"m","input":null}`, "missing_required_parameter", "input"}, {`{"model":7}`, "invalid_type", "model"},
		{`{"input":7}`, "invalid_type", "input"}, {`{"input":[7]}`, "invalid_type", "input[0]"},
		{`{"tools":{}}`, "invalid_type", "tools"}, {`{"tools":[7]}`, "invalid_type", "tools[0]"}, {`{"tools":[{}]}`, "missing_required_parameter", "tools[0].type"},
		{`{"top_k":7}`, "unknown_parameter", "top_k"}, {`{"reasoning":{"tokens":7}}`, "unknown_parameter", "reasoning.tokens"},
		{`{"reasoning":{"effort":"huge"}}`, "invalid_value", "reasoning.effort"}, {`{"temperature":"hot"}`, "invalid_type", "temperature"},
		{`{"temperature":2.5}`, "invalid_value", "temperature"}, {`{"max_output_tokens":15}`, "invalid_value", "max_output_tokens"},
		{`{"max_output_tokens":20.5}`, "invalid_type", "max_output_tokens"}, {`{"stream":"yes"}`, "invalid_type", "stream"},
		{`{"model":"m","input":"a","tool_choice":"maybe"}`, "invalid_value", "tool_choice"}, {`{"model":"m","input":"a","tool_choice":{"type":"mcp"}}`, "invalid_value", "tool_choice.type"},
		{`{"model":"m","input":"a","tool_choice":{"type":"function","name":"f"}}`, "invalid_value", "tool_choice"}, {`{"stream_options":{"include_usage":true}}`, "unknown_parameter", "stream_options.include_usage"},
		{`{"model":"m","input":[{"role":"user","content":[{"type":"text","text":"a"}]}]}`, "invalid_value", "input[0].content[0].type"},
		{`{"tool_choice":7}`, "invalid_type", "tool_choice"}, {`{"model":"m","input":"a","background":true}`, "unsupported_parameter", ""},
		{`{"model":"m","input":"a","tools":[{"type":"function"}]}`, "missing_required_parameter", "tools[0].name"},
		{`{"model":"m","input":"a","tools":[{"type":"function","name":"a.b"}]}`, "invalid_value", "tools[0].name"},
		{`{"model":"m","input":"a","tools":[{"type":"function","name":"` + strings.Repeat("a", 129) + `"}]}`, "string_above_max_length", "tools[0].name"},
		{`{"model":"m","input":"a","tools":[{"type":"function","name":"a","parameters":[]}]}`, "invalid_type", "tools[0].parameters"},
		{`{"model":"m","input":[{"role":"boss","content":"a"}]}`, "invalid_value", "input[0].role"},
		{`{"model":"m","input":[{"role":"user"}]}`, "missing_required_parameter", "input[0].content"},
		{`{"model":"","input":"a"}`, "empty_string", "model"}, {`{"model":"m","input":[]}`, "empty_array", "input"}, {`{"model":"m","input":"a"} b`, "invalid_json", ""},
		{"{\"model\":\"m\",\"input\":\"\xff\"}", "invalid_json", ""}, {`{"model":"m","input":"a","tool_choice":"required"}`, "invalid_value", "tool_choice"},
		{`{"model":"m","input":[{"role":"user","content":[{"type":"output_text","text":"a"}]}]}`, "invalid_value", "input[0].content[0].type"},
		{`{"model":"m","input":[{"role":"assistant","content":[{"type":"input_text","text":"a"}]}]}`, "invalid_value", "input[0].content[0].type"},
		{`{"model":"m","input":[{"type":"function_call","call_id":"c","name":"a b","arguments":"{}"}]}`, "invalid_value", "input[0].name"},
		{`{"model":"m","input":"a","include":["everything"]}`, "invalid_value", "include[0]"}, {`{"model":"m","input":"a","service_tier":"gold"}`, "invalid_value", "service_tier"},
		{`{"model":"m","input":"a","tools":[{"type":"function","name":"f","parameters":{"type":"array"}}]}`, "invalid_function_parameters", "tools[0].parameters"},
		{`{"model":"m","input":"a","tools":[{"type":"function","name":"f","strict":true,"parameters":{"type":"object","properties":{"q":{"type":"string"}},"required":[],"additionalProperties":false}}]}`, "invalid_function_parameters", "tools[0].parameters"},
		{`{"model":"m","input":[{"type":"function_call","name":"a","arguments":"{}"}]}`, "missing_required_parameter", "input[0].call_id"},
		{`{"model":"m","input":[{"type":"function_call","call_id":"c","name":"a","arguments":{}}]}`, "invalid_type", "input[0].arguments"},
		{`{"model":"m","input":[{"type":"function_call","call_id":"c","name":"a","arguments":"{}"}]}`, "invalid_value", "input"},
		{`{"model":"m","input":[{"type":"function_call_output","call_id":"c","output":"a"}]}`, "invalid_value", "input"},
		{`{"model":"m","input":[{"type":"reasoning","id":"r","summary":[]},{"role":"user","content":"a"}]}`, "invalid_value", "input"},
		{`{"model":"m","input":[{"type":"reasoning","id":"r","summary":[]}]}`, "invalid_value", "input"},
		{`{"model":"m","input":[{"id":"r","role":"user","content":"a"},{"id":"r","role":"user","content":"a"}]}`, "invalid_value", "input"},
		{`{"model":"m","input":"a","tools":[{"type":"function","name":"a"},{"type":"function","name":"a"}]}`, "invalid_value", "tools[1].name"},
		{`{"model":"m","input":"a","metadata":{"k":7}}`, "invalid_type", "metadata.k"}, {`{"model":"m","input":"a","metadata":{"k":"` + strings.Repeat("a", 513) + `"}}`, "invalid_value", "metadata.k"},
		{`{"model":"m","input":"a","metadata":{"` + strings.Repeat("a", 65) + `":""}}`, "invalid_value", "metadata"},
		{`{"model":"m","input":"a","previous_response_id":"resp_1"}`, "previous_response_not_found", "previous_response_id"},
	} {
		_, err := Decide(1, []byte(tc.body))
		got, ok := err.(*RequestError)
		if !ok {
			t.Errorf("%s: error %v, want a RequestError", tc.body, err)
			continue
		}
		if diff := cmp.Diff([]any{400, tc.code, tc.param}, []any{got.Status, got.Code, got.Param}); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tc.body, diff)
		}
	}
}
