package cli

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

// broken is a source of randomness with a bug.
type broken struct{}

func (broken) Read([]byte) (int, error) { panic("the dice are gone") }

func TestABugIsAnInternalError(t *testing.T) {
	p := newProcess(t, nil, "minimal", "--ticks", "1")
	p.Random = broken{}
	if code := p.run(t); code != exitInternal {
		t.Errorf("exit code %d, want %d", code, exitInternal)
	}
	lines := strings.Split(strings.TrimSpace(p.stderr.String()), "\n")
	if last, want := lines[len(lines)-1], programName+": internal error, please report it: the dice are gone"; last != want {
		t.Errorf("last line %q, want %q", last, want)
	}
	if !strings.Contains(p.stderr.String(), "goroutine ") {
		t.Error("the stack is missing")
	}
}

func TestExitCodes(t *testing.T) {
	inner := errors.New("inner")
	for _, c := range []struct {
		err  error
		code int
	}{
		{nil, exitCompleted},
		{inner, exitInternal},
		{badInput("x: %w", inner), exitBadInput},
		{badInput("x: %w", errors.Join(inner, &fs.PathError{Op: "open", Path: "x", Err: syscall.ENOENT})), exitBadInput},
		{badInput("x: %w", errors.Join(inner, &fs.PathError{Op: "read", Path: "x", Err: syscall.EIO})), exitDisk},
		{badInput("x: %w", errors.Join(inner, &fs.PathError{Op: "open", Path: "x", Err: syscall.EMFILE})), exitInternal},
		{errors.Join(failWith(exitProvider, inner), inner), exitProvider},
	} {
		if got := exitCode(c.err); got != c.code {
			t.Errorf("exitCode(%v) = %d, want %d", c.err, got, c.code)
		}
		if c.err != nil && !errors.Is(c.err, inner) {
			t.Errorf("%v hides its cause", c.err)
		}
	}
}

func TestErrorsAreOneSafeLine(t *testing.T) {
	p := newProcess(t, nil, "no\nsuch\x1b[2Jthing")
	if code := p.run(t); code != exitBadInput {
		t.Errorf("exit code %d", code)
	}
	if text := p.stderr.String(); strings.Count(text, "\n") != 1 || strings.Contains(text, "\x1b") {
		t.Errorf("printed %q, want one line without control characters", text)
	}
}
