package engine

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// Recorded is a [Source] that gives the answers of a recording again, found by agent,
// tick, step and [llmclient.Prompt]: a request that asks something else is never given an
// answer to the old question.
//
// A request without a recorded answer is a miss. If the Recorded has a model, it asks the
// model; otherwise it answers with a failure of kind not_recorded that says what differs,
// and [Run] ends the run. It opens no connection itself.
//
// A recording that cannot be read further is no miss: answers after the damage may
// already be paid for. From there on every request fails with recording_damaged, also
// with a model, and [Run] ends the run.
type Recorded struct {
	answers *run.Answers
	model   Source

	given, asked atomic.Int64
	mu           sync.Mutex
	// reused, when set, is called for each recorded answer given from the tick reusedFrom
	// on, one call at a time.
	reused     func(r llmclient.Request, attempts int)
	reusedFrom int64
}

// OpenRecorded opens the recording at path, a run directory or an answers file. model
// answers what the recording cannot; with nil a miss is a failure. Close releases the
// recording. The error says what is wrong with path.
func OpenRecorded(path string, model Source) (*Recorded, error) {
	a, err := run.OpenAnswers(path, nil)
	if err != nil {
		return nil, err
	}
	return &Recorded{answers: a, model: model}, nil
}

// Given counts the recorded answers given.
func (r *Recorded) Given() int64 { return r.given.Load() }

// Asked counts the requests passed on to the model.
func (r *Recorded) Asked() int64 { return r.asked.Load() }

// Close releases the recording.
func (r *Recorded) Close() error { return r.answers.Close() }

// Respond implements [Source].
func (r *Recorded) Respond(ctx context.Context, key trace.CallKey, request llmclient.Request) llmclient.Answer {
	answered, miss := r.answers.ByPrompt(key, request)
	switch {
	case miss == nil:
		r.given.Add(1)
		if r.reused != nil && answered.Attempts > 0 && key.Tick >= r.reusedFrom {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.reused(request, answered.Attempts)
		}
		return answered.Answer
	case errors.Is(miss, run.ErrDamaged):
		return llmclient.Failed(llmclient.ErrRecordingDamaged, miss.Error())
	case r.model != nil:
		r.asked.Add(1)
		return r.model.Respond(ctx, key, request)
	}
	return llmclient.Failed(llmclient.ErrNotRecorded, miss.Error())
}

// DescribeRecording is the recording at path for [trace.Settings]. asked is the source of
// the model that answers a miss, empty without one.
func DescribeRecording(path string, h trace.Header, asked trace.ModelSource) *trace.Recording {
	return &trace.Recording{
		Name: filepath.Base(filepath.Clean(path)), Model: h.Settings.Model, ModelSource: h.Settings.ModelSource,
		UsageSource: h.Settings.UsageSource(), Asked: asked,
	}
}
