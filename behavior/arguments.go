package behavior

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"

	"agentworld/modules"
	"agentworld/world"
)

// The limits of arguments that are read.
const (
	argumentBytesMax = 64 << 10
	argumentDepthMax = 24
)

// fields is a JSON object whose values are still raw.
type fields map[string]json.RawMessage

// decodeFields reads the arguments of a protocol tool as an object. Anything else
// is an argument error: an empty object must never stand in for what a model
// wrote.
func decodeFields(raw string) (fields, *modules.ArgumentError) {
	switch {
	case len(raw) > argumentBytesMax:
		return nil, &modules.ArgumentError{Path: "arguments", Expected: "at most 64 KiB", Got: "more"}
	case depth(raw) > argumentDepthMax:
		return nil, &modules.ArgumentError{Path: "arguments", Expected: "at most 24 levels", Got: "more"}
	}
	var f fields
	if err := json.Unmarshal([]byte(raw), &f); err != nil || f == nil {
		return nil, &modules.ArgumentError{Path: "arguments", Expected: "a JSON object", Got: jsonKind(raw)}
	}
	return f, nil
}

// depth returns the deepest nesting of brackets outside strings in s.
func depth(s string) int {
	deepest, now, inString := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
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

// decode fills a typed struct from f. Absent fields stay zero and are returned,
// so that the caller can count them; a field of the wrong type is an error.
func (f fields) decode(into any, required ...string) (absent []string, e *modules.ArgumentError) {
	for _, name := range required {
		if _, ok := f[name]; !ok {
			absent = append(absent, "absent_"+name)
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

// decodeAction reads an action and the standing order around it.
func decodeAction(action, standing json.RawMessage) (world.Action, []string, *modules.ArgumentError) {
	do, lenient, e := modules.DecodeAction(action)
	if e != nil {
		return nil, nil, e
	}
	a, more, e := modules.DecodeStanding(standing, do)
	if e != nil {
		return nil, nil, e
	}
	return a, leniencyNames(append(lenient, more...)), nil
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

func capText(s string) string {
	r := []rune(s)
	if len(r) > whyCharsMax {
		return string(r[:whyCharsMax-1]) + "…"
	}
	return s
}
