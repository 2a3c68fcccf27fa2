package trace

import (
	"bytes"
	"unicode/utf8"

	"example.com/agentworld/llmclient"
)

// placeOf returns the place of a line, and its canonical form, from its beginning and
// end, without decoding it. ok is false for a line that must be decoded: one of a type
// with rules of its own, or one not written as this package writes it. The line of the
// slot is in the memory of line, which is changed where its end is cut off.
func placeOf(line []byte) (s slot, ok bool) {
	t, m := afterType(line)
	s = slots[t]
	s.tick = m.number("tick")
	switch t {
	case TypeBlob:
		hash := m.plain("hash")
		s.name = string(append(append(make([]byte, 0, 80), hash...), m.plain("kind")...))
	case TypeModelCall, TypeRefusal, TypeStep:
		s.name, s.step = m.word("agent_id"), int(m.number("step"))
	case TypeDecision:
		s.name = m.word("agent_id")
	case TypeEvent, TypeTickEnd:
	default:
		return slot{}, false
	}
	if m.failed {
		return slot{}, false
	}
	// The timing of a call or decision is cut off where it is the last member as this package writes
	// it, an object of nothing but numbers and truths. Any other line is kept whole.
	const timing = `,"timing":{`
	if t == TypeModelCall || t == TypeDecision {
		at := bytes.LastIndex(line, []byte(timing))
		inside, closed := bytes.CutSuffix(line[max(at, 0):], []byte(`}}`))
		if at >= 0 && closed && !bytes.ContainsAny(inside[len(timing):], "{}[]\\") {
			line = append(line[:at], '}')
		}
	}
	s.line = line
	return s, true
}

// BlobHead returns a part without its body from how its line begins, and the rest of the line.
// ok is false for a line that does not begin as a part that this package writes.
func BlobHead(line []byte) (p Blob, rest []byte, ok bool) {
	t, m := afterType(line)
	if t != TypeBlob {
		return Blob{}, nil, false
	}
	p = Blob{Tick: m.number("tick"), Hash: m.word("hash"), Kind: kindOf(m.plain("kind"))}
	return p, m.rest, !m.failed
}

// decodeBlob is quick for a part as this package writes it, which is most of a trace.
func decodeBlob(line []byte) (Record, error) {
	p, rest, written := BlobHead(line)
	rest, begins := bytes.CutPrefix(rest, []byte(`,"body":"`))
	content, ends := bytes.CutSuffix(rest, []byte(`"}`))
	body, plain := llmclient.Unescape(string(content))
	if !written || !begins || !ends || !plain {
		return decodeAs[Blob](line)
	}
	p.Body = body
	return p, nil
}

// members reads the first members of a line in the order in which they are written.
type members struct {
	rest []byte
	// failed says that a member was not there, or not written as this package does.
	failed bool
}

// afterType returns the type of a line and its members from there on.
func afterType(line []byte) (Type, members) {
	t := TypeOf(line)
	return t, members{rest: line[min(len(line), len(`{"type":""`)+len(t)):], failed: t == ""}
}

// value steps past the name of the next member, and what is before it: a comma, or the brace that
// opens its object.
func (m *members) value(name string) []byte {
	if !m.next(name) {
		m.failed = true
		return m.rest
	}
	return m.rest[len(`,"":`)+len(name):]
}

// next reports whether the next member has a name.
func (m *members) next(name string) bool {
	end := len(`,"`) + len(name)
	return len(m.rest) >= end+2 && (m.rest[0] == ',' || m.rest[0] == '{') && m.rest[1] == '"' &&
		string(m.rest[2:end]) == name && m.rest[end] == '"' && m.rest[end+1] == ':'
}

// past steps past a text, which must be next.
func (m *members) past(text string) {
	rest, found := bytes.CutPrefix(m.rest, []byte(text))
	m.rest, m.failed = rest, m.failed || !found
}

// skip steps to the next member with a name, at any depth. In a string its quotes would be escaped.
func (m *members) skip(name string) {
	for from := 0; ; from++ {
		at := bytes.Index(m.rest[from:], []byte(name))
		if at < 0 {
			m.failed = true
			return
		}
		from += at
		if from >= 2 {
			if found := (members{rest: m.rest[from-2:]}); found.next(name) {
				m.rest = found.rest
				return
			}
		}
	}
}

// words reads a member that is a list of words, not null.
func (m *members) words(name string) []string {
	list := []string{}
	rest, opened := bytes.CutPrefix(m.value(name), []byte("["))
	m.failed = m.failed || !opened
	if m.failed {
		return nil
	}
	if rest, closed := bytes.CutPrefix(rest, []byte("]")); closed {
		m.rest = rest
		return list
	}
	for m.rest = rest; ; m.past(",") {
		list = append(list, string(m.text()))
		if m.failed || bytes.HasPrefix(m.rest, []byte("]")) {
			m.past("]")
			return list
		}
	}
}

// number reads a member that is a small whole number, not below zero.
func (m *members) number(name string) (n int64) {
	rest := m.value(name)
	digits := 0
	for digits < len(rest) && digits <= 18 && '0' <= rest[digits] && rest[digits] <= '9' {
		n = n*10 + int64(rest[digits]-'0')
		digits++
	}
	m.failed = m.failed || digits == 0 || digits > 18 || digits > 1 && rest[0] == '0'
	m.rest = rest[digits:]
	return n
}

// word reads a member that is a string of ASCII without escapes.
func (m *members) word(name string) string { return string(m.plain(name)) }

// plain is word without a copy.
func (m *members) plain(name string) []byte {
	m.rest = m.value(name)
	if m.failed {
		return nil
	}
	return m.text()
}

// optional reads a member that is such a string, or not there.
func (m *members) optional(name string) string {
	if !m.next(name) {
		return ""
	}
	return m.word(name)
}

// text reads such a string.
func (m *members) text() []byte {
	if len(m.rest) == 0 || m.rest[0] != '"' {
		m.failed = true
		return nil
	}
	for i, c := range m.rest[1:] {
		switch {
		case c == '"':
			text := m.rest[1 : 1+i]
			m.rest = m.rest[i+2:]
			return text
		case c < ' ' || c >= utf8.RuneSelf || c == '\\':
			m.failed = true
			return nil
		}
	}
	m.failed = true
	return nil
}
