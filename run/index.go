package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"example.com/agentworld/internal/folder"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// Index is [Source.Index], read strictly.
func (d Dir) Index(rebuild bool) (*state.Index, *state.State, error) { return d.As(nil).Index(rebuild) }

// Index returns the index of the run, up to its last whole tick, and the run's current
// state. It reads what was added to the trace since the index was last written, or
// everything if there is no matching index, and writes the result. With rebuild it reads
// everything. The error says that the trace cannot be read. A failure to write the index
// is no error: the next call reads the same again.
func (d Source) Index(rebuild bool) (*state.Index, *state.State, error) {
	h, chain, err := d.first()
	if err != nil {
		return nil, nil, err
	}
	run := string(chain)
	if kept := d.keptIndex(run); !rebuild && kept != nil {
		if now, err := d.extend(kept, h); err == nil {
			return kept, now, nil
		}
		// What it points to is not as it was: it is rebuilt.
	}
	x := state.NewIndex(run)
	now, err := d.extend(x, h)
	return x, now, err
}

// keptIndex reads the index file. It is nil if there is no readable one, or if it is not
// the index of the run with this hash and the current files.
func (d Dir) keptIndex(run string) *state.Index {
	data, err := d.folder().Read(IndexFile, wholeBytesMax)
	if err != nil {
		return nil
	}
	var x state.Index
	if body := withoutHash(data); body == nil || json.Unmarshal(body, &x) != nil || !x.Of(run) {
		return nil
	}
	f, number, err := d.openLast()
	if err != nil || number < x.File || !slices.Equal(x.Sizes, d.closedSizes(x.File)) {
		return nil
	}
	defer f.Close()
	if number == x.File {
		// The index ends in a file that can still change: the line before has to be its last.
		if chain, err := chainBefore(f, x.Offset); err != nil || chain != x.Chain {
			return nil
		}
	}
	return &x
}

// closedSizes are the sizes of the closed files before one with a number, on disk, up to the first
// one that is missing.
func (d Dir) closedSizes(number int) (sizes []int64) {
	for n := 1; n < number; n++ {
		info, err := d.folder().Stat(segmentName(n))
		if err != nil {
			break
		}
		sizes = append(sizes, info.Size())
	}
	return sizes
}

// extend reads what follows the index's end, writes the index if ticks were added, and
// returns the state of the run.
func (d Source) extend(x *state.Index, h trace.Header) (*state.State, error) {
	r, err := d.openAt(x.File, x.Offset, x.Chain, x.Tick+1)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	count, changed := state.NewCount(x, h), false
	for line, err := range lines(r, state.Decode) {
		whole := false
		if err == nil {
			whole, err = count.Add(line)
		}
		if err != nil {
			return nil, fmt.Errorf("read trace of %s: %w", d.Dir, err)
		}
		changed = changed || whole
	}
	if changed && !r.readOn { // what is kept is not looked at again
		x.Sizes = d.closedSizes(x.File)
		if data, err := json.Marshal(x); err == nil {
			_ = onDisk.Replace(d.folder(), IndexFile, folder.Content(withHash(data)))
		}
	}
	return &count.State, nil
}

// lines iterates over the lines of a trace up to its end, each decoded as decode does. It stops after the
// first error, which says where the trace cannot be read.
func lines(r io.Reader, decode func([]byte) (trace.Record, error)) iter.Seq2[state.Line, error] {
	return func(yield func(state.Line, error) bool) {
		for lines := trace.NewReader(r); ; {
			from := lines.Offset()
			text, err := lines.NextLine()
			if err == io.EOF || errors.Is(err, trace.ErrTorn) {
				return
			}
			var line state.Line
			if err == nil {
				line = state.Line{Size: int(lines.Offset() - from), Chain: lines.Chain(), Failed: lines.Failed}
				line.Record, line.Err = decode(text)
			}
			if !yield(line, err) || err != nil {
				return
			}
		}
	}
}

// Begin returns the header of the run, and an index of no tick.
func (d Source) Begin() (trace.Header, *state.Index, error) {
	h, chain, err := d.first()
	x := state.NewIndex(string(chain))
	x.ReadOn = d.how.Unverified
	return h, x, err
}

// Follow iterates over the lines of a run after those that a count knows, each decoded as decode does. If
// what the count knows of the open tick has changed since, again is called first, and the lines are those
// after the last whole tick of the index. It stops after the first error: [ErrReplaced], or one that says
// where the trace cannot be read.
func (d Source) Follow(x *state.Index, count *state.Count, decode func([]byte) (trace.Record, error),
	again func()) iter.Seq2[state.Line, error] {
	return func(yield func(state.Line, error) bool) {
		r, err := d.resumeAt(count.Next(), x.Tick+1)
		if err != nil {
			if _, chain, err := d.first(); err == nil && string(chain) != x.Run {
				yield(state.Line{}, ErrReplaced)
				return
			}
			again()
			r, err = d.openAt(x.File, x.Offset, x.Chain, x.Tick+1)
		}
		if err != nil {
			yield(state.Line{}, err)
			return
		}
		defer r.Close()
		for line, err := range lines(r, decode) {
			if !yield(line, err) {
				return
			}
		}
	}
}

// ErrReplaced says that the directory holds another run by now.
var ErrReplaced = errors.New("another run took the place of this one")

// resumeAt opens the trace at the place where a reader stopped, which may be within a tick. The error
// says that the trace is not the one that was read up to there, or cannot be read.
func (d Source) resumeAt(at state.Place, tick int64) (*segments, error) {
	s, err := d.openAt(at.File, at.Offset, at.Chain, tick)
	if err != nil {
		return nil, err
	}
	if s.current == io.ReadCloser(s.open) { // a resume may have cut off what was read
		if chain, err := chainBefore(s.open, at.Offset); err != nil || at.Offset > 0 && chain != at.Chain {
			return nil, errors.Join(fmt.Errorf("open trace: %s was changed before byte %d", d.Dir, at.Offset), s.Close())
		}
	}
	return s, nil
}

// OpenFrom is [Source.OpenFrom], read strictly.
func (d Dir) OpenFrom(x *state.Index, tick int64) (io.ReadCloser, error) {
	return d.As(nil).OpenFrom(x, tick)
}

// OpenFrom opens the trace where a tick of the index begins or, after its last tick,
// where that ends.
func (d Source) OpenFrom(x *state.Index, tick int64) (io.ReadCloser, error) {
	var s *segments
	var err error
	if at, _ := x.At(tick); at < len(x.Ticks) {
		s, err = d.openAt(x.Files[at], x.Offsets[at], x.Chains[at], tick)
	} else {
		s, err = d.openAt(x.File, x.Offset, x.Chain, x.Tick+1)
	}
	if err != nil {
		return nil, err
	}
	s.strict = s.strict && !x.ReadOn
	return s, nil
}
