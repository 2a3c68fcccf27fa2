package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/reflect"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
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
func Fork(ctx context.Context, o ForkOptions) (result Result, err error) {
	if o.Settings, o.Forks, err = o.plan(); err != nil {
		return Result{}, err
	}
	unlock, err := run.Dir(o.RunDir).Lock()
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	prefix, err := OpenRecorded(o.Parent, nil)
	if err != nil {
		return Result{}, err
	}
	defer prefix.Close()
	prefix.answers.OwnTicks = true
	prefix.reused, prefix.reusedFrom = o.Reused, spoiltFrom(o.Settings, o.Forks)
	parent, err := run.Dir(o.Parent).StateAt(o.AtTick)
	if err != nil {
		return Result{}, err
	}
	o.Source = forkSource{prefix, o.AtTick, o.Source}
	log, err := run.Dir(o.RunDir).CreateLog()
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	r, err := newRunner(o.Options, checking{appending{log}, prefix.answers, o.AtTick})
	if err != nil {
		return Result{}, err
	}
	// The parent went on after these ticks, whatever they look like.
	r.plan.caps, r.past = parent.CapChanges, past{derived: o.AtTick, followed: o.AtTick}
	result, err = r.run(ctx)
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
	h, err := run.Dir(o.Parent).Header()
	if err != nil {
		return fail(err)
	}
	if err := versionDrift(h); err != nil && !o.AllowVersionDrift {
		return fail(err)
	}
	before, whole, at, err := settingsAt(o.Parent, o.AtTick)
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
		Tick: o.AtTick + 1, AtTick: o.AtTick, Changes: changes, Settings: o.Settings, PromptVersion: promptVersion(o.Settings),
		Parent: trace.ForkParent{Name: filepath.Base(filepath.Clean(o.Parent)), Run: at.Header.RunName(), Digest: at.Digest},
	}), nil
}

// settingsAt are the settings of the run in dir that hold after a tick, with what resumes
// changed; and where the run stands as a whole, and stood after the tick.
func settingsAt(dir string, tick int64) (s trace.Settings, whole, at *state.State, err error) {
	if whole, err = run.Dir(dir).State(); err == nil {
		at, err = run.Dir(dir).StateAt(tick)
	}
	if err != nil {
		return s, nil, nil, err
	}
	s = at.Header.SettingsAt(tick)
	s.Ticks, s.Caps = whole.Asked, at.CapsAt(tick+1)
	return s, whole, at, nil
}

// ParentSettings returns the settings of the run in dir that hold after a tick: what
// a fork there begins with.
func ParentSettings(dir string, tick int64) (trace.Settings, error) {
	s, _, _, err := settingsAt(dir, tick)
	return s, err
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
	b, err := scenarioOf(next)
	if err != nil {
		return nil, err
	}
	if err := b.Check(); err != nil {
		return nil, fmt.Errorf("scenario %s: %w", next.Scenario, err)
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

// takeForks puts the forks into force whose parents end with the tick just done. It
// is called between ticks.
func (r *runner) takeForks() error {
	for len(r.plan.forks) > 0 && r.plan.forks[0].AtTick == r.reached.Tick {
		f := r.plan.forks[0]
		r.plan.forks = r.plan.forks[1:]
		if err := r.takeFork(f); err != nil {
			return fmt.Errorf("%w: at tick %d: %w", ErrFork, f.AtTick, err)
		}
		if err := r.sink.write(f); err != nil {
			return err
		}
	}
	return nil
}

// takeFork makes everything from the next tick on as the fork has it, but for the length of
// the run. Texts that did not change stay as they are, since a prompt switch may have
// replaced them.
func (r *runner) takeFork(f trace.Fork) error {
	before, next := r.Settings, f.Settings
	next.Ticks = before.Ticks
	scenario, err := scenarioOf(next)
	if err != nil {
		return err
	}
	if err := r.world.SetRules(scenario.Rules); err != nil {
		return err
	}
	cfg := behaviorConfig(next)
	cfg.Needless = r.world.Needless()
	kit, err := behavior.NewKit(cfg, scenario.Rules, modules.New())
	if err != nil {
		return err
	}
	seed, err := seedPlaybook(next)
	if err != nil {
		return err
	}
	r.Settings, r.kit = next, kit
	if next.Model != before.Model || next.BaseURL != before.BaseURL || !slices.Equal(next.AgentModels, before.AgentModels) {
		// What is known of endpoints stays known where they stay the same.
		r.endpoints = newEndpoints(next, r.world)
	}
	// Caps that the fork takes over go on counting, also when it takes others away; other
	// ones count from here on.
	r.reached.Currency = r.Currency()
	r.spending.budget.BeginTick()
	switch {
	case state.Afresh(before.Caps, r.Caps):
		r.spending = newSpending(r.Settings)
	case r.Caps != before.Caps:
		r.spending = r.spending.under(r.Caps)
	}
	r.spending.prices = pricesOf(r.Prices)
	r.plan.switches = slices.DeleteFunc(slices.Clone(next.PromptSwitches), func(s trace.Switch) bool { return s.Tick <= f.AtTick })
	for _, m := range r.minds {
		if m == nil {
			continue
		}
		m.Adopt(kit)
		if next.SystemPrompt != before.SystemPrompt {
			m.SetSystemPrompt(next.SystemPrompt)
		}
		m.SetGoals(changed(before.ShortTermGoal, next.ShortTermGoal), changed(before.LongTermGoal, next.LongTermGoal))
		if next.Playbook != before.Playbook {
			m.SetPlaybook(seed)
		}
	}
	if next.Playbook != before.Playbook {
		r.seed = seed
		if r.learning.folder != nil {
			// What was learned on top of the old lessons has nothing to be folded into any more.
			r.learning.folder = reflect.NewFolder(seed, playbookLimits(r.Settings))
		}
	}
	if old := r.learning; r.Learns() {
		// What is learned from now on is evidence of the fork: its decisions are not those of
		// its parent in the same ticks.
		r.prepareLearning(f.RunName())
		if old.folder != nil {
			r.learning.experiences, r.learning.folder = old.experiences, old.folder
			for _, e := range old.experiences {
				if e != nil {
					e.Rename(f.RunName())
				}
			}
		}
	}
	return nil
}

// changed returns next where it differs from before, and nothing otherwise.
func changed(before, next string) string {
	if next == before {
		return ""
	}
	return next
}

// CreateForkDir makes the directory of a fork as [CreateRunDir] does. What a fork of the
// same parent left that was killed before its own first tick is removed: it holds no
// answer but the parent's, and nothing can go on with it.
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

// unfinishedPrefix reports whether dir holds a fork of the run in parent that ended before
// the ticks it takes over were derived. A trace without a whole first line holds nothing
// of anybody.
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
