package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

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
	// AllowVersionDrift resumes a run of another version. Its records may be derived
	// differently, which ends the resume.
	AllowVersionDrift bool
	// Model and ModelSource name the model that answers now. They must be the same as
	// before: another model makes another run.
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
	// Leased is that of [Options].
	Leased bool
	// Recording is the source of recorded answers, nil for none. It must be the run's own,
	// but it may have been moved.
	Recording *trace.Recording
	// Reading is how the run is read; nil is strictly.
	Reading *run.Reading
}

// Resumption is a run of another process, claimed by this one and about to go on. It
// has to be closed.
type Resumption struct {
	// State is the state of the run.
	State   *state.State
	of      run.Source
	options ResumeOptions
	target  int64
	claim   *run.Claim
	// change are other caps from a tick on, nil for none.
	change *trace.CapChange
}

// PrepareResume claims the run in dir and finds out where it stopped. It changes
// nothing but the lock. The error is a [*run.LockedError], [ErrVersionDrift],
// [ErrNotResumable], or a failure to read the run.
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

// otherRecording says where the run's answers come from, if the offered ones are from
// another source or are used differently. The name of a file may differ: files move.
func otherRecording(recorded, offered *trace.Recording) error {
	behind := "no model is asked"
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
		behind = fmt.Sprintf("a %s model is asked for others", recorded.Asked)
	}
	return fmt.Errorf("%w with these answers: its own come from the recording %q of the %s model %q, and %s",
		ErrNotResumable, recorded.Name, recorded.ModelSource, recorded.Model, behind)
}

// Close gives the run back.
func (s *Resumption) Close() error { return s.claim.Unlock() }

// Settings are the recorded settings of the run as they hold from now on, with the
// ticks it is to have.
func (s *Resumption) Settings() trace.Settings {
	now := s.State.Header.SettingsAt(s.target)
	now.Ticks, now.Caps = s.target, s.State.CapsAt(s.State.Tick+2)
	if s.change != nil {
		now.Caps = s.change.Caps
	}
	return now
}

// Complete reports that nothing is left to do: the ticks wanted are played, and the run
// says how it ended. That its calls may all have failed is no reason to end it again.
func (s *Resumption) Complete() bool {
	end := s.State.End
	return s.State.Tick == s.target && end != nil &&
		slices.Contains([]trace.RunStatus{trace.RunCompleted, trace.RunProviderFailed, trace.RunNoUsableAnswers},
			end.RunStatus)
}
