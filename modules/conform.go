package modules

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Conform reads the raw argument text of a call and returns it in the form the
// schema asks for: integers within int64, absent nullable fields as null, fields
// in schema order. What cannot be brought into that form without guessing is an
// argument error, with the first fault in schema order. Leniencies are returned
// in both cases; after an error they tell how far reading came.
func (s *Schema) Conform(rawArgs string) (json.RawMessage, []Leniency, *ArgumentError) {
	c := conformer{textField: s.textField}
	read, fault := c.read(rawArgs)
	if fault != nil {
		return nil, c.leniencies, fault
	}
	if read.kind != kindObject {
		// An empty object must not stand in: the model would be told that it left out
		// what it did send.
		return nil, c.leniencies, &ArgumentError{Expected: "an object", Got: read.describe(), NotObject: true}
	}
	conformed, fault := c.conform("", s.root, read)
	if fault != nil {
		return nil, c.leniencies, fault
	}
	encoded := conformed.json()
	if !s.accepts(encoded) {
		// The walk above explains; the library decides. Where only the library
		// objects, there is no path to give.
		return nil, c.leniencies, &ArgumentError{Expected: "arguments that match the schema", Got: "others"}
	}
	return encoded, c.leniencies, nil
}

// accepts validates an encoded value.
func (s *Schema) accepts(encoded json.RawMessage) bool {
	var instance any
	if err := json.Unmarshal(encoded, &instance); err != nil {
		panic("modules: a conformed value is not JSON: " + err.Error())
	}
	return s.resolved.Validate(instance) == nil
}

// conformer walks a value along a schema and collects the leniencies used.
type conformer struct {
	repairs
	textField string
}

// read parses the argument text. Text that is not JSON stays an error: running a module on empty arguments
// instead would tell the model that it left out what it did send.
func (c *conformer) read(rawArgs string) (value, *ArgumentError) {
	if strings.TrimSpace(rawArgs) == "" {
		c.use(EmptyArguments)
		return value{kind: kindObject}, nil
	}
	v, used, fault := parseArguments([]byte(rawArgs))
	c.use(used...)
	return v, fault
}

// conform brings v into the form of s. Integers come before the general type
// check because a string may stand for one, objects before it because one may
// stand for JSON text.
func (c *conformer) conform(path string, s *jsonschema.Schema, v value) (value, *ArgumentError) {
	if len(s.AnyOf) > 0 {
		return c.anyOf(path, s.AnyOf, v)
	}
	types := typesOf(s)
	switch {
	case v.kind == kindNull && slices.Contains(types, "null"):
		return v, nil
	case slices.Contains(types, "integer"):
		return c.integer(path, v)
	case v.kind == kindObject && slices.Contains(types, "object"):
		return c.object(path, s, v)
	case v.kind == kindArray && slices.Contains(types, "array"):
		return c.array(path, s, v)
	case v.kind == kindObject && path == c.textField && path != "":
		c.use(TextFromObject)
		return value{kind: kindString, text: string(v.json())}, nil
	case !slices.Contains(types, string(v.kind)):
		return value{}, mismatch(path, expectedTypes(s), v)
	case v.kind == kindString && s.Enum != nil && !slices.Contains(s.Enum, any(v.text)):
		return value{}, mismatch(path, expectedTypes(s), v)
	}
	return v, nil
}

// anyOf takes the first alternative that fits and otherwise explains the last,
// which is the one with content: the first is null.
func (c *conformer) anyOf(path string, alternatives []*jsonschema.Schema, v value) (value, *ArgumentError) {
	var fault *ArgumentError
	for _, s := range alternatives {
		attempt := conformer{textField: c.textField}
		var fitted value
		if fitted, fault = attempt.conform(path, s, v); fault == nil {
			c.use(attempt.leniencies...)
			return fitted, nil
		}
	}
	return value{}, fault
}

// integer brings a number of any size and form into the range of int64, since a
// schema that says integer promises the handler no more than that.
func (c *conformer) integer(path string, v value) (value, *ArgumentError) {
	n, used, ok := asInteger(v)
	if !ok {
		return value{}, mismatch(path, "an integer", v)
	}
	c.use(used...)
	return value{kind: kindNumber, text: fmt.Sprint(n)}, nil
}

// object conforms the fields of a closed object and returns them in schema order,
// so that equal arguments have equal bytes however they were written.
func (c *conformer) object(path string, s *jsonschema.Schema, v value) (value, *ArgumentError) {
	names := propertyNames(s)
	for _, f := range v.fields {
		if !slices.Contains(names, f.name) {
			return value{}, unknownField(path, names)
		}
	}
	out := value{kind: kindObject}
	for _, name := range names {
		fitted, fault := c.property(below(path, name), s.Properties[name], v, name)
		if fault != nil {
			return value{}, fault
		}
		out.fields = append(out.fields, field{name, fitted})
	}
	return out, nil
}

// property conforms one field; an absent one counts as null where null is allowed.
func (c *conformer) property(path string, s *jsonschema.Schema, object value, name string) (value, *ArgumentError) {
	given := object.field(name)
	fitted, fault := c.conform(path, s, given)
	if fault != nil && given.kind == kindNull {
		return value{}, missing(path, expectedTypes(s))
	}
	return fitted, fault
}

// array conforms every item.
func (c *conformer) array(path string, s *jsonschema.Schema, v value) (value, *ArgumentError) {
	out := value{kind: kindArray}
	for i, item := range v.items {
		fitted, fault := c.conform(fmt.Sprintf("%s[%d]", path, i), s.Items, item)
		if fault != nil {
			return value{}, fault
		}
		out.items = append(out.items, fitted)
	}
	return out, nil
}

// propertyNames returns an object's property names in the order of its required
// list, which in a strict schema names them all.
func propertyNames(s *jsonschema.Schema) []string { return s.Required }

// expectedTypes describes what a schema accepts.
func expectedTypes(s *jsonschema.Schema) string {
	if len(s.Enum) > 0 {
		var names []string
		for _, name := range s.Enum {
			names = append(names, strings.Trim(fmt.Sprint(name), "<>"))
		}
		return strings.ReplaceAll(oneOf(names), "nil", "null")
	}
	if len(s.AnyOf) > 0 {
		return expectedTypes(s.AnyOf[len(s.AnyOf)-1])
	}
	return strings.Join(typesOf(s), " or ")
}
