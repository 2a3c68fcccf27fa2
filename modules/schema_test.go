package modules

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/world"
)

var wireName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// allSchemas returns every schema this package offers to a model, by name.
func allSchemas() map[string]json.RawMessage {
	schemas := map[string]json.RawMessage{"action": llmclient.Marshal(ActionSchema()), "standing": llmclient.Marshal(StandingSchema())}
	for _, tool := range New().Tools() {
		schemas[tool.Name] = tool.Parameters
	}
	return schemas
}

func TestSchemasAreStrict(t *testing.T) {
	for name, raw := range allSchemas() {
		var schema map[string]any
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		walkStrict(t, name, schema)
	}
}

// walkStrict checks what strict function tools demand of a schema.
func walkStrict(t *testing.T, path string, schema map[string]any) {
	t.Helper()
	for keyword := range schema {
		if !slices.Contains([]string{"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "description"}, keyword) {
			t.Errorf("%s uses %q, which strict mode may refuse", path, keyword)
		}
	}
	if types := fmt.Sprint(schema["type"]); strings.Contains(types, "object") {
		walkObject(t, path, schema)
	} else if strings.Contains(types, "array") && schema["items"] == nil {
		t.Errorf("%s is an array without items", path)
	}
	if items, ok := schema["items"].(map[string]any); ok {
		walkStrict(t, path+"[]", items)
	}
	alternatives, _ := schema["anyOf"].([]any)
	for i, alternative := range alternatives {
		walkStrict(t, fmt.Sprintf("%s|%d", path, i), alternative.(map[string]any))
	}
}

func walkObject(t *testing.T, path string, schema map[string]any) {
	t.Helper()
	if closed, ok := schema["additionalProperties"].(bool); !ok || closed {
		t.Errorf("%s: additionalProperties is %v, want false", path, schema["additionalProperties"])
	}
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		t.Fatalf("%s has no properties", path)
	}
	required, ok := schema["required"].([]any)
	if !ok || len(required) != len(properties) {
		t.Errorf("%s requires %v of %d properties", path, schema["required"], len(properties))
	}
	for name, property := range properties {
		if !slices.Contains(required, any(name)) {
			t.Errorf("%s.%s is not required", path, name)
		}
		if !wireName.MatchString(name) {
			t.Errorf("%s.%s is not a name strict mode accepts", path, name)
		}
		walkStrict(t, path+"."+name, property.(map[string]any))
	}
}

// untyped are the actions that are needless in a world without requests and offers.
var untyped = []string{"request", "offer", "accept_offer", "decline", "cancel_offer"}

// The model reads these at every call, so their size is part of the contract. It follows from how many modules
// and actions there are: what one more of them may take is what those that are there take.
func TestSchemasAreCompact(t *testing.T) {
	const toolMax, nameMax = 258, 20
	actions, typed := len(answer.ActionNames(untyped...)), len(answer.ActionNames())
	tools := 0
	for _, tool := range New().Tools() {
		tools += len(tool.Wire())
	}
	for _, c := range []struct {
		name     string
		got, max int
	}{
		{"all module tools", tools, toolMax * len(New().Tools())},
		{"ActionSchema", len(llmclient.Marshal(ActionSchema(untyped...))), 340 + nameMax*actions},
		{"ActionSchema with requests and offers", len(llmclient.Marshal(ActionSchema())), 450 + nameMax*typed},
		{"StandingSchema", len(llmclient.Marshal(StandingSchema())), 390 + nameMax*typed},
		{"CandidateSchema", len(llmclient.Marshal(CandidateSchema(3, untyped...))), 1150 + nameMax*actions},
	} {
		if c.got > c.max {
			t.Errorf("%s takes %d characters, at most %d are allowed", c.name, c.got, c.max)
		}
	}
}

func TestSchemasAreReadableAndConstant(t *testing.T) {
	again := allSchemas()
	for name, raw := range allSchemas() {
		if strings.Contains(string(raw), `\u00`) {
			t.Errorf("%s holds escaped characters: %s", name, raw)
		}
		if string(raw) != string(again[name]) {
			t.Errorf("%s differs between two calls", name)
		}
	}
}

func TestNamesAreInvertible(t *testing.T) {
	r := New()
	for i, spec := range r.modules {
		if want := strings.ReplaceAll(spec.Module, ".", "_"); spec.Tool != want {
			t.Errorf("%s is called %s, want %s", spec.Module, spec.Tool, want)
		}
		if back, ok := r.byTool(spec.Tool); !ok || back.Module != spec.Module {
			t.Errorf("byTool(%s) = %s, %v, want %s", spec.Tool, back.Module, ok, spec.Module)
		}
		if back, ok := r.ToolOf(spec.Module); !ok || back != spec.Tool {
			t.Errorf("ToolOf(%s) = %s, %v, want %s", spec.Module, back, ok, spec.Tool)
		}
		tool := r.Tools()[i]
		if !wireName.MatchString(tool.Name) || tool.Name != spec.Tool || !tool.Strict || tool.Description == "" {
			t.Errorf("tool %d is %+v", i, tool)
		}
	}
	if _, ok := r.ToolOf("world_rules"); ok {
		t.Error("ToolOf accepts a tool name")
	}
	if _, ok := r.byTool("world.rules"); ok {
		t.Error("ModuleOf accepts a module name")
	}
}

// Every parameter of every action has a slot of its type in the flat schema.
func TestActionSchemaCoversTheRegistry(t *testing.T) {
	var schema struct {
		Properties map[string]struct {
			Type any   `json:"type"`
			Enum []any `json:"enum"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(llmclient.Marshal(ActionSchema()), &schema); err != nil {
		t.Fatal(err)
	}
	names := schema.Properties["action"].Enum
	for _, spec := range world.Actions() {
		if spec.Name == "execute_until" {
			if slices.Contains(names, any(spec.Name)) {
				t.Error("the flat schema offers execute_until as an action")
			}
			continue
		}
		if !slices.Contains(names, any(spec.Name)) {
			t.Errorf("the action %s is not offered", spec.Name)
		}
		for _, p := range spec.Params {
			want := []any{"string", "null"}
			if p.Kind == world.ParamAmount {
				want[0] = "integer"
			}
			if field := schema.Properties[p.Slot().String()]; !reflect.DeepEqual(field.Type, any(want)) {
				t.Errorf("%s of %s has type %v, want %v", p.Name, spec.Name, field.Type, want)
			}
		}
	}
}

var update = flag.Bool("update", false, "rewrite the golden files")

// The tool list is part of every prompt and of every recorded request, so a
// change of it should be seen.
func TestToolsGolden(t *testing.T) {
	const golden = "testdata/tools.txt"
	var b strings.Builder
	for _, tool := range New().Tools() {
		b.Write(tool.Wire())
		b.WriteByte('\n')
	}
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("tools differ from %s; run with -update if that is meant (-want +got):\n%s", golden, diff)
	}
}

// The description of the actions names every action with exactly the slots it
// needs, and is short enough for every prompt.
func TestActionTextCoversTheRegistry(t *testing.T) {
	text := ActionText(words.In("en"), world.DefaultRules().Industry())
	lines := strings.Split(text, "\n")
	if len(lines) != len(answer.PlainActions) {
		t.Fatalf("%d lines for %d actions:\n%s", len(lines), len(answer.PlainActions), text)
	}
	for i, spec := range answer.PlainActions {
		head, doc, _ := strings.Cut(lines[i], ": ")
		name, needed, _ := strings.Cut(strings.TrimSuffix(head, ")"), "(")
		if name != spec.Name || doc != ActionDoc(words.In("en"), spec, world.DefaultRules().Industry()) {
			t.Errorf("line %d is %q, want %s", i, lines[i], spec.Name)
		}
		var want, got []string
		for _, p := range spec.Params {
			want = append(want, p.Slot().String())
		}
		for part := range strings.SplitSeq(needed, ", ") {
			if slot, _, _ := strings.Cut(part, " "); slot != "" {
				got = append(got, slot)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is described with the slots %v, want %v", name, got, want)
		}
	}
	kinds := len(world.DefaultRules().Industry().Kinds)
	if most := 85*len(lines) + 120*kinds; len(text) > most {
		t.Errorf("%d actions and %d kinds of factory take %d characters, at most %d are allowed", len(lines), kinds,
			len(text), most)
	}
}
