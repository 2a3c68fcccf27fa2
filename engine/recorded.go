package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"sync/atomic"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// Recorded is a [Source] that gives the answers of a recording again. An answer is
// found by agent, tick, step and [llmclient.Prompt], never by the order in which
// requests arrive, so that concurrency changes nothing and a request that asks
// something else is never given an answer to the old question.
//
// A request without a recorded answer is a miss. With a model behind it the Recorded
// asks that; otherwise it answers with a failure of kind not_recorded that says what
// differs, and [Run] ends the run. It reads the recording along with the run, one
// tick ahead. It opens no connection itself.
//
// A recording that cannot be read on is no miss: what stands behind the damage may be
// paid for already. From there on every request fails with recording_damaged, also with
// a model, and [Run] ends the run.
type Recorded struct {
	path   string
	header trace.Header
	model  Source

	mu     sync.Mutex
	file   io.ReadCloser
	reader *trace.Reader
	// calls are those of the tick last asked for, next the first one after it, nil
	// once the recording has ended.
	calls map[CallKey][]recordedCall
	tick  int64
	next  *trace.ModelCall
	// broken is why the recording cannot be read on, nil while it can.
	broken error
	// items are the parts of the tick being read, again those of earlier ticks that
	// were needed once more. Keeping all would make memory grow with the recording.
	items, again trace.Parts
	itemsTick    int64

	given, asked atomic.Int64
	// reused, when set, is called for each recorded answer given, one call at a time.
	reused func(r llmclient.Request, attempts int)
}

// recordedCall is a recorded answer with what it answers.
type recordedCall struct {
	prompt llmclient.Prompt
	answer llmclient.Answer
}

// OpenRecorded opens the recording at path, a run directory or an answers file. model
// answers what the recording cannot; with nil a miss is a failure. Close releases the
// recording. The error says what is wrong with path.
func OpenRecorded(path string, model Source) (*Recorded, error) {
	h, err := ReadRecording(path)
	if err != nil {
		return nil, err
	}
	f, err := OpenRecording(path)
	if err != nil {
		return nil, err
	}
	r := &Recorded{path: path, header: h, model: model, file: f, reader: trace.NewReader(f), calls: map[CallKey][]recordedCall{}}
	if r.advance(); r.broken != nil {
		return nil, errors.Join(r.broken, f.Close())
	}
	return r, nil
}

// Header is the header of the recorded run, of an answers file the facts it kept.
func (r *Recorded) Header() trace.Header { return r.header }

// Given counts the recorded answers given.
func (r *Recorded) Given() int64 { return r.given.Load() }

// Asked counts the requests passed on to the model.
func (r *Recorded) Asked() int64 { return r.asked.Load() }

// Close releases the recording.
func (r *Recorded) Close() error { return r.file.Close() }

// DescribeRecording is the recording at path for [trace.Settings]. asked is what
// stands behind the model that answers a miss, empty without one.
func DescribeRecording(path string, h trace.Header, asked trace.ModelSource) *trace.Recording {
	return &trace.Recording{
		Name: filepath.Base(filepath.Clean(path)), Model: h.Settings.Model, ModelSource: h.Settings.ModelSource, UsageSource: h.Settings.UsageSource(), Asked: asked,
	}
}

// sameRecording reports whether two descriptions can be of one recording, used alike. The
// name may differ: files move.
func sameRecording(a, b *trace.Recording) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, y := *a, *b
	x.Name, y.Name = "", ""
	return x == y
}

// Respond implements [Source].
func (r *Recorded) Respond(ctx context.Context, key CallKey, request llmclient.Request) llmclient.Answer {
	answer, miss := r.find(key, request)
	switch {
	case miss == nil:
		r.given.Add(1)
		return answer
	case errors.Is(miss, errDamaged):
		return llmclient.Failed(llmclient.ErrRecordingDamaged, miss.Error())
	case r.model != nil:
		r.asked.Add(1)
		return r.model.Respond(ctx, key, request)
	}
	return llmclient.Failed(llmclient.ErrNotRecorded, miss.Error())
}

// errDamaged marks a recording that cannot be read on.
var errDamaged = errors.New("is damaged")

// find returns the recorded answer to a request. The error says why there is none, and
// is errDamaged where that cannot be told. All of a tick is read before any answer of
// it is given, so that order of arrival plays no role here either.
func (r *Recorded) find(key CallKey, request llmclient.Request) (llmclient.Answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.readTo(key.Tick)
	calls := r.calls[key]
	prompt := request.Prompt()
	for _, c := range calls {
		if c.prompt.Differs(prompt).Name == "" {
			if r.reused != nil && c.answer.Attempts > 0 {
				r.reused(request, c.answer.Attempts)
			}
			return c.answer, nil
		}
	}
	if r.broken != nil {
		return llmclient.Answer{}, fmt.Errorf("%s, tick %d, step %d: %w", key.Agent, key.Tick, key.Step, r.broken)
	}
	if len(calls) == 0 {
		return llmclient.Answer{}, fmt.Errorf("%s, tick %d, step %d: %s", key.Agent, key.Tick, key.Step, r.absent(key))
	}
	// A request made twice has been asked again after an interrupt; the last one is
	// what the recorded run went on with.
	recorded := calls[len(calls)-1].prompt
	return llmclient.Answer{}, fmt.Errorf("%s, tick %d, step %d: %s", key.Agent, key.Tick, key.Step, r.difference(recorded.Differs(prompt), request))
}

// readTo reads all calls of the given tick, or those before the damage; those of earlier
// ticks are forgotten, since a run never goes back.
func (r *Recorded) readTo(tick int64) {
	if tick > r.tick {
		clear(r.calls)
		r.tick = tick
	}
	for r.broken == nil && r.next != nil && r.next.Tick <= tick {
		if r.next.Tick == tick {
			if err := r.keep(*r.next); err != nil {
				r.broken = r.damage(err)
				return
			}
		}
		r.advance()
	}
}

// damage says that the recording cannot be read on. Where it lies is for whoever knows
// how the user calls it.
func (r *Recorded) damage(err error) error {
	return fmt.Errorf("the recording %s %w: %w", filepath.Base(filepath.Clean(r.path)), errDamaged, err)
}

// keep adds a call to those of the tick, with its answer restored, if it can be given
// again.
func (r *Recorded) keep(c trace.ModelCall) error {
	if !c.Answer.Lasting() {
		return nil
	}
	for _, hash := range c.Answer.Output {
		if err := r.need(hash); err != nil {
			return err
		}
	}
	answer, err := c.Answer.Restore(&r.items)
	if err != nil {
		return err
	}
	answer.Recorded = true
	key := CallKey{c.Tick, c.AgentID, c.Step}
	if c.Timing != nil {
		answer.Attempts = c.Timing.Attempts
	}
	r.calls[key] = append(r.calls[key], recordedCall{c.Prompt(), answer})
	return nil
}

// need makes sure that a part of an answer is at hand. A provider that gives its
// items no ids may send the same bytes in many ticks, and a trace stores them once.
func (r *Recorded) need(hash string) error {
	if _, ok := r.items.Part(hash); ok {
		return nil
	}
	p, ok := r.again.Part(hash)
	if !ok {
		var err error
		if p, err = findPart(r.path, hash); err != nil {
			return err
		}
		r.again.Add(p)
	}
	r.items.Add(p)
	return nil
}

// advance reads up to the next call, which is nil at the end of the recording and where
// it breaks. A line without its end is a break too: one that a killed process left behind
// cannot be told from one of a file that was cut.
func (r *Recorded) advance() {
	r.next = nil
	for {
		record, err := r.reader.NextOf(trace.TypePart, trace.TypeModelCall)
		if err == io.EOF {
			return
		}
		if err != nil {
			r.broken = r.damage(err)
			return
		}
		switch record := record.(type) {
		case trace.Part:
			if record.Tick != r.itemsTick {
				r.items, r.itemsTick = trace.Parts{}, record.Tick
			}
			r.items.Add(record)
		case trace.ModelCall:
			r.next = &record
			return
		}
	}
}
