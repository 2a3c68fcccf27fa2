package stub

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
)

// The part of JSON Schema that tool parameters use is read here: types, unions,
// enumerations, references within the document and length bounds. Everything else
// reads as absent. No function fails: the schema was written by somebody else, and
// the worst that an odd one may cause is an odd argument.

// bound reads an integer keyword of a schema, such as maxLength; absent is returned
// where the keyword is missing, is no integer, or is beyond any use.
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

// at resolves a reference of the form "#/$defs/name". References to other documents
// lead nowhere: this package fetches nothing.
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

// allowsNull reports whether a schema without alternatives takes null: it says
// "type": "null" or lists null among its types.
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

// suits reports whether v has the type a schema wants. Only the kinds of values the
// policy makes are known; whether the content fits is not looked at.
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
