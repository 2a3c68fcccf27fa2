package stub

import (
	"encoding/json"
	"strconv"
	"strings"
)

// An observation is lines of the form
//
//	key (columns): entry; entry; ...
//
// with parts of an entry between commas, words of a part between spaces, choices
// between bars, and names as JSON strings. The functions here take such a line
// apart; situation.go says what the keys mean. Nothing in it is trusted to be
// well formed: what does not fit is passed over.

// cutLine returns a line's key, the names of its columns and its entries.
func cutLine(line string) (key string, columns, entries []string, ok bool) {
	key, rest, ok := strings.Cut(strings.TrimSpace(line), ": ")
	if !ok {
		return "", nil, nil, false
	}
	key, named, _ := strings.Cut(key, " (")
	named, _, _ = strings.Cut(named, ";") // what marks in the numbers mean
	for _, column := range strings.Split(strings.TrimSuffix(named, ")"), ",") {
		columns = append(columns, strings.TrimSpace(column))
	}
	return key, columns, split(rest, ';'), true
}

// split cuts a text at a separator, except within JSON strings and parentheses, and
// trims the pieces. Empty pieces are left out.
func split(text string, separator byte) []string {
	var pieces []string
	start := 0
	depth := 0
	quoted := false
	add := func(piece string) {
		piece = strings.TrimSpace(piece)
		if piece != "" {
			pieces = append(pieces, piece)
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++ // an escaped character cannot end the string
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == separator && depth == 0:
			add(text[start:i])
			start = i + 1
		}
	}
	add(text[start:])
	return pieces
}

// word reads an identifier, or a name that is a JSON string.
func word(text string) string {
	var name string
	if strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(text), &name) == nil {
		return name
	}
	return text
}

// integer reads a number; 0 when there is none.
func integer(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// remarked is the first number among the words of a remark in parentheses.
func remarked(remark string) int64 {
	for _, word := range strings.Fields(strings.Trim(remark, "()")) {
		if n := integer(word); n != 0 {
			return n
		}
	}
	return 0
}

// optional reads a number that may not be known.
func optional(text string) *int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// span reads 1..64. ok is false for anything else.
func span(text string) (least, most int64, ok bool) {
	low, high, found := strings.Cut(text, "..")
	l, m := optional(low), optional(high)
	if !found || l == nil || m == nil {
		return 0, 0, false
	}
	return *l, *m, true
}

// numberAfter returns the number after a word, 0 if the word is not there.
func numberAfter(words []string, name string) int64 {
	for i, w := range words[:max(0, len(words)-1)] {
		if w == name {
			return integer(words[i+1])
		}
	}
	return 0
}

// numberIn returns the first number among words, 0 without one.
func numberIn(words []string) int64 {
	for _, w := range words {
		if n := optional(w); n != nil {
			return *n
		}
	}
	return 0
}
