package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"example.com/agentworld/internal/atomicfile"
)

func TestErrorsAreSaidOnce(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "/r/trace", Err: syscall.ENOSPC}
	for _, c := range []struct {
		err  error
		want string
	}{
		{full, "write /r/trace: no space left on device"},
		{fmt.Errorf("run: %w; resume goes on", errors.Join(full, errors.New("write /r/report.json: no space left on device"))),
			"run: write /r/trace: no space left on device; write /r/report.json: no space left on device; resume goes on"},
		// A compressor that could not write cannot be closed either.
		{errors.Join(fmt.Errorf("close trace segment 1: %w", errors.Join(full, full)), nil), "close trace segment 1: write /r/trace: no space left on device"},
		{errors.Join(fmt.Errorf("sync trace: %w", full), full), "sync trace: write /r/trace: no space left on device"},
		{errors.Join(syscall.ENOSPC, fmt.Errorf("sync trace: %w", full)), "sync trace: write /r/trace: no space left on device"},
		{fmt.Errorf("%w and %w", errors.New("a"), errors.Join(errors.New("b"), errors.New("c"))), "a and b; c"},
		{failWith(2, fmt.Errorf("x: %w", errors.Join(errors.New("a"), errors.Join(errors.New("b"), errors.New("a"))))), "x: a; b"},
	} {
		if got := errorText(c.err); got != c.want {
			t.Errorf("%q\nwant %q", got, c.want)
		}
	}
}

// TestUnwritableFileIsNamedOnce writes a file where a directory is.
func TestUnwritableFileIsNamedOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.json")
	if err := os.MkdirAll(filepath.Join(path, "inner"), 0o755); err != nil {
		t.Fatal(err)
	}
	err := atomicfile.Write(path, []byte("{}"))
	if err == nil || strings.Count(err.Error(), "report.json") != 1 || !strings.HasPrefix(err.Error(), "write "+path+": ") {
		t.Errorf("%v", err)
	}
}
