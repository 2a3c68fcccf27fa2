package engine

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"example.com/agentworld/internal/atomicfile"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// CutFile collects what resumes cut off a trace, in the run directory. Nobody reads
// it but people.
const CutFile = "trace-cut.jsonl"

// span is a range of bytes of a file.
type span struct{ from, to int64 }

// tail is what the open file of a trace holds behind its last whole tick; closed
// segments hold whole ticks only.
type tail struct {
	// last is the last whole tick, 0 for none.
	last int64
	// ticks is the most ticks that the run was asked for so far.
	ticks int64
	// segmentBytes is the size of a trace file that was last asked for; nil when nobody
	// has recorded one.
	segmentBytes *int64
	// caps are those that hold since the tick capsFrom, where somebody changed them; nil
	// where those of the header hold.
	caps     *trace.Caps
	capsFrom int64
	// end is the run's end when that is what the file ends with.
	end *trace.RunEnd
	// calls are the exchanges of the tick after last that can be used again, switches
	// counts its prompt switches and forks.
	calls    map[CallKey]bool
	switches int
	// exchanges are those of calls, in the order of the file. refused are the requests that
	// a cap refused; that is decided once more. changes are earlier changes of caps in the
	// tick.
	exchanges []trace.ModelCall
	refused   []CallKey
	changes   []trace.CapChange
	// kept and cut are what stays and what goes, whole is where the last tick ends.
	whole     int64
	kept, cut []span
	// parts are the parts behind whole by where they stand. Those that no kept call names
	// were left by an exchange that was not written to its end: they go, since a model
	// that is asked again need not say the same. orphaned are those.
	parts    map[span]partID
	orphaned map[partID]bool
	// damage is the first line that is no record.
	damage error
	// anew is set when the open file has lost its first line and closed segments are there:
	// it is what the file is to begin with, and nothing of the file stays.
	anew *trace.Segment
}

// partID is what tells the parts of a stretch apart.
type partID struct {
	kind trace.PartKind
	hash string
}

// readTail reads the trace file of a run. The error says that a
// line within the whole ticks is damaged, or that the file cannot be read.
func readTail(dir string) (*tail, error) {
	f, number, err := openLast(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := trace.NewLines(f).Next(); number > 1 && (err == io.EOF || errors.Is(err, trace.ErrTorn)) {
		return tailOfClosed(dir, number, f)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read trace: %w", err)
	}
	t := &tail{calls: map[CallKey]bool{}, parts: map[span]partID{}}
	return t, t.read(openPart{f}, f)
}

// tailOfClosed is the tail where the open file, which would have the given number, holds
// nothing: the closed segment before it ends with a whole tick and knows, by its own
// first line, what was before.
func tailOfClosed(dir string, number int, open *os.File) (*tail, error) {
	f, err := openSegment(dir, number-1)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := &tail{calls: map[CallKey]bool{}, parts: map[span]partID{}}
	if err := t.read(f, nil); err != nil {
		return nil, err
	}
	if t.last == 0 || len(t.kept)+len(t.cut) > 0 {
		return nil, &DamageError{segmentName(number - 1), errors.New("it does not end with a whole tick")}
	}
	t.whole = 0
	t.anew = &trace.Segment{Tick: t.last, Number: number, TicksRequested: t.ticks, Caps: t.caps}
	info, err := open.Stat()
	if err != nil {
		return nil, fmt.Errorf("read trace: %w", err)
	}
	if info.Mode().IsRegular() && info.Size() > 0 {
		t.cut = []span{{0, info.Size()}}
	}
	return t, nil
}

// read takes in the records of r. A torn end is cut off file, whose size says where it
// ends; without a file it is damage.
func (t *tail) read(r io.Reader, file *os.File) error {
	reader := trace.NewReader(r)
	for {
		from := reader.Offset()
		record, err := reader.Next()
		if err == io.EOF {
			t.withoutOrphans()
			return nil
		}
		if line, ok := errors.AsType[*trace.LineError](err); ok && !errors.Is(line, trace.ErrFormat) {
			if t.damage == nil {
				t.damage = err
			}
			if file == nil {
				return err
			}
			if reader.Offset() > from {
				t.cut = append(t.cut, span{from, reader.Offset()})
				continue
			}
			return t.cutToEnd(file, from) // nothing follows
		}
		if err != nil {
			return err
		}
		if err := t.add(record, span{from, reader.Offset()}); err != nil {
			return err
		}
	}
}

func (t *tail) cutToEnd(f *os.File, from int64) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("read trace: %w", err)
	}
	t.cut = append(t.cut, span{from, info.Size()})
	t.withoutOrphans()
	return nil
}

// withoutOrphans cuts the parts that no kept call names.
func (t *tail) withoutOrphans() {
	named := map[partID]bool{}
	for _, c := range t.exchanges {
		named[partID{trace.PartInstructions, c.Instructions}], named[partID{trace.PartTools, c.Tools}] = true, true
		for _, hash := range slices.Concat(c.Input, c.Answer.Output) {
			named[partID{trace.PartItem, hash}] = true
		}
	}
	t.orphaned = map[partID]bool{}
	t.kept = slices.DeleteFunc(t.kept, func(at span) bool {
		id, isPart := t.parts[at]
		if !isPart || named[id] {
			return false
		}
		t.cut, t.orphaned[id] = append(t.cut, at), true
		return true
	})
	slices.SortFunc(t.cut, func(a, b span) int { return cmp.Compare(a.from, b.from) })
}

// stands reports whether a part stays in the trace.
func (t *tail) stands(p trace.Part) bool {
	return p.Tick <= t.last || !t.orphaned[partID{p.Kind, p.Hash}]
}

// add decides what becomes of a record. The end of a tick makes everything before it
// part of a whole tick; what is damaged there cannot be mended.
func (t *tail) add(record trace.Record, at span) error {
	t.end = nil
	switch r := record.(type) {
	case trace.TickEnd:
		if r.Tick <= t.last {
			return &trace.OrderError{Type: trace.TypeTickEnd, Tick: r.Tick, After: t.last}
		}
		return t.restart(r.Tick, at)
	case trace.Segment:
		t.ticks, t.segmentBytes = r.TicksRequested, r.SegmentBytes
		t.caps, t.capsFrom = r.Caps, r.Tick
		return t.restart(r.Tick, at)
	case trace.Header:
		t.ticks = max(t.ticks, r.Settings.Ticks)
		if r.Timing != nil {
			t.segmentBytes = r.Timing.SegmentBytes
		}
	case trace.Resume:
		t.ticks = max(t.ticks, r.TicksRequested)
		if r.Timing != nil {
			t.segmentBytes = r.Timing.SegmentBytes
		}
	case trace.RunEnd:
		t.end = &r
	case trace.Fork:
		if t.capsFrom <= r.AtTick {
			t.caps = nil // the fork says which hold
		}
	case trace.CapChange:
		if t.damage == nil {
			t.caps, t.capsFrom, t.changes = &r.Caps, r.Tick, append(t.changes, r)
		}
	}
	if t.damage == nil && t.stays(record) {
		t.kept = append(t.kept, at)
		if p, isPart := record.(trace.Part); isPart {
			t.parts[at] = partID{p.Kind, p.Hash}
		}
	} else {
		t.cut = append(t.cut, at)
	}
	return nil
}

// restart begins behind a whole tick, which ends at.
func (t *tail) restart(tick int64, at span) error {
	if t.damage != nil {
		return t.damage
	}
	*t = tail{
		last: tick, ticks: t.ticks, segmentBytes: t.segmentBytes, caps: t.caps, capsFrom: t.capsFrom,
		whole: at.to, calls: map[CallKey]bool{}, parts: map[span]partID{},
	}
	return nil
}

// stays reports whether a record behind the last whole tick is kept: what was asked
// and answered in the next one, and how processes came and went. What the world
// made of it was not recorded whole, and is derived again.
func (t *tail) stays(record trace.Record) bool {
	switch r := record.(type) {
	case trace.Header, trace.Part, trace.Resume, trace.RunEnd, trace.CapChange:
		return true
	case trace.Switch, trace.Fork:
		t.switches++
		return true
	case trace.ModelCall:
		if usable(r.Answer.Failure) {
			t.calls[CallKey{r.Tick, r.AgentID, r.Step}], t.exchanges = true, append(t.exchanges, r)
			return true
		}
	case trace.Refusal:
		t.refused = append(t.refused, CallKey{r.Tick, r.AgentID, r.Step})
	}
	return false
}

// usable reports whether an answer counts when its tick is taken up again. Not those
// that the end of the run made: a call that was broken off, one that the provider
// refused for a reason that ended the run and is mended by now, or one that a recording
// had no answer to. They are asked again.
func usable(f *llmclient.Failure) bool {
	return f == nil || f.Kind != llmclient.ErrInterrupted && f.Kind != llmclient.ErrNotRecorded &&
		f.Kind != llmclient.ErrRecordingDamaged && !f.Kind.Fatal(true)
}

// cutBytes is how much goes.
func (t *tail) cutBytes() int64 {
	var n int64
	for _, s := range t.cut {
		n += s.to - s.from
	}
	return n
}

// repair cuts off what does not stay. The file is replaced at once; what goes is
// kept beside it.
func (t *tail) repair(dir string) error {
	if len(t.cut) == 0 && t.anew == nil {
		return nil
	}
	f, _, err := openLast(dir)
	if err != nil {
		return fmt.Errorf("repair trace: %w", err)
	}
	defer f.Close()
	if len(t.cut) > 0 {
		if err := appendSpans(filepath.Join(dir, CutFile), f, t.cut); err != nil {
			return fmt.Errorf("keep what is cut off the trace: %w", err)
		}
	}
	err = atomicfile.WriteWith(filepath.Join(dir, TraceFile), func(w *os.File) error {
		if t.anew != nil {
			return trace.NewWriter(w).Write(*t.anew)
		}
		return copySpans(w, f, append([]span{{0, t.whole}}, t.kept...))
	})
	if err != nil {
		return fmt.Errorf("repair trace: %w", err)
	}
	return nil
}

// appendSpans adds ranges of f to the file at path, each ending a line.
func appendSpans(path string, f *os.File, spans []span) (err error) {
	w, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if err := copySpans(w, f, spans); err != nil {
		return err
	}
	last := []byte{'\n'}
	if _, err := f.ReadAt(last, spans[len(spans)-1].to-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = w.Write([]byte{'\n'})
	return err
}

func copySpans(w io.Writer, f io.ReaderAt, spans []span) error {
	for _, s := range spans {
		if _, err := io.Copy(w, io.NewSectionReader(f, s.from, s.to-s.from)); err != nil {
			return err
		}
	}
	return nil
}
