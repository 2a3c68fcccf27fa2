package toolserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/llmclient"
)

// shape is how a value in our form becomes one of the server's: names are the server's again, and what may be
// left out and is null is left out. A nil shape is a value that stays as it is.
type shape struct {
	fields map[string]field
	items  *shape
}

type field struct {
	theirs   string
	optional bool
	shape    *shape
}

// restored is a value as the server wants it.
func (s *shape) restored(v any) any {
	switch of := v.(type) {
	case []any:
		if s == nil || s.items == nil {
			return v
		}
		list := make([]any, len(of))
		for i, item := range of {
			list[i] = s.items.restored(item)
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for name, value := range of {
			f := s.fields[name]
			if value != nil || !f.optional {
				object[f.theirs] = f.shape.restored(value)
			}
		}
		return object
	}
	return v
}

// depthMax bounds how deep the arguments of a tool are nested, fieldsMax the members of one object.
const (
	depthMax  = 4
	fieldsMax = 32
)

// strictOf reduces the parameters of a tool to a strict schema: names, types, bounds, and choices that are
// names. No other word of the server's is left. A member that cannot be kept is left out if it may be absent;
// otherwise the error says what it is.
func strictOf(parameters any) (*jsonschema.Schema, *shape, error) {
	var theirs jsonschema.Schema
	if err := json.Unmarshal(llmclient.Marshal(parameters), &theirs); err != nil {
		return nil, nil, errors.New("its parameters are no JSON Schema")
	}
	if theirs.Type == "" && len(theirs.Types) == 0 {
		theirs.Type = "object"
	}
	s, way, err := reduced(&theirs, depthMax)
	if err != nil {
		return nil, nil, err
	}
	if s.Type != "object" {
		return nil, nil, errors.New("its parameters are no object")
	}
	return s, way, nil
}

// reduced is one schema in strict form, with the way back.
func reduced(theirs *jsonschema.Schema, depth int) (*jsonschema.Schema, *shape, error) {
	kind, nullable, theirs, err := kindOf(theirs)
	if err != nil {
		return nil, nil, err
	}
	if depth == 0 {
		return nil, nil, errors.New("its arguments are nested too deep")
	}
	s := &jsonschema.Schema{Type: kind}
	var way *shape
	switch kind {
	case "object":
		s, way, err = reducedObject(theirs, depth)
	case "array":
		if theirs.Items == nil {
			return nil, nil, errors.New("a list of its arguments says nothing about the elements")
		}
		way = &shape{}
		s.Items, way.items, err = reduced(theirs.Items, depth-1)
		s.MinItems, s.MaxItems = items(theirs.MinItems, theirs.MaxItems)
	case "string":
		s.Enum = choices(theirs.Enum)
		s.Description = bounds("characters ", whole(theirs.MinLength), whole(theirs.MaxLength))
	case "integer", "number":
		s.Description = bounds("", theirs.Minimum, theirs.Maximum)
	}
	if err == nil && nullable {
		s.Type, s.Types = "", []string{kind, "null"}
		if s.Enum != nil {
			s.Enum = append(s.Enum, nil)
		}
	}
	return s, way, err
}

// kindOf is the one type that a schema has, and whether it may be null. of is the schema that says more of it.
func kindOf(theirs *jsonschema.Schema) (kind string, nullable bool, of *jsonschema.Schema, err error) {
	branches := theirs.AnyOf
	if len(branches) == 0 {
		branches = theirs.OneOf
	}
	isNull := func(s *jsonschema.Schema) bool { return s.Type == "null" }
	if len(branches) > 0 {
		kept := slices.DeleteFunc(slices.Clone(branches), isNull)
		if len(kept) != 1 {
			return "", false, nil, errors.New("one of its arguments may be of several kinds")
		}
		kind, nullable, of, err = kindOf(kept[0])
		return kind, nullable || len(kept) < len(branches), of, err
	}
	types := theirs.Types
	if theirs.Type != "" {
		types = []string{theirs.Type}
	}
	kept := slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == "null" })
	known := []string{"object", "array", "string", "integer", "number", "boolean"}
	if len(kept) != 1 || !slices.Contains(known, kept[0]) {
		return "", false, nil, errors.New("one of its arguments says no type, or several")
	}
	return kept[0], len(kept) < len(types), theirs, nil
}

// reducedObject is an object in strict form: closed, with all members required.
func reducedObject(theirs *jsonschema.Schema, depth int) (*jsonschema.Schema, *shape, error) {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, Required: []string{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	way := &shape{fields: map[string]field{}}
	for _, name := range slices.Sorted(maps.Keys(theirs.Properties)) {
		required := slices.Contains(theirs.Required, name)
		ours, ok := nameOf(name)
		property, inner, err := reduced(theirs.Properties[name], depth-1)
		if !ok || way.fields[ours].theirs != "" {
			err = fmt.Errorf("the name of an argument does not fit, or is there twice")
		}
		switch {
		case err != nil && required:
			return nil, nil, err
		case err != nil:
			continue
		case !required && property.Type != "":
			property.Types, property.Type = []string{property.Type, "null"}, ""
			if property.Enum != nil {
				property.Enum = append(property.Enum, nil)
			}
		}
		s.Properties[ours] = property
		s.Required = append(s.Required, ours)
		s.PropertyOrder = append(s.PropertyOrder, ours)
		way.fields[ours] = field{theirs: name, optional: !required, shape: inner}
	}
	for _, name := range theirs.Required {
		if theirs.Properties[name] == nil {
			return nil, nil, errors.New("an argument that it needs is not described")
		}
	}
	if len(s.Properties) > fieldsMax {
		return nil, nil, fmt.Errorf("it has more than %d arguments", fieldsMax)
	}
	return s, way, nil
}

// items are the bounds of the length of a list, nil unless they can be kept: a schema that makes no sense would
// have a provider refuse every call.
func items(least, most *int) (*int, *int) {
	if least != nil && *least < 0 || most != nil && *most < 0 {
		return nil, nil
	}
	if least != nil && most != nil && *least > *most {
		return nil, nil
	}
	return least, most
}

// choicesMax bounds a closed set of an argument.
const choicesMax = 100

// choices are the values of a closed set, each once, nil unless they are few and each of them is a name.
func choices(values []any) (names []any) {
	if len(values) > choicesMax {
		return nil
	}
	for _, v := range values {
		name, is := v.(string)
		if !is || !nameForm.MatchString(name) {
			return nil
		}
		if !slices.Contains(names, v) {
			names = append(names, name)
		}
	}
	return names[:len(names):len(names)]
}

func whole(n *int) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}

// bounds are numbers as a description: in our words, which are the same in all languages.
func bounds(of string, least, most *float64) string {
	var parts []string
	if least != nil {
		parts = append(parts, fmt.Sprintf("%s>= %v", of, *least))
	}
	if most != nil {
		parts = append(parts, fmt.Sprintf("%s<= %v", of, *most))
	}
	return strings.Join(parts, ", ")
}
