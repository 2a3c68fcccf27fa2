package run

import (
	"bytes"
	"io"
	"sync"

	"example.com/agentworld/trace"
)

// readAhead reads what a recording needs of a trace in the background, so that the next
// ticks are decoded while this tick's turns run.
type readAhead struct {
	ticks chan recordedTick
	// stopped is closed when no more ticks are needed.
	stopped chan struct{}
	reading sync.WaitGroup
}

// readAheadTicks is how far ahead of the run its recording is read.
const readAheadTicks = 2

// recordedTick is what a trace holds of a tick.
type recordedTick struct {
	tick int64
	// heads are all blobs, without their bodies.
	heads []trace.Blob
	calls []Answered
	// end is zero in an answers file, and where the tick is not whole.
	end trace.TickEnd
	// err is why nothing follows, such as [io.EOF].
	err error
}

// startReadAhead reads the ticks of the trace f with a reader that is told what it reads.
func startReadAhead(f io.ReadCloser, r tickReader) *readAhead {
	a := &readAhead{ticks: make(chan recordedTick, readAheadTicks), stopped: make(chan struct{})}
	a.reading.Go(func() {
		defer f.Close()
		defer close(a.ticks)
		r.lines, r.unread = trace.NewReader(f), map[string][]byte{}
		for {
			t := r.next()
			select {
			case a.ticks <- t:
			case <-a.stopped:
				return
			}
			if t.err != nil {
				return
			}
		}
	})
	return a
}

// tickReader reads the ticks of a trace.
type tickReader struct {
	// path is that of the recording, empty once a blob was not found in it.
	path string
	how  *Reading
	// Ticks of an extract have no ends: their calls distinguish them. In a keyed recording answers
	// are found by their keys alone, and what was asked is not kept.
	extract, keyed bool
	lines          *trace.Reader
	// tick is the last one read, held the first call of the next one in an extract.
	tick int64
	held *Answered
	// blobs are those that answers of the epoch hold; unread are the lines of the other
	// blobs in the tick being read, in the memory of text. Requests are derived again, and decoding
	// their blobs would be most of the work.
	epoch  int64
	blobs  trace.Blobs
	unread map[string][]byte
	text   []byte
}

// keep keeps the line of a blob.
func (r *tickReader) keep(hash string, line []byte) {
	from := len(r.text)
	r.text = append(r.text, line...) // where it grows, earlier lines keep what it was
	r.unread[hash] = r.text[from:]
}

// next reads up to the end of a tick.
func (r *tickReader) next() (t recordedTick) {
	t.tick = r.tick + 1
	if r.held != nil {
		t.tick = r.held.key.Tick
		t.calls = []Answered{*r.held}
		r.held = nil
	} else if !r.extract {
		clear(r.unread)
		r.text = r.text[:0]
	}
	for t.end.Tick == 0 && t.err == nil && r.held == nil {
		line, err := r.lines.NextLine()
		if err != nil {
			t.err = err
			break
		}
		if head, _, ok := trace.BlobHead(line); ok {
			t.heads = append(t.heads, head)
			r.keep(head.Hash, line)
			continue
		}
		switch trace.TypeOf(line) {
		case trace.TypeModelCall:
			err = r.readCall(&t, line)
		case trace.TypeBlob, trace.TypeTickEnd, "":
			err = r.read(&t, line)
		}
		if err != nil {
			t.err = r.lines.Failed(err)
		}
	}
	if t.end.Tick > 0 {
		t.tick = t.end.Tick
	}
	r.tick = t.tick
	return t
}

// readCall restores the answer of a call from the blobs that it needs.
func (r *tickReader) readCall(t *recordedTick, line []byte) error {
	call, err := trace.DecodeAnsweredCall(line)
	if err != nil {
		return err
	}
	if epoch := call.Tick / trace.EpochTicks; epoch != r.epoch {
		r.epoch, r.blobs = epoch, trace.Blobs{} // an epoch stores its own
	}
	for _, hash := range call.Answer.Output {
		line, ok := r.unread[hash]
		if !ok {
			if _, known := r.blobs.Blob(hash); !known && r.path != "" {
				// It was part of a request in an earlier tick, which was not kept in memory.
				if blob, err := findBlob(r.path, r.how, hash); err == nil {
					r.blobs.Add(blob)
				} else {
					r.path = ""
				}
			}
			continue
		}
		p, err := trace.Decode(line)
		if err != nil {
			return err
		}
		r.blobs.Add(p.(trace.Blob))
		delete(r.unread, hash)
	}
	a := Answered{
		key: trace.CallKey{Tick: call.Tick, Agent: call.AgentID, Step: call.Step}, RequestHash: call.RequestHash,
		lasting: call.Answer.Lasting(),
	}
	if !r.keyed {
		a.line = bytes.Clone(line)
	}
	if call.Timing != nil {
		a.Attempts = call.Timing.Attempts
	}
	a.Answer, a.err = call.Answer.Restore(&r.blobs)
	switch {
	case !r.extract:
	case len(t.calls) == 0:
		t.tick = call.Tick
	case call.Tick > t.tick:
		r.held = &a
		return nil
	}
	t.calls = append(t.calls, a)
	return nil
}

// read handles any other record, which may not be written as this program does.
func (r *tickReader) read(t *recordedTick, line []byte) error {
	record, err := trace.Decode(line)
	if err != nil {
		return err
	}
	switch record := record.(type) {
	case trace.Blob:
		t.heads = append(t.heads, record)
		r.keep(record.Hash, line)
	case trace.ModelCall:
		return r.readCall(t, line)
	case trace.TickEnd:
		t.end = record
	}
	return nil
}
