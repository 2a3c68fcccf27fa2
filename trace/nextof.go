package trace

import "slices"

// NextOf returns the next record of one of the given types. Lines of other types are
// passed over without being decoded, which is most of the work of reading a trace;
// whether they are records is not found out. The errors are those of [Reader.Next].
func (r *Reader) NextOf(types ...Type) (Record, error) {
	for {
		number, offset := r.line, r.offset
		line, err := r.readLine()
		if err != nil {
			return nil, r.lineFailed(err)
		}
		r.line++
		r.offset += int64(len(line))
		if t := TypeOf(line); t != "" && !slices.Contains(types, t) {
			continue
		}
		record, err := Decode(line[:len(line)-1])
		if err != nil {
			return nil, r.lineError(number, offset, err)
		}
		if slices.Contains(types, record.RecordType()) {
			return record, nil
		}
	}
}

// lineFailed is the error of the next line, which could not be read.
func (r *Reader) lineFailed(err error) error {
	if err != errLong && err != ErrTorn {
		return err
	}
	failed := r.lineError(r.line, r.offset, err)
	if err == errLong {
		r.stuck = failed
	}
	return failed
}
