package llmclient

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Members are the members of a JSON object by name, not decoded further. They are looked up
// by name and never walked through, so that their order cannot show.
type Members map[string]json.RawMessage

// MembersOf reads a JSON object, and returns nil for what is none. It takes the last of several
// members of one name.
func MembersOf(raw []byte) (m Members) {
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// Elements returns those of a JSON list; ok is false for what is none, or has more than most. It
// reads no further than that, so that a list of a million costs no more.
func Elements(raw json.RawMessage, most int) (elements []json.RawMessage, ok bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	first, err := d.Token()
	if err != nil || first != json.Delim('[') {
		return nil, false
	}
	for d.More() {
		var element json.RawMessage
		if len(elements) == most || d.Decode(&element) != nil {
			return nil, false
		}
		elements = append(elements, element)
	}
	_, err = d.Token()
	return elements, err == nil
}

// Given reports whether a member is there and not null.
func Given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// unquoted decodes a JSON string; ok is false for what is none.
func unquoted(raw []byte) (text string, ok bool) {
	if !bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte(`"`)) {
		return "", false
	}
	err := json.Unmarshal(raw, &text)
	return text, err == nil
}

// Unescape decodes the content of a JSON string, from between its quotes. ok is false for what
// cannot be one.
func Unescape[T ~string | ~[]byte](content T) (text string, ok bool) {
	return unquoted([]byte(`"` + string(content) + `"`))
}

// strictString reads a JSON string, and any other JSON value as empty.
func strictString(raw json.RawMessage) string {
	text, _ := unquoted(raw)
	return text
}

// TextOf reads a JSON string, null as an empty one; for any other JSON value it returns
// the value's text, so that arguments sent as an object survive.
func TextOf(raw json.RawMessage) string {
	if text, ok := unquoted(raw); ok {
		return text
	}
	text := strings.TrimSpace(string(raw))
	if text == "null" {
		return ""
	}
	return text
}
