package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// ErrNotResumable marks a resume that cannot do what was asked for.
var ErrNotResumable = errors.New("the run cannot be resumed")

// ErrOtherModel marks a resume with another model than the run's. A fork can change the model.
var ErrOtherModel = fmt.Errorf("%w with another model", ErrNotResumable)

// ResumeOptions say how a run continues.
type ResumeOptions struct {
	// UntilTick is the last tick to run; 0 means the last one that the run was ever asked for.
	UntilTick int64
	// AllowVersionDrift resumes a run of another version. Its records may be derived
	// differently, which ends the resume.
	AllowVersionDrift bool
	// Model and ModelSource name the model that answers now. They must be those of the run.
	Model       string
	ModelSource trace.ModelSource
	// AbandonTick ends the open turns of the unfinished tick: a request without a recorded answer
	// fails. Other caps can then hold from the next tick on.
	AbandonTick bool
	// BaseURL is the endpoint from now on. It is recorded if it changes.
	BaseURL string
	// Caps, when set, returns the caps from now on, given the present ones. What was spent counts
	// against them. The change is recorded.
	Caps func(trace.Caps) trace.Caps
	// Leased is that of [Options].
	Leased bool
	// Recording is the source of recorded answers, nil for none. It must be the run's own; its file
	// may have been moved.
	Recording *trace.Recording
	// Reading is how the run is read; nil is strictly.
	Reading *run.Reading
}

// Resumption is a recorded run that this process has claimed and can continue. It must be closed.
type Resumption struct {
	// State is the state of the run.
	State   *state.State
	of      run.Source
	options ResumeOptions
	// target is the last tick to run.
	target int64
	claim  *run.Claim
	// change is what this resume changes from a tick on, nil for nothing.
	change *trace.CapChange
}

// PrepareResume claims the run in dir and reads where it stopped. It changes nothing but the lock. The
// error is a [*run.LockedError], [ErrVersionDrift], [ErrNotResumable], or a failure to read the run.
func PrepareResume(dir string, o ResumeOptions) (s *Resumption, err error) {
	claim, err := claim(dir, o.Leased)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s, err = nil, errors.Join(err, claim.Unlock())
		}
	}()
	of := run.Dir(dir).As(o.Reading)
	h, err := of.Header()
	if errors.Is(err, run.ErrNothingRecorded) {
		return nil, fmt.Errorf("%w: %w; start it again in the same directory", ErrNotResumable, run.ErrNothingRecorded)
	}
	if err != nil {
		return nil, err
	}
	if err := versionDrift(h); err != nil && !o.AllowVersionDrift {
		return nil, err
	}
	now := h.Latest()
	if err := otherRecording(now.Recording, o.Recording); err != nil {
		return nil, err
	}
	if o.Model != now.Model || o.ModelSource != now.ModelSource {
		return nil, fmt.Errorf("%w: its model is %s %q, and %s %q makes another run, which is a fork",
			ErrOtherModel, now.ModelSource, now.Model, o.ModelSource, o.Model)
	}
	t, err := of.State()
	if err != nil {
		return nil, err
	}
	if n := len(h.Forks); n > 0 && t.Tick < h.Forks[n-1].AtTick {
		return nil, fmt.Errorf(
			"%w: it has %d whole ticks, and only its parent can answer in those up to tick %d; fork that again into the same "+
				"directory, at no cost",
			ErrNotResumable, t.Tick, h.Forks[n-1].AtTick)
	}
	s = &Resumption{State: t, of: of, options: o, target: cmp.Or(max(o.UntilTick, 0), t.Asked), claim: claim}
	if s.target < t.Tick {
		return nil, fmt.Errorf("%w up to tick %d: it has %d whole ticks; allowed: from there on", ErrNotResumable, s.target,
			t.Tick)
	}
	return s, s.planCaps()
}

// otherRecording refuses recorded answers that are not the run's own or are used differently. The name
// of the file may differ, since files move.
func otherRecording(recorded, offered *trace.Recording) error {
	misses := "no model is asked"
	switch {
	case recorded == nil && offered == nil:
		return nil
	case recorded == nil:
		return fmt.Errorf("%w with recorded answers: a model gives its answers", ErrNotResumable)
	case offered != nil:
		same := *offered
		same.Name = recorded.Name
		if same == *recorded {
			return nil
		}
	}
	if recorded.Asked != "" {
		misses = fmt.Sprintf("a %s model is asked for others", recorded.Asked)
	}
	return fmt.Errorf("%w with these answers: its own come from the recording %q of the %s model %q, and %s",
		ErrNotResumable, recorded.Name, recorded.ModelSource, recorded.Model, misses)
}

// Close releases the run.
func (s *Resumption) Close() error { return s.claim.Unlock() }

// Settings are the settings of the run from now on, with the ticks that it is to have.
func (s *Resumption) Settings() trace.Settings {
	now := s.State.Header.SettingsAt(s.target)
	now.Ticks, now.Caps = s.target, s.State.CapsAt(s.State.Tick+2)
	now.Seats = s.Seats()
	if s.change != nil {
		now.Caps = s.change.Caps
	}
	return now
}

// Seats are those of the run from now on.
func (s *Resumption) Seats() []trace.AgentSeat {
	if s.change != nil && s.change.Seats != nil {
		return s.change.Seats
	}
	return s.State.SeatsAt(s.State.Tick + 2)
}

// Reseat plans that other seats play from the next tick on, or from the one after if something of that was
// answered already: in that one, a seat that is not there makes no move. The error says that an agent would
// need a model in a run that has none.
func (s *Resumption) Reseat(seats []trace.AgentSeat) error {
	if slices.Equal(seats, s.Seats()) {
		return nil
	}
	now := s.State.Header.SettingsAt(s.target)
	for _, a := range s.State.Header.Agents {
		if _, seated := trace.SeatOf(seats, a.ID); !seated && now.ModelSource == trace.SourceNone {
			return fmt.Errorf("%w: %s would be played by a model, and the run has none; a fork can have one", ErrNotResumable,
				a.ID)
		}
	}
	s.alter().Seats = append([]trace.AgentSeat{}, seats...)
	return nil
}

// alter returns what this resume changes.
func (s *Resumption) alter() *trace.CapChange {
	if s.change == nil {
		s.change = &trace.CapChange{Tick: s.changeTick(), Caps: s.State.CapsAt(s.State.Tick + 2)}
		if planned := s.State.Pending; planned != nil {
			s.change.Seats = planned.Seats
		}
	}
	return s.change
}

// Complete reports whether nothing is left to do: the wanted ticks are played, and the run recorded its
// end. A run whose calls may all have failed is complete, too.
func (s *Resumption) Complete() bool {
	end := s.State.End
	return s.State.Tick == s.target && end != nil &&
		slices.Contains([]trace.RunStatus{trace.RunCompleted, trace.RunProviderFailed, trace.RunNoUsableAnswers},
			end.RunStatus)
}

// Run continues the run in two parts:
//
//  1. It derives the recorded ticks again from their recorded answers and compares every record; see
//     [Replay]. Nothing is written. If ctx ends in this part, the result is interrupted and the run is
//     unchanged.
//  2. It repairs the end of the trace, records the resume and plays on: with the recorded answers of
//     the unfinished tick, then with those of o.Source. This part ends like [Run].
//
// o.Settings and o.RunDir are the run's own and are ignored. The error is a [*trace.DifferenceError] if
// the derived records differ from the recorded ones, else a failure of the outside.
func (s *Resumption) Run(ctx context.Context, o Options) (Result, error) {
	next, tools := o.Source, o.Tools
	drain := o.Drain
	o.Drain = nil // the first part has no calls to wait for, so a drain breaks it off
	o.Observer, o.Progress = s.observed(o)
	r, answers, err := derive(s.of, s.State, o)
	if err != nil {
		return Result{}, err
	}
	defer answers.Close()
	answers.strictFrom = s.State.Tick + 1
	answers.reusedFrom = spoiltFrom(s.State.Header.Settings, s.State.Header.Forks)
	if s.State.End == nil && len(s.State.Open.Exchanges) == 0 && !s.State.Open.Resumed {
		r.past.followed-- // the process may have died before it could say that this tick ended the run
	}
	var result Result
	deriving, stop := context.WithCancel(ctx)
	defer stop()
	if drain != nil {
		defer context.AfterFunc(drain, stop)()
	}
	compared, log, err := playCompared(deriving, answers.Answers, s.State.Tick, r, func(ctx context.Context) (err error) {
		result, err = r.advance(ctx)
		if err == nil && result.Status == trace.RunInterrupted {
			err = context.Cause(ctx)
		}
		return err
	})
	switch {
	case deriving.Err() != nil && (result.Status == trace.RunInterrupted || errors.Is(err, context.Canceled)):
		// It does not matter whether the ticks or the comparison noticed first.
		result.Status, result.Deriving = trace.RunInterrupted, true
		return result, nil
	case err == nil && !compared.Equal:
		err = compared.Difference
	}
	if err != nil {
		return result, err
	}

	if r.endpoints.left() < len(r.endpoints.all) { // those given up may work again by now
		s.alter().AskAgain = true
	}
	answers.ReadTo(s.State.Tick + 1) // the rest of the recording is read before anything is added to it
	if err := s.takeUp(log, r.Options); err != nil {
		return Result{}, errors.Join(err, log.Close())
	}
	r.past.answered = s.State.Open.Keys()
	r.sink = appending{log}
	r.plan.changes = s.changesAt
	r.Drain = drain
	r.Ticks = s.target
	r.RunDir = string(s.of.Dir)
	r.Source = resumed{r.past, answers, next, s.options.AbandonTick}
	r.Tools = recordedTools{answers: answers.Answers, recorded: s.State.Tick + 1, live: s.State.Tick, next: tools,
		abandon: s.options.AbandonTick && len(r.past.answered) > 0}
	r.noteWorld()
	ctx, end := r.beginRun(ctx, s.State.Header.RunName())
	if result.Status == trace.RunCompleted {
		result, err = r.ticks(ctx)
	}
	end(runEnding(result, err))
	result, err = r.finish(result, cmp.Or(err, answers.failure()))
	result.Head = log.Head()
	return result, errors.Join(err, log.Close())
}

// observed returns the observer and the progress function of o as they are told about a resumed run:
// its present endpoint, the ticks that it is to have, and which of them are derived again.
func (s *Resumption) observed(o Options) (Observer, func(Progress)) {
	observer := o.Observer
	if from := s.State.Header.Latest().BaseURL; observer != nil && from != s.options.BaseURL {
		observer = moved{observer, from, s.options.BaseURL}
	}
	if o.Progress == nil {
		return observer, nil
	}
	return observer, func(p Progress) {
		p.Ticks = s.target
		p.Resuming = p.Tick <= s.State.Tick && !p.Paused
		o.Progress(p)
	}
}

// spoiltFrom is the first tick under the run's present faults. A fork may have changed the faults or the
// model that they apply to.
func spoiltFrom(now trace.Settings, forks []trace.Fork) (tick int64) {
	for _, f := range forks {
		a, b := now, f.Settings
		if a.Faults != b.Faults || a.FaultSeed != b.FaultSeed || a.BaseURL != b.BaseURL ||
			a.ScriptedMode != b.ScriptedMode || a.StubManner != b.StubManner || a.ScriptedSeed != b.ScriptedSeed {
			tick = f.Tick
		}
		now = b
	}
	return tick
}

// takeUp cuts a damaged end off the trace, lets log continue the trace, and records the resume.
func (s *Resumption) takeUp(log *run.Log, o Options) error {
	if err := s.claim.Check(); err != nil { // deriving may have taken long
		return err
	}
	if err := s.of.RemoveReport(); err != nil {
		return err
	}
	if err := s.of.Repair(s.State); err != nil {
		return err
	}
	if err := log.Continue(s.of, *s.State); err != nil {
		return err
	}
	log.Under(s.claim)
	if err := log.OnRecord(o.Record); err != nil {
		return err
	}
	record := trace.Resume{
		Tick: s.State.Tick, TicksRequested: s.target, Exchanges: len(s.State.Open.Exchanges),
		CutBytes: s.State.Open.CutBytes(), Caps: s.change,
		Timing: &trace.ResumeTiming{ResumedAt: time.Now().UTC().Format(time.RFC3339), Concurrency: o.Concurrency,
			SegmentBytes: &o.SegmentBytes},
	}
	if s.options.BaseURL != s.State.Header.Latest().BaseURL {
		record.BaseURL = s.options.BaseURL
	}
	if drift := versionDrift(s.State.Header); drift != nil {
		record.Drift = drift.Error()
	}
	return log.Write(record)
}

// history is what earlier processes played of a run, or of its parent if the run is a fork.
type history struct {
	// derived is the last tick that is derived again from records. followed is the last tick known to
	// have a successor: whatever happens in it, it did not end the run.
	derived, followed int64
	// answered are the calls of the tick after derived whose answers are recorded.
	answered map[trace.CallKey]bool
}

// holds reports whether the answer to a call is recorded, so that the call is not made again.
func (p history) holds(key trace.CallKey) bool { return key.Tick <= p.derived || p.answered[key] }

// resumed is the source of a resumed run: the recorded answers of the unfinished tick, then those of
// next.
type resumed struct {
	past    history
	answers *recording
	next    Source
	// abandon says that the unfinished tick asks nothing more.
	abandon bool
}

// Respond implements [Source].
func (s resumed) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	switch {
	case s.past.holds(key):
		return s.answers.Respond(ctx, key, r)
	case s.abandon && key.Tick == s.past.derived+1 && len(s.past.answered) > 0:
		return llmclient.Answer{Failure: &llmclient.Failure{Kind: llmclient.ErrAbandoned,
			Message: "the turns of this tick were ended", Unsent: true}}
	}
	return s.next.Respond(ctx, key, r)
}
