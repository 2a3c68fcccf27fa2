package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/agentworld/internal/atomicfile"
	"example.com/agentworld/run"
)

// The files of an attempt that say who plays it.
const (
	// ownerFile names the process; its modification time says when it was last alive.
	ownerFile = "owner"
	// endedFile is there once the process has given the attempt up or ended it.
	endedFile = "ended"
	// abandonedFile is there if the run cannot be continued.
	abandonedFile = "abandoned"
)

// claim is the right of a process to play a cell: the attempt of the highest number. Making its
// directory is what decides between several processes. A successor makes the next one,
// and that is the fence: see [claim.holds].
type claim struct {
	dir    Dir
	id     ID
	number int64
	// from is the attempt whose run is continued, 0 for none; moved says that it may be taken as it
	// is, since its owner has ended for certain.
	from  int64
	moved bool

	unlock func() error
	stop   context.CancelFunc
	beats  sync.WaitGroup
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

// fileClock is the clock of the file system as it was when it was first asked: clocks of machines
// differ. To ask it a file is written; with a time in at it is never asked.
type fileClock struct {
	dir Dir
	at  time.Time
}

func (c *fileClock) now() (time.Time, error) {
	if !c.at.IsZero() {
		return c.at, nil
	}
	probe, err := os.CreateTemp(c.dir.path(cellsDir), ".now-*")
	if err != nil {
		return c.at, fmt.Errorf("look at the clock of the file system: %w", err)
	}
	defer os.Remove(probe.Name())
	info, err := probe.Stat()
	if err := errors.Join(err, probe.Close()); err != nil {
		return c.at, fmt.Errorf("look at the clock of the file system: %w", err)
	}
	c.at = info.ModTime()
	return c.at, nil
}

// look says how a cell stands, and what its latest attempt is. gone says that no one plays it any
// more for certain. One clock serves for many cells.
func (d Dir) look(id ID, lease time.Duration, clock *fileClock) (s state, latest int64, gone bool, err error) {
	if d.Done(id) {
		return done, 0, true, nil
	}
	numbers, err := d.attempts(id)
	if err != nil || len(numbers) == 0 {
		return waiting, 0, true, err
	}
	latest = numbers[len(numbers)-1]
	if _, err := os.Lstat(d.attempt(id, latest, endedFile)); err == nil {
		return waiting, latest, true, nil
	}
	owner, err := readFile(d.attempt(id, latest, ownerFile))
	if err == nil && strings.TrimSpace(string(owner)) == owned() {
		// A process of this machine holds a lock that ends with it.
		if run.Dir(d.attempt(id, latest)).Holder() == "" {
			return stale, latest, true, nil
		}
	}
	age, err := d.age(id, latest, clock)
	if err != nil {
		return playing, latest, false, err
	}
	if age > lease {
		return stale, latest, false, nil
	}
	return playing, latest, false, nil
}

// age is how long ago the owner of an attempt was alive.
func (d Dir) age(id ID, n int64, clock *fileClock) (time.Duration, error) {
	info, err := os.Lstat(d.attempt(id, n, ownerFile))
	if errors.Is(err, fs.ErrNotExist) { // it is about to be written
		info, err = os.Lstat(d.attempt(id, n))
	}
	if err != nil {
		return 0, fmt.Errorf("look for the owner of cell %s: %w", id, err)
	}
	now, err := clock.now()
	return now.Sub(info.ModTime()), err
}

// owned is what a process of this machine writes into ownerFile. Machines with the same name that
// share a directory would also have to share its locks.
func owned() string {
	host, err := os.Hostname()
	if err != nil {
		return ""
	}
	return host
}

// claim takes a cell that is waiting, or whose owner is gone or stale. It is nil if somebody else
// plays it or was faster. The owner is heard of four times a lease.
func (d Dir) claim(id ID, lease time.Duration) (*claim, error) {
	s, latest, gone, err := d.look(id, lease, &fileClock{dir: d})
	if err != nil || s == done || s == playing {
		return nil, err
	}
	c := &claim{dir: d, id: id, number: latest + 1}
	if _, c.from, _, err = d.Attempts(id); err != nil {
		return nil, err
	}
	c.moved = gone && c.from == latest
	path := d.attempt(id, c.number)
	if err := os.Mkdir(path, 0o700); errors.Is(err, fs.ErrExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("claim cell %s: %w", id, err)
	}
	if c.unlock, err = run.Dir(path).Lock(); err != nil {
		return nil, fmt.Errorf("claim cell %s: %w", id, err)
	}
	if err := replaceFile(filepath.Join(path, ownerFile), []byte(owned()+"\n")); err != nil {
		return nil, errors.Join(fmt.Errorf("claim cell %s: %w", id, err), c.unlock())
	}
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	c.beats.Go(func() {
		beat := time.NewTicker(lease / 4)
		defer beat.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-beat.C:
				// Written, not only touched: the time is then that of the file system.
				if f, err := os.OpenFile(filepath.Join(path, ownerFile), os.O_WRONLY, 0); err == nil {
					_, _ = f.WriteString(owned() + "\n")
					_ = f.Close()
				}
			}
		}
	})
	return c, nil
}

// Attempts returns the number of the latest attempt at a cell, of the latest with a run that can be
// continued, and of the latest that was abandoned. 0 is none.
func (d Dir) Attempts(id ID) (latest, continued, abandoned int64, err error) {
	numbers, err := d.attempts(id)
	for _, n := range slices.Backward(numbers) {
		latest = max(latest, n)
		if _, err := os.Lstat(d.attempt(id, n, abandonedFile)); err == nil {
			return latest, continued, n, nil
		}
		if continued == 0 && holdsRun(d.Run(id, n)) {
			continued = n
		}
	}
	return latest, continued, 0, err
}

// Abandon says that the runs of an attempt and of those before it cannot be continued.
func (d Dir) Abandon(id ID, number int64) error {
	err := os.MkdirAll(d.attempt(id, number), 0o700)
	if err == nil {
		err = replaceFile(d.attempt(id, number, abandonedFile), nil)
	}
	if err != nil {
		return fmt.Errorf("abandon attempt %d at cell %s: %w", number, id, err)
	}
	return nil
}

// holds says that the cell has no later owner. It is asked before each call of a model and
// before the result is written.
func (c *claim) holds() bool {
	_, err := os.Lstat(c.dir.attempt(c.id, c.number+1))
	return errors.Is(err, fs.ErrNotExist)
}

// adopt brings the run of the attempt before into this one, so that it can be resumed: it is moved
// if its owner has ended for certain, and else copied, since the owner may still write. resume
// says that there is such a run.
func (c *claim) adopt() (resume bool, err error) {
	if c.from == 0 {
		return false, nil
	}
	from, to := c.dir.Run(c.id, c.from), c.dir.Run(c.id, c.number)
	if c.moved {
		err = os.Rename(from, to)
	} else {
		partial := to + ".partial"
		if err = copyRun(from, partial); err == nil {
			err = os.Rename(partial, to)
		}
	}
	if err == nil {
		err = atomicfile.SyncDir(filepath.Dir(to))
	}
	if err != nil {
		return false, fmt.Errorf("continue attempt %d at cell %s: %w", c.from, c.id, err)
	}
	return true, nil
}

// copyRun copies the files of a run directory, which may be written meanwhile: a record that is cut
// off at the end is what a resume removes. Only regular files are taken.
func copyRun(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, inside)
		switch {
		case e.IsDir():
			return os.MkdirAll(target, 0o700)
		case !e.Type().IsRegular():
			return nil
		}
		in, err := os.Open(path)
		if err != nil {
			return err
		}
		defer in.Close()
		out, err := os.OpenFile(target, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, in)
		return errors.Join(err, out.Sync(), out.Close())
	})
}

// holdsRun says that a run directory holds records to continue from.
func holdsRun(path string) bool {
	_, err := run.Dir(path).Header()
	return err == nil
}

// release gives the cell up: the next claim need not wait for the lease.
func (c *claim) release() error {
	c.stop()
	c.beats.Wait()
	err := replaceFile(c.dir.attempt(c.id, c.number, endedFile), nil)
	if unlockErr := c.unlock(); unlockErr != nil && err == nil {
		err = unlockErr
	}
	if err != nil {
		return fmt.Errorf("release cell %s: %w", c.id, err)
	}
	return nil
}
