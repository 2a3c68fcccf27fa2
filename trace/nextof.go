package trace

import (
	"io"
	"slices"
)

// NextOf returns the next record of one of the given types. Lines of other types are
// passed over without being decoded, which is most of the work of reading a trace;
// whether they are records is not found out. The errors are those of [Reader.Next].
func (r *Reader) NextOf(types ...Type) (Record, error) {
	for {
		at := LineError{Line: r.line, Offset: r.offset}
		line, err := r.readLine()
		if err != nil {
			return nil, r.lineFailed(at, err)
		}
		r.line++
		r.offset += int64(len(line))
		if t := TypeOf(line); t != "" && !slices.Contains(types, t) {
			continue
		}
		record, err := Decode(line[:len(line)-1])
		if err != nil {
			at.Err = err
			return nil, &at
		}
		if slices.Contains(types, record.RecordType()) {
			return record, nil
		}
	}
}

// lineFailed is the error of a line that could not be read.
func (r *Reader) lineFailed(at LineError, err error) error {
	if err == io.EOF {
		return err
	}
	at.Err = err
	if err == errLong {
		r.stuck = &at
	}
	if err == errLong || err == ErrTorn {
		return &at
	}
	return err
}
