package run

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"example.com/agentworld/internal/atomicfile"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// State reads where the run stands. The error says that its whole ticks are damaged, or
// that they cannot be read.
func (d Dir) State() (*state.State, error) { return d.StateAt(math.MaxInt64) }

// StateAt is [Dir.State] at the end of a tick, or where the trace ends before that. At
// tick 0 it knows the header.
func (d Dir) StateAt(tick int64) (*state.State, error) {
	open, number, err := d.openLast()
	if err != nil {
		return nil, err
	}
	defer open.Close()
	s := &state.State{}
	before := func() bool { return s.Tick < tick || s.Header.Format == 0 }
	for n := 1; n < number && before(); n++ {
		if err := d.foldSegment(s, n, before); err != nil {
			return nil, fmt.Errorf("read trace of %s: %w", d, err)
		}
	}
	if before() {
		err = d.foldOpen(s, open, number, before)
	}
	if err == nil && s.Header.Format == 0 {
		err = ErrNothingRecorded
	}
	if err != nil {
		return s, fmt.Errorf("read trace of %s: %w", d, err)
	}
	return s, nil
}

// foldSegment takes in a closed segment, of which it decodes what a state needs.
func (d Dir) foldSegment(s *state.State, number int, more func() bool) error {
	f, err := d.openSegment(number)
	if err != nil {
		return err
	}
	defer f.Close()
	for reader := trace.NewReader(f); more(); {
		record, err := reader.NextOf(trace.TypeHeader, trace.TypeResume, trace.TypeRunEnd, trace.TypeFork, trace.TypeSwitch, trace.TypeCapChange, trace.TypeModelCall, trace.TypeTickEnd)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = s.Add(record, state.Span{})
		}
		if err != nil {
			return err
		}
	}
	if more() && len(s.Open.Kept)+len(s.Open.Cut) > 0 {
		return &DamageError{File: segmentName(number), Err: errors.New("it does not end with a whole tick")}
	}
	return nil
}

// foldOpen takes in the open file of the trace.
func (d Dir) foldOpen(s *state.State, f *os.File, number int, more func() bool) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	reader := trace.NewReader(openPart{f})
	for more() {
		from := reader.Offset()
		record, err := reader.Next()
		if number > 1 && from == 0 && (err == io.EOF || errors.Is(err, trace.ErrTorn)) {
			s.Open.FileLost = true
		}
		if err == io.EOF {
			break
		}
		if line, ok := errors.AsType[*trace.LineError](err); ok && !errors.Is(line, trace.ErrFormat) {
			if to := reader.Offset(); to > from {
				s.Open.Lost(err, state.Span{From: from, To: to})
				continue
			}
			s.Open.Lost(err, state.Span{From: from, To: info.Size()}) // nothing follows
			break
		}
		if err == nil {
			err = s.Add(record, state.Span{From: from, To: reader.Offset()})
		}
		if err != nil {
			return err
		}
	}
	s.Open.Close()
	return nil
}

// Repair makes the trace end where a process that goes on with the run begins. What is cut
// off is kept beside it.
func (d Dir) Repair(s *state.State) error {
	if len(s.Open.Cut) == 0 && !s.Open.FileLost {
		return nil
	}
	f, number, err := d.openLast()
	if err != nil {
		return fmt.Errorf("repair trace: %w", err)
	}
	defer f.Close()
	if len(s.Open.Cut) > 0 {
		if err := appendSpans(d.file(CutFile), f, s.Open.Cut); err != nil {
			return fmt.Errorf("keep what is cut off the trace: %w", err)
		}
	}
	err = atomicfile.WriteWith(d.file(TraceFile), func(w *os.File) error {
		if s.Open.FileLost {
			return trace.NewWriter(w).Write(s.Segment(number))
		}
		return copySpans(w, f, append([]state.Span{{To: s.Open.Begin}}, s.Open.Kept...))
	})
	if err != nil {
		return fmt.Errorf("repair trace: %w", err)
	}
	return nil
}

// appendSpans adds ranges of f to the file at path, each ending a line.
func appendSpans(path string, f *os.File, spans []state.Span) (err error) {
	w, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if err := copySpans(w, f, spans); err != nil {
		return err
	}
	last := []byte{'\n'}
	if _, err := f.ReadAt(last, spans[len(spans)-1].To-1); err != nil {
		return err
	}
	if last[0] != '\n' {
		if _, err := w.Write([]byte{'\n'}); err != nil {
			return err
		}
	}
	return w.Sync() // before the trace is replaced: the lines are nowhere else then
}

func copySpans(w io.Writer, f io.ReaderAt, spans []state.Span) error {
	for _, s := range spans {
		if _, err := io.Copy(w, io.NewSectionReader(f, s.From, s.To-s.From)); err != nil {
			return err
		}
	}
	return nil
}
