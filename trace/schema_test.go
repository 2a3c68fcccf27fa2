package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/internal/published"
	"example.com/agentworld/world"
)

// schemaPath is the JSON Schema of a line of a trace, as it is published.
const schemaPath = "trace.schema.json"

// schemaSources are the packages whose comments describe fields, with their directories.
var schemaSources = map[string]string{"trace": ".", "world": "../world", "llmclient": "../llmclient", "price": "../llmclient/price"}

// anything is the schema of JSON that other rules describe, such as an action of other rules.
func anything() *jsonschema.Schema { return &jsonschema.Schema{} }

// schemaOf derives the schema of a line: a record of one of the types, by its first member, with its chain. Members
// that a type does not have are refused.
func schemaOf(t *testing.T) *jsonschema.Schema {
	t.Helper()
	docs := map[string]string{}
	for name, dir := range schemaSources {
		fieldDocs(t, name, dir, docs)
	}
	types := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): anything(),
		reflect.TypeFor[json.Number]():     {Type: "number"},
		reflect.TypeFor[Trust]():           {Type: "string", Enum: []any{"tool_error", "other_agent", "derived", "self_observation", "rules", "unknown"}},
	}
	of := func(typ reflect.Type) *jsonschema.Schema {
		schema, err := jsonschema.ForType(typ, &jsonschema.ForOptions{TypeSchemas: types})
		if err != nil {
			t.Fatalf("%s: %v", typ, err)
		}
		describe(schema, typ, docs)
		return schema
	}
	event := of(reflect.TypeFor[world.Event]())
	event.Properties["action"] = anything() // the flat form, which its own encoder adds
	event.Properties["action"].Description = "The applied or rejected action."
	types[reflect.TypeFor[world.Event]()] = event
	shared := map[string]*jsonschema.Schema{} // which several records have
	for _, typ := range []reflect.Type{reflect.TypeFor[Settings](), reflect.TypeFor[Fork]()} {
		shared[typ.Name()] = of(typ)
		types[typ] = &jsonschema.Schema{Ref: "#/$defs/" + typ.Name()}
	}
	schema := &jsonschema.Schema{Defs: shared,
		Schema: "https://json-schema.org/draft/2020-12/schema", ID: fmt.Sprintf("urn:agentworld:trace:%d", FormatVersion),
		Title: "A line of a trace of Agent World", Type: "object", Required: []string{"type", "tick"},
	}
	seen := map[Type]bool{}
	for _, r := range samples() {
		if seen[r.RecordType()] {
			continue
		}
		seen[r.RecordType()] = true
		typ := reflect.TypeOf(r)
		delete(types, typ) // itself is no reference
		one := of(typ)
		if shared[typ.Name()] != nil {
			types[typ] = &jsonschema.Schema{Ref: "#/$defs/" + typ.Name()}
		}
		name := any(string(r.RecordType()))
		one.Title = typ.Name()
		one.Properties["type"] = &jsonschema.Schema{Const: &name}
		one.Properties["chain"] = &jsonschema.Schema{Type: "string", Pattern: "^[0-9a-f]{16}$", Description: "Hash over this line and all before it."}
		one.Required = append([]string{"type"}, one.Required...)
		one.PropertyOrder = append(append([]string{"type"}, one.PropertyOrder...), "chain")
		schema.OneOf = append(schema.OneOf, one)
	}
	return schema
}

// fieldDocs adds the comments of the fields of a package to docs, by package, type and JSON name.
func fieldDocs(t *testing.T, pkg, dir string, docs map[string]string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, is := n.(*ast.TypeSpec)
			if !is {
				return true
			}
			typ, is := spec.Type.(*ast.StructType)
			if !is {
				return true
			}
			for _, field := range typ.Fields.List {
				if field.Tag == nil {
					continue
				}
				tag := reflect.StructTag(strings.Trim(field.Tag.Value, "`"))
				member, _, _ := strings.Cut(tag.Get("json"), ",")
				text := strings.Join(strings.Fields(field.Doc.Text()), " ")
				if text == "" {
					text = tag.Get("doc")
				}
				docs[pkg+"."+spec.Name.Name+"."+member] = text
			}
			return true
		})
	}
}

// describe adds the comments of fields to the schema of a type, recursively.
func describe(schema *jsonschema.Schema, typ reflect.Type, docs map[string]string) {
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice:
		if schema.Items != nil {
			schema = schema.Items
		}
		describe(schema, typ.Elem(), docs)
	case reflect.Struct:
		for i := range typ.NumField() {
			field := typ.Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if field.Anonymous && name == "" {
				describe(schema, field.Type, docs)
				continue
			}
			member := schema.Properties[name]
			if member == nil {
				continue
			}
			if member.Description == "" {
				member.Description = docs[filepath.Base(typ.PkgPath())+"."+typ.Name()+"."+name]
			}
			describe(member, field.Type, docs)
		}
	}
}

// TestTraceSchemaIsCurrent: the published schema is what the types and their comments say, so that a new field changes
// it.
func TestTraceSchemaIsCurrent(t *testing.T) {
	text, err := json.MarshalIndent(schemaOf(t), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if *update {
		if err := os.WriteFile(schemaPath, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	file, err := os.ReadFile(schemaPath)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(file), string(text)); diff != "" {
		t.Errorf("%s is not what the types say; run go test ./trace -update (-file +types):\n%s", schemaPath, diff)
	}
}

// TestTraceSchemaTakesRecords: every sample of a record fits, every type has one, and a record with a member that its
// type does not have, or without one that it must have, does not.
func TestTraceSchemaTakesRecords(t *testing.T) {
	schema := published.Schema(t, schemaPath)
	types := map[Type]bool{}
	for line := range bytes.Lines(lines(t, samples()...)) {
		var value map[string]any
		if err := json.Unmarshal(line, &value); err != nil {
			t.Fatal(err)
		}
		types[Type(value["type"].(string))] = true
		if err := schema.Validate(value); err != nil {
			t.Errorf("a %s record does not fit: %v", value["type"], err)
		}
		value["stranger"] = 1
		if schema.Validate(value) == nil {
			t.Errorf("a %s record with an unknown member fits", value["type"])
		}
		delete(value, "stranger")
		delete(value, "tick")
		if schema.Validate(value) == nil {
			t.Errorf("a %s record without a tick fits", value["type"])
		}
	}
	for typ := range decoders {
		if !types[typ] {
			t.Errorf("no sample of type %s", typ)
		}
	}
	if schema.Validate(map[string]any{"type": "other", "tick": 1.0}) == nil {
		t.Error("a record of an unknown type fits")
	}
	var names []string
	for _, one := range schemaOf(t).OneOf {
		names = append(names, one.Title)
	}
	if len(names) != len(decoders) || !slices.Contains(names, "Decision") {
		t.Errorf("the schema has %v", names)
	}
}
