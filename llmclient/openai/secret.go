package openai

import (
	"fmt"
	"io"
)

// secretMark replaces a secret in every printed text.
const secretMark = "[secret]"

// Secret is a text that must not be printed, such as an API key. The zero value
// is the empty secret.
//
// Invariant: no format verb prints the text, not even for a Secret in an
// unexported field of another struct, where package fmt calls no methods. That
// is why the text lies behind a pointer.
type Secret struct {
	text *string
}

// NewSecret returns a secret that holds text.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{text: &text}
}

// Reveal returns the text itself. It is for the place that sends it, never for a
// log, an error or a file.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Empty reports whether there is no text.
func (s Secret) Empty() bool { return s.text == nil }

// String returns a fixed mark, or "" for the empty secret.
func (s Secret) String() string {
	if s.Empty() {
		return ""
	}
	return secretMark
}

// Format writes what String returns, for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText returns what String returns, so that encoders print no more.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
