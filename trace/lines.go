package trace

import (
	"bytes"
	"io"
)

// Lines reads the lines of a trace without decoding them, for a reader that needs few
// of them: most bytes of a trace are prompts.
type Lines struct{ r *Reader }

// NewLines returns the lines of the trace in r.
func NewLines(r io.Reader) *Lines { return &Lines{NewReader(r)} }

// Next returns the next line without its line feed; it is valid until the next call.
// The error is io.EOF, a [*LineError] for a torn last line or one that is too long, or
// the underlying reader's.
func (l *Lines) Next() ([]byte, error) {
	line, err := l.r.readLine()
	switch err {
	case nil:
		l.r.line++
		l.r.offset += int64(len(line))
		return line[:len(line)-1], nil
	case ErrTorn, errLong:
		return nil, l.r.lineError(l.r.line, l.r.offset, err)
	}
	return nil, err
}

// Failed returns the [*LineError] that tells of the line read last.
func (l *Lines) Failed(err error) error {
	return l.r.lineError(l.r.line-1, l.r.offset-int64(len(l.r.buf)), err)
}

// TypeOf returns the type of a line as this package writes it, empty when the line does
// not begin that way.
func TypeOf(line []byte) Type {
	rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`))
	if !ok {
		return ""
	}
	end := bytes.IndexByte(rest, '"')
	if end < 0 {
		return ""
	}
	return Type(rest[:end])
}
