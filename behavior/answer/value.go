package answer

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/agentworld/llmclient"
)

// Value is one JSON value that keeps the order of its fields and the digits of its
// numbers. Go's own types would lose both: an amount beyond 2^53 would be rounded
// and one beyond the float range refused, but the contract is that it saturates.
type Value struct {
	Kind Kind
	// Text is a string's content, a number's literal, or true or false.
	Text string
	// Fields are the members of an object. No two of them share a name.
	Fields []Field
	// Items are the elements of an array.
	Items []Value
}

// Field is one member of an object.
type Field struct {
	Name  string
	Value Value
}

// Kind is a JSON type, named as in a schema; empty for a value that is absent.
type Kind string

// The JSON types. Whether a number is an integer depends on its digits, see [floor].
const (
	Null    Kind = "null"
	Boolean Kind = "boolean"
	Number  Kind = "number"
	String  Kind = "string"
	Array   Kind = "array"
	Object  Kind = "object"
)

// Parse reads JSON that this program made. It has no bounds and panics on anything else.
func Parse(raw []byte) Value {
	r := reader{text: string(raw), depthMax: math.MaxInt}
	v := r.value(1)
	if r.state != readWhole {
		panic("answer: JSON of this program cannot be read")
	}
	return v
}

func objectOf(fields ...Field) Value { return Value{Kind: Object, Fields: fields} }

func stringOf(s string) Value { return Value{Kind: String, Text: s} }

func arrayOf(items ...Value) Value { return Value{Kind: Array, Items: items} }

// Field returns the value of a field, a null one when it is absent.
func (v Value) Field(name string) Value {
	if i := v.index(name); i >= 0 {
		return v.Fields[i].Value
	}
	return Value{Kind: Null}
}

// has reports whether an object has a field, even if it is null.
func (v Value) has(name string) bool { return v.index(name) >= 0 }

// gives reports whether an object has a field that is not null.
func (v Value) gives(name string) bool { return v.Field(name).Kind != Null }

func (v *Value) index(name string) int {
	for i := range v.Fields {
		if v.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

// textOf returns a field that is a string, "" for any other.
func (v Value) textOf(name string) string {
	if f := v.Field(name); f.Kind == String {
		return f.Text
	}
	return ""
}

// set gives a field a value, in place where it has one. The fields of v are not shared
// with the value it was called on.
func (v *Value) set(name string, to Value) {
	v.Fields = slices.Clone(v.Fields)
	if i := v.index(name); i >= 0 {
		v.Fields[i].Value = to
	} else {
		v.Fields = append(v.Fields, Field{name, to})
	}
}

func (v Value) without(name string) Value {
	if !v.has(name) {
		return v
	}
	v.Fields = slices.DeleteFunc(slices.Clone(v.Fields), func(f Field) bool { return f.Name == name })
	return v
}

// sorted returns an object with its fields in the order of their names.
func (v Value) sorted() Value {
	byName := func(a, b Field) int { return strings.Compare(a.Name, b.Name) }
	if !slices.IsSortedFunc(v.Fields, byName) {
		v.Fields = slices.Clone(v.Fields)
		slices.SortFunc(v.Fields, byName)
	}
	return v
}

// equal reports whether two values are written alike.
func (v Value) equal(o Value) bool { return string(v.JSON()) == string(o.JSON()) }

// isNothing reports whether a value is what models write in place of null.
func (v Value) isNothing() bool {
	switch v.Kind {
	case String:
		return v.isNullText() || slices.Contains([]string{"never", "no", "false", "once"},
			strings.ToLower(strings.TrimSpace(v.Text)))
	case Boolean:
		return v.Text == "false"
	case Array:
		return len(v.Items) == 0
	}
	return v.Kind == Null || v.Kind == Object &&
		!slices.ContainsFunc(v.Fields, func(f Field) bool { return !f.Value.isNothing() })
}

// isNullText reports whether a value is a text for null.
func (v Value) isNullText() bool {
	return v.Kind == String && slices.Contains([]string{"", "null", "none", "nil", "n/a"},
		strings.ToLower(strings.TrimSpace(v.Text)))
}

// describe names the value for an [ArgumentError]: the type, with the digits of a
// short number and the length of a string. The text of a string never appears: it
// may be another agent's words that the model repeated.
func (v Value) describe() Phrase {
	switch {
	case v.Kind == Number && len(v.Text) <= 24:
		return say("the number {number}", v.Text)
	case v.Kind == String:
		return say("a string of {count} characters", utf8.RuneCountInString(v.Text))
	case v.Kind == Null:
		return say("null")
	case v.Kind == Array || v.Kind == Object:
		return say("an " + string(v.Kind))
	}
	return say("a " + string(v.Kind))
}

// JSON returns the value's compact encoding.
func (v Value) JSON() json.RawMessage { return v.append(nil) }

func (v Value) append(out []byte) []byte {
	switch v.Kind {
	case Object:
		out = append(out, '{')
		for i, f := range v.Fields {
			out = llmclient.AppendText(separated(out, i), f.Name)
			out = f.Value.append(append(out, ':'))
		}
		return append(out, '}')
	case Array:
		out = append(out, '[')
		for i, item := range v.Items {
			out = item.append(separated(out, i))
		}
		return append(out, ']')
	case String:
		return llmclient.AppendText(out, v.Text)
	case Number, Boolean:
		return append(out, v.Text...)
	}
	return append(out, "null"...)
}

// separated adds the comma that goes before every element but the first.
func separated(out []byte, i int) []byte {
	if i > 0 {
		return append(out, ',')
	}
	return out
}

// isNumber reports whether literal is a number by the grammar of JSON, which
// leaves out NaN, Infinity, hexadecimal digits, signs of plus and thousands marks.
func isNumber(literal string) bool {
	return literal != "" && strings.ContainsRune("-0123456789", rune(literal[0])) && json.Valid([]byte(literal))
}

// dottedThousands matches what may be marks of thousands or a fraction.
var dottedThousands = regexp.MustCompile(`^-?[1-9]\d{0,2}(?:\.\d{3})+$`)

// integer reads an amount: any JSON number, or a string or list that holds one. A number of any
// size becomes the nearest int64, because the world clamps amounts and reports it to the agent. A
// fraction is rounded down. A string such as "4.000" is no number: to many writers it is 4000.
func (v Value) integer() (n int64, used []Repair, ok bool) {
	if len(v.Items) == 1 {
		n, used, ok = v.Items[0].integer()
		return n, append(used, ListOfOne), ok
	}
	literal := v.Text
	if v.Kind == String {
		literal = strings.TrimSpace(literal)
		used = append(used, NumberFromString)
	}
	if v.Kind != Number && v.Kind != String || !isNumber(literal) || v.Kind == String &&
		dottedThousands.MatchString(literal) {
		return 0, nil, false
	}
	n, exact := floor(literal)
	if !exact {
		used = append(used, FractionDropped)
	}
	return n, used, true
}

// floor returns the largest int64 that is not above a JSON number, the nearest one for
// a number out of range, and whether nothing was lost but range.
func floor(literal string) (n int64, exact bool) {
	if n, err := strconv.ParseInt(literal, 10, 64); err == nil {
		return n, true
	}
	mantissa, exponent := literal, "0"
	if i := strings.IndexAny(literal, "eE"); i >= 0 {
		mantissa, exponent = literal[:i], literal[i+1:]
	}
	// Beyond this bound the digits cannot balance an exponent, and it costs memory.
	bound := len(mantissa) + 20
	e, err := strconv.Atoi(exponent)
	if err != nil {
		e = bound
		if exponent[0] == '-' {
			e = -bound
		}
	}
	exactly, _ := new(big.Rat).SetString(fmt.Sprintf("%se%d", mantissa, min(max(e, -bound), bound)))
	whole := new(big.Int).Div(exactly.Num(), exactly.Denom())
	switch {
	case whole.IsInt64():
		return whole.Int64(), exactly.IsInt()
	case whole.Sign() < 0:
		return math.MinInt64, exactly.IsInt()
	}
	return math.MaxInt64, exactly.IsInt()
}

// WithoutFields returns a raw object without some fields. What cannot be read as an object stays as it is.
func WithoutFields(raw string, names []string) string {
	o, _, fault := read(raw)
	if fault != nil || o.Kind != Object || len(names) == 0 {
		return raw
	}
	for _, name := range names {
		o = o.without(name)
	}
	return string(o.JSON())
}
