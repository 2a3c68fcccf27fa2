package cli

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// clipMark stands for what clip left out.
const clipMark = "..."

// Everything here is about text that others wrote: models, providers, scenario
// files. It is shown as data, whatever it contains.

// clip returns at most limit characters of text, with a mark where it was cut.
func clip(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit]) + clipMark
}

// clipFront returns at most the last limit characters of text, with a mark where
// it was cut.
func clipFront(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return clipMark + string(runes[len(runes)-limit:])
}

// plain makes text that a model or a provider wrote safe to print: control
// characters, which could move the cursor or recolour the terminal, and format
// characters, which could reorder a line, are written as escapes. Line breaks and
// tabs stay.
func plain(text string) string {
	var b strings.Builder
	for i, width := 0, 0; i < len(text); i += width {
		var r rune
		r, width = utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && width == 1:
			b.WriteString(hexEscape(text[i]))
		case r == '\n' || r == '\t' || !hidden(r):
			b.WriteRune(r)
		default:
			b.WriteString(runeEscape(r))
		}
	}
	return b.String()
}

// oneLine is plain for a single line: line breaks and tabs become spaces.
func oneLine(text string) string {
	return plain(strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ").Replace(text))
}

// plainJSON is plain for valid JSON, which stays valid and keeps its meaning: the
// characters an encoder leaves alone are written as JSON escapes. They can stand
// in strings only.
func plainJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r == '\n' || !hidden(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// hidden reports whether a character acts on the display instead of standing on
// it: the control characters of C0 and C1, the format characters, among them those
// that reverse the direction of text, and the Unicode line separators.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// hexEscape writes a byte as Go and C do: \x1b.
func hexEscape(b byte) string { return fmt.Sprintf(`\x%02x`, b) }

// runeEscape writes a character by its number: \x1b below 128, \u{202e} above.
func runeEscape(r rune) string {
	if r < utf8.RuneSelf {
		return hexEscape(byte(r))
	}
	return fmt.Sprintf(`\u{%x}`, r)
}
