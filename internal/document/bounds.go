package document

import (
	"bytes"
	"fmt"
	"strings"
)

// CheckJSON refuses JSON text that is over a bound with an [*Error]. Whether it is JSON is
// for a decoder to say.
func CheckJSON(data []byte, l Limits) error { return check(data, l, false) }

// CheckTOML is [CheckJSON] for TOML.
func CheckTOML(data []byte, l Limits) error { return check(data, l, true) }

func check(data []byte, l Limits, isTOML bool) error {
	if err := CheckEncoding(data); err != nil {
		return &Error{Line: 1, Problem: err.Error()}
	}
	if len(data) > l.Bytes {
		return &Error{Line: 1, Problem: fmt.Sprintf("the text has more than %d bytes; allowed: at most that many", l.Bytes)}
	}
	if bytes.Count(data, []byte("\n")) >= LinesMax {
		return &Error{Line: LinesMax, Problem: fmt.Sprintf("the text has more than %d lines; allowed: at most that many",
			LinesMax)}
	}
	s := scanner{text: data, valuesMax: l.Values, toml: isTOML}
	if problem := s.scan(); problem != "" {
		return &Error{Line: 1 + bytes.Count(data[:min(s.at, len(data))], []byte("\n")), Problem: problem}
	}
	return nil
}

// scanner goes once over a text and counts what makes parsing it expensive. It follows the
// syntax of valid text; a parser stops at the first place where that ends.
type scanner struct {
	text      []byte
	valuesMax int
	toml      bool
	at        int
	// open has for each open bracket the keys before it, dots counts those of the current
	// key or number.
	open []int
	dots int
	// values counts for valuesMax, live for KeysMax, comparisons for comparisonsMax.
	values, live, comparisons int
	// arrays are the arrays of tables that the current table is in, the innermost last.
	arrays []arrayOfTables
}

// arrayOfTables is an array whose next table takes the place of the last one, for a parser
// that looks for repeated keys.
type arrayOfTables struct {
	name string
	// live are the keys before those of its tables.
	live int
}

// scan returns what exceeds a bound at s.at, empty if nothing does.
func (s *scanner) scan() string {
	lineStart := true
	for ; s.at < len(s.text); s.at++ {
		c := s.text[s.at]
		switch c {
		case '\n':
			lineStart, s.dots = true, 0
			continue
		case ' ', '\t', '\r':
			continue
		case '"', '\'':
			if c == '"' || s.toml {
				s.skipString(c)
			}
		case '#':
			if s.toml {
				if n := bytes.IndexByte(s.text[s.at:], '\n'); n >= 0 {
					s.at += n - 1
				} else {
					s.at = len(s.text)
				}
			}
		case '[', '{':
			if c == '[' && s.toml && lineStart && len(s.open) == 0 {
				s.header()
				break
			}
			s.dots = 0
			s.open = append(s.open, s.live)
		case ']', '}':
			s.open = s.open[:max(0, len(s.open)-1)]
		case '.':
			s.dots++
		case ',':
			s.values, s.dots = s.values+1, 0
		case ':':
			if !s.toml {
				s.values++
			}
		case '=':
			if s.toml {
				s.key(s.dots + 1)
			}
		}
		lineStart = false
		switch {
		case len(s.open) > DepthMax || s.dots >= DepthMax:
			return fmt.Sprintf("values or keys are nested more than %d deep; allowed: at most that", DepthMax)
		case s.live > KeysMax || s.comparisons > comparisonsMax:
			return fmt.Sprintf("the tables up to here have too many keys; allowed: %d in all, "+
				"or fewer in the tables of an array", KeysMax)
		case s.values > s.valuesMax:
			return fmt.Sprintf("there are more than %d keys and values; allowed: at most that many", s.valuesMax)
		}
	}
	return ""
}

// key counts a key of so many parts.
func (s *scanner) key(parts int) {
	s.values++
	s.live += parts
	others := s.live
	if n := len(s.open); n > 0 {
		others -= s.open[n-1]
	}
	s.comparisons += parts * others
	s.dots = 0
}

// header counts the [table] or [[table]] that begins here, and moves to its first closing
// bracket. A name that is written in two ways is taken for two.
func (s *scanner) header() {
	array := bytes.HasPrefix(s.text[s.at:], []byte("[["))
	var name strings.Builder
	for s.at++; s.at < len(s.text) && s.text[s.at] != ']' && s.text[s.at] != '\n'; s.at++ {
		from := s.at
		switch c := s.text[from]; c {
		case ' ', '\t', '[':
			continue
		case '.':
			s.dots++
		case '"', '\'':
			s.skipString(c)
		}
		name.Write(s.text[from:min(s.at+1, len(s.text))])
	}
	within := func(a arrayOfTables) bool {
		return name.String() == a.name || strings.HasPrefix(name.String(), a.name+".")
	}
	for len(s.arrays) > 0 && !within(s.arrays[len(s.arrays)-1]) {
		s.arrays = s.arrays[:len(s.arrays)-1]
	}
	if n := len(s.arrays); array && n > 0 && s.arrays[n-1].name == name.String() {
		s.live = s.arrays[n-1].live
	} else if array {
		s.arrays = append(s.arrays, arrayOfTables{name.String(), s.live})
	}
	dots := s.dots
	s.key(dots + 1)
	s.dots = dots
}

// skipString moves to the last byte of the string that begins here. One line cannot hold
// the beginning of a string and not its end, except between three quotes.
func (s *scanner) skipString(quote byte) {
	three := []byte{quote, quote, quote}
	if s.toml && bytes.HasPrefix(s.text[s.at:], three) {
		for s.at += 3; s.at < len(s.text) && !bytes.HasPrefix(s.text[s.at:], three); {
			if s.text[s.at] == '\\' && quote == '"' {
				s.at++
			}
			s.at++
		}
		// Up to two quotes may stand before the three that end it.
		for s.at += 2; s.at+1 < len(s.text) && s.text[s.at+1] == quote; s.at++ {
		}
		return
	}
	for s.at++; s.at < len(s.text) && s.text[s.at] != quote && s.text[s.at] != '\n'; s.at++ {
		if s.text[s.at] == '\\' && quote == '"' {
			s.at++
		}
	}
}
