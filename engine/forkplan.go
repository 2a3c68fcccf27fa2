package engine

import (
	"fmt"
	"path/filepath"
	"strconv"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

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
