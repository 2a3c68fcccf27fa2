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
		s.name = m.word("hash")
		s.name += m.word("kind")
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
	p = Blob{Tick: m.number("tick"), Hash: m.word("hash"), Kind: BlobKind(m.word("kind"))}
	return p, m.rest, !m.failed
}

// decodeBlob is quick for a part as this package writes it, which is most of a trace.
func decodeBlob(line []byte) (Record, error) {
	p, rest, written := BlobHead(line)
	rest, begins := bytes.CutPrefix(rest, []byte(`,"body":"`))
	content, ends := bytes.CutSuffix(rest, []byte(`"}`))
	body, plain := llmclient.Unescape(content)
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

// value steps past the name of the next member.
func (m *members) value(name string) []byte {
	rest, comma := bytes.CutPrefix(m.rest, []byte(`,"`))
	rest, named := bytes.CutPrefix(rest, []byte(name))
	rest, colon := bytes.CutPrefix(rest, []byte(`":`))
	m.failed = m.failed || !comma || !named || !colon
	return rest
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
func (m *members) word(name string) string {
	rest, quoted := bytes.CutPrefix(m.value(name), []byte(`"`))
	end := bytes.IndexFunc(rest, func(c rune) bool { return c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' })
	if m.failed = m.failed || !quoted || end < 0 || rest[end] != '"'; m.failed {
		return ""
	}
	m.rest = rest[end+1:]
	return string(rest[:end])
}
