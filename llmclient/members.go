package llmclient

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
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

// isEscaped reports whether a character may be written in another way in a JSON string. A byte that
// is no UTF-8 counts as one.
func isEscaped(c rune) bool {
	return c < ' ' || c == '"' || c == '\\' || c == '\u2028' || c == '\u2029' || c == utf8.RuneError
}

// unquoted decodes a JSON string; ok is false for what is none.
func unquoted(raw []byte) (text string, ok bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", false
	}
	return Unescape(string(raw[1 : len(raw)-1]))
}

// Unescape decodes the content of a JSON string, from between its quotes. ok is false for what
// cannot be one.
func Unescape(content string) (text string, ok bool) {
	if !strings.ContainsFunc(content, isEscaped) {
		return content, true // as most are
	}
	var decoded string // text itself would be allocated in every call
	err := json.Unmarshal([]byte(`"`+content+`"`), &decoded)
	return decoded, err == nil
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
