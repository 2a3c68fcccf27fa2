package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// recording is a Source that gives the answers of a recorded run again, by agent,
// tick and step. It reads the trace along with the run, a few ticks ahead.
type recording struct {
	mu    sync.Mutex
	ahead *readAhead
	// calls are the exchanges of the tick last read.
	calls map[CallKey]recordedAnswer
	// tick is the last tick read.
	tick  int64
	given atomic.Int64
	// caps are the changes of caps in that tick.
	caps []trace.CapChange

	// strictFrom is the first tick in which a request that differs from the recorded one
	// is refused, since no comparison of records is to find it; 0 is none.
	strictFrom int64
	// partial is a last tick that the trace does not hold whole, 0 for none. It is
	// read as far as it goes.
	partial int64
	// onPart, when set, sees every part, without its body.
	onPart func(trace.Part)
	// reused, when set, is called for each answer given from the tick reusedFrom on,
	// with the number of HTTP requests it had taken.
	reused     func(r llmclient.Request, attempts int)
	reusedFrom int64
	// failed is the first request that could not be answered.
	failed error
}

func openRecording(dir string) (*recording, error) {
	f, err := OpenTrace(dir)
	if err != nil {
		return nil, err
	}
	return &recording{ahead: startReadAhead(f), calls: map[CallKey]recordedAnswer{}}, nil
}

func (r *recording) close() { r.ahead.close() }

// Respond returns the recorded answer to the request with the given key. A request
// that was never made has no answer; the failure it gets differs from every
// recorded one, so that a comparison stops there.
func (r *recording) Respond(_ context.Context, key CallKey, request llmclient.Request) llmclient.Answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	answer, err := r.answer(key, request)
	if err != nil {
		r.failed = cmp.Or(r.failed, err)
		return llmclient.Failed(llmclient.ErrNotRecorded, err.Error())
	}
	r.given.Add(1)
	return answer
}

// answer returns the recorded answer. That it belongs to the very request that was
// made is for a comparison of the records to find, except where there is none to
// come: then the request must have the recorded hash.
func (r *recording) answer(key CallKey, request llmclient.Request) (llmclient.Answer, error) {
	if err := r.readTo(key.Tick); err != nil {
		return llmclient.Answer{}, err
	}
	call, ok := r.calls[key]
	if !ok {
		return llmclient.Answer{}, &DifferenceError{key.Tick, fmt.Sprintf("%s asks in step %d and nothing is recorded", key.Agent, key.Step)}
	}
	if r.strictFrom > 0 && key.Tick >= r.strictFrom && request.Hash() != call.requestHash {
		return llmclient.Answer{}, &DifferenceError{key.Tick, fmt.Sprintf("%s asks something else in step %d than recorded", key.Agent, key.Step)}
	}
	if call.err != nil {
		return llmclient.Answer{}, fmt.Errorf("recorded answer to %s in tick %d, step %d: %w", key.Agent, key.Tick, key.Step, call.err)
	}
	if r.reused != nil && call.timing != nil && key.Tick >= r.reusedFrom {
		r.reused(request, call.timing.Attempts)
	}
	return call.answer, nil
}

// capChanges are the changes of caps in a tick. What cannot be read has none: the first
// request of the tick tells why.
func (r *recording) capChanges(tick int64) []trace.CapChange {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.readTo(tick) != nil {
		return nil
	}
	return r.caps
}

// failure is why a request could not be answered, nil when all could.
func (r *recording) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// readTo reads the trace up to the end of the given tick. Answers of earlier
// ticks are forgotten.
func (r *recording) readTo(tick int64) error {
	for r.tick < tick {
		clear(r.calls)
		r.caps = nil
		if err := r.readTick(); err != nil {
			if r.tick+1 != r.partial {
				return err
			}
			r.tick = r.partial
		}
	}
	return nil
}

// finish reads the partial tick.
func (r *recording) finish() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.readTo(r.partial)
}

// readTick takes over what the next tick of the trace holds.
func (r *recording) readTick() error {
	next := r.ahead.next()
	if r.onPart != nil {
		for _, p := range next.heads {
			r.onPart(p)
		}
	}
	r.caps = next.caps
	for _, c := range next.calls {
		r.calls[c.key] = c
	}
	if next.err != nil {
		return errors.Join(errors.New("the recording ended"), next.err)
	}
	r.tick = next.end.Tick
	return nil
}
