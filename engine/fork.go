package engine

import (
	"context"
	"errors"
	"fmt"

	"example.com/agentworld/llmclient"
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
	prefix.reused, prefix.answers.OwnTicks = o.Reused, true
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
