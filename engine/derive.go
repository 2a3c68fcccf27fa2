package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// readRun reads the outline of a run. It refuses a run of another version unless anyVersion is set.
func readRun(of run.Source, anyVersion bool) (*state.State, error) {
	h, err := of.Header()
	if err != nil {
		return nil, err
	}
	if err := versionDrift(h); err != nil && !anyVersion {
		return nil, err
	}
	return of.Outline()
}

// derive returns a runner that plays the whole ticks of a run again, as o says and with its
// recorded answers, and keeps nothing. The recording has to be closed.
func derive(of run.Source, recorded *state.State, o Options) (*runner, *recording, error) {
	answers, err := of.Answers()
	if err != nil {
		return nil, nil, err
	}
	source := &recording{Answers: answers, reused: o.Reused}
	o.Settings = recorded.Header.Settings
	o.Forks = recorded.Header.Forks
	o.Source = source
	o.Tools = recordedTools{answers: answers, recorded: recorded.Tick, live: recorded.Tick}
	o.RunDir = ""
	o.Ticks = recorded.Tick
	r, err := newRunner(o, discarding{})
	if err != nil {
		return nil, nil, errors.Join(err, answers.Close())
	}
	r.prepareLearning(recorded.Header.RunName())
	r.plan.changes, r.past = recorded.ChangesAt, history{derived: recorded.Tick, followed: recorded.Tick}
	return r, source, nil
}

// recording is a Source that gives the answers of a recorded run again, by agent,
// tick and step.
type recording struct {
	*run.Answers
	given atomic.Int64
	mu    sync.Mutex
	// strictFrom is the first tick in which a request that differs from the recorded one
	// ends the run, because no comparison of records would find the difference; 0 is none.
	strictFrom int64
	// reused, when set, is called for each answer given from the tick reusedFrom on,
	// with the number of HTTP requests it had taken.
	reused     func(r llmclient.Request, attempts int)
	reusedFrom int64
	// failed is the first request that could not be answered.
	failed error
}

// Respond returns the recorded answer to the request with the given key. A request
// that was never made has no answer; the failure it gets differs from every
// recorded one, so that a comparison stops there.
func (r *recording) Respond(_ context.Context, key trace.CallKey, request llmclient.Request) llmclient.Answer {
	answered, ok, err := r.ByKey(key)
	strict := r.strictFrom > 0 && key.Tick >= r.strictFrom
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err != nil:
	case !ok:
		err = &trace.DifferenceError{Tick: key.Tick,
			What: fmt.Sprintf("%s asks in step %d and nothing is recorded", key.Agent, key.Step)}
	case strict && request.Hash() != answered.RequestHash:
		err = &trace.DifferenceError{Tick: key.Tick,
			What: fmt.Sprintf("%s asks something else in step %d than recorded", key.Agent, key.Step)}
	}
	if err != nil {
		r.failed = cmp.Or(r.failed, err)
		if strict {
			return llmclient.Failed(llmclient.ErrNotRecorded, err.Error())
		}
		return llmclient.Failed(llmclient.ErrAbandoned, err.Error()) // the run then continues to the difference
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

// settingsAt returns the settings of a run that hold after a tick, with the
// changes by resumes; the state of the whole run; and its state after the tick.
func settingsAt(of run.Source, tick int64) (s trace.Settings, whole, at *state.State, err error) {
	whole, err = of.State()
	if err == nil {
		at, err = of.StateAt(tick)
	}
	if err != nil {
		return s, nil, nil, err
	}
	s = at.Header.SettingsAt(tick)
	s.Ticks, s.Caps = whole.Asked, at.CapsAt(tick+1)
	s.Seats = at.SeatsAt(tick + 1)
	return s, whole, at, nil
}

// ParentSettings returns the settings of the run in dir that hold after a tick: what
// a fork there begins with. how is as Reading of [ForkOptions].
func ParentSettings(dir string, tick int64, how *run.Reading) (trace.Settings, error) {
	s, _, _, err := settingsAt(run.Dir(dir).As(how), tick)
	return s, err
}

// CreateForkDir makes the directory of a fork as [run.Dir.Create] does. It removes a fork
// of the same parent that was killed before its own first tick: such a fork holds only
// the parent's answers and cannot be resumed.
func CreateForkDir(o ForkOptions) error {
	if !unfinishedPrefix(o.RunDir, o.Parent) {
		return run.Dir(o.RunDir).Create()
	}
	unlock, err := run.Dir(o.RunDir).Lock()
	if err != nil {
		return err
	}
	// Looked at again: until now it may have been another process's, and have gone on.
	if unfinishedPrefix(o.RunDir, o.Parent) {
		err = run.Dir(o.RunDir).Clear()
	}
	if err := errors.Join(err, unlock()); err != nil {
		return err
	}
	return run.Dir(o.RunDir).Create()
}

// unfinishedPrefix reports whether dir holds a fork of the run in parent that ended
// before the inherited ticks were derived. A trace without a complete first line holds
// nothing worth keeping.
func unfinishedPrefix(dir, parent string) bool {
	h, err := run.Dir(dir).Header()
	if errors.Is(err, run.ErrNothingRecorded) {
		return true
	}
	if err != nil || len(h.Forks) == 0 {
		return false
	}
	left, err := run.Dir(parent).Header()
	if err != nil {
		return false
	}
	point := h.Forks[len(h.Forks)-1]
	t, err := run.Dir(dir).State()
	return err == nil && t.Tick < point.AtTick && point.Parent.Run == left.RunName()
}
