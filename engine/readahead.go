package engine

import (
	"io"
	"sync"

	"agentworld/trace"
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
	// heads are all parts, without their bodies, answers whole ones: those that the
	// answers of calls hold. Requests are derived again, and decoding them would be most
	// of the work.
	heads, answers []trace.Part
	calls          []trace.AnsweredCall
	caps           []trace.CapChange
	end            trace.TickEnd
	// err is why the tick is not whole, such as [io.EOF]; nothing follows then.
	err error
}

func startReadAhead(f io.ReadCloser) *readAhead {
	a := &readAhead{ticks: make(chan recordedTick, readAheadTicks), stopped: make(chan struct{})}
	a.reading.Go(func() {
		defer f.Close()
		defer close(a.ticks)
		for lines := trace.NewLines(f); ; {
			t := readTick(lines)
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

// readTick reads up to the end of a tick.
func readTick(lines *trace.Lines) (t recordedTick) {
	unread := map[string][]byte{}
	for t.err == nil {
		line, err := lines.Next()
		if err != nil {
			t.err = err
			break
		}
		if head, ok := trace.PartHead(line); ok {
			t.heads = append(t.heads, head)
			unread[head.Hash] = append([]byte(nil), line...)
			continue
		}
		ended := false
		switch trace.TypeOf(line) {
		case trace.TypeModelCall:
			err = t.addCall(line, unread)
		case trace.TypePart, trace.TypeCapChange, trace.TypeTickEnd, "":
			ended, err = t.add(line, unread)
		}
		if err != nil {
			t.err = lines.Failed(err)
		}
		if ended {
			break
		}
	}
	return t
}

// addCall takes over a call and decodes the parts that its answer needs.
func (t *recordedTick) addCall(line []byte, unread map[string][]byte) error {
	call, err := trace.DecodeAnsweredCall(line)
	if err != nil {
		return err
	}
	for _, hash := range call.Answer.Output {
		line, ok := unread[hash]
		if !ok {
			continue // a part of an earlier tick
		}
		p, err := trace.Decode(line)
		if err != nil {
			return err
		}
		t.answers = append(t.answers, p.(trace.Part))
	}
	t.calls = append(t.calls, call)
	return nil
}

// add takes over any other record, which may not stand as it was written; ended says
// that it is the end of the tick.
func (t *recordedTick) add(line []byte, unread map[string][]byte) (ended bool, err error) {
	record, err := trace.Decode(line)
	if err != nil {
		return false, err
	}
	switch record := record.(type) {
	case trace.Part:
		t.heads, t.answers = append(t.heads, record), append(t.answers, record)
	case trace.ModelCall:
		return false, t.addCall(line, unread)
	case trace.CapChange:
		t.caps = append(t.caps, record)
	case trace.TickEnd:
		t.end = record
		return true, nil
	}
	return false, nil
}
