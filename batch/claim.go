package batch

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/agentworld/internal/folder"
	"example.com/agentworld/run"
)

// abandonedFile is in an attempt if its run cannot be continued.
const abandonedFile = "abandoned"

// claim is the right of a process to play a cell: a lease of [AttemptKey], whose number is that of
// the attempt.
type claim struct {
	Lease
	dir    Dir
	id     ID
	number int64
	// from is the attempt whose run is continued, 0 for none; moved says that it may be taken as it
	// is, since its owner has ended for certain.
	from  int64
	moved bool
}

// state is what is known of a cell from outside.
type state int

// The states of a cell.
const (
	// waiting cells have no attempt that somebody plays.
	waiting state = iota
	// playing cells have an owner that is alive.
	playing
	// stale cells have an owner that has not been heard of for a lease, or whose process has ended.
	stale
	// done cells have their result.
	done
)

// look says how a cell stands in a store of this directory, and who has it.
func (d Dir) look(store Store, id ID, lease time.Duration) (state, Standing, error) {
	if d.Done(id) {
		return done, Standing{}, nil
	}
	return standing(store, id, lease)
}

// standing says how a cell without a result stands in a store, and who has it.
func standing(store Store, id ID, lease time.Duration) (state, Standing, error) {
	at, err := store.Stand(AttemptKey(id), lease)
	switch {
	case err != nil:
		return playing, at, fmt.Errorf("look for the owner of cell %s: %w", id, err)
	case !at.Free:
		return playing, at, nil
	case at.Silent:
		return stale, at, nil
	}
	return waiting, at, nil
}

// claim takes a cell that is waiting, or whose owner is gone or stale. It is nil if somebody else
// plays it or was faster.
func (d Dir) claim(id ID, lease time.Duration) (*claim, error) {
	store := d.Store()
	s, at, err := d.look(store, id, lease)
	if err != nil || s == done || s == playing {
		return nil, err
	}
	c := &claim{dir: d, id: id}
	_, c.from, _, err = d.Attempts(id)
	if err != nil {
		return nil, err
	}
	c.moved = at.Gone && c.from == at.Number
	c.Lease, err = store.Claim(AttemptKey(id), lease)
	if err != nil {
		return nil, fmt.Errorf("claim cell %s: %w", id, err)
	}
	if c.Lease == nil {
		return nil, nil
	}
	c.number = c.Number()
	if c.number != at.Number+1 {
		c.moved = false // what was seen of the attempt before is of another one
	}
	return c, nil
}

// Attempts returns the number of the latest attempt at a cell, of the latest with a run that can be
// continued, and of the latest that was abandoned. 0 is none.
func (d Dir) Attempts(id ID) (latest, continued, abandoned int64, err error) {
	numbers, err := d.attempts(id)
	for _, n := range slices.Backward(numbers) {
		latest = max(latest, n)
		if d.folder().Exists(inAttempt(id, n, abandonedFile)) {
			return latest, continued, n, nil
		}
		if continued == 0 && d.holdsRun(id, n) {
			continued = n
		}
	}
	return latest, continued, 0, err
}

// Abandon says that the runs of an attempt and of those before it cannot be continued.
func (d Dir) Abandon(id ID, number int64) error {
	err := d.folder().MkdirAll(inAttempt(id, number))
	if err == nil {
		err = d.replace(inAttempt(id, number, abandonedFile), nil)
	}
	if err != nil {
		return fmt.Errorf("abandon attempt %d at cell %s: %w", number, id, err)
	}
	return nil
}

// holds says that the cell has no later owner. It is asked before each call of a model and
// before the result is written.
func (c *claim) holds() bool { return c.Holds() }

// adopt brings the run of the attempt before into this one, so that it can be resumed: it is moved
// if its owner has ended for certain, and else copied, since the owner may still write. resume
// says that there is such a run.
func (c *claim) adopt() (resume bool, err error) {
	if c.from == 0 {
		return false, nil
	}
	dir := c.dir.folder()
	from, to := inAttempt(c.id, c.from, runDir), inAttempt(c.id, c.number, runDir)
	if c.moved {
		err = dir.Move(from, to)
	} else {
		err = copyRun(c.dir, from, c.dir, to)
	}
	if err != nil {
		return false, fmt.Errorf("continue attempt %d at cell %s: %w", c.from, c.id, err)
	}
	return true, nil
}

// copyRun copies the files of a run directory, which may be written meanwhile: a record that is cut
// off at the end is what a resume removes. The files that say who owns the run are left out.
func copyRun(from Dir, name string, to Dir, into string) error {
	partial := into + ".partial"
	err := errors.Join(
		to.folder().RemoveAll(partial),
		folder.Copy(from.folder(), name, to.folder(), partial, run.SaysWho),
	)
	if err != nil {
		return err
	}
	return to.folder().Move(partial, into)
}

// holdsRun says that an attempt holds records to continue from.
func (d Dir) holdsRun(id ID, number int64) bool {
	if err := d.folder().Directory(inAttempt(id, number, runDir)); err != nil {
		return false
	}
	_, err := run.Dir(d.Run(id, number)).Header()
	return err == nil
}

// release gives the cell up: the next claim need not wait for the lease.
func (c *claim) release() error {
	if err := c.Release(); err != nil {
		return fmt.Errorf("release cell %s: %w", c.id, err)
	}
	return nil
}
