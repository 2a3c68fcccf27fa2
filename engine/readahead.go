package engine

import (
	"bytes"
	"io"
	"sync"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// readAhead reads what a recording needs of a trace in the background, so that decoding
// the next ticks goes on beside the turns of this one.
type readAhead struct {
	ticks chan recordedTick
	// stopped is closed when nobody wants more.
	stopped chan struct{}
	reading sync.WaitGroup
}

// readAheadTicks is how far ahead of the run its recording is read.
const readAheadTicks = 2

// recordedTick is what a trace holds up to the end of a tick.
type recordedTick struct {
	// heads are all parts, without their bodies.
	heads []trace.Part
	calls []recordedAnswer
	caps  []trace.CapChange
	end   trace.TickEnd
	// err is why the tick is not whole, such as [io.EOF]; nothing follows then.
	err error
}

// recordedAnswer is the answer to a request that had the given hash.
type recordedAnswer struct {
	key         CallKey
	requestHash string
	answer      llmclient.Answer
	timing      *trace.CallTiming
	// err says that a part of the answer is missing or damaged.
	err error
}

func startReadAhead(f io.ReadCloser) *readAhead {
	a := &readAhead{ticks: make(chan recordedTick, readAheadTicks), stopped: make(chan struct{})}
	a.reading.Go(func() {
		defer f.Close()
		defer close(a.ticks)
		for r := (tickReader{lines: trace.NewLines(f)}); ; {
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

// next returns the next tick. After one with an error there is none.
func (a *readAhead) next() recordedTick {
	t, ok := <-a.ticks
	if !ok {
		return recordedTick{err: io.EOF}
	}
	return t
}

// close ends the reading and closes the trace.
func (a *readAhead) close() {
	close(a.stopped)
	a.reading.Wait()
}

// tickReader reads the ticks of a trace.
type tickReader struct {
	lines *trace.Lines
	// tick is the last one read.
	tick int64
	// parts are those that answers of the present stretch hold, unread the lines of the
	// others that stand in the tick being read. Requests are derived again, and decoding
	// their parts would be most of the work.
	parts  trace.Parts
	unread map[string][]byte
}

// next reads up to the end of a tick.
func (r *tickReader) next() (t recordedTick) {
	if r.tick/trace.PartTicks != (r.tick+1)/trace.PartTicks {
		r.parts = trace.Parts{} // the next stretch stores its own
	}
	r.unread = map[string][]byte{}
	for ended := false; !ended && t.err == nil; {
		line, err := r.lines.Next()
		if err != nil {
			t.err = err
			break
		}
		if head, ok := trace.PartHead(line); ok {
			t.heads = append(t.heads, head)
			r.unread[head.Hash] = bytes.Clone(line)
			continue
		}
		switch trace.TypeOf(line) {
		case trace.TypeModelCall:
			err = r.readCall(&t, line)
		case trace.TypePart, trace.TypeCapChange, trace.TypeTickEnd, "":
			ended, err = r.read(&t, line)
		}
		if err != nil {
			t.err = r.lines.Failed(err)
		}
	}
	r.tick = t.end.Tick
	return t
}

// readCall restores the answer of a call from the parts that it needs.
func (r *tickReader) readCall(t *recordedTick, line []byte) error {
	call, err := trace.DecodeAnsweredCall(line)
	if err != nil {
		return err
	}
	for _, hash := range call.Answer.Output {
		line, ok := r.unread[hash]
		if !ok {
			continue // a part of an earlier call or tick
		}
		p, err := trace.Decode(line)
		if err != nil {
			return err
		}
		r.parts.Add(p.(trace.Part))
		delete(r.unread, hash)
	}
	a := recordedAnswer{key: CallKey{call.Tick, call.AgentID, call.Step}, requestHash: call.RequestHash, timing: call.Timing}
	a.answer, a.err = call.Answer.Restore(&r.parts)
	t.calls = append(t.calls, a)
	return nil
}

// read takes over any other record, which may not stand as it was written; ended says
// that it is the end of the tick.
func (r *tickReader) read(t *recordedTick, line []byte) (ended bool, err error) {
	record, err := trace.Decode(line)
	if err != nil {
		return false, err
	}
	switch record := record.(type) {
	case trace.Part:
		t.heads = append(t.heads, record)
		r.parts.Add(record)
	case trace.ModelCall:
		return false, r.readCall(t, line)
	case trace.CapChange:
		t.caps = append(t.caps, record)
	case trace.TickEnd:
		t.end = record
		return true, nil
	}
	return false, nil
}
