package engine

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// recording is a Source that gives the answers of a recorded run again, by agent,
// tick and step.
type recording struct {
	answers *run.Answers
	given   atomic.Int64
	mu      sync.Mutex
	// strictFrom is the first tick in which a request that differs from the recorded one
	// is refused, since no comparison of records is to find it; 0 is none.
	strictFrom int64
	// reused, when set, is called for each answer given from the tick reusedFrom on,
	// with the number of HTTP requests it had taken.
	reused     func(r llmclient.Request, attempts int)
	reusedFrom int64
	// failed is the first request that could not be answered.
	failed error
}

func openRecording(dir string) (*recording, error) {
	a, err := run.OpenAnswers(dir)
	if err != nil {
		return nil, err
	}
	return &recording{answers: a}, nil
}

func (r *recording) close() error { return r.answers.Close() }

// Respond returns the recorded answer to the request with the given key. A request
// that was never made has no answer; the failure it gets differs from every
// recorded one, so that a comparison stops there.
func (r *recording) Respond(_ context.Context, key trace.CallKey, request llmclient.Request) llmclient.Answer {
	answered, ok, err := r.answers.ByKey(key)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err != nil:
	case !ok:
		err = &trace.DifferenceError{Tick: key.Tick, What: fmt.Sprintf("%s asks in step %d and nothing is recorded", key.Agent, key.Step)}
	case r.strictFrom > 0 && key.Tick >= r.strictFrom && request.Hash() != answered.RequestHash:
		// That an answer belongs to the very request is otherwise for a comparison of the
		// records to find; here none is to come.
		err = &trace.DifferenceError{Tick: key.Tick, What: fmt.Sprintf("%s asks something else in step %d than recorded", key.Agent, key.Step)}
	}
	if err != nil {
		r.failed = cmp.Or(r.failed, err)
		return llmclient.Failed(llmclient.ErrNotRecorded, err.Error())
	}
	if r.reused != nil && key.Tick >= r.reusedFrom {
		r.reused(request, answered.Attempts)
	}
	r.given.Add(1)
	return answered.Answer
}

// failure is why a request could not be answered, nil when all could.
func (r *recording) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}
