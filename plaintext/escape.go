package plaintext

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Escape makes text safe to print on a terminal. Hidden characters, which could move
// the cursor, recolour the terminal or reorder a line, are written as escapes. Line
// breaks and tabs stay.
func Escape(text string) string {
	var b strings.Builder
	for i, width := 0, 0; i < len(text); i += width {
		var r rune
		r, width = utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && width == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == '\n' || r == '\t' || !Hidden(r):
			b.WriteRune(r)
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}

// EscapeLine is [Escape] for a single line: line breaks and tabs become spaces.
func EscapeLine(text string) string {
	return Escape(strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ").Replace(text))
}

// EscapeJSON is [Escape] for valid JSON, which stays valid and keeps its meaning: the
// characters that an encoder leaves alone are written as JSON escapes. They can occur
// in strings only.
func EscapeJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r == '\n' || !Hidden(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}
