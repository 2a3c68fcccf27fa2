package mandate

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// fold writes a text as the words that values are looked for by: lower case, one
// space before and after each. Letters and digits are words of their own, whatever
// sign stands between them or none, so that "agent-2", "AGENT 2", "agent_2" and
// "agent2" are the same two words. Full-width forms and the digits of all scripts
// count as plain ones, and leading zeros as nothing. Numbers that a text groups or
// gives in thousands ("5,000", "5 000", "5k", "5 kg") follow as one word at the end,
// beside their parts: a value that may be meant is a mention.
func fold(text string) string {
	w := folder{out: make([]byte, 0, len(text)+len(text)/4+2)}
	w.out = append(w.out, ' ')
	for text != "" {
		size := wordLength(text)
		if size == 0 {
			_, skip := utf8.DecodeRuneInString(text)
			w.gap(text[:skip])
			text = text[skip:]
			continue
		}
		w.word(text[:size])
		text = text[size:]
	}
	w.closeGroup()
	return string(append(append(w.out, "| "...), w.grouped...))
}

// The classes of characters; words consist of one class.
const (
	classNone = iota
	classDigit
	classASCII
	classLetter
)

func classOf(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return classDigit
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
		return classASCII
	case r < utf8.RuneSelf, r == utf8.RuneError:
		return classNone
	case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsNumber(r):
		return classLetter
	}
	return classNone
}

// wordLength is the length in bytes of the word that a text starts with, 0 for a
// sign.
func wordLength(text string) int {
	first := classNone
	for i, r := range text {
		switch c := classOf(narrow(r)); {
		case c == classNone, i > 0 && c != first:
			return i
		case i == 0:
			first = c
		}
	}
	return len(text)
}

// narrow replaces full-width forms and the digits of other scripts by the plain
// characters.
func narrow(r rune) rune {
	switch {
	case r < 0x80:
		return r
	case r >= 0xFF01 && r <= 0xFF5E:
		return r - 0xFF01 + '!'
	case r == '\u3000':
		return ' '
	case unicode.Is(unicode.Nd, r):
		return '0' + digitValue(r)
	}
	return r
}

// digitValue is the value of a decimal digit: those of a script are ten characters
// in a row, and tables list them in ranges that begin with a zero.
func digitValue(r rune) rune {
	for _, span := range unicode.Nd.R16 {
		if rune(span.Lo) <= r && r <= rune(span.Hi) {
			return (r - rune(span.Lo)) % 10
		}
	}
	for _, span := range unicode.Nd.R32 {
		if rune(span.Lo) <= r && r <= rune(span.Hi) {
			return (r - rune(span.Lo)) % 10
		}
	}
	return 0
}

// folder writes words and keeps track of a number whose digits are grouped.
type folder struct {
	out, grouped []byte
	// group are the digits of a number so far, groups how many parts it has.
	group  []byte
	groups int
	// between says that exactly one sign which may group digits stands behind them.
	between bool
}

func (w *folder) word(text string) {
	start := len(w.out)
	for _, r := range text {
		w.out = utf8.AppendRune(w.out, unicode.ToLower(narrow(r)))
	}
	if c := w.out[start]; c < '0' || c > '9' {
		w.unit(string(w.out[start:]))
		w.out = append(w.out, ' ')
		return
	}
	digits := append([]byte(nil), w.out[start:]...)
	w.out = append(append(w.out[:start], trimZeros(digits)...), ' ')
	if w.groups > 0 && w.between && len(digits) == 3 {
		w.group, w.groups, w.between = append(w.group, digits...), w.groups+1, false
		return
	}
	w.closeGroup()
	w.group, w.groups, w.between = digits, 1, false
}

// gap takes a sign between words: one of those that group digits keeps a number
// open, everything else ends it.
func (w *folder) gap(sign string) {
	if w.groups == 0 {
		return
	}
	if !w.between && strings.Contains(",.'_ ·’，．\u00a0\u2009\u202f\u3000", sign) {
		w.between = true
		return
	}
	w.closeGroup()
}

// unit takes a word behind a number: a unit of a thousand multiplies it.
func (w *folder) unit(word string) {
	if w.groups > 0 && (word == "k" || word == "kg" || word == "thousand") {
		w.grouped = append(append(w.grouped, trimZeros(w.group)...), "000 "...)
	}
	w.closeGroup()
}

// closeGroup writes a number that had several parts.
func (w *folder) closeGroup() {
	if w.groups > 1 {
		w.grouped = append(append(w.grouped, trimZeros(w.group)...), ' ')
	}
	w.group, w.groups, w.between = nil, 0, false
}

// trimZeros drops leading zeros and leaves at least one digit.
func trimZeros(digits []byte) []byte {
	for len(digits) > 1 && digits[0] == '0' {
		digits = digits[1:]
	}
	return digits
}

// pattern is a value as it is looked for in folded texts: its words in a row. A value
// without a word stands in no text.
func pattern(value string) string {
	folded := fold(value)
	return folded[:strings.IndexByte(folded, '|')]
}

// mentions reports whether a folded text holds a pattern. The last word of the text
// may have an s more, as names of things have in the plural.
func mentions(folded, pattern string) bool {
	if len(pattern) < 2 {
		return false
	}
	return strings.Contains(folded, pattern) || strings.Contains(folded, pattern[:len(pattern)-1]+"s ")
}

// patternsOf are the words that an argument's value is known by: a choice goes by
// each of its parts that no other choice has as well ("assembler").
func patternsOf(arg *argument) []string {
	list := []string{pattern(arg.text)}
	for part := range strings.SplitSeq(arg.text, ".") {
		if known, ok := choiceNamed(arg.param.Choices, part); ok && known == arg.text && part != arg.text {
			list = append(list, pattern(part))
		}
	}
	return list
}
