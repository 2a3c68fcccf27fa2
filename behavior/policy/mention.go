package policy

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/world"
)

// fold writes a text as the words that values are looked for by: lower case, one
// space before and after each. Letters and digits are words of their own, whatever
// sign stands between them or none, so that "agent-2", "AGENT 2", "agent_2" and
// "agent2" are the same two words. Full-width forms and the digits of all scripts
// count as plain ones, and leading zeros as nothing. Numbers that a text groups or
// gives in thousands ("5,000", "5 000", "5-000", "5k", "5 kg") follow as one word at the
// end, beside their parts: a value that may be meant is a mention.
func fold(text string) string {
	w := folder{out: make([]byte, 1, len(text)+len(text)/4+4), start: 1}
	w.out[0] = ' '
	for _, r := range plaintext.Fold(text) {
		switch c := classOf(r); {
		case c == classNone:
			w.endWord()
			// A single sign of any kind may group digits and keeps a number open, unless it
			// ends a line; a second one ends the number.
			if w.groups > 0 && !w.between && r != '\n' {
				w.between = true
			} else {
				w.endGroup()
			}
		case c != w.class:
			w.endWord()
			w.class = c
			fallthrough
		default:
			w.out = utf8.AppendRune(w.out, r)
		}
	}
	w.endWord()
	w.endGroup()
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
	case r >= 'a' && r <= 'z':
		return classASCII
	case r < utf8.RuneSelf, r == utf8.RuneError:
		return classNone
	case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsNumber(r):
		return classLetter
	}
	return classNone
}

// folder writes words and keeps track of a number whose digits are grouped.
type folder struct {
	out, grouped []byte
	// start is where the word under way begins, class what it consists of.
	start, class int
	// group holds the digits of a number so far, groups how many parts it has.
	group  [groupDigitsMax]byte
	digits int
	groups int
	// between says that exactly one sign stands behind them.
	between bool
}

// groupDigitsMax bounds a number that is put together from parts. No amount has as
// many digits.
const groupDigitsMax = 24

// endWord ends the word under way, if any. Three digits continue a number that is still
// open; a unit of a thousand behind a number multiplies it.
func (w *folder) endWord() {
	class, word := w.class, w.out[w.start:]
	w.class = classNone
	switch {
	case class == classNone:
		return
	case class == classDigit:
		if w.groups > 0 && len(word) == 3 && w.digits+3 <= groupDigitsMax {
			w.groups++
		} else {
			w.endGroup()
			if len(word) <= groupDigitsMax {
				w.groups = 1
			}
		}
		if w.groups > 0 {
			w.digits += copy(w.group[w.digits:], word)
		}
		w.between = false
		w.out = append(w.out[:w.start], trimZeros(word)...)
	default:
		if w.groups > 0 && (string(word) == "k" || string(word) == "kg" || string(word) == "thousand") {
			w.grouped = append(append(w.grouped, trimZeros(w.group[:w.digits])...), "000 "...)
		}
		w.endGroup()
	}
	w.out = append(w.out, ' ')
	w.start = len(w.out)
}

// endGroup writes a number that had several parts.
func (w *folder) endGroup() {
	if w.groups > 1 {
		w.grouped = append(append(w.grouped, trimZeros(w.group[:w.digits])...), ' ')
	}
	w.digits, w.groups, w.between = 0, 0, false
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

// numberPattern is the pattern of a number. Texts are searched for its digits: a sign
// in front of them may as well be a dash.
func numberPattern(n int64) string {
	return " " + strings.TrimPrefix(strconv.FormatInt(n, 10), "-") + " "
}

// mentions reports whether a folded text holds a pattern. The last word of the text
// may have an s more, as names of things have in the plural.
func mentions(folded, pattern string) bool {
	if len(pattern) < 2 {
		return false
	}
	head := pattern[:len(pattern)-1]
	for {
		i := strings.Index(folded, head)
		if i < 0 {
			return false
		}
		folded = folded[i+len(head):]
		if strings.HasPrefix(folded, " ") || strings.HasPrefix(folded, "s ") {
			return true
		}
	}
}

// patternsOf are the words that an argument's value is known by. Only amounts have
// another value before clamping.
func patternsOf(arg, proposed *argument) []string {
	if arg.isNumber() {
		if arg.number == proposed.number {
			return []string{numberPattern(arg.number)}
		}
		return []string{numberPattern(arg.number), numberPattern(proposed.number)}
	}
	if known, ok := choicePatterns[arg.text]; ok && arg.param.Kind == world.ParamChoice {
		return known
	}
	return []string{pattern(arg.text)}
}

// choicePatterns are the words that each choice of an action is known by: all of it,
// and each of its parts that no other choice has as well ("assembler").
var choicePatterns = func() map[string][]string {
	known := map[string][]string{}
	for _, spec := range world.Actions() {
		for _, p := range spec.Params {
			for _, choice := range p.Choices {
				known[choice] = []string{pattern(choice)}
				for part := range strings.SplitSeq(choice, ".") {
					shared := func(c string) bool { return c != choice && slices.Contains(strings.Split(c, "."), part) }
					if part != choice && !slices.ContainsFunc(p.Choices, shared) {
						known[choice] = append(known[choice], pattern(part))
					}
				}
			}
		}
	}
	return known
}()
