package batch

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

const summarySchemaPath = "summary.schema.json"

// TestSummarySchema derives the schema from the types; the published file must be exactly that, and
// summaries must follow it.
func TestSummarySchema(t *testing.T) {
	schema, err := jsonschema.For[Summary](nil)
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
