package answer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Conform reads the raw argument text of a call and returns it in the form that a
// strict schema asks for: integers within int64, absent nullable fields as null, fields
// in schema order, so that equal arguments have equal bytes however they were written.
// What cannot be brought into that form without guessing is an argument error, with all
// faults in schema order. Repairs are returned in both cases. textField names a
// string field that holds JSON text; the object itself is understood there as well.
func Conform(schema *jsonschema.Schema, textField, raw string) (json.RawMessage, []Repair, *ArgumentError) {
	c := conformer{textField: textField}
	v, fault := Value{Kind: Object}, (*ArgumentError)(nil)
	if strings.TrimSpace(raw) == "" {
		c.repairs = append(c.repairs, EmptyArguments)
	} else {
		v, c.repairs, fault = read(raw)
		if fault == nil && v.Kind != Object {
			// An empty object must not replace it: the model would be told that it left out what it
			// did send.
			fault = &ArgumentError{Expected: say("an object"), Got: v.describe(), NotObject: true}
		}
	}
	if fault == nil {
		v, fault = c.conform("", schema, v)
	}
	if fault != nil {
		return nil, c.repairs, fault
	}
	return v.JSON(), c.repairs, nil
}

// conformer walks a value along a schema and collects the repairs made.
type conformer struct {
	repairs   []Repair
	textField string
}

// conform brings v into the form of s. Integers come before the general type check because a
// string may hold one. Objects come before it because one may be sent as JSON text.
func (c *conformer) conform(path string, s *jsonschema.Schema, v Value) (Value, *ArgumentError) {
	types := typesOf(s)
	switch {
	case v.Kind == Null && slices.Contains(types, "null"):
		return v, nil
	case slices.Contains(types, "integer"):
		n, used, ok := v.integer()
		if !ok {
			return Value{}, mismatch(path, say("an integer"), v)
		}
		c.repairs = append(c.repairs, used...)
		return Value{Kind: Number, Text: fmt.Sprint(n)}, nil
	case v.Kind == Object && slices.Contains(types, "object"):
		// Objects are closed, and their required list names all fields. An absent one counts
		// as null where null is allowed.
		out, all := Value{Kind: Object}, closed(path, v, s.Required, nil)
		for _, name := range s.Required {
			property := s.Properties[name]
			fitted, fault := c.conform(below(path, name), property, v.Field(name))
			if fault != nil && !v.gives(name) {
				fault = missing(below(path, name), expectedTypes(property))
			}
			all = Faults(all, fault)
			out.Fields = append(out.Fields, Field{name, fitted})
		}
		return out, all
	case v.Kind == Array && slices.Contains(types, "array"):
		out := Value{Kind: Array}
		for i, item := range v.Items {
			fitted, fault := c.conform(fmt.Sprintf("%s[%d]", path, i), s.Items, item)
			if fault != nil {
				return Value{}, fault
			}
			out.Items = append(out.Items, fitted)
		}
		return out, nil
	case v.Kind == Object && path == c.textField && path != "":
		c.repairs = append(c.repairs, TextFromObject)
		return stringOf(string(v.JSON())), nil
	case !slices.Contains(types, string(v.Kind)):
		return Value{}, mismatch(path, expectedTypes(s), v)
	case v.Kind == String && s.Enum != nil && !slices.Contains(s.Enum, any(v.Text)):
		return Value{}, mismatch(path, expectedTypes(s), v)
	}
	return v, nil
}

// typesOf returns the types a schema allows, whichever of the two ways it was
// written in.
func typesOf(s *jsonschema.Schema) []string {
	if s.Type != "" {
		return []string{s.Type}
	}
	return s.Types
}

// expectedTypes describes what a schema accepts.
func expectedTypes(s *jsonschema.Schema) Phrase {
	if len(s.Enum) > 0 {
		var names []string
		for _, name := range s.Enum {
			if name == nil {
				name = "null"
			}
			names = append(names, fmt.Sprint(name))
		}
		return oneOf(names)
	}
	if types := typesOf(s); len(types) == 2 {
		return say("{first} or {second}", types[0], types[1])
	}
	return say("{name}", strings.Join(typesOf(s), " or "))
}
