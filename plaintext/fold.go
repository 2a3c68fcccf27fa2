package plaintext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// Fold returns text in the form that texts are compared by: without case, accents,
// other marks and format characters, with full-width forms, ligatures and the digits
// of all scripts as their plain characters.
func Fold(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	text = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Mn, unicode.Me) {
			return -1
		}
		return r
	}, norm.NFKD.String(Narrow(text)))
	return norm.NFC.String(cases.Fold().String(text))
}

// Narrow returns text with full-width forms and the digits of all scripts as their
// plain characters, and without format characters, which are invisible.
func Narrow(text string) string {
	if isASCII(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r < utf8.RuneSelf:
			return r
		case unicode.Is(unicode.Cf, r):
			return -1
		case unicode.Is(unicode.Nd, r):
			// The digits of a script are ten characters in a row, from zero to nine.
			zero := r
			for unicode.Is(unicode.Nd, zero-1) {
				zero--
			}
			return '0' + (r-zero)%10
		}
		return r
	}, width.Fold.String(text))
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}
