package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"example.com/agentworld/trace"
)

// DamageError says that a file of a trace cannot be read at all: it is missing, or what
// is compressed in it was changed. A line that can be read and is no record is a
// [*trace.LineError].
type DamageError struct {
	// File is the file's name in the run directory.
	File string
	// Lines and Bytes are how much of it could be read, uncompressed.
	Lines int
	Bytes int64
	// Err is what its reader says.
	Err error
}

// Error names the file, and how far it is whole.
func (e *DamageError) Error() string {
	if errors.Is(e.Err, os.ErrNotExist) {
		return e.File + " is missing"
	}
	// The path in an error of the system would name the file again.
	if path, ok := errors.AsType[*os.PathError](e.Err); ok {
		return fmt.Sprintf("%s cannot be read: %v", e.File, path.Err)
	}
	if e.Bytes > 0 {
		return fmt.Sprintf("%s is damaged: %v; it can be read up to line %d (byte %d)", e.File, e.Err, e.Lines+1, e.Bytes)
	}
	return fmt.Sprintf("%s is damaged: %v", e.File, e.Err)
}

// Unwrap returns what the file's reader says.
func (e *DamageError) Unwrap() error { return e.Err }

// Damaged reports whether err says that a trace is not one, or is incomplete: every later
// read will fail the same way. Readable records in the wrong order are not damage: a
// comparison finds them.
func Damaged(err error) bool {
	if _, order := errors.AsType[*trace.OrderError](err); order {
		return false
	}
	_, file := errors.AsType[*DamageError](err)
	_, line := errors.AsType[*trace.LineError](err)
	return file || line || errors.Is(err, trace.ErrNoHeader) || errors.Is(err, ErrNothingRecorded)
}

// begunFile is a file of a trace that a reader has begun to read.
type begunFile struct {
	number int
	// line and offset count what was read of files before, skipped are the bytes of this
	// one that were passed over.
	line    int
	offset  int64
	skipped int64
}

func (s *segments) Place(line int, offset int64) (string, int, int64) {
	var at begunFile
	for _, f := range s.begun {
		if f.offset <= offset {
			at = f
		}
	}
	name, lines := TraceFile, io.Reader(io.NewSectionReader(s.open, 0, at.skipped))
	if at.number < s.last {
		name = segmentName(at.number)
		// The skipped lines are counted only if an error has to name the place of a line.
		closed, err := s.of.openSegment(at.number)
		if err != nil {
			return name, line - at.line, offset - at.offset + at.skipped
		}
		defer closed.Close()
		lines = io.LimitReader(closed, at.skipped)
	}
	return name, line - at.line + newlines(lines), offset - at.offset + at.skipped
}

// newlines counts the lines in r, as far as it can be read.
func newlines(r io.Reader) (n int) {
	for buffer := make([]byte, 64<<10); ; {
		read, err := r.Read(buffer)
		n += bytes.Count(buffer[:read], []byte{'\n'})
		if err != nil {
			return n
		}
	}
}
