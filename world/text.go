package world

import (
	"strings"
	"unicode"
)

// TextMax bounds a message or note, in characters.
const TextMax = 200

// cleanText makes what an agent wrote fit to be stored and shown: valid UTF-8 on
// one line of at most most characters, without white space at its ends. Control,
// format and separator characters become spaces, so that a text can neither break
// lines nor hide part of itself. Cleaning a clean text changes nothing.
func cleanText(text string, most int64) string {
	text = strings.TrimSpace(strings.Map(plainRune, strings.ToValidUTF8(text, "\uFFFD")))
	if runes := []rune(text); int64(len(runes)) > most {
		text = strings.TrimSpace(string(runes[:most]))
	}
	return text
}

// plainRune keeps what can be seen and makes everything else a space.
func plainRune(r rune) rune {
	if hidden(r) || unicode.IsSpace(r) {
		return ' '
	}
	return r
}

// hidden says that r steers how text is shown instead of being shown: control and
// format characters and the separators of lines and paragraphs.
func hidden(r rune) bool {
	return !unicode.IsGraphic(r) || r == brailleBlank ||
		unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// brailleBlank is a letter of no dots, which Unicode counts as visible.
const brailleBlank = '\u2800'
