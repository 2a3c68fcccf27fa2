package modules

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/agentworld/llmclient"
)

// Bounds of a raw argument text. Nothing a model means to say comes near them;
// they keep a flood of brackets or digits from costing time and stack.
const (
	argumentsBytesMax = 64 << 10
	argumentsDepthMax = 16
)

// value is one JSON value that keeps the order of its fields and the digits of
// its numbers. Decoding into Go's own types would lose both: an amount beyond 2^53
// would be rounded and one beyond the float range refused, where the contract is
// that it saturates.
type value struct {
	kind valueKind
	// text is a string's content, a number's literal, or true or false.
	text   string
	fields []field
	items  []value
}

// field is one member of an object. No two fields of an object share a name.
type field struct {
	name  string
	value value
}

// valueKind is a JSON type, named as in a schema.
type valueKind string

// The JSON types. A number is not further told apart: whether it is an integer
// depends on its digits, see [floor].
const (
	kindNull    valueKind = "null"
	kindBoolean valueKind = "boolean"
	kindNumber  valueKind = "number"
	kindString  valueKind = "string"
	kindArray   valueKind = "array"
	kindObject  valueKind = "object"
)

// describe names the value for an [ArgumentError]: the type, with the digits of a
// short number and the length of a string. The text of a string never appears: it
// may be another agent's words that the model repeated.
func (v value) describe() string {
	switch {
	case v.kind == kindNumber && len(v.text) <= 24:
		return "the number " + v.text
	case v.kind == kindString:
		return fmt.Sprintf("a string of %d characters", utf8.RuneCountInString(v.text))
	case v.kind == kindNull:
		return "null"
	case v.kind == kindArray || v.kind == kindObject:
		return "an " + string(v.kind)
	}
	return "a " + string(v.kind)
}

// field returns the value of a field, a null one when it is absent.
func (v value) field(name string) value {
	for _, f := range v.fields {
		if f.name == name {
			return f.value
		}
	}
	return value{kind: kindNull}
}

// parseArguments reads a model's argument text: one JSON value within the bounds,
// or one object with the mistakes that [ReadObject] forgives.
func parseArguments(raw []byte) (v value, used []Leniency, fault *ArgumentError) {
	if len(raw) > argumentsBytesMax {
		return value{}, nil, &ArgumentError{
			Expected: fmt.Sprintf("at most %d bytes", argumentsBytesMax), Got: fmt.Sprintf("%d bytes", len(raw)), NotJSON: true,
		}
	}
	v, used, fault = parseOnce(string(raw))
	if fault == nil && v.kind == kindString && strings.ContainsAny(v.text, "{[") {
		inner, more, wrong := parseOnce(v.text)
		return inner, append(append(used, DoubleEncoded), more...), wrong
	}
	return v, used, fault
}

// parseOnce reads a text as one value, or else looks for the one object in it. A
// single word is no value: a sentence of one word is prose all the same.
func parseOnce(text string) (value, []Leniency, *ArgumentError) {
	r := newReader(text, argumentsDepthMax)
	v := r.value(1)
	whole := r.state == readWhole && r.next() == 0
	switch {
	case r.state == readDeep:
		return value{}, nil, &ArgumentError{
			Expected: fmt.Sprintf("at most %d levels of nesting", argumentsDepthMax), Got: "more levels", NotJSON: true,
		}
	case whole && v.kind == kindArray && !isListOfOne(v):
		return v, r.used, nil
	case whole && v.kind != kindArray && (v.kind == kindObject || !slices.Contains(r.used, UnquotedText)):
		return v, r.used, nil
	}
	return searched(text)
}

// isListOfOne reports a list whose only element is an object.
func isListOfOne(v value) bool { return len(v.items) == 1 && v.items[0].kind == kindObject }

// parseOwn reads JSON that this program made, without bounds.
func parseOwn(raw []byte) value {
	r := newReader(string(raw), math.MaxInt)
	v := r.value(1)
	if r.state != readWhole {
		panic("modules: JSON of this program cannot be read")
	}
	return v
}

// json returns the value's compact encoding.
func (v value) json() json.RawMessage { return v.append(nil) }

// append adds the value's encoding to out.
func (v value) append(out []byte) []byte {
	switch v.kind {
	case kindObject:
		out = append(out, '{')
		for i, f := range v.fields {
			out = append(separated(out, i), llmclient.Marshal(f.name)...)
			out = f.value.append(append(out, ':'))
		}
		return append(out, '}')
	case kindArray:
		out = append(out, '[')
		for i, item := range v.items {
			out = item.append(separated(out, i))
		}
		return append(out, ']')
	case kindString:
		return append(out, llmclient.Marshal(v.text)...)
	case kindNull:
		return append(out, "null"...)
	}
	return append(out, v.text...)
}

// separated adds the comma that goes before every element but the first.
func separated(out []byte, i int) []byte {
	if i > 0 {
		return append(out, ',')
	}
	return out
}
