package scripted

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
)

// Bounds on walking a schema, which comes from outside and may refer to itself.
const (
	schemaNodesMax = 10_000
	schemaRefsMax  = 16
)

// schema is a JSON Schema object, and object a JSON object; both as decoded with
// numbers kept as written.
type (
	schema = map[string]any
	object = map[string]any
)

// filler completes arguments by a tool's parameter schema: it keeps the values
// that have a place in the schema, writes null where a property does not apply,
// and the emptiest permitted value where null is not permitted either.
type filler struct {
	root schema
	// nodes counts the values filled in; past schemaNodesMax the rest is null.
	nodes int
}

// newFiller returns a filler for a tool's parameters. Parameters that are no
// object leave values as they are.
func newFiller(parameters json.RawMessage) *filler {
	var root schema
	_ = decode(parameters, &root)
	return &filler{root: root}
}

// decode reads JSON with numbers kept as written.
func decode(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(v)
}

// arguments returns values completed for the whole schema.
func (f *filler) arguments(values object) object {
	filled, ok := f.fill(f.root, values).(object)
	if !ok {
		return values
	}
	return filled
}

// fill returns v made to fit s.
func (f *filler) fill(s schema, v any) any {
	s, nullable := f.choose(s, v)
	if f.nodes++; v == nil && nullable || f.nodes > schemaNodesMax {
		return nil
	}
	switch kind := schemaType(s); kind {
	case "object":
		values, _ := v.(object)
		return f.fillObject(s, values)
	case "array":
		values, _ := v.([]any)
		return f.fillArray(s, values)
	case "string":
		return fillString(s, v)
	case "integer", "number":
		return fillNumber(s, v)
	case "boolean":
		truth, _ := v.(bool)
		return truth
	}
	return v
}

// fillObject completes an object. Without declared properties everything stays.
func (f *filler) fillObject(s schema, values object) object {
	properties, _ := s["properties"].(object)
	if len(properties) == 0 {
		if values == nil {
			return object{}
		}
		return values
	}
	required, _ := s["required"].([]any)
	out := object{}
	for name, property := range properties {
		inner, _ := property.(schema)
		v, given := values[name]
		_, nullable := f.choose(inner, nil)
		if given || nullable || slices.Contains(required, any(name)) {
			out[name] = f.fill(inner, v)
		}
	}
	return out
}

func (f *filler) fillArray(s schema, values []any) []any {
	items, _ := s["items"].(schema)
	out := []any{}
	for _, v := range values[:min(len(values), max(0, bound(s, "maxItems", math.MaxInt32)))] {
		out = append(out, f.fill(items, v))
	}
	// A list too long to be meant seriously is left short, so that a hostile
	// minItems costs nothing.
	for len(out) < min(bound(s, "minItems", 0), schemaRefsMax) {
		out = append(out, f.fill(items, nil))
	}
	return out
}

func fillString(s schema, v any) any {
	text, ok := v.(string)
	if enum, _ := s["enum"].([]any); len(enum) > 0 && !slices.Contains(enum, any(text)) {
		return firstNonNull(enum)
	}
	if constant, fixed := s["const"]; fixed {
		return constant
	}
	if !ok {
		return ""
	}
	if most := max(0, bound(s, "maxLength", math.MaxInt32)); len(text) > most {
		runes := []rune(text)
		return string(runes[:min(len(runes), most)])
	}
	return text
}

func fillNumber(s schema, v any) any {
	switch v.(type) {
	case json.Number, int64, int:
		return v
	}
	return bound(s, "minimum", 0)
}

func firstNonNull(list []any) any {
	for _, v := range list {
		if v != nil {
			return v
		}
	}
	return nil
}

// bound reads an integer keyword of a schema.
func bound(s schema, keyword string, absent int) int {
	n, ok := s[keyword].(json.Number)
	if !ok {
		return absent
	}
	value, err := n.Int64()
	if err != nil || value < math.MinInt32 || value > math.MaxInt32 {
		return absent
	}
	return int(value)
}

// choose follows references and picks the alternative that suits v, the first one
// that is not null when none does. nullable says whether null fits as well.
func (f *filler) choose(s schema, v any) (chosen schema, nullable bool) {
	for range schemaRefsMax {
		s = f.target(s)
		options, isUnion := s["anyOf"].([]any)
		if !isUnion {
			options, isUnion = s["oneOf"].([]any)
		}
		if !isUnion {
			return s, nullable || allowsNull(s)
		}
		s = nil
		for _, o := range options {
			option, _ := o.(schema)
			option = f.target(option)
			switch {
			case schemaType(option) == "null":
				nullable = true
			case s == nil || suits(option, v) && !suits(s, v):
				s = option
			}
		}
	}
	return s, nullable
}

// target follows $ref within the document; a reference that leads nowhere reads as
// a schema without conditions.
func (f *filler) target(s schema) schema {
	for range schemaRefsMax {
		ref, ok := s["$ref"].(string)
		if !ok {
			return s
		}
		s = f.at(ref)
	}
	return nil
}

// at resolves a reference of the form "#/$defs/name".
func (f *filler) at(ref string) schema {
	path, local := strings.CutPrefix(ref, "#")
	if !local {
		return nil
	}
	s := f.root
	for part := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if part == "" {
			continue
		}
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		s, _ = s[part].(schema)
	}
	return s
}

// allowsNull reports whether a schema without alternatives takes null.
func allowsNull(s schema) bool {
	if list, ok := s["type"].([]any); ok {
		return slices.Contains(list, any("null"))
	}
	return s["type"] == "null"
}

// schemaType returns the first type of a schema that is not null, "null" when that
// is the only one, and "" when the schema does not say.
func schemaType(s schema) string {
	switch declared := s["type"].(type) {
	case string:
		return declared
	case []any:
		for _, one := range declared {
			if name, ok := one.(string); ok && name != "null" {
				return name
			}
		}
		return "null"
	}
	switch {
	case s["properties"] != nil:
		return "object"
	case s["items"] != nil:
		return "array"
	case s["enum"] != nil:
		return "string"
	}
	return ""
}

// suits reports whether v has the type a schema wants.
func suits(s schema, v any) bool {
	switch v.(type) {
	case object:
		return schemaType(s) == "object"
	case []any:
		return schemaType(s) == "array"
	case string:
		return schemaType(s) == "string"
	case bool:
		return schemaType(s) == "boolean"
	case json.Number, int64, int:
		return schemaType(s) == "integer" || schemaType(s) == "number"
	}
	return false
}
