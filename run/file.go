package run

import (
	"errors"
	"fmt"
	"os"
)

// storage is the part of a file that a trace is written through. Tests put a disk
// that fails in its place.
type storage interface {
	Write(p []byte) (int, error)
	Sync() error
	Close() error
}

// traceFile is the open file of a trace.
type traceFile struct {
	path string
	file *os.File
	// out is file, or what a test put before it.
	out storage
	// number is the segment that the file will be, size its bytes so far.
	number int
	size   int64
}

// openStorage is what writes reach; tests replace it.
var openStorage = func(f *os.File) storage { return f }

// createTrace makes the trace file of a new run.
func (d Dir) createTrace() (*traceFile, error) {
	return d.openTraceFile(os.O_CREATE | os.O_EXCL)
}

// continueTrace opens the trace file of a run that goes on.
func (d Dir) continueTrace() (*traceFile, error) { return d.openTraceFile(0) }

func (d Dir) openTraceFile(flags int) (*traceFile, error) {
	path := d.file(TraceFile)
	f, err := os.OpenFile(path, flags|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open trace for writing: %w", err)
	}
	t := &traceFile{path: path, file: f, out: openStorage(f)}
	if err := t.measure(d); err != nil {
		return nil, errors.Join(fmt.Errorf("open trace for writing: %w", err), f.Close())
	}
	return t, nil
}

// measure finds out what the file holds.
func (t *traceFile) measure(d Dir) error {
	info, err := t.file.Stat()
	if err != nil {
		return err
	}
	t.size = info.Size()
	f, number, err := d.openLast()
	if err != nil {
		return err
	}
	t.number = number
	return f.Close()
}

// Write implements io.Writer.
func (t *traceFile) Write(p []byte) (int, error) {
	n, err := t.out.Write(p)
	t.size += int64(n)
	return n, err
}

// errTraceGone says that what is written can no longer be found by anybody.
var errTraceGone = errors.New("the trace file was removed or replaced while the run was writing it")

// sync makes what was written survive a power failure. A file that was removed takes
// writes without complaint, so its name is looked up each time.
func (t *traceFile) sync() error {
	if err := t.out.Sync(); err != nil {
		return fmt.Errorf("sync trace: %w", err)
	}
	if !sameFile(t.file, t.path) {
		return fmt.Errorf("sync trace %s: %w", t.path, errTraceGone)
	}
	return nil
}

func (t *traceFile) close() error {
	if err := t.out.Close(); err != nil {
		return fmt.Errorf("close trace: %w", err)
	}
	return nil
}
