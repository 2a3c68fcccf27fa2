package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// ForkOptions say where a run is left, and what holds from there on.
type ForkOptions struct {
	// Options are the fork's: its Settings hold after AtTick, its Source answers from
	// there on. Settings.Ticks counts from the start of the parent.
	Options
	// Parent is the directory of the run that is left; it is only read.
	Parent string
	// AtTick is the last tick that the fork inherits, 0 for none.
	AtTick int64
	// AllowVersionDrift forks a run of another version, if its ticks are derived as they
	// were recorded.
	AllowVersionDrift bool
	// Reading is how the parent is read; nil is strictly.
	Reading *run.Reading
}

// ErrForkDiffers marks a parent whose ticks are not derived as recorded.
var ErrForkDiffers = errors.New("the parent's ticks do not come out as they were recorded")

// ErrFork marks an impossible fork: a tick the parent has not reached, or a change that a
// run cannot continue with.
var ErrFork = errors.New("the run cannot be forked so")

// Fork branches off a recorded run after a tick and continues differently. The earlier
// ticks are derived again from the recorded answers, at no cost, and each must have the
// recorded digest. The new run is complete: it does not need its parent, and can be
// replayed, resumed and forked like any other.
//
// The error wraps ErrFork, ErrForkDiffers or [ErrVersionDrift], or is a failure of the
// outside; before the first two of them nothing was asked.
func Fork(ctx context.Context, o ForkOptions) (result Result, err error) {
	o.Settings, o.Forks, err = o.plan()
	if err != nil {
		return Result{}, err
	}
	claim, err := claim(o.RunDir, o.Leased)
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, claim.Unlock()) }()
	answers, err := run.Dir(o.Parent).As(o.Reading).Answers()
	if err != nil {
		return Result{}, err
	}
	prefix := &Recorded{answers: answers}
	defer prefix.Close()
	prefix.answers.OwnTicks = true
	prefix.reused, prefix.reusedFrom = o.Reused, spoiltFrom(o.Settings, o.Forks)
	parent, err := run.Dir(o.Parent).As(o.Reading).StateAt(o.AtTick)
	if err != nil {
		return Result{}, err
	}
	o.Source = forkSource{prefix, o.AtTick, o.Source}
	o.Tools = recordedTools{answers: answers, recorded: o.AtTick, live: o.AtTick, next: o.Tools}
	log, err := run.Dir(o.RunDir).CreateLog()
	if err != nil {
		return Result{}, err
	}
	log.Under(claim)
	defer func() { err = errors.Join(err, log.Close()) }()
	r, err := newRunner(o.Options, checking{appending{log}, prefix.answers, o.AtTick})
	if err != nil {
		return Result{}, err
	}
	// The parent went on after these ticks, whatever they look like.
	r.plan.changes, r.past = parent.ChangesAt, history{derived: o.AtTick, followed: o.AtTick}
	if err := log.OnRecord(o.Record); err != nil {
		return Result{}, err
	}
	result, err = r.run(ctx)
	result.Head = log.Head()
	if result.Status == trace.RunReplayDiffers && result.TicksDone < o.AtTick {
		err = errors.Join(err, fmt.Errorf("%w: %s", ErrForkDiffers, result.Reason))
	}
	return result, err
}

// Check reports a fork that cannot be, before anything is created or asked.
func (o ForkOptions) Check() error {
	_, _, err := o.plan()
	return err
}

// plan returns the settings that the whole run begins with, and its forks, the last of
// which is this one.
func (o ForkOptions) plan() (trace.Settings, []trace.Fork, error) {
	fail := func(err error) (trace.Settings, []trace.Fork, error) { return trace.Settings{}, nil, err }
	h, err := run.Dir(o.Parent).As(o.Reading).Header()
	if err != nil {
		return fail(err)
	}
	if err := versionDrift(h); err != nil && !o.AllowVersionDrift {
		return fail(err)
	}
	before, whole, at, err := settingsAt(run.Dir(o.Parent).As(o.Reading), o.AtTick)
	if err != nil {
		return fail(err)
	}
	switch a, b := before.Currency(), o.Currency(); {
	case o.AtTick < 0 || o.AtTick > whole.Tick:
		err = fmt.Errorf("tick %d; allowed: 0 to %d, the last whole tick of the run", o.AtTick, whole.Tick)
	case o.Ticks <= o.AtTick:
		err = fmt.Errorf("%d ticks end at or before the fork at tick %d; allowed: more", o.Ticks, o.AtTick)
	case o.Seed != before.Seed || o.Scenario != before.Scenario || o.ScenarioTOML != before.ScenarioTOML:
		err = errors.New("another seed or scenario is another world from the start")
	case o.Vary != before.Vary:
		err = errors.New("a fork cannot change whether the instance is drawn: the ticks before it would be others")
	case o.AgentsOverride != before.AgentsOverride:
		err = errors.New("a fork cannot change the number of agents: the ticks before it would be others")
	case a != "" && b != "" && a != b:
		err = fmt.Errorf("prices in %s and in %s cannot be added up", a, b)
	}
	if err != nil {
		return fail(fmt.Errorf("%w: %w", ErrFork, err))
	}
	changes, err := changesOf(before, o.Settings)
	if err != nil {
		return fail(fmt.Errorf("%w: %w", ErrFork, err))
	}
	base := h.Settings
	base.Ticks = o.Ticks
	forks := slices.DeleteFunc(h.Forks, func(f trace.Fork) bool { return f.AtTick > o.AtTick })
	return base, append(forks, trace.Fork{
		Tick: o.AtTick + 1, AtTick: o.AtTick, Changes: changes, Settings: o.Settings,
		PromptVersion: promptVersion(o.Settings),
		Parent: trace.ForkParent{Name: filepath.Base(filepath.Clean(o.Parent)), Run: at.Header.RunName(),
			Digest: at.Digest},
	}), nil
}
