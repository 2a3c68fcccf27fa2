package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/plaintext"
)

// indentedJSON encodes v for people: indented, HTML characters as they are, and what
// could steer a terminal escaped, since such files are printed.
func indentedJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode as JSON: %w", err)
	}
	return []byte(plaintext.Escape(b.String())), nil
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

// errorText returns the message of an error on one line. Joined errors are separated by
// "; ", and each message appears once: on a full disk every later write fails, and a writer
// that failed fails again when it is closed.
func errorText(err error) string {
	if !strings.Contains(err.Error(), "\n") {
		return err.Error()
	}
	var said []string
	all := strings.Split(strings.ReplaceAll(err.Error(), "\n", "; "), "; ")
	for i, text := range all {
		quoted := func(other string) bool { return strings.HasSuffix(other, ": "+text) }
		if !slices.Contains(all[:i], text) && !slices.ContainsFunc(all, quoted) {
			said = append(said, text)
		}
	}
	return strings.Join(said, "; ")
}
