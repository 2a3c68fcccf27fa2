package stub

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/llmclient"
)

// functionOf is a tool with parameters in short: NAME:TYPE pairs, all required.
func functionOf(name, description, parameters string) string {
	properties, required := object{}, []any{}
	for pair := range strings.FieldsSeq(parameters) {
		property, kind, _ := strings.Cut(pair, ":")
		properties[property] = object{"type": kind}
		if first, enum, ok := strings.Cut(kind, "="); ok {
			properties[property] = object{"type": first, "enum": strings.Split(enum, ",")}
		}
		required = append(required, property)
	}
	return string(llmclient.Marshal(object{
		"type": "function", "name": name, "description": description,
		"parameters": object{"type": "object", "properties": properties, "required": required},
	}))
}

// TestForeignTools asks as users of other clients ask, and for other things: which tool is called
// and with what. An empty call is none.
func TestForeignTools(t *testing.T) {
	weather := functionOf("get_weather", "Current weather of a place", "location:string unit:string=celsius,fahrenheit")
	search := functionOf("searchFlights", "Find flights between two cities", "from_city:string passengers:integer")
	sum := functionOf("add_numbers", "Adds two numbers", "a:number b:number")
	note := functionOf("save_note", "Stores a text", "text:string")
	chinese := functionOf("tianqi", "查询城市的天气", "city:string")
	const auto, noCall = `"auto"`, ""
	all := weather + "," + search
	for _, tc := range []struct{ name, tools, asked, choice, call, arguments string }{
		{
			"a place by name", all, "What's the weather in San Francisco?", auto,
			"get_weather", `{"location":"San Francisco","unit":"celsius"}`,
		},
		{
			"a unit by name", weather, "Weather in Oslo in Fahrenheit, please", auto,
			"get_weather", `{"location":"Oslo","unit":"fahrenheit"}`,
		},
		{
			"the other tool", all, "Find me flights from Boston for 3 passengers", auto,
			"searchFlights", `{"from_city":"Boston","passengers":3}`,
		},
		{"numbers", sum, "Add 17.5 and -4 for me", auto, "add_numbers", `{"a":17.5,"b":-4}`},
		{"quotes", note, `Please store the text "milk and eggs"`, auto, "save_note", `{"text":"milk and eggs"}`},
		{
			"no capitals", weather, "how is the weather in paris?", auto,
			"get_weather", `{"location":"paris","unit":"celsius"}`,
		},
		{"no spaces", weather + "," + chinese, "北京今天天气怎么样？", auto, "tianqi", `{"city":"北京今天天气怎么样？"}`},
		{"nothing about a tool", all, "Hello there!", auto, noCall, ""},
		{
			"nothing, and a call is required", weather, "Hello there!", `"required"`,
			"get_weather", `{"location":"Hello there!","unit":"celsius"}`,
		},
		{
			"one function by name", weather + "," + sum, "What's the weather in Rome?",
			`{"type":"function","name":"add_numbers"}`, "add_numbers", `{"a":0,"b":0}`,
		},
		{
			"an allowed one", weather + "," + note, "What's the weather in Rome?",
			`{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"save_note"}]}`, noCall, "",
		},
		{"none", weather, "What's the weather in Rome?", `"none"`, noCall, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			question := object{"role": "user", "content": tc.asked}
			tools := json.RawMessage("[" + tc.tools + "]")
			body := object{"model": "m", "input": []any{question}, "tools": tools, "tool_choice": json.RawMessage(tc.choice)}
			r, err := Decide(1, llmclient.Marshal(body))
			if err != nil {
				t.Fatal(err)
			}
			got := calls(r)
			if tc.call == noCall {
				if len(got) > 0 || !strings.Contains(r.Items[0].Text, tc.asked) {
					t.Errorf("answers %q", r.Items[0].Text)
				}
				return
			}
			if len(got) != 1 || got[0].Name != tc.call || got[0].Text != tc.arguments {
				t.Fatalf("calls %s(%s), want %s(%s)", names(r), got[0].Text, tc.call, tc.arguments)
			}
			// With the result there is nothing left to call.
			result := object{"type": "function_call_output", "call_id": got[0].CallID, "output": []any{block("18 degrees", "")}}
			body = object{"model": "m", "input": []any{question, got[0].Raw, result}, "tools": tools}
			r, err = Decide(1, llmclient.Marshal(body))
			if err != nil || len(calls(r)) > 0 || !strings.Contains(r.Items[0].Text, "18 degrees") {
				t.Errorf("with the result: %v %v", r.Items, err)
			}
		})
	}
}

// TestForeignFormats asks for JSON.
func TestForeignFormats(t *testing.T) {
	const asked = `{"model":"m","input":"Extract: Alice is 33.","text":{"format":%s}}`
	for format, want := range map[string]string{
		`{"type":"json_object"}`: `{"answer":"I am a scripted model and have no words of my own. ` +
			`You sent: \"Extract: Alice is 33.\"."}`,
		`{"type":"json_schema","name":"person","strict":true,"schema":{"type":"object","additionalProperties":false,
			"properties":{"name":{"type":"string"},"age":{"type":"integer"}},
			"required":["name","age"]}}`: `{"age":33,"name":"Alice"}`,
	} {
		r, err := Decide(1, fmt.Appendf(nil, asked, format))
		if err != nil || r.Items[0].Text != want {
			t.Errorf("%s: %v, answers %q, want %q", format, err, r.Items[0].Text, want)
		}
	}
}

// TestRefusedContent has what is wrong inside of items and options.
func TestRefusedContent(t *testing.T) {
	const marked = `{"model":"m","input":[{"role":%q,"content":[{"type":%q,"text":"a","prompt_cache_breakpoint":%s}]}]}`
	const at = "input[0].content[0].prompt_cache_breakpoint"
	const options = "prompt_cache_options"
	sent := func(content string) string { return `{"model":"m","input":[` + content + `]}` }
	with := func(member string) string { return `{"model":"m","input":"a",` + member + `}` }
	for _, tc := range []struct{ body, code, param string }{
		{fmt.Sprintf(marked, "user", "input_text", `{}`), "missing_required_parameter", at + ".mode"},
		{fmt.Sprintf(marked, "user", "input_text", `{"mode":"implicit"}`), "invalid_value", at + ".mode"},
		{fmt.Sprintf(marked, "user", "input_text", `{"mode":"explicit","ttl":"1h"}`), "invalid_value", at + ".ttl"},
		{fmt.Sprintf(marked, "user", "input_text", `true`), "invalid_type", at},
		{fmt.Sprintf(marked, "assistant", "output_text", `{"mode":"explicit"}`), "unknown_parameter", at},
		{with(`"prompt_cache_options":{"mode":"off"}`), "invalid_value", options + ".mode"},
		{with(`"prompt_cache_options":{"ttl":"24h"}`), "invalid_value", options + ".ttl"},
		{with(`"prompt_cache_options":{"breakpoints":4}`), "unknown_parameter", options + ".breakpoints"},
		{with(`"prompt_cache_options":{"prewarm":true}`), "unsupported_parameter", options + ".prewarm"},
		{with(`"prompt_cache_retention":"30m"`), "invalid_value", "prompt_cache_retention"},
		{with(`"prompt_cache_key":"` + strings.Repeat("k", 65) + `"`), "string_above_max_length", "prompt_cache_key"},
		{with(`"presence_penalty":3`), "invalid_value", "presence_penalty"},
		{with(`"tools":[{"type":"teleport"}]`), "invalid_value", "tools[0].type"},
		{with(`"tools":[{"type":"mcp"}]`), "missing_required_parameter", "tools[0].server_label"},
		{with(`"text":{"format":{"type":"json_schema","schema":{}}}`), "missing_required_parameter", "text.format.name"},
		{with(`"text":{"format":{"type":"xml"}}`), "invalid_value", "text.format.type"},
		{
			sent(`{"role":"user","content":[{"type":"input_image","image_url":7}]}`),
			"invalid_type", "input[0].content[0].image_url",
		},
		{
			sent(`{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},
				{"type":"function_call_output","call_id":"c","output":[{"type":"output_text","text":"a"}]}`),
			"invalid_value", "input[1].output[0].type",
		},
	} {
		_, err := Decide(1, []byte(tc.body))
		got, ok := err.(*RequestError)
		if !ok || got.Status != http.StatusBadRequest || got.Code != tc.code || got.Param != tc.param {
			t.Errorf("%s: refused with %+v, want %s at %s", tc.body, err, tc.code, tc.param)
		}
	}
}

// requestsOf makes up requests of clients that nobody has seen.
type requestsOf struct{ *rand.Rand }

// one is one of several.
func one[T any](r requestsOf, of ...T) T { return of[r.IntN(len(of))] }

// some is true in a third of the cases.
func (r requestsOf) some() bool { return r.IntN(3) == 0 }

// text is a text of a few words.
func (r requestsOf) text() string {
	var words []string
	for range r.IntN(12) {
		words = append(words, one(r, "weather", "What", "in", "Paris", "\"quoted\"", "12", "-3.5", "find", "北京的天气",
			"emoji 🙂", "line\nbreak", "# Goals", "celsius", "é", "<tag>", "\\", "the", "order?"))
	}
	return strings.Join(words, " ")
}

// content is what a message of a role holds.
func (r requestsOf) content(role string) any {
	if r.some() {
		return r.text()
	}
	var blocks []any
	for range 1 + r.IntN(3) {
		switch {
		case role == "assistant":
			blocks = append(blocks, one(r,
				object{"type": "output_text", "text": r.text(), "annotations": []any{}},
				object{"type": "refusal", "refusal": r.text()}))
		case r.some():
			blocks = append(blocks, one(r,
				object{"type": "input_image", "image_url": "https://example.com/a.png", "detail": "low"},
				object{"type": "input_file", "filename": "a.txt", "file_data": "YQ=="}))
		default:
			blocks = append(blocks, block(r.text(), one(r, "", "", "-", "30m")))
		}
	}
	return blocks
}

// input is a conversation.
func (r requestsOf) input() any {
	if r.some() {
		return r.text()
	}
	var items []any
	for i := range 1 + r.IntN(6) {
		role := one(r, "user", "user", "developer", "system", "assistant")
		message := object{"role": role, "content": r.content(role)}
		if r.some() {
			message["type"] = "message"
		}
		items = append(items, message)
		if r.some() {
			id := fmt.Sprintf("call_%d", i)
			if r.some() {
				items = append(items, object{"type": "reasoning", "id": fmt.Sprintf("rs_%d", i), "summary": []any{}})
			}
			items = append(items,
				object{"type": "function_call", "call_id": id, "name": "f", "arguments": one(r, "{}", "", "no JSON")},
				object{"type": "function_call_output", "call_id": id, "output": one[any](r, r.text(), []any{block(r.text(), "")})})
		}
	}
	return items
}

// property is the schema of an argument.
func (r requestsOf) property(depth int) object {
	switch n := r.IntN(8); {
	case n == 0:
		return object{"type": "string", "enum": []any{"celsius", "kelvin"}}
	case n == 1:
		return object{"type": "integer", "minimum": r.IntN(5), "maximum": 5 + r.IntN(50)}
	case n == 2:
		return object{"type": "number"}
	case n == 3:
		return object{"type": "boolean"}
	case n == 4 && depth > 0:
		return object{"type": "array", "minItems": r.IntN(3), "items": r.property(depth - 1)}
	case n == 5 && depth > 0:
		return r.parameters(depth - 1)
	case n == 6:
		return object{"anyOf": []any{object{"type": "null"}, object{"type": "string", "maxLength": 9}}}
	}
	return object{"type": one[any](r, "string", []any{"string", "null"}), "description": r.text()}
}

// parameters is the schema of a tool's arguments.
func (r requestsOf) parameters(depth int) object {
	properties, required := object{}, []any{}
	for range r.IntN(4) {
		name := one(r, "location", "unit", "days", "order", "text", "flag")
		properties[name] = r.property(depth)
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !r.some() {
			required = append(required, name)
		}
	}
	return object{"type": "object", "properties": properties, "required": required, "additionalProperties": r.some()}
}

// body is a request that the API takes, with the schema of each function.
func (r requestsOf) body() (body object, schemas map[string]object) {
	body, schemas = object{"model": one(r, "scripted", "gpt-5.6-sol", "x/y"), "input": r.input()}, map[string]object{}
	tools := []any{}
	for i := range r.IntN(4) {
		name := fmt.Sprintf("%s_%d", one(r, "get_weather", "find-order", "Calculate"), i)
		schemas[name] = r.parameters(2)
		tool := object{"type": "function", "name": name, "parameters": schemas[name]}
		if r.some() {
			tool["description"] = r.text()
		}
		tools = append(tools, tool)
	}
	if len(tools) > 0 {
		last := tools[len(tools)-1].(object)["name"]
		body["tools"] = tools
		named := object{"type": "function", "name": last}
		body["tool_choice"] = one[any](r, "auto", "none", "required", nil, named,
			object{"type": "allowed_tools", "mode": one(r, "auto", "required"), "tools": []any{named}})
	}
	settings := object{
		"stream": true, "instructions": r.text(), "temperature": one(r, 0, 1.5), "top_p": 0.5, "metadata": object{"k": "v"},
		"max_output_tokens": one(r, 16, 5000), "parallel_tool_calls": false, "store": true, "truncation": "auto",
		"reasoning": object{"effort": "low", "summary": one[any](r, "auto", nil)}, "user": "u", "prompt_cache_key": "k",
		"prompt_cache_options": object{"mode": one(r, "explicit", "implicit")}, "safety_identifier": nil,
		"service_tier": one(r, "auto", "flex", "priority", "fast"), "top_logprobs": 0, "max_tool_calls": 2,
		"text": object{"format": object{"type": one(r, "text", "json_object")}}, "frequency_penalty": -1,
		"include": []any{"reasoning.encrypted_content"}, "background": false, "stream_options": nil,
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if r.some() {
			body[name] = settings[name]
		}
	}
	return body, schemas
}

// spoil puts something else in the place of a value somewhere in a body.
func (r requestsOf) spoil(value any) any {
	strange := one[any](r, nil, 7, -1.5, "", "strange", true, []any{}, []any{7}, object{},
		object{"type": "strange"}, strings.Repeat("x", 600))
	switch v := value.(type) {
	case object:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if r.some() {
				v[name] = r.spoil(v[name])
				return v
			}
		}
		if r.some() {
			v["strange"] = strange
			return v
		}
	case []any:
		if len(v) > 0 && !r.some() {
			i := r.IntN(len(v))
			v[i] = r.spoil(v[i])
			return v
		}
	}
	return strange
}

// TestMadeUpRequests holds what is said to made-up requests against both descriptions: each proper
// one is answered, with arguments that fit the tools' schemas; of the others each is answered
// or refused.
func TestMadeUpRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("more than a second; the whole test command plays it")
	}
	count := 100
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		count = 10_000
	}
	a := newAsker(t, Options{Caching: true})
	reasons := map[string]int{}
	for seed := range uint64(count) {
		r := requestsOf{rand.New(rand.NewPCG(seed, 38))}
		body, schemas := r.body()
		sent := llmclient.Marshal(body)
		spoilt := seed%3 == 2
		if spoilt {
			sent = llmclient.Marshal(r.spoil(body))
		}
		got := a.ask(sent)
		if got.status != http.StatusOK {
			refused, _ := got.body["error"].(object)
			reasons[fmt.Sprint(refused["code"])]++
			if !spoilt {
				t.Fatalf("seed=%d: refused with %v: %s", seed, refused, sent)
			}
			continue
		}
		reasons[fmt.Sprint(got.body["status"])]++
		for _, call := range got.output("function_call") {
			if !spoilt {
				checkForeignArguments(t, seed, call, schemas)
			}
		}
		if got.body["status"] == "completed" && len(listOf(got.body["output"])) == 0 {
			t.Fatalf("seed=%d: no output for %s", seed, sent)
		}
	}
	for _, reason := range []string{"completed", "incomplete", "invalid_type", "invalid_value", "unknown_parameter"} {
		if reasons[reason] == 0 {
			t.Errorf("%d requests came to %v, none to %s", count, reasons, reason)
		}
	}
}

// checkForeignArguments holds a call against its tool's schema.
func checkForeignArguments(t *testing.T, seed uint64, call object, schemas map[string]object) {
	t.Helper()
	var schema jsonschema.Schema
	text := llmclient.Marshal(schemas[fmt.Sprint(call["name"])])
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	check, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var arguments any
	if err := json.Unmarshal([]byte(fmt.Sprint(call["arguments"])), &arguments); err != nil {
		t.Fatal(err)
	}
	if err := check.Validate(arguments); err != nil {
		t.Fatalf("seed=%d: %v in %s for %s", seed, err, call["arguments"], text)
	}
}
