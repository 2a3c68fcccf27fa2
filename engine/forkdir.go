package engine

import (
	"errors"

	"example.com/agentworld/run"
)

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
