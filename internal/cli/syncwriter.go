package cli

import (
	"io"
	"sync"
)

// syncWriter lets several goroutines write whole lines to one stream: each Write
// arrives in one piece. Progress, notes and model calls share stderr.
type syncWriter struct {
	// mu is held during each Write to w.
	mu sync.Mutex
	w  io.Writer
}

// Write passes p on while holding the stream.
func (s *syncWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p)
}
