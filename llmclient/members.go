package llmclient

import (
	"bytes"
	"encoding/json"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// Members are the members of a JSON object by name, not decoded further. They are looked up
// by name and never walked through, so that their order cannot show.
type Members map[string]json.RawMessage

// depthMax is how deep lists and objects are nested at most, as in package encoding/json.
const depthMax = 10000

// MembersOf reads a JSON object once, from its first byte to its last, and returns nil for
// what is none. It accepts what [json.Unmarshal] accepts, and takes the last of several
// members of one name. The values are parts of raw, not copies.
func MembersOf(raw []byte) Members { return MembersBeside(raw, nil) }

// MembersBeside is [MembersOf] for an object that may hold a list again that MembersOf has read
// as a value of another: the list is compared, which is quicker than reading it.
func MembersBeside(raw, list []byte) Members {
	start := skipSpace(raw, 0)
	if start == len(raw) || raw[start] != '{' {
		return nil
	}
	m := make(Members, 8)
	end := scanList(raw, start, '{', 1, list, func(name, value []byte) bool {
		key, _ := unquoted(name)
		m[key] = value
		return true
	})
	if !isWhole(raw, end) {
		return nil
	}
	return m
}

// IsJSON reports whether raw is one value that [json.Unmarshal] accepts.
func IsJSON(raw []byte) bool { return isWhole(raw, scanValue(raw, skipSpace(raw, 0), 0)) }

// isWhole reports whether only white space follows the end of a value, which is -1 for none.
func isWhole(raw []byte, end int) bool { return end >= 0 && skipSpace(raw, end) == len(raw) }

// Only returns the JSON object with none of its members but those that [json.Unmarshal] takes
// for the fields named, for a reader to whom the others are a burden. What is no object stays
// as it is.
func Only(raw []byte, names ...string) []byte {
	only := append(make([]byte, 0, 1024), '{')
	end := scanList(raw, skipSpace(raw, 0), '{', 1, nil, func(name, value []byte) bool {
		key := name[1 : len(name)-1]
		if bytes.IndexByte(key, '\\') >= 0 {
			text, _ := unquoted(name)
			key = []byte(text)
		}
		if slices.ContainsFunc(names, func(field string) bool { return strings.EqualFold(field, string(key)) }) {
			if len(only) > 1 {
				only = append(only, ',')
			}
			only = append(append(append(only, name...), ':'), value...)
		}
		return true
	})
	if !isWhole(raw, end) {
		return raw
	}
	return append(only, '}')
}

// Elements returns those of a JSON list, as parts of it; ok is false for what is none, or has
// more than most. It reads no further than that, so that a list of a million costs no more.
func Elements(raw json.RawMessage, most int) (elements []json.RawMessage, ok bool) {
	end := scanList(raw, skipSpace(raw, 0), '[', 1, nil, func(_, value []byte) bool {
		elements = append(elements, value)
		return len(elements) <= most
	})
	if end < 0 {
		return nil, false
	}
	return elements, true
}

// words are names and values that answers are full of, which need no memory of their own.
var words = func() map[string]string {
	words := map[string]string{}
	for word := range strings.FieldsSeq(`id object created_at status background completed_at error incomplete_details instructions max_output_tokens
		max_tool_calls model output parallel_tool_calls previous_response_id prompt_cache_key reasoning safety_identifier service_tier store
		temperature text tool_choice tools top_logprobs top_p truncation usage user metadata billing include type role content name arguments
		call_id summary encrypted_content annotations logprobs input_tokens input_tokens_details cached_tokens output_tokens
		output_tokens_details reasoning_tokens total_tokens effort format verbosity refusal phase
		response completed incomplete function_call message assistant output_text`) {
		words[word] = word
	}
	return words
}()

// scanList scans the object or list that begins at i and returns its end, -1 where none does
// or it is malformed. take is shown each value, with its name in quotes in an object; false
// ends the scan. known is a list that may be one of the values, nil for none.
func scanList(b []byte, i int, opens byte, depth int, known []byte, take func(name, value []byte) bool) (end int) {
	closes := opens + 2 // in ASCII
	if i >= len(b) || b[i] != opens || depth > depthMax {
		return -1
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == closes {
		return i + 1
	}
	for {
		var name []byte
		if opens == '{' {
			end := scanString(b, i)
			if end < 0 {
				return -1
			}
			name, i = b[i:end], skipSpace(b, end)
			if i >= len(b) || b[i] != ':' {
				return -1
			}
			i = skipSpace(b, i+1)
		}
		end := i + len(known) // the bytes of a whole list are the beginning of no other value
		if known == nil || !bytes.HasPrefix(b[i:], known) {
			end = scanValue(b, i, depth)
		}
		if end < 0 || take != nil && !take(name, b[i:end:end]) {
			return -1
		}
		i = skipSpace(b, end)
		if i >= len(b) {
			return -1
		}
		switch b[i] {
		case closes:
			return i + 1
		case ',':
			i = skipSpace(b, i+1)
		default:
			return -1
		}
	}
}

// scanValue returns the end of the JSON value that begins at i, -1 where none does. depth is
// that of the list or object around it.
func scanValue(b []byte, i, depth int) (end int) {
	if i >= len(b) {
		return -1
	}
	switch c := b[i]; c {
	case '"':
		return scanString(b, i)
	case '{', '[':
		return scanList(b, i, c, depth+1, nil, nil)
	case 't', 'f', 'n':
		for _, word := range []string{"true", "false", "null"} {
			if bytes.HasPrefix(b[i:], []byte(word)) {
				return i + len(word)
			}
		}
		return -1
	}
	digits := func() bool {
		start := i
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return i > start
	}
	if b[i] == '-' {
		i++
	}
	if zero := i < len(b) && b[i] == '0'; zero {
		i++
	} else if !digits() {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		i++
		if !digits() {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return -1
		}
	}
	return i
}

// What follows the backslash of an escape that is none by number, and what each stands for.
const (
	escapes = `"\bfnrt/`
	escaped = "\"\\\b\f\n\r\t/"
)

// scanString returns the end of the JSON string that begins at i, -1 where none does.
func scanString(b []byte, i int) (end int) {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	for i = plainEnd(b, i+1); i < len(b); i = plainEnd(b, i+1) {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		case c == '\\':
			i++
			if i == len(b) {
				return -1
			}
			if b[i] == 'u' {
				for range 4 {
					i++
					if i == len(b) || strings.IndexByte("0123456789abcdefABCDEF", b[i]) < 0 {
						return -1
					}
				}
			} else if strings.IndexByte(escapes, b[i]) < 0 {
				return -1
			}
		}
	}
	return -1
}

// plainEnd returns where the characters from i on end that stand for themselves in a JSON
// string and are ASCII. It looks at eight at a time.
func plainEnd[T ~string | ~[]byte](text T, i int) int {
	const each, high = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(text); i += 8 {
		t := text[i : i+8]
		eight := uint64(t[0]) | uint64(
			t[1])<<8 | uint64(t[2])<<16 | uint64(
			t[3])<<24 | uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
		// A byte gets its highest bit where a subtraction makes it negative: of ' ' from what is
		// less, of 1 from what is 0, as an equal one is. Only bytes after such a one can get it
		// for no other reason.
		if special := (eight | (eight - each*' ') | ((eight ^ each*'"') - each) | ((eight ^ each*'\\') - each)) & high; special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
	}
	for i < len(text) && text[i] >= ' ' && text[i] < utf8.RuneSelf && text[i] != '"' && text[i] != '\\' {
		i++
	}
	return i
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// Given reports whether a member is there and not null.
func Given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// unquoted decodes a JSON string; ok is false for what is none.
func unquoted(raw []byte) (text string, ok bool) {
	start := skipSpace(raw, 0)
	if start == len(raw) || raw[start] != '"' {
		return "", false
	}
	if end := len(raw) - 1; raw[end] == '"' && end > start {
		if word, known := words[string(raw[start+1:end])]; known {
			return word, true
		}
		if text, ok := Unescape(raw[start+1 : end]); ok {
			return text, true
		}
	}
	var decoded string // text itself would be allocated in every call
	err := json.Unmarshal(raw, &decoded)
	return decoded, err == nil
}

// Unescape decodes the content of a JSON string, from between its quotes. ok is false for
// what cannot be one, and for what has an escape by number or is no UTF-8, which is left to
// package encoding/json.
func Unescape[T ~string | ~[]byte](content T) (text string, ok bool) {
	count, ascii := 0, true // of escapes
	for i := plainEnd(content, 0); i < len(content); i = plainEnd(content, i+1) {
		switch c := content[i]; {
		case c < ' ', c == '"':
			return "", false
		case c == '\\':
			i++
			if i == len(content) || strings.IndexByte(escapes, content[i]) < 0 {
				return "", false
			}
			count++
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	if !ascii && !utf8.ValidString(string(content)) {
		return "", false
	}
	if count == 0 {
		return string(content), true
	}
	plain := make([]byte, 0, 1024) // short texts need no memory but their own
	if len(content)-count > cap(plain) {
		plain = make([]byte, 0, len(content)-count)
	}
	for i := 0; i < len(content); i++ {
		next := plainEnd(content, i)
		plain, i = append(plain, content[i:next]...), next
		if i == len(content) {
			break
		}
		c := content[i]
		if c == '\\' {
			i++
			c = escaped[strings.IndexByte(escapes, content[i])]
		}
		plain = append(plain, c)
	}
	return string(plain), true
}

// strictString reads a JSON string, and any other JSON value as empty.
func strictString(raw json.RawMessage) string {
	text, _ := unquoted(raw)
	return text
}

// TextOf reads a JSON string, null as an empty one; for any other JSON value it returns
// the value's text, so that arguments sent as an object survive.
func TextOf(raw json.RawMessage) string {
	text, ok := unquoted(raw)
	if !ok {
		text = strings.TrimSpace(string(raw))
	}
	if !ok && text == "null" {
		return ""
	}
	return text
}
