package terminal

import (
	"cmp"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"example.com/agentworld/plaintext"
)

// Screen is a standard stream as people read it. Everything that the program prints
// passes through one, so that no control character of a model, server or file reaches a
// terminal, even if a caller forgot to escape it. See [plaintext.Escape]; JSON stays JSON.
//
// Several goroutines may write: progress, notes and model calls share stderr. Each Write
// arrives in one piece. What is written while there is an updating line comes above it.
type Screen struct {
	// mu is held during each write to w.
	mu sync.Mutex
	w  io.Writer
	// rest is the beginning of a character whose end was not yet written.
	rest []byte
	// line is the updating line, empty for none. It is not shown while open says that the
	// last line of what was written has no end yet.
	line string
	open bool
	// filter chooses the lines that are shown.
	filter filter
	// failed is the first error of writing.
	failed error
}

// NewScreen returns a screen for a stream. program begins the lines of errors.
func NewScreen(w io.Writer, program string) *Screen {
	return &Screen{w: w, filter: filter{program: program}}
}

// Limit shows from now on only lines of at least a level: error, warn, note or info; another one
// changes nothing. now, unless it is nil, tells the time that each line begins with.
func (s *Screen) Limit(level string, now func() time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if levels[place(level)].name == level {
		s.filter.level = level
	}
	s.filter.now = now
}

// Write passes p on, escaped.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := append(s.rest, p...)
	whole := len(text)
	for cut := len(text) - 1; cut >= 0 && cut > len(text)-utf8.UTFMax; cut-- {
		if utf8.RuneStart(text[cut]) {
			if !utf8.FullRune(text[cut:]) {
				whole = cut
			}
			break
		}
	}
	s.rest = append([]byte(nil), text[whole:]...)
	if err := s.print(plaintext.Escape(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// print writes text above the updating line.
func (s *Screen) print(text string) error {
	text = s.filter.pass(text)
	if text == "" {
		return nil
	}
	before, after := "", ""
	if s.line != "" && !s.open {
		before = LineStart
	}
	s.open = !strings.HasSuffix(text, "\n")
	if !s.open {
		after = s.line
	}
	_, err := s.w.Write([]byte(before + text + after))
	s.failed = cmp.Or(s.failed, err)
	return err
}

// Colour is how a text is shown on a terminal that shows colours.
type Colour string

// The colours. The zero value is the terminal's own.
const (
	Bold   Colour = "1"
	Red    Colour = "31"
	Green  Colour = "32"
	Yellow Colour = "33"
)

// Paint writes one line in a colour.
func (s *Screen) Paint(line string, c Colour) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := plaintext.Escape(plaintext.Line(line))
	if c != "" {
		text = "\x1b[" + string(c) + "m" + text + "\x1b[0m"
	}
	return s.print(text + "\n")
}

// Failure is the first error of writing, nil for none.
func (s *Screen) Failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// Flush writes what no further Write completed. It is called once, at the end.
func (s *Screen) Flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.print(plaintext.Escape(string(s.rest)))
	s.rest = nil
}

// LineStart goes back to the start of the line and clears it. No other control sequence
// is ever printed, but for the colours of [Screen.Paint].
const LineStart = "\r\x1b[K"

// redraw shows text, of one line, as the updating line, in place of the one before.
func (s *Screen) redraw(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line = plaintext.Escape(text)
	if !s.open {
		_, _ = s.w.Write([]byte(LineStart + s.line))
	}
}

// EndLine leaves the updating line as it is, so that what follows starts at the margin.
func (s *Screen) EndLine() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
}

// Leave is endLine for a program that ends at once: it does not wait for a stream that takes
// nothing.
func (s *Screen) Leave() {
	if s.mu.TryLock() {
		s.end()
	}
}

func (s *Screen) end() {
	if s.line != "" && !s.open {
		_, _ = s.w.Write([]byte("\n"))
	}
	s.line = ""
}
