package run

import (
	"errors"
	"fmt"
	"os"

	"example.com/agentworld/internal/atomicfile"
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

// syncDir is [atomicfile.SyncDir]; tests replace it.
var syncDir = atomicfile.SyncDir

// openTraceFile opens the trace file of a run that goes on or, with the flags for that,
// makes one.
func (d Dir) openTraceFile(flags int) (*traceFile, error) {
	path := d.file(TraceFile)
	f, err := os.OpenFile(path, flags|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open trace for writing: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open trace for writing: %w", err), f.Close())
	}
	last, number, err := d.openLast()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open trace for writing: %w", err), f.Close())
	}
	return &traceFile{path: path, file: f, out: openStorage(f), number: number, size: info.Size()}, last.Close()
}

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
