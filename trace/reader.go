package trace

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
)

// LineBytesMax bounds one line. Records are much shorter; a file with a longer line is
// not a trace.
const LineBytesMax = 64 << 20

var (
	// ErrTorn marks where a trace ends inside a tick: its last line has no line feed, or
	// lines of the last tick do not fit their chain, because the writer or the whole
	// system died. Cutting the file at the offset of the [LineError] repairs it.
	ErrTorn = errors.New("the trace ends inside tick")
	// ErrFormat marks a header of another format than [FormatVersion].
	ErrFormat = errors.New("the trace has another format than this program")
	// ErrNoHeader marks a trace whose first record is not a [Header].
	ErrNoHeader = errors.New("the trace does not begin with a header")
)

// LineError is what is wrong with a line of a trace.
type LineError struct {
	// File is the file of the line, empty where the reader's source is no
	// [Placer].
	File string
	// Line counts from 1; Offset is the byte at which the line begins. Both are those in
	// the file, uncompressed, or without one those of the trace.
	Line   int
	Offset int64
	// Err is the cause: ErrTorn, ErrFormat or why the line is no record.
	Err error
}

// Error implements error.
func (e *LineError) Error() string {
	if e.File != "" {
		return fmt.Sprintf("%s, line %d (byte %d): %v", e.File, e.Line, e.Offset, e.Err)
	}
	return fmt.Sprintf("trace line %d (byte %d): %v", e.Line, e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// Placer is a source of a trace that knows where its bytes come from: a trace may be
// spread over files, and a repair needs the name of the file.
type Placer interface {
	// Place is given a line of what the source was read for, counted from 1, and the byte
	// at which it begins. It returns the file and both numbers in that file.
	Place(line int, offset int64) (file string, lineInFile int, offsetInFile int64)
}

// Reader reads the records of a trace in order. It is for one goroutine.
type Reader struct {
	r *bufio.Reader
	// placer is the source, nil where it does not know files.
	placer Placer
	// line and offset describe the next line.
	line   int
	offset int64
	buf    []byte
	// stuck is why nothing can be read any more: a broken line, a torn one, or one so long that
	// its end was not looked for.
	stuck error
	// chained is the source, nil where it asks for no chains. checks says that lines are held
	// against their chains; chain is that of the last line, cut where it begins in buf, 0
	// for a line without one. open is the tick that is not whole.
	chained Chained
	checks  bool
	chain   Chain
	cut     int
	open    int64
}

// NewReader returns a reader of the trace in r.
func NewReader(r io.Reader) *Reader {
	placer, _ := r.(Placer)
	reader := &Reader{r: bufio.NewReaderSize(r, 64<<10), placer: placer, line: 1, open: 1}
	if chained, ok := r.(Chained); ok {
		reader.chained, reader.checks = chained, true
		reader.chain, reader.open = chained.Before()
	}
	return reader
}

// Chain returns the chain of the last line read, empty before the first one.
func (r *Reader) Chain() Chain { return r.chain }

// lineError is the error of a line that begins at a byte of the source.
func (r *Reader) lineError(line int, offset int64, err error) *LineError {
	e := &LineError{Line: line, Offset: offset, Err: err}
	if r.placer != nil {
		e.File, e.Line, e.Offset = r.placer.Place(line, offset)
	}
	return e
}

// Offset is the byte after the last complete line read: a reader that follows a growing
// trace continues there, and a torn trace is cut there.
func (r *Reader) Offset() int64 { return r.offset }

// Next returns the next record. At the end of the trace the error is io.EOF; a
// line that is not a record is a [*LineError], after which Next continues with the
// following line, except that nothing follows a torn line or one longer than
// [LineBytesMax]; any other error comes from the underlying reader.
func (r *Reader) Next() (Record, error) { return r.NextOf() }

// Header reads the first record. The error is [ErrNoHeader] if that is another one, or
// one of [Reader.Next].
func (r *Reader) Header() (Header, error) {
	first, err := r.Next()
	if err != nil {
		return Header{}, err
	}
	h, ok := first.(Header)
	if !ok {
		return Header{}, ErrNoHeader
	}
	return h, nil
}

// NextOf returns the next record of one of the given types, of any if none is given. Lines of other types are
// passed over without being decoded, which is most of the work of reading a trace;
// whether they are records is not found out. The errors are those of [Reader.Next].
func (r *Reader) NextOf(types ...Type) (Record, error) {
	for {
		line, err := r.NextLine()
		if err != nil {
			return nil, err
		}
		if t := TypeOf(line); len(types) > 0 && t != "" && !slices.Contains(types, t) {
			continue
		}
		record, err := Decode(line)
		if err != nil {
			return nil, r.Failed(err)
		}
		if len(types) == 0 || slices.Contains(types, record.RecordType()) {
			return record, nil
		}
	}
}

// All iterates over the remaining records. It stops after the first error, which
// it yields with a nil record; the end of the trace is not an error.
func (r *Reader) All() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for {
			record, err := r.Next()
			if err == io.EOF || !yield(record, err) || err != nil {
				return
			}
		}
	}
}

// Records iterates over the remaining records of some types, or of all if none is given. A torn last
// line ends it as the end of the trace does; any other error is yielded once, with a nil record.
func (r *Reader) Records(types ...Type) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for {
			record, err := r.NextOf(types...)
			if err == io.EOF || errors.Is(err, ErrTorn) || !yield(record, err) || err != nil {
				return
			}
		}
	}
}

var errLong = fmt.Errorf("longer than %d bytes", LineBytesMax)

// NextLine returns the next line without its line feed and its chain, and without
// decoding it. It is for callers that need few lines: most bytes of a trace are prompts.
// The line is valid until the next call. The error is io.EOF, the underlying reader's, or
// a [*LineError]: if the trace ends inside a tick, if a line does not fit its chain, or
// if it is too long.
func (r *Reader) NextLine() ([]byte, error) {
	if r.stuck != nil {
		return nil, r.stuck
	}
	line, err := r.rawLine()
	switch {
	case err == io.EOF && len(r.buf) > 0:
		return nil, r.ended(r.lineError(r.line, r.offset, fmt.Errorf("%w %d: the last line was cut short", ErrTorn, r.open)))
	case err == io.EOF:
		return nil, r.ended(nil)
	case err != nil:
		return nil, err
	}
	return r.unsealed(line)
}

// ended is the error at the end of the trace, where it is torn or not. After io.EOF there may
// be more at the next call.
func (r *Reader) ended(torn *LineError) error {
	if r.chained != nil {
		r.stuck = r.chained.Ended(r.chain, torn, func(err error) *LineError { return r.lineError(r.line, r.offset, err) })
	}
	if r.stuck == nil && torn != nil {
		r.stuck = io.EOF
		return torn
	}
	return cmp.Or(r.stuck, io.EOF)
}

// unsealed holds a line against its chain, and takes that away.
func (r *Reader) unsealed(line []byte) ([]byte, error) {
	body, chain, sealed := Unseal(line)
	first := r.line == 2
	if first && r.chained == nil {
		r.checks = sealed
	}
	switch {
	case !r.checks:
	case first && r.chained == nil && TypeOf(line) == TypeSegment: // it follows a file that was not read
	case sealed && chainAfter(r.chain, body) == chain:
	default:
		why := ErrChain
		if !sealed && first && len(r.chain) == 0 {
			switch _, err := Decode(line); {
			case err == nil:
				why = ErrNoChain
			case errors.Is(err, ErrFormat):
				why = err
			}
		}
		failed := r.lineError(r.line-1, r.offset-int64(len(r.buf)), why)
		r.checks = r.chained == nil || !r.chained.ReadOn(failed)
		if !r.checks {
			break
		}
		failed = r.broken(bytes.Clone(line), failed)
		if errors.Is(failed, ErrTorn) {
			return nil, r.ended(failed)
		}
		r.stuck = failed
		return nil, r.stuck
	}
	r.cut = 0
	if sealed {
		r.chain, r.cut = chain, len(body)
		line = append(body, '}') // in place of the comma before the chain
	}
	r.open = openTick(line)
	return line, nil
}

// Raw returns the line that NextLine returned last as it is in the file, with its chain.
func (r *Reader) Raw() []byte {
	if r.cut > 0 {
		r.buf[r.cut] = ','
	}
	return r.buf[:len(r.buf)-1]
}

// rawLine reads the next line. At the end of the source the error is io.EOF, and buf
// holds the rest without a line feed.
func (r *Reader) rawLine() ([]byte, error) {
	r.buf = r.buf[:0]
	for {
		piece, err := r.r.ReadSlice('\n')
		r.buf = append(r.buf, piece...)
		switch {
		case err == nil:
			r.line++
			r.offset += int64(len(r.buf))
			return r.buf[:len(r.buf)-1], nil
		case len(r.buf) > LineBytesMax:
			r.stuck = r.lineError(r.line, r.offset, errLong)
			return nil, r.stuck
		case err != bufio.ErrBufferFull:
			return nil, err
		}
	}
}

// Failed returns the [*LineError] about the line read last.
func (r *Reader) Failed(err error) error {
	return r.lineError(r.line-1, r.offset-int64(len(r.buf)), err)
}

// TypeOf returns the type of a line as this package writes it, empty when the line does
// not begin that way.
func TypeOf(line []byte) Type {
	rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`))
	end := bytes.IndexByte(rest, '"')
	if !ok || end < 0 {
		return ""
	}
	return Type(rest[:end])
}

// Decode reads one line, without its line feed. A type this version does not
// know gives an [Unknown]. The error says why the line is no record.
func Decode(line []byte) (Record, error) {
	// A line that begins as this package writes it gives its type without a second read.
	// If a later "type" in it differs, the first one counts.
	if decode := decoders[TypeOf(line)]; decode != nil {
		return decode(line)
	}
	var head struct {
		Type Type  `json:"type"`
		Tick int64 `json:"tick"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, fmt.Errorf("not a record: %w", err)
	}
	if decode := decoders[head.Type]; decode != nil {
		return decode(line)
	}
	if head.Type == "" {
		return nil, errors.New(`not a record: no "type"`)
	}
	return Unknown{Type: head.Type, Tick: head.Tick, Raw: append(json.RawMessage(nil), line...)}, nil
}

// decoders read the lines of the types that this version knows.
var decoders = map[Type]func(line []byte) (Record, error){
	TypeHeader: decodeHeader, TypeBlob: decodeAs[Blob], TypeSwitch: decodeAs[Switch], TypeFork: decodeAs[Fork],
	TypeModelCall: decodeAs[ModelCall], TypeToolCall: decodeAs[ToolCall],
	TypeRefusal: decodeAs[Refusal], TypeStep: decodeAs[Step],
	TypeDecision: decodeAs[Decision],
	TypeEvent:    decodeAs[Event], TypeTickEnd: decodeAs[TickEnd], TypeRunEnd: decodeAs[RunEnd],
	TypeResume:  decodeAs[Resume],
	TypeSegment: decodeAs[Segment], TypeCapChange: decodeAs[CapChange], TypeControl: decodeAs[Control],
}

func decodeAs[R Record](line []byte) (Record, error) {
	var r R
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, malformed(r.RecordType(), err)
	}
	return r, nil
}

// malformed is the error of a line of a known type that could not be read.
func malformed(t Type, err error) error {
	if _, syntax := errors.AsType[*json.SyntaxError](err); syntax {
		return fmt.Errorf("not a record: %w", err)
	}
	return fmt.Errorf("malformed %s record: %w", t, err)
}

// decodeHeader looks at the version first: fields of another format may not fit.
func decodeHeader(line []byte) (Record, error) {
	var head struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, fmt.Errorf("malformed header record: %w", err)
	}
	switch age := "an older"; {
	case head.Format < 1:
		return nil, fmt.Errorf("malformed header record: format %d", head.Format)
	case head.Format != FormatVersion:
		if head.Format > FormatVersion {
			age = "a newer"
		}
		return nil, fmt.Errorf("%w: written by %s version (format %d), this program reads format %d", ErrFormat, age,
			head.Format, FormatVersion)
	}
	return decodeAs[Header](line)
}
