package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

//go:embed report.schema.json
var schemaJSON []byte

// Schema returns the JSON Schema (draft 2020-12) of [Report.JSON].
func Schema() []byte { return bytes.Clone(schemaJSON) }

// Validate checks the JSON of a report against [Schema]. The error names the
// place that does not fit.
func Validate(reportJSON []byte) error { return validate(resolvedSchema(), reportJSON) }

func validate(schema *jsonschema.Resolved, reportJSON []byte) error {
	var value any
	if err := json.Unmarshal(reportJSON, &value); err != nil {
		return fmt.Errorf("read report: %w", err)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("validate report: %w", err)
	}
	return nil
}

// resolvedSchema makes the embedded schema ready for use. It takes milliseconds;
// only whoever validates pays for it.
func resolvedSchema() *jsonschema.Resolved {
	var schema jsonschema.Schema
	if err := json.Unmarshal(schemaJSON, &schema); err != nil {
		panic("report: the embedded schema is not a schema: " + err.Error())
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		panic("report: the embedded schema does not resolve: " + err.Error())
	}
	return resolved
}

// JSON returns the report as indented JSON with a final line feed. Equal reports
// give equal bytes.
func (r Report) JSON() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		panic("report: a report cannot be encoded: " + err.Error())
	}
	return b.Bytes()
}
