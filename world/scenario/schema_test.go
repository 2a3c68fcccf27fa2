package scenario

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"

	"example.com/agentworld/internal/published"
	"example.com/agentworld/world"
)

var update = flag.Bool("update", false, "rewrite the published schema")

const schemaPath = "scenario.schema.json"

// described names, for a type of the file, the type whose comments describe its
// fields of the same name.
var described = map[string]string{
	"scenarioFile": "Scenario", "placeFile": "Place", "agentsFile": "AgentPlan",
}

// required lists what a table cannot do without.
var required = map[string][]string{
	"scenarioFile": {"id", "agents"}, "placeFile": {"id", "material"}, "agentsFile": {"count"},
	"kindFile":   {"id", "cost", "ticks"},
	"recipeFile": {"id", "factory_kind", "inputs", "outputs", "ticks"},
	"Belt":       {"radius_min_cm", "radius_max_cm", "materials"},
	"Goal":       {"id", "agent", "metric", "at_least"}, "PolicyRule": {"agent", "action"}, "Task": {"family", "ticks", "metric"},
}

// TestScenarioSchemaIsCurrent derives the schema for editors from the types of the
// file and their comments; the published file must be exactly that.
func TestScenarioSchemaIsCurrent(t *testing.T) {
	schema := schemaMaker{docs: fieldDocs(t)}.of(reflect.TypeFor[scenarioFile]())
	schema["$schema"], schema["$id"] = "https://json-schema.org/draft/2020-12/schema", "urn:agentworld:scenario:1"
	schema["title"] = "Agent World scenario"
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if *update {
		if err := os.WriteFile(schemaPath, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaPath)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(text), string(got)); diff != "" {
		t.Errorf("%s is not what the types say; run go test -update (-types +file):\n%s", schemaPath, diff)
	}
}

// schemaMaker writes types as JSON Schema; docs maps "Type.Field" to a comment.
type schemaMaker struct{ docs map[string]string }

// of is the schema of a type.
func (m schemaMaker) of(typ reflect.Type) map[string]any {
	switch typ.Kind() {
	case reflect.Pointer:
		return m.of(typ.Elem())
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": m.of(typ.Elem())}
	case reflect.Map:
		if typ.Elem().Kind() != reflect.Int64 { // by codes or ids that the author chooses
			return map[string]any{"type": "object", "additionalProperties": m.of(typ.Elem())}
		}
		amounts := map[string]any{}
		for _, name := range world.Resources() {
			amounts[name] = map[string]any{"type": "integer", "minimum": 0}
		}
		return map[string]any{
			"type": "object", "properties": amounts, "additionalProperties": map[string]any{"type": "integer", "minimum": 0},
			"propertyNames": map[string]any{"pattern": ownID},
		}
	case reflect.Struct:
		return m.table(typ)
	}
	panic("a scenario file has no " + typ.String())
}

// table is the schema of a struct. A field without a comment of its own shares
// the one before it.
func (m schemaMaker) table(typ reflect.Type) map[string]any {
	properties, doc := map[string]any{}, ""
	for _, field := range reflect.VisibleFields(typ) {
		if field.Anonymous {
			continue
		}
		for _, owner := range []string{described[typ.Name()], typ.Name()} {
			if found := m.docs[owner+"."+field.Name]; found != "" {
				doc = found
			}
		}
		name := field.Tag.Get("toml")
		if name == "-" {
			continue
		}
		property := m.of(field.Type)
		if doc == "" {
			panic(typ.Name() + "." + field.Name + " has no comment")
		}
		property["description"] = inFileWords(typ, doc)
		bound(property, typ.Name(), name)
		properties[name] = property
	}
	table := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if list := required[typ.Name()]; list != nil {
		table["required"] = list
	}
	return table
}

// inFileWords writes a comment with the names that fields have in a file.
func inFileWords(typ reflect.Type, doc string) string {
	for _, field := range reflect.VisibleFields(typ) {
		if name := field.Tag.Get("toml"); name != "-" && !field.Anonymous {
			doc = regexp.MustCompile(`\b`+field.Name+`\b`).ReplaceAllLiteralString(doc, name)
		}
	}
	return strings.NewReplacer("[", "", "]", "", "nil for", "absent for",
		"RegenTicks", strconv.Itoa(world.RegenTicks), "FragmentsMax", strconv.Itoa(world.FragmentsMax)).Replace(doc)
}

// ownID is the form of the ids of products, recipes and kinds of factory.
const ownID = "^[a-z0-9_]{1,32}$"

// bound adds what the checks of a scenario say about a field.
func bound(property map[string]any, table, name string) {
	switch {
	case name == "material":
		property["enum"] = world.Materials()
	case name == "family":
		property["enum"] = world.Families()
	case name == "rules_pct":
		rules := map[string]any{}
		for _, field := range reflect.VisibleFields(reflect.TypeFor[world.Rules]()) {
			if rule := field.Tag.Get("toml"); !strings.HasSuffix(rule, "_percent") {
				rules[rule] = map[string]any{"type": "integer", "minimum": 0, "maximum": 90}
			}
		}
		property["properties"] = rules
	case table == "Vary" && strings.HasSuffix(name, "_pct"):
		property["minimum"], property["maximum"] = 0, 90
	case name == "radius_min_cm" || name == "radius_max_cm":
		property["minimum"], property["maximum"] = 1, 500_000
	case table == "Rules":
		property["minimum"], property["maximum"] = allowed("[rules]\n", name)
		if name == "critical_percent" {
			property["maximum"] = 99 // at most low_percent, which a schema cannot say
		}
	case name == "products":
		property["items"] = map[string]any{"type": "string", "pattern": ownID}
		property["maxItems"] = world.ProductsMax
	case (table == "recipeFile" || table == "kindFile") && name == "id":
		property["pattern"] = ownID
	case (table == "recipeFile" || table == "kindFile") && name == "ticks":
		property["minimum"], property["maximum"] = 1, 1000
	case table == "Task" && name == "ticks":
		property["minimum"], property["maximum"] = world.TaskTicksMin, world.TaskTicksMax
	}
}

// allowed is the range that the refusal of a far too low value names.
func allowed(table, name string) (least, most int64) {
	_, err := Parse("f", []byte("id = \"f\"\n"+table+name+" = -1_000_000"))
	_, told, _ := strings.Cut(fmt.Sprint(err), "rules."+name+": ")
	if _, err := fmt.Sscanf(told, "-1000000 is outside %d to %d", &least, &most); err != nil {
		panic("the range of " + name + " is not told: " + err.Error())
	}
	return least, most
}

// fieldDocs maps "Type.Field" to the field's comment, here and in package world. A line with
// several names describes them all.
func fieldDocs(t *testing.T) map[string]string {
	t.Helper()
	docs := map[string]string{}
	here, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(here, kernel...) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				collectDocs(spec, docs)
			}
			return true
		})
	}
	return docs
}

func collectDocs(spec *ast.TypeSpec, docs map[string]string) {
	typ, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range typ.Fields.List {
		for _, name := range field.Names {
			docs[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(field.Doc.Text()), " ")
		}
	}
}

// TestScenarioSchemaAcceptsWhatParses holds the schema against the embedded
// scenarios and against mistakes that the parser refuses too.
func TestScenarioSchemaAcceptsWhatParses(t *testing.T) {
	resolved := published.Schema(t, schemaPath)
	for _, name := range Names() {
		_, file, _ := Embedded(name)
		if err := resolved.Validate(asJSON(t, string(file))); err != nil {
			t.Errorf("the schema refuses %s: %v", name, err)
		}
	}
	for old, mistake := range map[string]string{
		`family = "survival"`: `family = "sport"`, `ticks = 30`: `ticks = 3`, `visibility_km = 12`: `visibilty_km = 12`,
		`material = "ice"`: `material = "cheese"`, `count = 2`: `count = "two"`, `data = 4`: `Gold = 4`,
		`id = "sound"`: `name = "sound"`, `at_least = 1`: ``, `emission = 8`: "[rules]\nidle_draw = 0",
	} {
		if err := resolved.Validate(asJSON(t, strings.Replace(soundTask, old, mistake, 1))); err == nil {
			t.Errorf("the schema accepts %s instead of %s", mistake, old)
		}
	}
	if err := resolved.Validate(asJSON(t, soundTask)); err != nil {
		t.Errorf("the schema refuses a sound task: %v", err)
	}
}

// asJSON reads TOML as the plain values that JSON has.
func asJSON(t *testing.T, text string) any {
	t.Helper()
	var table map[string]any
	if err := toml.Unmarshal([]byte(text), &table); err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(table)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(encoded, &value); err != nil {
		t.Fatal(err)
	}
	return value
}
