package batch

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/pelletier/go-toml/v2"

	"example.com/agentworld/report"
)

const summarySchemaPath = "summary.schema.json"

// TestSummarySchema derives the schema from the types; the published file must be exactly that, and
// summaries must follow it.
func TestSummarySchema(t *testing.T) {
	figures, err := jsonschema.For[map[string]float64](nil)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.For[Summary](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[Metrics](): figures}})
	if err != nil {
		t.Fatal(err)
	}
	schema.Schema, schema.ID, schema.Title = "https://json-schema.org/draft/2020-12/schema", "urn:agentworld:batch-summary:1", "Agent World batch summary"
	want, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile(summarySchemaPath, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(summarySchemaPath)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s is not what the types say; run this test with -update", summarySchemaPath)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Summary{hostile(t), {Arms: []ArmSummary{}, Comparisons: []Comparison{}, Gates: []GateResult{}, Failures: []Failure{}, Results: []Result{}}} {
		var value any
		if err := json.Unmarshal(s.JSON(), &value); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(value); err != nil {
			t.Errorf("a summary does not follow its schema: %v", err)
		}
	}
}

const fileSchemaPath = "batch.schema.json"

// TestFileSchema derives the schema of batch files, for editors, from the types of the file and
// their comments; the published file must be exactly that.
func TestFileSchema(t *testing.T) {
	schema := fileSchema(reflect.TypeFor[fileTOML](), commentsIn(t, "file.go", "gate.go"), "File")
	schema["$schema"], schema["$id"] = "https://json-schema.org/draft/2020-12/schema", "urn:agentworld:batch:1"
	schema["title"], schema["required"] = "Agent World batch", []string{"name"}
	schema["anyOf"] = []any{map[string]any{"required": []string{"scenarios"}}, map[string]any{"required": []string{"suite"}}}
	want, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile(fileSchemaPath, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(fileSchemaPath)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s is not what the types say; run this test with -update", fileSchemaPath)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(got, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var sample map[string]any
	if err := toml.Unmarshal([]byte(sampleFile), &sample); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(sample)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(value); err != nil {
		t.Errorf("a batch file does not follow its schema: %v", err)
	}
	for key, bad := range map[string]any{"scenario": "x", "seeds": "abc", "repeats": 0, "compare": map[string]any{"alpha": 7.0}, "gates": []any{map[string]any{"metric": "score", "verdict": []any{"good"}}}} {
		changed := maps.Clone(value.(map[string]any))
		changed[key] = bad
		if resolved.Validate(changed) == nil {
			t.Errorf("%s = %v follows the schema", key, bad)
		}
	}
}

// commentsIn are the comments of fields in files, by "Type.Field".
func commentsIn(t *testing.T, names ...string) map[string]string {
	docs := map[string]string{}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					for _, id := range f.Names {
						docs[spec.Name.Name+"."+id.Name] = strings.Join(strings.Fields(f.Doc.Text()), " ")
					}
				}
			}
			return true
		})
	}
	return docs
}

// bounds are what the types do not say, by "Type.Field".
var bounds = map[string]map[string]any{
	"File.Name": {"minLength": 1, "maxLength": nameMost}, "File.Scenarios": {"minItems": 1, "uniqueItems": true},
	"File.Suite": {"enum": []string{"aw-1"}}, "File.Repeats": {"minimum": 1, "maximum": repeatsMost}, "Budget.Calls": {"minimum": 1}, "Budget.Tokens": {"minimum": 1},
	"Compare.Margin": {"minimum": 0}, "Compare.Effect": {"minimum": 0}, "Compare.Range": {"minimum": 0},
	"Compare.Alpha": {"minimum": 0, "exclusiveMaximum": 0.5},
	"Metric.Better": {"enum": []report.Direction{report.Higher, report.Lower}}, "Metric.Range": {"minimum": 0},
	"Gate.Verdict": {"items": map[string]any{"enum": gateVerdicts}}, "Gate.Undecided": {"enum": gateUndecided},
}

// fileSchema is the schema of a type of the file; of names the type whose comments describe it.
func fileSchema(typ reflect.Type, docs map[string]string, of string) map[string]any {
	switch typ.Kind() {
	case reflect.Pointer:
		return fileSchema(typ.Elem(), docs, typ.Elem().Name())
	case reflect.Slice:
		return map[string]any{"type": "array", "items": fileSchema(typ.Elem(), docs, typ.Elem().Name())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": fileSchema(typ.Elem(), docs, typ.Elem().Name())}
	case reflect.Interface:
		if typ == reflect.TypeFor[axisEntry]() {
			value := map[string]any{"type": []string{"string", "number", "boolean", "array", "object"}}
			return map[string]any{"anyOf": []any{map[string]any{"type": "string"},
				map[string]any{"type": "object", "additionalProperties": value}}}
		}
		if of == "File" { // seeds
			const seeds = `\s*[0-9]+(\s*-\s*[0-9]+)?\s*`
			return map[string]any{"anyOf": []any{
				map[string]any{"type": "string", "pattern": "^" + seeds + "(," + seeds + ")*$"},
				map[string]any{"type": "array", "minItems": 1, "uniqueItems": true, "items": map[string]any{"type": "integer", "minimum": 0}},
			}}
		}
		return map[string]any{"type": []string{"string", "number", "boolean", "array", "object"}}
	case reflect.Struct:
		properties := map[string]any{}
		for _, f := range reflect.VisibleFields(typ) {
			if !f.IsExported() {
				continue
			}
			name := f.Type.Name()
			if f.Type.Kind() == reflect.Interface {
				name = of
			}
			one := fileSchema(f.Type, docs, name)
			if doc := docs[of+"."+f.Name]; doc != "" {
				one["description"] = doc
			}
			maps.Copy(one, bounds[of+"."+f.Name])
			properties[f.Tag.Get("toml")] = one
		}
		return map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	}
	panic("no schema for " + typ.String())
}
