package cli

import (
	"bytes"
	"encoding/json"
	"fmt"

	"example.com/agentworld/plaintext"
)

// indentedJSON encodes v for people: indented, HTML characters as they are, and what
// could steer a terminal escaped, which keeps its meaning.
func indentedJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode as JSON: %w", err)
	}
	return []byte(plaintext.EscapeJSON(b.String())), nil
}

// printJSON prints v on stdout.
func (m *Main) printJSON(v any) error {
	text, err := indentedJSON(v)
	if err != nil {
		return err
	}
	_, err = m.Stdout.Write(text)
	return err
}

// oneLine makes text that others wrote safe for one line of the terminal.
func oneLine(text string) string { return plaintext.EscapeLine(text) }
