package modules

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/llmclient"
)

// noArguments is the schema of a tool without arguments. Providers differ about
// leaving the empty parts out, so they are spelled out.
const noArguments = `{"type":"object","properties":{},"required":[],"additionalProperties":false}`

// schemaOf returns the schema of an argument struct, and how it is sent. It stays in the
// subset that strict function tools allow: objects are closed and require every
// property, pointers are nullable, named types in choices are limited to their names,
// and bounds belong into descriptions. The struct must have no omitempty, which would
// make a property optional, and no map, which would leave an object open.
func schemaOf[Args any](choices map[reflect.Type][]string) (*jsonschema.Schema, json.RawMessage) {
	options := &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{}}
	for named, names := range choices {
		options.TypeSchemas[named] = EnumSchema(names)
	}
	inferred, err := jsonschema.For[Args](options)
	if err != nil {
		panic("modules: no schema for an argument type: " + err.Error())
	}
	if len(inferred.Properties) == 0 {
		return inferred, json.RawMessage(noArguments)
	}
	for _, name := range inferred.PropertyOrder {
		// Inference leaves null out of the names of a nullable choice.
		if property := inferred.Properties[name]; len(property.Enum) > 0 && slices.Contains(property.Types, "null") {
			property.Enum = append(property.Enum, nil)
		}
	}
	return inferred, llmclient.Marshal(inferred)
}

// EnumSchema returns the schema of a text that is one of the names.
func EnumSchema(names []string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, name := range names {
		s.Enum = append(s.Enum, name)
	}
	return s
}
