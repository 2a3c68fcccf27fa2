package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// ForkOptions say where a run is left, and what holds from there on.
type ForkOptions struct {
	// Options are the fork's: its Settings hold after AtTick, its Source answers from
	// there on. Settings.Ticks counts from the start of the parent.
	Options
	// Parent is the directory of the run that is left; it is only read.
	Parent string
	// AtTick is the last tick that the fork takes over, 0 for none.
	AtTick int64
	// AllowVersionDrift forks a run of another version, if its ticks come out as they
	// were recorded.
	AllowVersionDrift bool
}

// ErrForkDiffers marks a parent whose ticks do not come out as recorded.
var ErrForkDiffers = errors.New("the parent's ticks do not come out as they were recorded")

// ErrFork marks a fork that cannot be: a tick the parent has not reached, or a change
// that a run cannot go on with.
var ErrFork = errors.New("the run cannot be forked so")

// Fork leaves a recorded run after a tick and goes on differently. The ticks before
// are derived again from the recorded answers, free of charge, and each must come out
// with the recorded digest. The new run is whole: it needs its parent for nothing, and
// can be replayed, resumed and forked like any other.
//
// The error wraps ErrFork, ErrForkDiffers or [ErrVersionDrift], or is a failure of the
// outside; before the first two of them nothing was asked.
func Fork(ctx context.Context, o ForkOptions) (Result, error) {
	settings, forks, err := o.plan()
	if err != nil {
		return Result{}, err
	}
	unlock, err := run.Dir(o.RunDir).Lock()
	if err != nil {
		return Result{}, err
	}
	o.Settings, o.Forks = settings, forks
	result, err := o.run(ctx)
	return result, errors.Join(err, unlock())
}

// run carries out a fork whose settings are those of the whole run.
func (o ForkOptions) run(ctx context.Context) (Result, error) {
	prefix, err := OpenRecorded(o.Parent, nil)
	if err != nil {
		return Result{}, err
	}
	defer prefix.Close()
	prefix.reused = o.Reused
	parent, err := run.Dir(o.Parent).StateAt(o.AtTick)
	if err != nil {
		return Result{}, err
	}
	o.Source = forkSource{prefix, o.AtTick, o.Source}
	log, err := run.Dir(o.RunDir).CreateLog()
	if err != nil {
		return Result{}, err
	}
	r, err := newRunner(o.Options, checking{appending{log}, prefix.answers, o.AtTick})
	if err != nil {
		return Result{}, errors.Join(err, log.Close())
	}
	// The parent went on after these ticks, whatever they look like.
	r.plan.caps, r.past = parent.CapChanges, past{derived: o.AtTick, followed: o.AtTick}
	result, err := r.run(ctx)
	if result.Status == trace.RunReplayDiffers && result.TicksDone < o.AtTick {
		err = errors.Join(err, fmt.Errorf("%w: %s", ErrForkDiffers, result.Reason))
	}
	return result, errors.Join(err, log.Close())
}

// Check reports a fork that cannot be, before anything is created or asked.
func (o ForkOptions) Check() error {
	_, _, err := o.plan()
	return err
}

// plan returns the settings that the whole run begins with, and its forks, the last of
// which is this one.
func (o ForkOptions) plan() (trace.Settings, []trace.Fork, error) {
	h, err := run.Dir(o.Parent).Header()
	if err != nil {
		return trace.Settings{}, nil, err
	}
	if err := versionDrift(h); err != nil && !o.AllowVersionDrift {
		return trace.Settings{}, nil, err
	}
	whole, at, err := parentAt(o.Parent, o.AtTick)
	if err != nil {
		return trace.Settings{}, nil, err
	}
	point, err := o.point(whole, at)
	if err != nil {
		return trace.Settings{}, nil, err
	}
	var forks []trace.Fork
	for _, f := range h.Forks {
		if f.AtTick <= o.AtTick {
			forks = append(forks, f)
		}
	}
	base := h.Settings
	base.Ticks = o.Ticks
	return base, append(forks, point), nil
}

// parentAt reads where the run in dir stands, and where it stood after a tick.
func parentAt(dir string, tick int64) (whole, at *state.State, err error) {
	if whole, err = run.Dir(dir).State(); err == nil {
		at, err = run.Dir(dir).StateAt(tick)
	}
	return whole, at, err
}

// point checks where the parent is left and what changes there.
func (o ForkOptions) point(whole, at *state.State) (trace.Fork, error) {
	before, done := settingsAt(whole, at, o.AtTick), whole.Tick
	switch {
	case o.AtTick < 0 || o.AtTick > done:
		return trace.Fork{}, fmt.Errorf("%w: tick %d; allowed: 0 to %d, the last whole tick of the run", ErrFork, o.AtTick, done)
	case o.Ticks <= o.AtTick:
		return trace.Fork{}, fmt.Errorf("%w: %d ticks end at or before the fork at tick %d; allowed: more", ErrFork, o.Ticks, o.AtTick)
	case o.Seed != before.Seed || o.Scenario != before.Scenario || o.ScenarioTOML != before.ScenarioTOML:
		return trace.Fork{}, fmt.Errorf("%w: another seed or scenario is another world from the start", ErrFork)
	case o.AgentsOverride != before.AgentsOverride:
		return trace.Fork{}, fmt.Errorf("%w: a fork cannot change the number of agents: the ticks before it would be others", ErrFork)
	}
	if a, b := before.Currency(), o.Currency(); a != "" && b != "" && a != b {
		return trace.Fork{}, fmt.Errorf("%w: prices in %s and in %s cannot be added up", ErrFork, a, b)
	}
	changes, err := changesOf(before, o.Settings)
	if err != nil {
		return trace.Fork{}, fmt.Errorf("%w: %w", ErrFork, err)
	}
	return trace.Fork{
		Tick: o.AtTick + 1, AtTick: o.AtTick, Changes: changes, Settings: o.Settings, PromptVersion: promptVersion(o.Settings),
		Parent: trace.ForkParent{Name: filepath.Base(filepath.Clean(o.Parent)), Run: at.Header.RunName(), Digest: at.Digest},
	}, nil
}

// changeCharsMax bounds each side of a change.
const changeCharsMax = 200

// changesOf lists what differs between the settings of a run and of its fork, for people.
// The error says why no run could have the latter.
func changesOf(before, next trace.Settings) ([]trace.Change, error) {
	if err := behaviorConfig(next).Validate(); err != nil {
		return nil, err
	}
	a, err := scenarioOf(before)
	if err != nil {
		return nil, err
	}
	_, b, err := newWorld(next)
	if err != nil {
		return nil, err
	}
	changes := before.Changes(next)
	for _, c := range a.Rules.Changed(b.Rules) {
		changes = append(changes, trace.Change{What: "rules." + c.Name, From: strconv.FormatInt(c.From, 10), To: strconv.FormatInt(c.To, 10)})
	}
	for i := range changes {
		changes[i].From, changes[i].To = plaintext.Clip(changes[i].From, changeCharsMax), plaintext.Clip(changes[i].To, changeCharsMax)
	}
	return changes, nil
}

// ParentSettings returns the settings of the run in dir that hold after a tick: what
// a fork there begins with.
func ParentSettings(dir string, tick int64) (trace.Settings, error) {
	whole, at, err := parentAt(dir, tick)
	if err != nil {
		return trace.Settings{}, err
	}
	return settingsAt(whole, at, tick), nil
}

// settingsAt are the settings of a run that hold after a tick, with what resumes changed.
func settingsAt(whole, at *state.State, tick int64) trace.Settings {
	s := at.Header.SettingsAt(tick)
	s.Ticks, s.Caps = whole.Asked, at.CapsAt(tick+1)
	return s
}

// forkSource answers a fork's requests: as recorded up to a tick, then by its own
// model.
type forkSource struct {
	prefix *Recorded
	atTick int64
	own    Source
}

// Respond implements [Source].
func (s forkSource) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	if key.Tick <= s.atTick {
		return s.prefix.Respond(ctx, key, r)
	}
	return s.own.Respond(ctx, key, r)
}

// checking appends, and holds the digests of a fork's ticks up to one against those of its
// parent.
type checking struct {
	appending
	parent *run.Answers
	last   int64
}

func (c checking) write(records ...trace.Record) error {
	if err := c.appending.write(records...); err != nil {
		return err
	}
	for _, r := range records {
		end, ok := r.(trace.TickEnd)
		if !ok || end.Tick > c.last {
			continue
		}
		recorded, err := c.parent.Digest(end.Tick)
		if err != nil {
			return err
		}
		if recorded != end.Digest {
			return fmt.Errorf("%w: after tick %d the digest is %s, recorded %s", ErrForkDiffers, end.Tick, end.Digest, recorded)
		}
	}
	return nil
}
