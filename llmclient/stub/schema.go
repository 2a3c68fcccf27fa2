package stub

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/llmclient"
)

// schema is the part of JSON Schema that the parameters of tools use: types, unions,
// enumerations and bounds. Everything else reads as absent, references too. It was
// written by somebody else, and the worst that an odd one may cause is an odd argument.
type schema struct {
	Type       types              `json:"type"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Items      *schema            `json:"items"`
	Enum       []any              `json:"enum"`
	AnyOf      []*schema          `json:"anyOf"`
	OneOf      []*schema          `json:"oneOf"`
	Minimum    *float64           `json:"minimum"`
	Maximum    *float64           `json:"maximum"`
	MinItems   int                `json:"minItems"`
	MaxItems   *int               `json:"maxItems"`
	MaxLength  *int               `json:"maxLength"`
	// More says whether an object may have other properties.
	More json.RawMessage `json:"additionalProperties"`
}

// types is one type or a list of them.
type types []string

// UnmarshalJSON implements [json.Unmarshaler]. What is neither reads as no type.
func (t *types) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*t = types{one}
		return nil
	}
	var list []string
	_ = json.Unmarshal(raw, &list)
	*t = list
	return nil
}

// object is a JSON object, as decoded with numbers kept as written.
type object = map[string]any

// decode reads JSON with numbers kept as written: an amount beyond 2^53 that went
// through a float would come back as another amount.
func decode(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(v)
}

// parseSchema reads a tool's parameters. Keywords of an unexpected type are left out.
// What it returns must not be changed.
func parseSchema(parameters json.RawMessage) *schema { return schemas.read(parameters) }

// schemas are the parameters of tools.
var schemas = memo[*schema]{parse: func(raw []byte) *schema {
	s := &schema{}
	_ = json.Unmarshal(raw, s)
	return s
}}

// strictFault says what of a schema strict mode refuses, empty for nothing: every object
// lists all its properties as required and has no others.
func (s *schema) strictFault() (fault string) {
	if s == nil {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(s.Required, name) {
			return "'required' is required to be supplied and to be an array including every key in properties. Missing '" +
				name + "'."
		}
		fault = cmp.Or(fault, s.Properties[name].strictFault())
	}
	if s.kind() == "object" && string(s.More) != "false" {
		return "'additionalProperties' is required to be supplied and to be false."
	}
	for _, part := range append(slices.Clip(s.AnyOf), s.Items) {
		fault = cmp.Or(fault, part.strictFault())
	}
	return fault
}

// arguments completes values for a tool: it keeps those that have a place in the
// schema, writes null where a property does not apply, and the emptiest permitted value
// where null is not permitted either. Parameters that are no object leave values as
// they are.
//
// Strict function tools require every property, so a flat action carries every
// parameter of every action. Which these are is the request's to say: the policy
// names the few it means and the schema adds the rest.
func (s *schema) arguments(values object) object {
	filled, ok := s.fill(values).(object)
	if !ok {
		return values
	}
	return filled
}

// fill returns v made to fit s; a nil v is a value that was not given.
func (s *schema) fill(v any) any {
	s, nullable := s.choose(v)
	if v == nil && nullable {
		return nil
	}
	switch s.kind() {
	case "object":
		values, _ := v.(object)
		return s.fillObject(values)
	case "array":
		values, _ := v.([]any)
		return s.fillArray(values)
	case "string":
		return s.fillString(v)
	case "integer", "number":
		// An amount out of bounds is for the world to clamp or refuse.
		switch v.(type) {
		case json.Number, int64, int:
			return v
		}
		return s.least()
	case "boolean":
		truth, _ := v.(bool)
		return truth
	}
	return v
}

// fillObject completes an object. A property is written when a value was given,
// when it may be null, and when it is required; given values that are no property
// go. Without declared properties everything stays.
func (s *schema) fillObject(values object) object {
	out := object{}
	if s.Properties == nil && values != nil {
		return values
	}
	for name, property := range s.Properties {
		v, given := values[name]
		_, nullable := property.choose(nil)
		if given || nullable || slices.Contains(s.Required, name) {
			out[name] = property.fill(v)
		}
	}
	return out
}

// minItemsMost is how far a list is filled up, so that a hostile minItems costs nothing.
const minItemsMost = 16

// fillArray keeps the given elements up to the longest permitted length and fills
// up to the shortest.
func (s *schema) fillArray(values []any) []any {
	if s.MaxItems != nil {
		values = values[:min(len(values), max(0, *s.MaxItems))]
	}
	out := []any{}
	for _, v := range values {
		out = append(out, s.Items.fill(v))
	}
	for len(out) < min(s.MinItems, minItemsMost) {
		out = append(out, s.Items.fill(nil))
	}
	return out
}

// fillString returns the text, shortened where it is too long, and a structure as JSON. A
// text that a closed set does not hold becomes the set's first: the call is then valid,
// and if it is wrong the tool can say so.
func (s *schema) fillString(v any) any {
	text, _ := v.(string)
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, any(text)) {
		return s.Enum[max(0, slices.IndexFunc(s.Enum, func(e any) bool { return e != nil }))]
	}
	switch v.(type) {
	case object, []any:
		text = string(llmclient.Marshal(v))
	}
	if s.MaxLength != nil && len(text) > *s.MaxLength {
		runes := []rune(text)
		return string(runes[:min(len(runes), max(0, *s.MaxLength))])
	}
	return text
}

// choose picks the alternative that suits v, the first one that is not null when none
// does. nullable says whether null fits as well.
func (s *schema) choose(v any) (chosen *schema, nullable bool) {
	if s == nil {
		return &schema{}, false
	}
	options := append(slices.Clip(s.AnyOf), s.OneOf...)
	if len(options) == 0 {
		return s, slices.Contains(s.Type, "null")
	}
	var best *schema
	for _, o := range options {
		o, null := o.choose(v)
		nullable = nullable || null
		if o.kind() != "null" && (best == nil || o.suits(v) && !best.suits(v)) {
			best = o
		}
	}
	if best == nil {
		return &schema{}, nullable
	}
	return best, nullable
}

// kind is the first type of a schema that is not null, "null" when that is the only
// one, and "" when the schema does not say.
func (s *schema) kind() string {
	for _, name := range s.Type {
		if name != "null" {
			return name
		}
	}
	switch {
	case len(s.Type) > 0:
		return "null"
	case s.Properties != nil:
		return "object"
	case s.Items != nil:
		return "array"
	case s.Enum != nil:
		return "string"
	}
	return ""
}

// suits reports whether v has the type a schema wants. Only the kinds of values the
// policy makes are known; whether the content fits is not looked at.
func (s *schema) suits(v any) bool {
	kind := s.kind()
	switch v.(type) {
	case object:
		return kind == "object"
	case []any:
		return kind == "array"
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	case json.Number, int64, int:
		return kind == "integer" || kind == "number"
	}
	return false
}

// least is the emptiest number that the schema takes: its minimum, without one 0, or the
// maximum if that is less.
func (s *schema) least() any {
	n := 0.0
	if s.Minimum != nil {
		n = *s.Minimum
	}
	if s.Maximum != nil {
		n = min(n, *s.Maximum)
	}
	if s.kind() == "number" && n != math.Trunc(n) {
		return n
	}
	return int64(math.Ceil(n))
}

// holds reports whether a number as it is written is one that the schema takes.
func (s *schema) holds(number string) bool {
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return false
	}
	if s.Minimum != nil && n < *s.Minimum || s.Maximum != nil && n > *s.Maximum {
		return false
	}
	return s.kind() == "number" || n == math.Trunc(n) && !strings.Contains(number, ".")
}

// inside returns the schema of a property, alternatives aside.
func (s *schema) inside(property string) *schema {
	chosen, _ := s.Properties[property].choose(nil)
	return chosen
}

// item returns the schema of a list's elements, alternatives aside.
func (s *schema) item() *schema {
	chosen, _ := s.Items.choose(nil)
	return chosen
}

// listed returns the values of a string enumeration.
func (s *schema) listed() []string {
	var out []string
	for _, v := range s.Enum {
		if name, ok := v.(string); ok {
			out = append(out, name)
		}
	}
	return out
}
