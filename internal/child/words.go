package child

import (
	"strings"
	"sync"

	"example.com/agentworld/plaintext"
)

// LastWords keeps the end of what a program writes to its standard error. Several goroutines may use it.
type LastWords struct {
	mu   sync.Mutex
	text []byte
}

// lastWordsMax bounds them in bytes, and what is shown of them in characters.
const lastWordsMax = 400

// Write implements [io.Writer].
func (w *LastWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p[max(0, len(p)-lastWordsMax):]...)
	w.text = w.text[max(0, len(w.text)-lastWordsMax):]
	return len(p), nil
}

// Line is the last line, one line of at most 400 characters for the user whose program it is. It is empty if the
// program wrote nothing.
func (w *LastWords) Line() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(w.text)), "\n")
	return plaintext.Clip(plaintext.Line(lines[len(lines)-1]), lastWordsMax)
}
