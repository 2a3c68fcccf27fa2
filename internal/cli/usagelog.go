package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/plaintext"
)

// usageLog keeps what a model server bills: a line of JSON per answered request in a file, if
// the user names one, and the sum.
type usageLog struct {
	// name is the file's name as the user wrote it; file is nil without one.
	name string
	file *os.File

	mu       sync.Mutex
	requests int64
	sum      stub.Used
	// failed is the first error of writing.
	failed error
}

// openUsageLog opens the file, which is appended to; an empty name is none.
func openUsageLog(m *Main, name string) (*usageLog, error) {
	l := &usageLog{name: name}
	if name == "" {
		return l, nil
	}
	if err := plaintext.FileName(filepath.Base(m.path(name))); err != nil {
		return nil, badInput("--usage-log %s: %w", shown(name), err)
	}
	file, err := os.OpenFile(m.path(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, badInput("--usage-log %s cannot be written: %w; allowed: a file in a writable directory",
			shown(name), cause(err))
	}
	l.file = file
	return l, nil
}

// add keeps one request.
func (l *usageLog) add(u stub.Used) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests++
	l.sum = l.sum.Add(u)
	if l.file == nil || l.failed != nil {
		return
	}
	_, l.failed = l.file.Write(append(llmclient.Marshal(u), '\n'))
}

// close prints the sum, if there was a request, and returns the first failure.
func (l *usageLog) close(w io.Writer) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.requests > 0 {
		plaintext.Fprintf(w, "requests %d, input tokens %d: %d plain, %d cached, %d written; billed/plain %.3f\n",
			l.requests, l.sum.Input, l.sum.Input-l.sum.Cached-l.sum.Written, l.sum.Cached, l.sum.Written,
			l.sum.Billed()/float64(l.sum.Input))
	}
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	if l.failed != nil {
		err = l.failed
	}
	if err != nil {
		return fmt.Errorf("write the usage log %s: %w", shown(l.name), cause(err))
	}
	return nil
}
