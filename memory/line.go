package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ellipsis ends a text that was cut.
const ellipsis = "…"

// CleanLine returns text as one line of valid UTF-8: runs of white space become
// one space, control and format characters disappear. Otherwise a remembered text
// could forge further lines of a digest or hide its own.
func CleanLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Join(strings.Fields(text), " ")
}

// cut returns text with at most limit characters, the last one an ellipsis when
// something is missing.
func cut(text string, limit int) string {
	if runeCount(text) <= limit {
		return text
	}
	if limit < 1 {
		return ""
	}
	return string([]rune(text)[:limit-1]) + ellipsis
}

func runeCount(text string) int { return utf8.RuneCountInString(text) }
