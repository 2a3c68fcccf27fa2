package world

import (
	"strings"
	"unicode"

	"example.com/agentworld/plaintext"
)

// TextMax bounds a message or note, in characters.
const TextMax = 200

// cleanText makes what an agent wrote fit to be stored and shown: valid UTF-8 on
// one line of at most most characters, without white space at its ends. Hidden
// characters become spaces, so that a text can neither break lines nor hide part of
// itself. Cleaning a clean text changes nothing.
func cleanText(text string, most int64) string {
	text = strings.Map(func(r rune) rune {
		if plaintext.Hidden(r) || unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return plaintext.Head(strings.TrimSpace(text), int(most))
}
