package doctor

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemaFault says what about arguments does not fit a schema, empty for nothing.
func schemaFault(schema json.RawMessage, arguments string) string {
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		panic("doctor: the schema of a probe is not a schema: " + err.Error())
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		panic("doctor: the schema of a probe does not resolve: " + err.Error())
	}
	var value any
	if json.Unmarshal([]byte(arguments), &value) != nil {
		return "the arguments are not JSON"
	}
	if resolved.Validate(value) != nil {
		// The validator's text repeats arguments, which are the model's words.
		return "the arguments do not fit the schema"
	}
	return ""
}
