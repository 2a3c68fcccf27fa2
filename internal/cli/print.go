package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/internal/terminal"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/plaintext"
)

// printer is where the program says what it has to say.
type printer struct {
	// Program is how the user called it, for commands that messages advise; empty is its name.
	Program string
	// Stdout gets results, Stderr progress and errors. Run puts a screen before both.
	Stdout, Stderr io.Writer
	// Terminal says that Stderr is a terminal: progress is one updating line, of at most as
	// many columns as Columns returns each time, 0 for unknown. Nil is the same.
	Terminal bool
	Columns  func() int
	// OutputColumns is how wide the terminal is that Stdout is, 0 where it is none. Nil is the same.
	OutputColumns func() int
	// Colours says that Stdout is a terminal whose user wants colours.
	Colours bool
	// screen is Stderr, for progress on a terminal.
	screen *terminal.Screen
}

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

// print prints a text on stdout as it is. Its error may be left to [Main.Run], which looks whether stdout
// took all that was printed.
func (p *printer) print(text string) error {
	_, err := io.WriteString(p.Stdout, text)
	if err != nil {
		return fmt.Errorf("print: %w", cause(err))
	}
	return nil
}

// printJSON prints v on stdout.
func (p *printer) printJSON(v any) error {
	text, err := indentedJSON(v)
	if err != nil {
		return err
	}
	return p.print(string(text))
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

// log makes the settings about stderr hold from now on.
func (m *Main) log(values settings.Values) {
	if m.screen == nil {
		return // not run as a program
	}
	var now func() time.Time
	if text := values.Find("run.log_timestamps").Text; text == "true" || text == "1" {
		now = m.Now
	}
	m.screen.Limit(values.Find("run.log_level").Text, now) // a level that is none is refused later
}

// newProgressPrinter returns one for stderr.
func (p *printer) newProgressPrinter(quiet bool) *terminal.Printer {
	return terminal.NewPrinter(p.screen, p.Terminal, p.Columns, quiet)
}

// shownValueMax bounds how much of a text of others a line shows.
const shownValueMax = 80

// shown quotes a refused value for an error.
func shown(text string) string { return openai.Quoted(text) }
