package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"example.com/agentworld/trace"
)

// traceFile is the open file of a trace.
type traceFile struct {
	dir Dir
	out storage
	// number is the segment that the file will be, size its bytes so far.
	number int
	size   int64
}

// openTraceFile opens the trace file of a run that continues or, with the flags for that,
// creates one.
func (d Dir) openTraceFile(flags int) (*traceFile, error) {
	f, err := onDisk.Append(d.folder(), TraceFile, flags)
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
	return &traceFile{dir: d, out: f, number: number, size: info.Size()}, last.Close()
}

func (t *traceFile) Write(p []byte) (int, error) {
	n, err := t.out.Write(p)
	t.size += int64(n)
	return n, err
}

// errTraceGone says that what is written can no longer be found.
var errTraceGone = errors.New("the trace file was removed or replaced while the run was writing it")

// sync makes what was written survive a power failure. A file that was removed takes
// writes without complaint, so its name is looked up each time.
func (t *traceFile) sync() error {
	if err := t.out.Sync(); err != nil {
		return fmt.Errorf("sync trace: %w", err)
	}
	if !t.dir.names(TraceFile, t.out) {
		return fmt.Errorf("sync trace %s: %w", t.dir.file(TraceFile), errTraceGone)
	}
	return nil
}

// Head is the chain of the last line of the open file of a trace, empty in an empty file. The error says that
// it does not end with a whole line, or cannot be read.
func (d Dir) Head() (trace.Chain, error) {
	f, err := d.folder().Open(TraceFile)
	if err != nil {
		return "", fmt.Errorf("read the end of the trace: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("read the end of the trace: %w", err)
	}
	return chainBefore(f, info.Size())
}

// chainBefore is the chain of the line that ends at a byte of a file. It is empty at the
// beginning.
func chainBefore(f io.ReaderAt, offset int64) (trace.Chain, error) {
	if offset == 0 {
		return "", nil
	}
	end := make([]byte, min(offset, 64))
	if _, err := f.ReadAt(end, offset-int64(len(end))); err != nil {
		return "", fmt.Errorf("read the end of the trace: %w", err)
	}
	line, whole := bytes.CutSuffix(end, []byte("\n"))
	_, chain, sealed := trace.Unseal(line)
	if !whole || !sealed {
		return "", fmt.Errorf("read the end of the trace: %w", trace.ErrNoChain)
	}
	return trace.Chain(chain), nil
}

func (t *traceFile) close() error {
	if err := t.out.Close(); err != nil {
		return fmt.Errorf("close trace: %w", err)
	}
	return nil
}
