package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// State reads the state of the run. The error says that its whole ticks are damaged, or
// that they cannot be read.
func (d Dir) State() (*state.State, error) { return d.As(nil).State() }

// State is [Dir.State] in the way of the source.
func (d Source) State() (*state.State, error) { return d.StateAt(math.MaxInt64) }

// StateAt is [Source.State] at the end of a tick, or where the trace ends before that. At
// tick 0 it knows the header.
func (d Source) StateAt(tick int64) (*state.State, error) { return d.stateAt(tick, false) }

// Outline is [Source.State] without what blobs, calls and decisions add to it: what was spent,
// the deviations, and what the open tick holds.
func (d Source) Outline() (*state.State, error) { return d.stateAt(math.MaxInt64, true) }

func (d Source) stateAt(tick int64, outline bool) (*state.State, error) {
	f, err := d.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := &state.State{}
	err = d.fold(s, f, outline, func() bool { return s.Tick < tick || s.Header.Format == 0 })
	if err == nil && s.Header.Format == 0 {
		err = d.noHeader()
	}
	if err != nil {
		return s, fmt.Errorf("read trace of %s: %w", d.Dir, err)
	}
	return s, nil
}

// fold adds the trace, as long as more says so. Of the open file it keeps the place of
// every record. For an outline it reads no blobs, calls and decisions.
func (d Source) fold(s *state.State, f *segments, outline bool, more func() bool) error {
	// Of records that a resume makes again it is enough that they are there. Any other of the
	// open tick stays in the trace, so all of it is read.
	unread := []trace.Type{trace.TypeStep, trace.TypeEvent, trace.TypeRefusal}
	if outline {
		unread = append(unread, trace.TypeBlob, trace.TypeModelCall, trace.TypeDecision)
	}
	for reader := trace.NewReader(f); more(); {
		from := reader.Offset()
		line, err := reader.NextLine()
		at, inOpen := f.inOpen(from)
		if inOpen && f.last > 1 && at == 0 && (err == io.EOF || errors.Is(err, trace.ErrTorn)) {
			s.Open.FileLost = true
		}
		if err == io.EOF {
			break
		}
		if inOpen && errors.Is(err, trace.ErrTorn) {
			info, failed := f.open.Stat()
			if failed != nil {
				return failed
			}
			s.Open.Lost(err, state.Span{From: at, To: info.Size()}) // nothing follows
			break
		}
		if err != nil {
			return err
		}
		t := trace.TypeOf(line)
		passed := slices.Contains(unread, t)
		if passed && (outline || !inOpen) || !inOpen && (t == trace.TypeBlob || t == trace.TypeDecision) {
			continue
		}
		span := state.Span{From: at, To: at + reader.Offset() - from, Chain: reader.Chain()}
		record := trace.Record(trace.Unknown{Type: t})
		if !passed || !json.Valid(line) {
			record, err = trace.Decode(line)
		}
		if err != nil && (!inOpen || errors.Is(err, trace.ErrFormat)) {
			return reader.Failed(err)
		}
		if err != nil {
			s.Open.Lost(reader.Failed(err), span)
			continue
		}
		if err := s.Add(record, span); err != nil {
			return err
		}
	}
	s.Open.Close()
	return nil
}

// Repair makes the trace end where a process that continues the run begins. What is cut
// off is kept in a file next to it.
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
		if err := appendSpans(d, f, s.Open.Cut); err != nil {
			return fmt.Errorf("keep what is cut off the trace: %w", err)
		}
	}
	err = onDisk.Replace(d.folder(), TraceFile, func(w io.Writer) error {
		if s.Open.FileLost {
			return trace.NewChainedWriter(w, s.Chain).Write(s.Segment(number))
		}
		if err := copySpans(w, f, []state.Span{{To: s.Open.Begin}}); err != nil {
			return err
		}
		return chainAgain(w, f, s.Open.Kept, s.Chain)
	})
	if err != nil {
		return fmt.Errorf("repair trace: %w", err)
	}
	return nil
}

// appendSpans adds ranges of f to the file of what was cut off, each ending a line.
func appendSpans(d Dir, f *os.File, spans []state.Span) (err error) {
	w, err := onDisk.Append(d.folder(), CutFile, os.O_CREATE)
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

// chainAgain copies lines of f, one in a span, with new chains; chain is that of the line
// before them.
func chainAgain(w io.Writer, f io.ReaderAt, lines []state.Span, chain trace.Chain) error {
	for _, at := range lines {
		line := make([]byte, at.To-at.From)
		if _, err := f.ReadAt(line, at.From); err != nil {
			return err
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		if body, _, sealed := trace.Unseal(line); sealed {
			line = append(body, '}')
		}
		line, chain = trace.Seal(line, chain)
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

func copySpans(w io.Writer, f io.ReaderAt, spans []state.Span) error {
	for _, s := range spans {
		if _, err := io.Copy(w, io.NewSectionReader(f, s.From, s.To-s.From)); err != nil {
			return err
		}
	}
	return nil
}
