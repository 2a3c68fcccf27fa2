package stub

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"sync"

	"example.com/agentworld/llmclient"
)

// Bounds on walking a schema, which comes from outside and may refer to itself.
const (
	// schemaNodesMax bounds the values filled in for one call. A schema of a few
	// lines can describe a tree without end.
	schemaNodesMax = 10_000
	// schemaRefsMax bounds how many references are followed in a row, and how many
	// elements a list is filled up with.
	schemaRefsMax = 16
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
//
// Strict function tools require every property, so a flat action carries every
// parameter of every action. Which these are is the request's to say: the policy
// names the few it means and the filler adds the rest. One filler serves one call.
type filler struct {
	root schema
	// nodes counts the values filled in; past schemaNodesMax the rest is null.
	nodes int
}

// newFiller returns a filler for a tool's parameters. Parameters that are no
// object leave values as they are.
func newFiller(parameters json.RawMessage) *filler {
	schemas.Lock()
	defer schemas.Unlock()
	root, known := schemas.read[string(parameters)]
	if !known {
		_ = decode(parameters, &root)
		if len(schemas.read) >= schemasMax {
			clear(schemas.read)
		}
		schemas.read[string(parameters)] = root
	}
	return &filler{root: root}
}

// schemas are parameters that were read before: the tools of a client are the same in
// all its requests. Nothing changes a schema that was read.
var schemas = struct {
	sync.Mutex
	read map[string]schema
}{read: map[string]schema{}}

// schemasMax bounds the memory they take; a few clients have that many.
const schemasMax = 100

// decode reads JSON with numbers kept as written: an amount beyond 2^53 that went
// through a float would come back as another amount.
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

// fill returns v made to fit s; a nil v stands for a value that was not given.
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

// fillObject completes an object. A property is written when a value was given,
// when it may be null, and when it is required; given values that are no property
// go. Without declared properties everything stays.
func (f *filler) fillObject(s schema, values object) object {
	properties, declared := s["properties"].(object)
	if !declared {
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

// fillArray keeps the given elements up to the longest permitted length and fills
// up to the shortest.
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

// fillString returns the text, shortened where it is too long. A text that a closed
// set does not hold becomes the set's first: the call is then valid, and if it is
// wrong the tool can say so.
func fillString(s schema, v any) any {
	text, ok := v.(string)
	if enum, _ := s["enum"].([]any); len(enum) > 0 && !slices.Contains(enum, any(text)) {
		return firstNonNull(enum)
	}
	if constant, fixed := s["const"]; fixed {
		return constant
	}
	if !ok {
		text = asText(v)
	}
	if most := max(0, bound(s, "maxLength", math.MaxInt32)); len(text) > most {
		runes := []rune(text)
		return string(runes[:min(len(runes), most)])
	}
	return text
}

// asText writes a structure as JSON where a tool wants one as text; anything else
// that is not text is left empty.
func asText(v any) string {
	switch v.(type) {
	case object, []any:
		return string(llmclient.Marshal(v))
	}
	return ""
}

// fillNumber keeps a number as it is, bounds or not: an amount out of bounds is for
// the world to clamp or refuse.
func fillNumber(s schema, v any) any {
	switch v.(type) {
	case json.Number, int64, int:
		return v
	}
	return bound(s, "minimum", 0)
}

// firstNonNull returns the first value of an enumeration that says something.
func firstNonNull(list []any) any {
	for _, v := range list {
		if v != nil {
			return v
		}
	}
	return nil
}
