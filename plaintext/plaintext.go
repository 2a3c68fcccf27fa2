// Package plaintext makes texts that others wrote (models, providers, scenario files)
// safe to store and show, and comparable. Such a text is data and never an instruction.
package plaintext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Ellipsis ends a text that [Clip] cut.
const Ellipsis = "…"

// Line returns text as one line of valid UTF-8. Runs of white space become one space
// and hidden characters disappear, so that a text can neither forge further lines nor
// hide part of itself. Line changes nothing in its own result.
func Line(text string) string {
	if isLine(text) {
		return text
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case Hidden(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Join(strings.Fields(text), " ")
}

// isLine reports whether text is visible ASCII with single spaces between words, as most
// texts are.
func isLine(text string) bool {
	before := byte(' ')
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c > '~' || c == ' ' && before == ' ' {
			return false
		}
		before = c
	}
	return text == "" || before != ' '
}

// Hidden reports whether r steers how text is shown instead of being shown: control
// and format characters, the separators of lines and paragraphs, and what a display
// leaves out.
func Hidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r > '~'
	}
	return !unicode.IsGraphic(r) || r == brailleBlank ||
		unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point,
			unicode.Variation_Selector)
}

// brailleBlank is a letter of no dots, which Unicode counts as visible.
const brailleBlank = '\u2800'

// Clip returns at most limit characters of text, the last one an [Ellipsis] if
// something is missing.
func Clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	if runes := []rune(text); len(runes) > limit && limit > 0 {
		return string(runes[:cutAt(runes, limit-1)]) + Ellipsis
	}
	return Head(text, limit)
}

// cellCharsMax bounds the text of a [Cell], in characters.
const cellCharsMax = 300

// Cell returns text for a cell of a CSV file: one clipped line that is [Inert].
func Cell(text string) string { return Inert(Line(Clip(text, cellCharsMax))) }

// formulaBegins are the characters that a spreadsheet takes for the beginning of a formula, also in their wide forms.
const formulaBegins = "=+-@\t\r＝＋－＠"

// Inert returns a text for a cell of a table, with an apostrophe before one that a spreadsheet would take for a
// formula, also after white space or quotes, which some programs take away.
func Inert(text string) string {
	if strings.HasPrefix(text, "\t") || strings.HasPrefix(text, "\r") {
		return "'" + text
	}
	begin := strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`", r) })
	first, _ := utf8.DecodeRuneInString(begin)
	if begin != "" && strings.ContainsRune(formulaBegins, first) {
		return "'" + text
	}
	return text
}

// Head returns at most limit characters of text, without white space that the cut
// leaves at the end.
func Head(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	if runes := []rune(text); len(runes) > limit {
		return strings.TrimRightFunc(string(runes[:cutAt(runes, limit)]), unicode.IsSpace)
	}
	return text
}

// Last returns at most the last limit characters of text, the first one an [Ellipsis]
// if something is missing.
func Last(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	from := len(runes) - max(limit, 1) + 1
	for from < len(runes) && joins(runes[from]) {
		from++
	}
	return Ellipsis + string(runes[from:])
}

// joinedMax bounds the marks that are kept with their character. A longer pile of them
// is cut like any other text.
const joinedMax = 8

// cutAt is where to cut runes at or before at, without taking marks from the character
// that they belong to.
func cutAt(runes []rune, at int) int {
	at = max(at, 0)
	for n := at; n > 0 && at-n < joinedMax; n-- {
		if !joins(runes[n]) && runes[n-1] != zeroWidthJoiner {
			return n
		}
	}
	return at
}

const zeroWidthJoiner = '\u200D'

// joins reports whether r is part of the character before it: a mark, a joiner, or the
// skin colour of an emoji.
func joins(r rune) bool {
	return unicode.IsMark(r) || r == zeroWidthJoiner || r >= 0x1F3FB && r <= 0x1F3FF
}
