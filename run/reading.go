package run

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"sync"

	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// Reading is how a run is read whose trace is broken, or ends inside a tick. The zero value reads
// strictly.
type Reading struct {
	// Unverified says that a trace is read that was changed.
	Unverified bool
	// RemakesReport says that a report that was changed is no reason to stop.
	RemakesReport bool
	// Note is called once for each thing that is wrong and read past.
	Note func(error)

	mu   sync.Mutex
	said map[string]bool
}

// Source is a run that is read in some way. [Dir.As] and [Dir.Until] make one.
type Source struct {
	Dir
	how *Reading
	// ctx ends the reading; nil does not.
	ctx context.Context
}

// As returns the run, to be read in a way; nil is strictly.
func (d Dir) As(r *Reading) Source {
	if r == nil {
		r = &Reading{}
	}
	return Source{Dir: d, how: r}
}

// Until returns the run for a reader that stops: once ctx ends, reading fails with its error.
func (d Dir) Until(ctx context.Context) Source {
	s := d.As(nil)
	s.ctx = ctx
	return s
}

// Until is [Dir.Until] in the way of the source.
func (d Source) Until(ctx context.Context) Source {
	d.ctx = ctx
	return d
}

// note reports something, once.
func (r *Reading) note(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Note == nil || r.said[err.Error()] {
		return
	}
	if r.said == nil {
		r.said = map[string]bool{}
	}
	r.said[err.Error()] = true
	r.Note(err)
}

// ErrCut marks a trace that was longer when its report was made.
var ErrCut = errors.New("the trace ends here, and " + ReportFile + " was made of another or a longer one")

// Before implements [trace.Chained].
func (s *segments) Before() (trace.Chain, int64) { return s.before, s.tick }

// ReadOn implements [trace.Chained].
func (s *segments) ReadOn(failed *trace.LineError) bool {
	r := s.of.how
	if s.strict || !r.Unverified {
		return false
	}
	r.note(failed)
	s.readOn = true
	return true
}

// Ended implements [trace.Chained]: a run with a report ends no earlier than when that was made.
func (s *segments) Ended(head trace.Chain, torn *trace.LineError, place func(error) *trace.LineError) error {
	r := s.of.how
	reported, err := s.of.reportedHead()
	if err == nil && reported != "" && reported != head && !s.of.holds(reported) {
		err = place(ErrCut)
	}
	_, report := errors.AsType[*DamageError](err)
	switch {
	case err == nil:
	case r.Unverified && !s.strict, r.RemakesReport && report:
		r.note(err)
	default:
		return err
	}
	if torn != nil {
		r.note(torn)
	}
	return nil
}

// reportedHead is the head of the trace that the report of the run names, empty without a
// report.
func (d Dir) reportedHead() (trace.Chain, error) {
	_, head, err := d.Report()
	return head, err
}

// Report is the text of the report of the run, with the head of the trace that it was made of; nil without
// one. The error is a [*DamageError] if it is not as it was written.
func (d Dir) Report() (text []byte, head trace.Chain, err error) {
	text, err = d.folder().Read(ReportFile, wholeBytesMax)
	if errors.Is(err, os.ErrNotExist) {
		return nil, "", nil
	}
	head, wrong := state.ReportHead(text)
	err = cmp.Or(err, wrong)
	if err != nil {
		return nil, "", &DamageError{File: ReportFile, Err: err}
	}
	return text, head, nil
}

// holds reports whether a line of the trace has a chain. It is for the rare case that a report
// was not made of the end of the trace.
func (d Source) holds(chain trace.Chain) bool {
	f, err := d.open()
	if err != nil {
		return false
	}
	defer f.Close()
	// Hidden behind another type the source has no end to keep.
	for lines := trace.NewReader(struct{ io.Reader }{f}); ; {
		if _, err := lines.NextLine(); err != nil {
			return false
		}
		if lines.Chain() == chain {
			return true
		}
	}
}
