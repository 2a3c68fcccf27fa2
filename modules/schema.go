package modules

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/llmclient"
)

// Schema is a compiled JSON Schema of tool arguments. It is safe for concurrent
// use.
//
// Invariant: it stays in the subset that strict function tools allow. Objects are
// closed and require every property; what may be left out is nullable instead;
// arrays have items; the only union is anyOf; there are no defaults and no
// bounds, which belong into descriptions.
type Schema struct {
	root *jsonschema.Schema
	raw  json.RawMessage
	// textField names a string field that holds JSON text; a model that gives
	// the object itself is understood.
	textField string
}

// noArguments is the schema of a tool without arguments. Providers differ about
// leaving the empty parts out, so they are spelled out.
const noArguments = `{"type":"object","properties":{},"required":[],"additionalProperties":false}`

// NewSchema compiles a schema. It panics when raw is not one: schemas are made by
// the program, never read from outside.
func NewSchema(raw json.RawMessage) *Schema {
	var root jsonschema.Schema
	if err := json.Unmarshal(raw, &root); err != nil {
		panic("modules: a tool's schema is not a JSON Schema: " + err.Error())
	}
	return &Schema{root: &root, raw: raw}
}

// JSON returns the schema as it is sent.
func (s *Schema) JSON() json.RawMessage { return slices.Clone(s.raw) }

// schemaOf returns the strict schema of an argument struct: every field required,
// pointers nullable, named types in choices limited to their names. The struct
// must have no omitempty, which would make a property optional, and no map, which
// would leave an object open.
func schemaOf[Args any](choices map[reflect.Type][]string) *Schema {
	options := &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{}}
	for named, names := range choices {
		options.TypeSchemas[named] = EnumSchema(names)
	}
	inferred, err := jsonschema.For[Args](options)
	if err != nil {
		panic("modules: no schema for an argument type: " + err.Error())
	}
	if len(inferred.Properties) == 0 {
		return NewSchema(json.RawMessage(noArguments))
	}
	for _, name := range inferred.PropertyOrder {
		allowNull(inferred.Properties[name])
	}
	return NewSchema(llmclient.Marshal(inferred))
}

// EnumSchema returns the schema of a text that is one of the names.
func EnumSchema(names []string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, name := range names {
		s.Enum = append(s.Enum, name)
	}
	return s
}

// allowNull adds null to the names of a nullable choice, which inference leaves
// out.
func allowNull(property *jsonschema.Schema) {
	if len(property.Enum) > 0 && slices.Contains(property.Types, "null") {
		property.Enum = append(property.Enum, nil)
	}
}
