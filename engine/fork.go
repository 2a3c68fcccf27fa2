package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/klauspost/compress/zstd"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// ParentFile is the file in a fork's directory that holds what its parent did after
// the fork, as [trace.WriteDeeds] writes it, compressed. A report of the fork compares
// with it, also when the parent is gone.
const ParentFile = "parent.jsonl.zst"

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
	unlock, err := lockRun(o.RunDir)
	if err != nil {
		return Result{}, err
	}
	o.Settings, o.Forks = settings, forks
	result, err := o.run(ctx)
	return result, errors.Join(err, unlock())
}

// run carries out a fork whose settings are those of the whole run.
func (o ForkOptions) run(ctx context.Context) (Result, error) {
	if err := sweepFork(o.RunDir); err != nil {
		return Result{}, err
	}
	if err := writeParent(o.RunDir, o.Parent, o.AtTick); err != nil {
		return Result{}, err
	}
	prefix, err := OpenRecorded(o.Parent, nil)
	if err != nil {
		return Result{}, err
	}
	defer prefix.Close()
	prefix.reused = o.Reused
	digests, err := openDigests(o.Parent, o.AtTick)
	if err != nil {
		return Result{}, err
	}
	defer digests.Close()
	o.Source = forkSource{prefix, o.AtTick, o.Source}
	j, err := createJournal(o.RunDir)
	if err != nil {
		return Result{}, err
	}
	r, err := newRunner(o.Options, j)
	if err != nil {
		return Result{}, errors.Join(err, j.finish())
	}
	// The parent went on after these ticks, whatever they look like.
	r.missEnds, r.verify, r.passed, r.derived = true, digests.check, o.AtTick, o.AtTick
	r.capChanges = digests.capChanges
	result, err := r.run(ctx)
	if result.Status == trace.RunReplayDiffers && result.TicksDone < o.AtTick {
		err = errors.Join(err, fmt.Errorf("%w: %s", ErrForkDiffers, result.Reason))
	}
	return result, errors.Join(err, j.finish())
}

// Check reports a fork that cannot be, before anything is created or asked.
func (o ForkOptions) Check() error {
	_, _, err := o.plan()
	return err
}

// plan returns the settings that the whole run begins with, and its forks, the last of
// which is this one.
func (o ForkOptions) plan() (trace.Settings, []trace.Fork, error) {
	h, err := ReadHeader(o.Parent)
	if err != nil {
		return trace.Settings{}, nil, err
	}
	if err := versionDrift(h); err != nil && !o.AllowVersionDrift {
		return trace.Settings{}, nil, err
	}
	before, err := heldIn(o.Parent, h, o.AtTick)
	if err != nil {
		return trace.Settings{}, nil, err
	}
	point, err := o.point(h, before)
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

// point checks where the parent is left and what changes there.
func (o ForkOptions) point(h trace.Header, before trace.Settings) (trace.Fork, error) {
	done, _, err := ticksDone(o.Parent)
	if err != nil {
		return trace.Fork{}, err
	}
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
	digest, err := digestAt(o.Parent, o.AtTick)
	if err != nil {
		return trace.Fork{}, err
	}
	return trace.Fork{
		Tick: o.AtTick + 1, AtTick: o.AtTick, Changes: changes, Settings: o.Settings, PromptVersion: promptVersion(o.Settings),
		Parent: trace.ForkParent{Name: filepath.Base(filepath.Clean(o.Parent)), Run: h.RunName(), Digest: digest},
	}, nil
}

// changeCharsMax bounds each side of a change.
const changeCharsMax = 200

// changesOf lists what differs between the settings of a run and of its fork, for people.
// The error says why no run could have the latter.
func changesOf(before, next trace.Settings) ([]trace.Change, error) {
	if err := cmp.Or(next.Validate(), behaviorConfig(next).Validate()); err != nil {
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
	h, err := ReadHeader(dir)
	if err != nil {
		return trace.Settings{}, err
	}
	return heldIn(dir, h, tick)
}

// heldIn returns the settings of the run in dir that hold after a tick: those of the
// header and its forks, with what resumes changed since: the most ticks it was asked for,
// and caps.
func heldIn(dir string, h trace.Header, tick int64) (trace.Settings, error) {
	s := h.SettingsAt(tick)
	t, err := readTail(dir)
	if err != nil {
		return s, fmt.Errorf("read trace of %s: %w", dir, err)
	}
	s.Ticks = t.ticks
	from := int64(0)
	for _, f := range h.Forks {
		if f.AtTick <= tick {
			from = f.Tick
		}
	}
	d, err := openDigests(dir, tick)
	if err != nil {
		return s, err
	}
	defer d.Close()
	for d.at < tick && d.read() == nil {
		for _, c := range d.caps {
			if c.Tick >= from {
				s.Caps = c.Caps
			}
		}
	}
	return s, nil
}

// forkSource answers a fork's requests: as recorded up to a tick, then by its own
// model.
type forkSource struct {
	prefix *Recorded
	atTick int64
	own    Source
}

// Respond implements [Source].
func (s forkSource) Respond(ctx context.Context, key CallKey, r llmclient.Request) llmclient.Answer {
	if key.Tick <= s.atTick {
		return s.prefix.Respond(ctx, key, r)
	}
	return s.own.Respond(ctx, key, r)
}

// digests reads the digests of a run's ticks along with a run that must have the same
// ones up to a tick, and the changes of caps in them.
type digests struct {
	last   int64
	file   io.Closer
	reader *trace.Reader
	// at is the tick last read, with its digest and changes of caps.
	at     int64
	digest string
	caps   []trace.CapChange
}

func openDigests(dir string, last int64) (*digests, error) {
	f, err := OpenTrace(dir)
	if err != nil {
		return nil, err
	}
	return &digests{last: last, file: f, reader: trace.NewReader(f)}, nil
}

// Close releases the file.
func (d *digests) Close() error { return d.file.Close() }

// check compares the digest of the next tick; ticks after the last are free.
func (d *digests) check(tick int64, digest string) error {
	if tick > d.last {
		return nil
	}
	recorded, err := d.next(tick)
	if err != nil {
		return err
	}
	if recorded != digest {
		return fmt.Errorf("%w: after tick %d the digest is %s, recorded %s", ErrForkDiffers, tick, digest, recorded)
	}
	return nil
}

// capChanges are the changes of caps in a tick. What cannot be read has none: the end of
// the tick tells why.
func (d *digests) capChanges(tick int64) []trace.CapChange {
	if tick > d.last {
		return nil
	}
	if _, err := d.next(tick); err != nil {
		return nil
	}
	return d.caps
}

// next reads on to the end of a tick.
func (d *digests) next(tick int64) (string, error) {
	for d.at < tick {
		if err := d.read(); err != nil {
			return "", fmt.Errorf("read the parent's trace up to tick %d: %w", tick, err)
		}
	}
	return d.digest, nil
}

// read reads the next tick.
func (d *digests) read() error {
	d.caps = nil
	for {
		record, err := d.reader.NextOf(trace.TypeCapChange, trace.TypeTickEnd)
		if err != nil {
			return err
		}
		switch r := record.(type) {
		case trace.CapChange:
			d.caps = append(d.caps, r)
		case trace.TickEnd:
			d.at, d.digest = r.Tick, r.Digest
			return nil
		}
	}
}

// digestAt is the digest after a tick, empty for tick 0.
func digestAt(dir string, tick int64) (string, error) {
	if tick == 0 {
		return "", nil
	}
	d, err := openDigests(dir, tick)
	if err != nil {
		return "", err
	}
	defer d.Close()
	return d.next(tick)
}

// writeParent leaves what the parent did after the fork in the fork's directory, at
// once or not at all.
func writeParent(dir, parent string, atTick int64) error {
	in, err := OpenTrace(parent)
	if err != nil {
		return err
	}
	defer in.Close()
	f, err := os.CreateTemp(dir, "."+ParentFile+"-*")
	if err != nil {
		return fmt.Errorf("keep what the parent did: %w", err)
	}
	packed, err := zstd.NewWriter(f, zstd.WithEncoderConcurrency(1))
	if err == nil {
		err = errors.Join(trace.WriteDeeds(trace.NewReader(in), trace.NewWriter(packed), atTick), packed.Close())
	}
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, ParentFile))
	}
	if err != nil {
		return fmt.Errorf("keep what the parent did: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// OpenParent opens what a fork's parent did after the fork; nil when the directory
// has no such file, since the run is no fork.
func OpenParent(dir string) (io.ReadCloser, error) {
	f, err := OpenRecording(filepath.Join(dir, ParentFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return f, err
}
