package world

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// EncodeAction writes a in its canonical flat form, such as
// {"action":"mine_compound","compound_mass_g":5000}, parameters in schema
// order. An order reads {"action":"execute_until","do":{...},"until":[...],
// "max_ticks":n}, with "ignore":[...] if it ignores anything, and "then":[...] with the steps
// that follow, in the same fields, if any do. Equal actions have equal bytes.
func EncodeAction(a Action) []byte {
	if o, ok := a.(ExecuteUntil); ok {
		return encode(o.wire())
	}
	b := appendQuoted(append(make([]byte, 0, 128), `{"action":`...), a.ActionName())
	for arg := range Arguments(a) {
		b = append(appendQuoted(append(b, ','), arg.Name), ':')
		if arg.Kind == ParamAmount {
			b = strconv.AppendInt(b, arg.Int, 10)
		} else {
			b = appendQuoted(b, arg.Text)
		}
	}
	return append(b, '}')
}

// Same reports whether two actions have the same encoding. Nil is the same as nil alone.
func Same(a, b Action) bool {
	_, ordered := a.(ExecuteUntil)
	_, other := b.(ExecuteUntil)
	if ordered && other {
		return bytes.Equal(EncodeAction(a), EncodeAction(b))
	}
	return ordered == other && a == b
}

// appendQuoted appends a JSON string as [encode] writes it.
func appendQuoted(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || strings.IndexByte(`"\<>&`, c) >= 0 {
			return append(b, encode(text)...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

// encode writes JSON, strings escaped as encoding/json does it by default: the
// result stays the same when it passes through another encoder.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("world: part of an action does not encode: " + err.Error())
	}
	return b
}

// DecodeAction reads the form [EncodeAction] writes. It is strict: unknown,
// missing or repeated fields and numbers that are no int64 are errors. Bounds
// and choices are not checked, since what was recorded may have been rejected.
func DecodeAction(b []byte) (Action, error) {
	fields, err := decodeFields(b)
	if err != nil {
		return nil, fmt.Errorf("decode action: %w", err)
	}
	var name string
	if err := json.Unmarshal(fields["action"], &name); err != nil {
		return nil, errors.New("decode action: field action is missing or no string")
	}
	if name == (ExecuteUntil{}).ActionName() {
		return decodeOrder(fields)
	}
	delete(fields, "action")
	// Every parameter must be there and the numbers match, so that there are no others.
	spec, ok := specNamed(name)
	if !ok {
		return nil, errors.New("decode action: unknown action name")
	}
	if len(fields) > len(spec.Params) {
		return nil, fmt.Errorf("decode action %s: %d fields, want %d", name, len(fields), len(spec.Params))
	}
	values := make([]Value, len(spec.Params))
	for i, p := range spec.Params {
		var v Value
		var err error
		switch raw := fields[p.Name]; {
		case raw == nil || bytes.Equal(raw, []byte("null")):
			err = errors.New("is missing")
		case p.Kind == ParamAmount:
			err = json.Unmarshal(raw, &v.Int)
		default:
			err = json.Unmarshal(raw, &v.Text)
		}
		if err != nil {
			return nil, fmt.Errorf("decode action %s: field %s: %w", name, p.Name, err)
		}
		values[i] = v
	}
	return assemble(spec, values), nil
}

// decodeFields splits one JSON object into its fields and refuses repeats, which
// encoding/json would silently resolve.
// A repeated field means that two readers may understand the text differently.
func decodeFields(b []byte) (map[string]json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	fields := map[string]json.RawMessage{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name := key.(string) // object keys are always strings
		if _, repeated := fields[name]; repeated {
			return nil, errors.New("a field is repeated")
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		fields[name] = raw
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if dec.InputOffset() != int64(len(bytes.TrimRight(b, " \t\r\n"))) {
		return nil, errors.New("text after the JSON object")
	}
	return fields, nil
}
