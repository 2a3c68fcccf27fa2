package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// ErrNotResumable marks a resume that cannot do what was asked for.
var ErrNotResumable = errors.New("the run cannot be resumed")

// ErrOtherModel marks a resume with another model than the run's, which is for a fork.
var ErrOtherModel = fmt.Errorf("%w with another model", ErrNotResumable)

// ResumeOptions say how a run is to go on.
type ResumeOptions struct {
	// UntilTick is the last tick to run; 0 is the last one the run was ever asked for.
	UntilTick int64
	// AllowVersionDrift resumes a run of another version; it may not come out as
	// recorded, which ends the resume.
	AllowVersionDrift bool
	// Model and ModelSource are who answers now. It must be who answered before:
	// another model makes another run.
	Model       string
	ModelSource trace.ModelSource
	// AbandonTick ends the open turns of the unfinished tick, so that other caps can hold
	// from the next one on: a request without a recorded answer fails.
	AbandonTick bool
	// BaseURL is the endpoint from now on, recorded where it differs.
	BaseURL string
	// Caps, when set, returns the caps that are to hold from now on, given those that do;
	// what was spent counts against them. The change is recorded.
	Caps func(trace.Caps) trace.Caps
	// Recording is where recorded answers come from, nil for none. It must be the run's
	// own, though it may have been moved.
	Recording *trace.Recording
}

// Resumption is a run of another process, claimed by this one and about to go on. It
// has to be closed.
type Resumption struct {
	dir     run.Dir
	header  trace.Header
	options ResumeOptions
	state   *state.State
	target  int64
	unlock  func() error
	// change are other caps from a tick on, nil for none.
	change *trace.CapChange
}

// PrepareResume claims the run in dir and finds out where it stopped. It changes
// nothing but the lock. The error is a [*LockedError], [ErrVersionDrift],
// [ErrNotResumable], or a failure to read the run.
func PrepareResume(dir string, o ResumeOptions) (*Resumption, error) {
	unlock, err := run.Dir(dir).Lock()
	if err != nil {
		return nil, err
	}
	s, err := prepareResume(dir, o)
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	s.unlock = unlock
	return s, nil
}

func prepareResume(dir string, o ResumeOptions) (*Resumption, error) {
	h, err := run.Dir(dir).Header()
	if errors.Is(err, io.EOF) || errors.Is(err, trace.ErrTorn) {
		return nil, fmt.Errorf("%w: it was stopped before anything was recorded; remove %s and start it again", ErrNotResumable, dir)
	}
	if err != nil {
		return nil, err
	}
	if err := versionDrift(h); err != nil && !o.AllowVersionDrift {
		return nil, err
	}
	now := h.Latest()
	if !sameRecording(now.Recording, o.Recording) {
		return nil, otherRecording(now.Recording)
	}
	if o.Model != now.Model || o.ModelSource != now.ModelSource {
		return nil, fmt.Errorf("%w: its model is %s %q, and %s %q makes another run, which is a fork",
			ErrOtherModel, now.ModelSource, now.Model, o.ModelSource, o.Model)
	}
	t, err := run.Dir(dir).State()
	if err != nil {
		return nil, err
	}
	if n := len(h.Forks); n > 0 && t.Tick < h.Forks[n-1].AtTick {
		return nil, fmt.Errorf("%w: it has %d whole ticks, and only its parent can answer in those up to tick %d; fork that again into the same directory, at no cost",
			ErrNotResumable, t.Tick, h.Forks[n-1].AtTick)
	}
	s := &Resumption{dir: run.Dir(dir), header: h, options: o, state: t, target: t.Asked}
	if o.UntilTick > 0 {
		s.target = o.UntilTick
	}
	if s.target < t.Tick {
		return nil, fmt.Errorf("%w up to tick %d: it has %d whole ticks; allowed: from there on", ErrNotResumable, s.target, t.Tick)
	}
	return s, s.planCaps()
}

// otherRecording says where the run's answers come from, as another source of them was
// offered.
func otherRecording(recorded *trace.Recording) error {
	if recorded == nil {
		return fmt.Errorf("%w with recorded answers: a model gives its answers", ErrNotResumable)
	}
	behind := "no model is asked"
	if recorded.Asked != "" {
		behind = fmt.Sprintf("a %s model is asked for others", recorded.Asked)
	}
	return fmt.Errorf("%w with these answers: its own come from the recording %q of the %s model %q, and %s",
		ErrNotResumable, recorded.Name, recorded.ModelSource, recorded.Model, behind)
}

// SegmentBytes is the [Options.SegmentBytes] that the run had last; known is false for a
// run that did not record it.
func (s *Resumption) SegmentBytes() (size int64, known bool) {
	if s.state.SegmentBytes == nil {
		return 0, false
	}
	return *s.state.SegmentBytes, true
}

// Close gives the run back.
func (s *Resumption) Close() error { return s.unlock() }

// Settings are the recorded settings of the run as they hold from now on, with the
// ticks it is to have.
func (s *Resumption) Settings() trace.Settings {
	now := s.header.SettingsAt(s.target)
	now.Ticks, now.Caps = s.target, s.capsBefore()
	if s.change != nil {
		now.Caps = s.change.Caps
	}
	return now
}

// TicksDone is the last whole tick found.
func (s *Resumption) TicksDone() int64 { return s.state.Tick }

// Exchanges counts the answers of the next tick that are there already.
func (s *Resumption) Exchanges() int { return len(s.state.Open.Exchanges) }

// CutBytes is how much of the trace will be cut off, because it belongs to no whole
// tick and is no answer; it is kept in [run.CutFile].
func (s *Resumption) CutBytes() int64 { return s.state.Open.CutBytes() }

// FileLost reports that the open file of the trace is gone or lost its first line, so
// that the run goes on behind what its closed segments hold. What the file held is lost.
func (s *Resumption) FileLost() bool { return s.state.Open.FileLost }

// Complete reports that nothing is left to do: the ticks wanted are played, and the run
// says how it ended. That its calls may all have failed is no reason to end it again.
func (s *Resumption) Complete() bool {
	if s.state.Tick != s.target || s.state.End == nil {
		return false
	}
	return s.state.End.RunStatus == trace.RunCompleted || s.state.End.RunStatus == trace.RunProviderFailed
}

// Ended is how the run ended last; nil when its process left it unfinished.
func (s *Resumption) Ended() *trace.RunEnd { return s.state.End }

// Run derives the recorded ticks again, comparing each with its record, and goes on
// from there: with the recorded answers of the unfinished tick, then with those of
// o.Source. o.Settings and o.RunDir are the run's own and are ignored. Nothing is
// written before every record of the whole ticks has come out again, byte for byte in
// the canonical form; then the run ends as one that [Run] carries out.
//
// Interrupted while it derives, it returns an interrupted result and leaves the run
// as it is. The error is a [*trace.DifferenceError] when the records do not come out, else
// a failure of the outside.
func (s *Resumption) Run(ctx context.Context, o Options) (Result, error) {
	next, progress := o.Source, o.Progress
	if progress != nil {
		o.Progress = func(p Progress) {
			p.Ticks, p.Resuming = s.target, p.Tick <= s.state.Tick
			progress(p)
		}
	}
	r, answers, err := derive(s.dir, s.state, o)
	if err != nil {
		return Result{}, err
	}
	defer answers.Close()
	answers.strictFrom, answers.reusedFrom = s.state.Tick+1, spoiltFrom(s.header)
	log := run.NewLog(trace.NewWriter(io.Discard)) // until the ticks have come out
	answers.OnPart(func(p trace.Part) {
		if p.Tick <= s.state.Tick || s.state.Open.Keeps(p) {
			log.MarkStored(p)
		}
	})
	if s.state.End == nil && len(s.state.Open.Exchanges) == 0 {
		r.past.followed-- // the process may have died before it could say that this tick ended the run
	}
	result, err := s.derive(ctx, r)
	if err != nil || result.Deriving {
		return result, err
	}
	// What is left of the recording is read before anything is added to it.
	answers.ReadTo(s.state.Tick + 1)
	if err := s.takeUp(log, r.Options); err != nil {
		return Result{}, errors.Join(err, log.Close())
	}
	r.past.answered = s.state.Open.Keys()
	r.sink, r.plan.caps = appending{log}, s.capChanges
	r.Ticks, r.RunDir, r.Source = s.target, string(s.dir), resumed{r.past, answers, next, s.options.AbandonTick}
	r.noteWorld()
	ctx, end := r.beginRun(ctx)
	if result.Status == trace.RunCompleted {
		result, err = r.ticks(ctx)
	}
	end(runEnding(result, err))
	result, err = r.finish(result, cmp.Or(err, answers.failure()))
	return result, errors.Join(err, log.Close())
}

// spoiltFrom is the tick since which the run's present faults are in force: a fork may
// have changed them, or the model they are for.
func spoiltFrom(h trace.Header) (tick int64) {
	now := h.Settings
	for _, f := range h.Forks {
		a, b := now, f.Settings
		if a.Faults != b.Faults || a.FaultSeed != b.FaultSeed || a.BaseURL != b.BaseURL || a.ScriptedMode != b.ScriptedMode || a.ScriptedSeed != b.ScriptedSeed {
			tick = f.Tick
		}
		now = b
	}
	return tick
}

// derive plays the whole ticks again and compares every record of them with the trace.
func (s *Resumption) derive(ctx context.Context, r *runner) (result Result, err error) {
	compared, err := verify(ctx, s.dir, s.state.Tick, r, func(ctx context.Context) (err error) {
		if err := r.sink.write(s.header); err != nil {
			return err
		}
		result, err = r.advance(ctx)
		if err == nil && result.Status == trace.RunInterrupted {
			err = context.Cause(ctx)
		}
		return err
	})
	switch {
	case ctx.Err() != nil && (result.Status == trace.RunInterrupted || errors.Is(err, context.Canceled)):
		// Who noticed first, the ticks or what compares them, makes no difference.
		result.Status, result.Deriving = trace.RunInterrupted, true
		return result, nil
	case err == nil && !compared.Equal:
		err = compared.Difference
	}
	return result, err
}

// takeUp makes the trace end where the run goes on, and says so in it.
func (s *Resumption) takeUp(log *run.Log, o Options) error {
	if err := s.dir.Repair(s.state); err != nil {
		return err
	}
	if err := log.Continue(s.dir, *s.state); err != nil {
		return err
	}
	record := trace.Resume{
		Tick: s.state.Tick, TicksRequested: s.target, Exchanges: len(s.state.Open.Exchanges), CutBytes: s.state.Open.CutBytes(),
		Timing: &trace.ResumeTiming{ResumedAt: time.Now().UTC().Format(time.RFC3339), Concurrency: o.Concurrency, SegmentBytes: &o.SegmentBytes},
	}
	if s.options.BaseURL != s.header.Latest().BaseURL {
		record.BaseURL = s.options.BaseURL
	}
	if drift := versionDrift(s.header); drift != nil {
		record.Drift = drift.Error()
	}
	return log.Write(record)
}

// resumed gives the answers that a trace holds of its last tick, and asks for others.
type resumed struct {
	past    past
	answers *recording
	next    Source
	// abandon says that nothing more is asked in the tick that the trace holds a part of.
	abandon bool
}

// Respond implements [Source].
func (s resumed) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	switch {
	case s.past.holds(key):
		return s.answers.Respond(ctx, key, r)
	case s.abandon && key.Tick == s.past.derived+1 && len(s.past.answered) > 0:
		return llmclient.Answer{Failure: &llmclient.Failure{Kind: llmclient.ErrAbandoned, Message: "the turns of this tick were ended", Unsent: true}}
	}
	return s.next.Respond(ctx, key, r)
}
