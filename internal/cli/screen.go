package cli

import (
	"io"
	"sync"
	"unicode/utf8"

	"example.com/agentworld/plaintext"
)

// screen is a standard stream as people read it. Everything that the program prints
// passes through one, so that no control character of a model, server or file reaches a
// terminal, even if a caller forgot to escape it. See [plaintext.Escape]; JSON stays JSON.
//
// Several goroutines may write: progress, notes and model calls share stderr. Each Write
// arrives in one piece.
type screen struct {
	// mu is held during each write to w.
	mu sync.Mutex
	w  io.Writer
	// rest is the beginning of a character whose end was not yet written.
	rest []byte
}

// Write passes p on, escaped.
func (s *screen) Write(p []byte) (int, error) {
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
	if _, err := s.w.Write([]byte(plaintext.Escape(string(text[:whole])))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// flush writes what no further Write completed. It is called once, at the end.
func (s *screen) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.rest) > 0 {
		_, _ = s.w.Write([]byte(plaintext.Escape(string(s.rest))))
		s.rest = nil
	}
}

// lineStart goes back to the start of the line and clears it. No other control sequence
// is ever printed.
const lineStart = "\r\x1b[K"

// redraw writes text in place of the line that the cursor is on.
func (s *screen) redraw(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = plaintext.Fprintf(s.w, lineStart+"%s", text)
}
