package modules

import (
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// SchemaOf returns the schema of an argument struct. It stays in the subset that strict
// function tools allow: objects are closed and require every property, pointers are
// nullable, and bounds belong into descriptions. Properties with the names in given have
// those schemas, at any depth; a nullable choice may be null as well. The struct must have
// no omitempty, which would make a property optional, and no map but in given properties,
// which would leave an object open.
func SchemaOf[Args any](given map[string]*jsonschema.Schema) *jsonschema.Schema {
	inferred, err := jsonschema.For[Args](nil)
	if err != nil {
		panic("modules: no schema for an argument type: " + err.Error())
	}
	return strict(inferred, given)
}

func strict(s *jsonschema.Schema, given map[string]*jsonschema.Schema) *jsonschema.Schema {
	if s.Items != nil {
		return &jsonschema.Schema{Type: "array", Items: strict(s.Items, given)}
	}
	for name, property := range s.Properties {
		replaced, ok := given[name]
		switch {
		case !ok:
			replaced = strict(property, given)
		case len(replaced.Enum) > 0 && slices.Contains(property.Types, "null"):
			replaced = &jsonschema.Schema{Types: property.Types, Enum: append(slices.Clone(replaced.Enum), nil)}
		}
		s.Properties[name] = replaced
	}
	return s
}

// EnumSchema returns the schema of a text that is one of the names.
func EnumSchema(names []string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, name := range names {
		s.Enum = append(s.Enum, name)
	}
	return s
}
