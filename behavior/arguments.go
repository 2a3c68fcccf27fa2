package behavior

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/modules"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/world"
)

// fields is a JSON object whose values are still raw.
type fields map[string]json.RawMessage

// decodeFields reads the arguments of a protocol tool as an object, with the
// leniencies of [modules.ReadObject]. Anything else is an argument error: an empty
// object must never stand in for what a model wrote.
func decodeFields(raw string) (fields, []string, *modules.ArgumentError) {
	object, used, e := modules.ReadObject(raw)
	if e != nil {
		return nil, nil, e
	}
	var f fields
	if err := json.Unmarshal(object, &f); err != nil {
		panic("behavior: an object that was read is none: " + err.Error())
	}
	return f, leniencyNames(used), nil
}

// read returns the number, tolerating one that is written as a text or with a
// fraction of zero; ok is false for anything else.
func (n candidateNumber) read() (value int64, leniencies []string, ok bool) {
	text := string(n.raw)
	if quoted := ""; json.Unmarshal(n.raw, &quoted) == nil {
		text, leniencies = strings.TrimSpace(quoted), []string{string(modules.NumberFromString)}
	}
	value, err := strconv.ParseInt(strings.TrimSuffix(text, ".0"), 10, 64)
	return value, leniencies, err == nil
}

// jsonKind names the type of a JSON text, or says that it is none.
func jsonKind(raw string) string {
	raw = strings.TrimSpace(raw)
	if raw == "" {
		return "nothing"
	}
	if !json.Valid([]byte(raw)) {
		return "text that is not JSON"
	}
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// absentPrefix begins the leniency of a field that the schema requires and that was
// left out.
const absentPrefix = "absent_"

// decode fills a typed struct from f. Absent fields stay zero and are returned,
// so that the caller can count them; a field of the wrong type is an error.
func (f fields) decode(into any, required ...string) (absent []string, e *modules.ArgumentError) {
	for _, name := range required {
		if _, ok := f[name]; !ok {
			absent = append(absent, absentPrefix+name)
		}
	}
	raw, err := json.Marshal(f)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		return nil, &modules.ArgumentError{Path: strings.TrimPrefix(mismatch.Field, "decisionArgs."), Expected: typeName(mismatch.Type), Got: mismatch.Value}
	}
	if err != nil {
		return nil, &modules.ArgumentError{Path: "arguments", Expected: "the tool's schema", Got: "something else"}
	}
	return absent, nil
}

// typeName is a Go type as JSON calls it.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a " + t.Kind().String()
}

// decodeAction reads an action and the standing order around it, and resolves the
// names in it.
func (t *Turn) decodeAction(action, standing json.RawMessage) (world.Action, []string, *modules.ArgumentError) {
	do, lenient, e := modules.DecodeAction(action)
	if e != nil {
		return nil, nil, e
	}
	a, more, e := decodeStanding(standing, do)
	if e != nil {
		return nil, nil, e
	}
	resolved, names := resolveNames(t.opening.seen, a)
	return resolved, slices.Concat(leniencyNames(lenient), more, names), nil
}

// decodeStanding reads the standing order around an action, in any of the shapes
// that [shapeStanding] knows.
func decodeStanding(standing json.RawMessage, do world.Action) (world.Action, []string, *modules.ArgumentError) {
	shaped, lenient := shapeStandingOrder(standing)
	a, more, e := modules.DecodeStanding(shaped, do)
	return a, append(lenient, leniencyNames(more)...), e
}

func leniencyNames(leniencies []modules.Leniency) []string {
	var names []string
	for _, l := range leniencies {
		names = append(names, string(l))
	}
	return names
}

// whyCharsMax caps the model's own words where they are kept.
const whyCharsMax = 200

func capText(s string) string { return plaintext.Clip(s, whyCharsMax) }
