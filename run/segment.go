package run

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/klauspost/compress/zstd"

	"example.com/agentworld/trace"
)

// A long trace is several files: closed segments, compressed and never changed
// again, and the open [TraceFile], which begins with its number unless it is the
// first. Only the number in the open file says which segments count: a crash between
// closing a segment and opening the next file leaves both with the same records, and
// the open file holds. Where a disk that failed took the open file's first line, all
// segments count, and a resume begins the open file again.

// segmentName is the file of a closed segment.
func segmentName(number int) string { return fmt.Sprintf("trace-%06d.jsonl.zst", number) }

// segmentsMax is far beyond the segments of any run.
const segmentsMax = 1 << 30

// closedSegments are the numbers of the closed segments that there are, rising. Names that only
// resemble one are skipped. The error has [ErrIrregular] if a name of a run is something else than
// a run puts there.
func (d Dir) closedSegments() (numbers []int, err error) {
	entries, err := d.files()
	if errors.Is(err, ErrIrregular) {
		return nil, err
	}
	// What cannot be listed holds nothing that could be read.
	for _, e := range entries {
		if n := numberOfSegment(e.Name()); n > 0 {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// numberOfSegment is the number in the name of a closed segment, 0 in any other name.
func numberOfSegment(name string) int {
	var n int
	_, err := fmt.Sscanf(name, "trace-%d.jsonl.zst", &n)
	if err != nil || n <= 0 || n > segmentsMax || name != segmentName(n) {
		return 0
	}
	return n
}

// isSegment says that a name is that of a closed segment.
func isSegment(name string) bool { return numberOfSegment(name) > 0 }

// ErrNoRun marks a directory without a trace.
var ErrNoRun = errors.New("not a run directory")

// Open opens the trace of the run for reading, from the first line to the
// last one there is now, whatever files it is spread over; a run under way may add to
// them meanwhile. The error is ErrNoRun or says why a file cannot be read.
func (d Dir) Open() (io.ReadCloser, error) { return d.As(nil).Open() }

// Open is [Dir.Open] in the way of the source.
func (d Source) Open() (io.ReadCloser, error) {
	s, err := d.open()
	if err != nil {
		return nil, err // and not a nil reader
	}
	return s, nil
}

func (d Source) open() (*segments, error) {
	f, number, err := d.openLast()
	if err != nil {
		return nil, err
	}
	return &segments{of: d, next: 1, last: number, open: f, tick: 1}, nil
}

// openLast opens the open file of a trace and finds its number. If that file is gone and
// closed segments exist, an empty file replaces it: the segments hold whole ticks.
func (d Dir) openLast() (f *os.File, number int, err error) {
	numbers, err := d.closedSegments()
	if err != nil {
		return nil, 0, fmt.Errorf("open trace: %w", err)
	}
	closed := 0
	if len(numbers) > 0 {
		closed = numbers[len(numbers)-1]
	}
	f, err = d.folder().Open(TraceFile)
	if errors.Is(err, os.ErrNotExist) {
		if closed == 0 {
			return nil, 0, fmt.Errorf("%s is %w: it has no %s", d, ErrNoRun, TraceFile)
		}
		f, err = os.Open(os.DevNull)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("open trace: %w", err)
	}
	number, err = segmentNumber(f, closed)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("open trace: %w", err), f.Close())
	}
	return f, number, nil
}

// segmentNumber reads the number in the first line; 1 when that is anything but a
// segment record, however damaged. A file without a whole line has no number of its own:
// it counts as what follows the closed segments, whose last one is given.
func segmentNumber(f io.Reader, closed int) (int, error) {
	record, err := trace.NewReader(f).Next()
	if s, ok := record.(trace.Segment); ok && s.Number > 1 {
		return s.Number, nil
	}
	if err == io.EOF || errors.Is(err, trace.ErrTorn) {
		return closed + 1, nil
	}
	_, damaged := errors.AsType[*trace.LineError](err)
	if err != nil && !damaged {
		return 0, err
	}
	return 1, nil
}

// segments reads the files of a trace one after the other.
type segments struct {
	of Source
	// next is the number of the file to read after current, last that of open.
	next, last int
	open       *os.File
	current    io.ReadCloser
	// line and offset count what was read, begun are the files it is from.
	line   int
	offset int64
	begun  []begunFile
	// before is the chain of the line before the first one, tick the tick that begins there.
	before trace.Chain
	tick   int64
	// strict says that a broken chain is never read past, readOn that one was.
	strict, readOn bool
}

// inOpen returns where a byte of the trace is in the open file; ok is false where it is in
// a file before.
func (s *segments) inOpen(offset int64) (at int64, ok bool) {
	if n := len(s.begun); n > 0 && s.begun[n-1].number == s.last {
		begun := s.begun[n-1]
		return offset - begun.offset + begun.skipped, offset >= begun.offset
	}
	return 0, false
}

func (s *segments) Read(p []byte) (int, error) {
	for {
		if ctx := s.of.ctx; ctx != nil && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if s.current == nil {
			if err := s.advance(); err != nil {
				return 0, err
			}
		}
		n, err := s.current.Read(p)
		s.line += bytes.Count(p[:n], []byte{'\n'})
		s.offset += int64(n)
		if n > 0 || err != io.EOF {
			return n, err
		}
		if s.next > s.last {
			return 0, io.EOF // the open file may grow: the next call looks again
		}
		if err := s.current.Close(); err != nil {
			return 0, err
		}
		s.current = nil
	}
}

// advance opens the next file.
func (s *segments) advance() error {
	s.begun = append(s.begun, begunFile{number: s.next, line: s.line, offset: s.offset})
	s.next++
	if s.next > s.last {
		s.current = s.open
		return nil
	}
	f, err := s.of.openSegment(s.next - 1)
	if err != nil {
		return err // and not a nil segment as the current one
	}
	s.current = f
	return nil
}

func (s *segments) Close() error {
	if s.current == nil || s.current == io.ReadCloser(s.open) {
		return s.open.Close()
	}
	return errors.Join(s.current.Close(), s.open.Close())
}

// openSegment opens a closed segment for reading. The error, and those of reading it, is a
// [*DamageError].
func (d Dir) openSegment(number int) (*segment, error) {
	name := segmentName(number)
	f, err := d.folder().Open(name)
	if err != nil {
		return nil, &DamageError{File: name, Err: err}
	}
	// One goroutine: nothing is left running when a reader stops halfway. The window bounds what a
	// hostile file can make a reader allocate.
	plain, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return nil, errors.Join(&DamageError{File: name, Err: err}, f.Close())
	}
	return &segment{name: name, plain: plain, file: f}, nil
}

// segment is a closed segment being read.
type segment struct {
	name  string
	plain *zstd.Decoder
	file  *os.File
	// lines and bytes count what was read.
	lines int
	bytes int64
}

// errEmpty is what is wrong with a closed segment of no bytes, which is a valid stream of
// its compression.
var errEmpty = errors.New("it is empty")

func (s *segment) Read(p []byte) (int, error) {
	n, err := s.plain.Read(p)
	s.lines, s.bytes = s.lines+bytes.Count(p[:n], []byte{'\n'}), s.bytes+int64(n)
	if err == io.EOF && s.bytes == 0 {
		err = errEmpty
	}
	if err != nil && err != io.EOF {
		err = &DamageError{File: s.name, Lines: s.lines, Bytes: s.bytes, Err: err}
	}
	return n, err
}

func (s *segment) Place(line int, offset int64) (string, int, int64) { return s.name, line, offset }

func (s *segment) Close() error {
	s.plain.Close()
	return s.file.Close()
}

// rotate closes the segment that t has become and continues in a new file. After each
// step the trace reads the same; first is the new file's first record. chain is that of
// the last line; the new one is returned.
func (t *traceFile) rotate(first trace.Segment, chain trace.Chain) (trace.Chain, error) {
	if err := onDisk.Replace(t.dir.folder(), segmentName(t.number), func(w io.Writer) error {
		f, err := t.dir.folder().Open(TraceFile)
		if err != nil {
			return err
		}
		defer f.Close()
		encoder, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		_, err = io.Copy(encoder, bufio.NewReaderSize(f, 1<<20))
		return errors.Join(err, encoder.Close())
	}); err != nil {
		return "", fmt.Errorf("close trace segment %d: %w", t.number, err)
	}
	err := onDisk.Replace(t.dir.folder(), TraceFile, func(f io.Writer) error {
		w := trace.NewChainedWriter(f, chain)
		err := w.Write(first)
		chain = w.Chain()
		return err
	})
	if err != nil {
		return "", fmt.Errorf("open trace segment %d: %w", first.Number, err)
	}
	next, err := t.dir.openTraceFile(0)
	if err != nil {
		return "", err
	}
	if err := t.close(); err != nil {
		return "", errors.Join(err, next.close())
	}
	*t = *next
	return chain, nil
}

// openAt opens a trace at a byte of one of its files, as an index names it: before is the
// chain of the line before, tick the one that begins there.
func (d Source) openAt(number int, offset int64, before trace.Chain, tick int64) (*segments, error) {
	f, last, err := d.openLast()
	if err != nil {
		return nil, err
	}
	s := &segments{of: d, next: number, last: last, open: f, before: before, tick: tick, strict: before != ""}
	if number > last {
		return nil, errors.Join(fmt.Errorf("open trace: there is no file %d of %s", number, d.Dir), s.Close())
	}
	err = s.advance()
	if err == nil {
		s.begun[0].skipped = offset
		if s.current == io.ReadCloser(s.open) {
			_, err = s.open.Seek(offset, io.SeekStart)
		} else {
			_, err = io.CopyN(io.Discard, s.current, offset)
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open trace: %w", err), s.Close())
	}
	return s, nil
}
