package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clipMark stands for what clip left out.
const clipMark = "..."

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

func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

const hexDigits = "0123456789abcdef"

func hexEscape(b byte) string { return `\x` + string(hexDigits[b>>4]) + string(hexDigits[b&15]) }

func runeEscape(r rune) string {
	if r < 0x80 {
		return hexEscape(byte(r))
	}
	digits := ""
	for shift := 20; shift >= 0; shift -= 4 {
		digits += string(hexDigits[r>>shift&15])
	}
	return `\u{` + strings.TrimLeft(digits, "0") + "}"
}
