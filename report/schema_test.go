package report

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/trace"
)

var update = flag.Bool("update", false, "rewrite report.schema.json and the files in testdata")

// foreignDocs describes the fields of types that other packages own.
var foreignDocs = map[string]string{
	"Amount.resource":      "Name of the resource.",
	"Extension.name":       "Name of the extension.",
	"Extension.version":    "Version of the extension, as its author says it.",
	"Scores.nothing":       "Score of agents that wait.",
	"Scores.random":        "Score of agents that draw what they do.",
	"Scores.greedy":        "Score of scripted agents that do not look ahead.",
	"Scores.scripted":      "Score of the scripted agents.",
	"Scores.best":          "Score of the best plan that is known for this instance; null if none is recorded, as for other instances and rules.",
	"Scores.bound":         "Score that no player can exceed under the rules.",
	"Scores.bound_loose":   "Whether the bound is known to be loose: for the task's own instance it is more than half above the best known score. It then says nothing about a player, and tables leave it out.",
	"Scores.bound_why":     "How the bound follows from the rules.",
	"Amount.amount":        "Quantity in the resource's own unit.",
	"Change.what":          "Name of the setting or rule.",
	"Change.from":          "Value in the run that was left; long texts are cut.",
	"Change.to":            "Value in the fork; long texts are cut.",
	"GoalOutcome.goal_id":  "Id of the goal.",
	"GoalOutcome.agent_id": "Agent whose goal it is.",
	"GoalOutcome.text":     "The goal in words.",
	"GoalOutcome.met_at":   "Tick in which the goal was met first; null when it was not.",
	"GoalOutcome.now":      "Measured amount at the end.",
	"GoalOutcome.at_least": "Amount the goal asks for.",

	"EndpointTiming.base_url":        "Endpoint, without secrets.",
	"EndpointTiming.attempts":        "HTTP requests let through.",
	"EndpointTiming.waited":          "Requests that could not be sent at once.",
	"EndpointTiming.gave_up":         "Requests that ended before their turn: interrupted, or with a deadline that came first.",
	"EndpointTiming.wait_ms":         "Time waited by all requests together, in milliseconds.",
	"EndpointTiming.wait_longest_ms": "Longest time waited by one request, in milliseconds.",
	"EndpointTiming.throttled":       "Requests that found the endpoint overloaded: 429, 503, 529 or no answer in time.",
	"EndpointTiming.pauses":          "Waits that the endpoint asked one caller for and that held all of them.",
	"EndpointTiming.in_flight_most":  "Most requests under way at once.",
	"EndpointTiming.limit_lowest":    "Least limit on requests under way.",
	"EndpointTiming.limit_final":     "Limit on requests under way at the end.",
}

// signed are the integers that may be negative.
var signed = map[string]bool{"electricity": true, "heat": true, "amount": true, "now": true, "a_now": true, "b_now": true, "at_least": true, "value_milli": true, "low_milli": true, "high_milli": true}

// enums are the closed sets of words.
var enums = map[string][]any{
	"model_source": {string(trace.SourceLive), string(trace.SourceScripted), string(trace.SourceRecorded), string(trace.SourceMixed)},
	"better":       {string(Higher), string(Lower), string(Neither)},
	"world":        {worldEqual, worldDiffers},
	"usage_source": {string(trace.UsageReported), string(trace.UsageUnreported), string(trace.UsageSimulated)},
}

// publishedSchema is the schema that is published with the program.
var publishedSchema = func() *jsonschema.Resolved {
	text, err := os.ReadFile("report.schema.json")
	if err != nil {
		panic(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		panic(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		panic(err)
	}
	return resolved
}()

// validate checks the JSON of a report against the published schema.
func validate(reportJSON []byte) error {
	var value any
	if err := json.Unmarshal(reportJSON, &value); err != nil {
		return err
	}
	return publishedSchema.Validate(value)
}

// TestSchemaIsCurrent derives the schema from the Go types and their comments;
// the published file must be exactly that.
func TestSchemaIsCurrent(t *testing.T) {
	schema, err := jsonschema.For[Report](nil)
	if err != nil {
		t.Fatal(err)
	}
	describe(t, schema, reflect.TypeFor[Report](), fieldDocs(t))
	schema.Schema = "https://json-schema.org/draft/2020-12/schema"
	schema.ID = fmt.Sprintf("urn:agentworld:report:%d", Version)
	schema.Title = "Agent World run report"
	version := any(Version)
	schema.Properties["report_version"].Const = &version
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if *update {
		if err := os.WriteFile("report.schema.json", text, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	file, err := os.ReadFile("report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(text), string(file)); diff != "" {
		t.Errorf("report.schema.json is not what the types say; run go test -update (-types +file):\n%s", diff)
	}
}

// describe adds descriptions and bounds to the schema of a struct, recursively.
func describe(t *testing.T, schema *jsonschema.Schema, typ reflect.Type, docs map[string]string) {
	for i := range typ.NumField() {
		field := typ.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		property := schema.Properties[name]
		key := typ.Name() + "." + name
		property.Description = docs[key]
		if property.Description == "" {
			property.Description = foreignDocs[key]
		}
		if property.Description == "" {
			t.Errorf("%s has no description", key)
		}
		property.Enum = enums[name]
		if property.Type == "integer" && !signed[name] {
			zero := 0.0
			property.Minimum = &zero
		}
		switch field.Type.Kind() {
		case reflect.Pointer:
			if field.Type.Elem().Kind() == reflect.Struct {
				describe(t, property, field.Type.Elem(), docs)
			}
		case reflect.Struct:
			describe(t, property, field.Type, docs)
		case reflect.Slice:
			property.Types, property.Type = nil, "array"
			if field.Type.Elem().Kind() == reflect.Struct {
				describe(t, property.Items, field.Type.Elem(), docs)
			}
		case reflect.Map:
			property.Types, property.Type = nil, "object"
		}
	}
}

// fieldDocs maps "Type.json_name" to the field's comment in this package.
func fieldDocs(t *testing.T) map[string]string {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	docs := map[string]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				structDocs(spec, docs)
			}
			return true
		})
	}
	return docs
}

func structDocs(spec *ast.TypeSpec, docs map[string]string) {
	typ, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range typ.Fields.List {
		if field.Tag == nil {
			continue
		}
		name, _, _ := strings.Cut(reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("json"), ",")
		docs[spec.Name.Name+"."+name] = strings.Join(strings.Fields(field.Doc.Text()), " ")
	}
}

// full returns a report with every field set, lists and maps filled.
func full(t *testing.T) Report {
	t.Helper()
	var r Report
	fill(reflect.ValueOf(&r).Elem())
	r.ReportVersion, r.ModelSource, r.UsageSource = Version, trace.SourceLive, trace.UsageReported
	r.Fork.Comparison.Ticks[0].World = worldDiffers
	r.OwnMetrics[0].Better = Lower
	r.Seed = 1<<64 - 1
	return r
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("word")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint64:
		v.SetUint(7)
	case reflect.Float64:
		v.SetFloat(7.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		v.Set(reflect.ValueOf(Counts{"name": 7}))
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	default:
		panic("report: fill does not know " + v.Kind().String())
	}
}

func TestSchemaAcceptsReports(t *testing.T) {
	if err := validate(full(t).JSON()); err != nil {
		t.Errorf("a full report: %v", err)
	}
	folder := newFolder()
	folder.header(trace.Header{Settings: trace.Settings{ModelSource: trace.SourceScripted}})
	if err := validate(folder.report().JSON()); err != nil {
		t.Errorf("an empty report: %v", err)
	}
}

// TestSchemaRejectsEveryDamage damages each value of a full report in turn:
// taken away, of another type, with a stranger beside it.
func TestSchemaRejectsEveryDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("more than a second; the whole test command plays it")
	}
	var whole any
	if err := json.Unmarshal(full(t).JSON(), &whole); err != nil {
		t.Fatal(err)
	}
	checked := 0
	try := func(what string) {
		checked++
		text, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		if validate(text) == nil {
			t.Errorf("the schema accepts a report with %s", what)
		}
	}
	var walk func(path string, object map[string]any)
	walk = func(path string, object map[string]any) {
		_, counts := object["name"].(float64)
		if !counts {
			object["stranger"] = 1
			try("an unknown field in " + path)
			delete(object, "stranger")
		}
		for _, name := range slices.Sorted(maps.Keys(object)) {
			at, value := path+"."+name, object[name]
			object[name] = true
			if _, is := value.(bool); is {
				object[name] = "word"
			}
			try(fmt.Sprintf("a %T as %s", object[name], at))
			if !counts {
				delete(object, name)
				try("no " + at)
			}
			object[name] = value
			switch value := value.(type) {
			case map[string]any:
				walk(at, value)
			case []any:
				if element, ok := value[0].(map[string]any); ok {
					walk(at, element)
					continue
				}
				first := value[0]
				value[0] = true
				try("a boolean in " + at)
				value[0] = first
			}
		}
	}
	walk("report", whole.(map[string]any))
	if checked < 250 {
		t.Errorf("only %d damages tried", checked)
	}
}

func TestSchemaPinsTheVersion(t *testing.T) {
	r := full(t)
	r.ReportVersion = Version + 1
	if validate(r.JSON()) == nil {
		t.Error("the schema accepts another version")
	}
}

func TestValidateNeedsJSON(t *testing.T) {
	for _, text := range []string{"", "{", "null", "[]"} {
		if validate([]byte(text)) == nil {
			t.Errorf("validate(%q) = nil", text)
		}
	}
}
