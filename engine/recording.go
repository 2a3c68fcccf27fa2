package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"agentworld/llmclient"
	"agentworld/trace"
)

// recording is a Source that gives the answers of a recorded run again, by agent,
// tick and step. It reads the trace along with the run, one tick ahead.
type recording struct {
	mu      sync.Mutex
	file    *os.File
	reader  *trace.Reader
	parts   trace.Parts
	answers map[CallKey]trace.Answer
	// tick is the last tick read whole.
	tick  int64
	given atomic.Int64
}

func openRecording(dir string) (*recording, error) {
	f, err := OpenTrace(dir)
	if err != nil {
		return nil, err
	}
	return &recording{file: f, reader: trace.NewReader(f), answers: map[CallKey]trace.Answer{}}, nil
}

func (r *recording) close() { r.file.Close() }

// Respond returns the recorded answer to the request with the given key. A request
// that was never made has no answer; the failure it gets differs from every
// recorded one, so that a comparison stops there.
func (r *recording) Respond(_ context.Context, key CallKey, _ llmclient.Request) llmclient.Answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.readTo(key.Tick); err != nil {
		return llmclient.Failed(llmclient.ErrNotRecorded, err.Error())
	}
	recorded, ok := r.answers[key]
	if !ok {
		return llmclient.Failed(llmclient.ErrNotRecorded, fmt.Sprintf("no answer for %s in tick %d, step %d", key.Agent, key.Tick, key.Step))
	}
	answer, err := recorded.Restore(&r.parts)
	if err != nil {
		return llmclient.Failed(llmclient.ErrNotRecorded, err.Error())
	}
	r.given.Add(1)
	return answer
}

// readTo reads the trace up to the end of the given tick. Answers of earlier
// ticks are forgotten.
func (r *recording) readTo(tick int64) error {
	for r.tick < tick {
		clear(r.answers)
		if err := r.readTick(); err != nil {
			return err
		}
	}
	return nil
}

// readTick keeps of a tick's parts those that answers hold: requests are derived
// again, and keeping them would make memory grow with the run.
func (r *recording) readTick() error {
	items := trace.Parts{}
	for {
		record, err := r.reader.NextOf(trace.TypePart, trace.TypeModelCall, trace.TypeTickEnd)
		if err != nil {
			return errors.Join(errors.New("the recording ended"), err)
		}
		switch record := record.(type) {
		case trace.Part:
			items.Add(record)
		case trace.ModelCall:
			for _, hash := range record.Answer.Output {
				if p, ok := items.Part(hash); ok {
					r.parts.Add(p)
				}
			}
			r.answers[CallKey{record.Tick, record.AgentID, record.Step}] = record.Answer
		case trace.TickEnd:
			r.tick = record.Tick
			return nil
		}
	}
}
