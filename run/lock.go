package run

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"example.com/agentworld/llmclient"
)

// LockedError says that another process is working on a run.
type LockedError struct {
	// Dir is the run directory, PID the process, empty when it could not be read.
	Dir, PID string
}

// Error names the process that has the run.
func (e *LockedError) Error() string {
	return fmt.Sprintf("run directory %s is in use by process %s; wait for it or stop it", e.Dir, cmp.Or(e.PID, "(unknown)"))
}

// lockTries and lockPause bound how long a lock is tried for: a process that only checks
// whether a run is in use holds it for a moment.
const (
	lockTries = 10
	lockPause = 10 * time.Millisecond
)

// Lock claims the run for this process until unlock is called. It uses the operating
// system's lock on the run directory itself, which ends with the process however that
// ends. No file in the directory matters, so removing, replacing or linking one does not
// break the lock. The error is a [*LockedError], or says why the directory cannot be
// locked.
func (d Dir) Lock() (unlock func() error, err error) {
	for try := 1; ; try++ {
		claim, held, err := d.tryLock(true)
		if err != nil {
			return nil, fmt.Errorf("lock run directory: %w", err)
		}
		if held {
			if err := d.sign(claim); err != nil {
				return nil, errors.Join(fmt.Errorf("lock run directory: %w", err), claim.Close())
			}
			return func() error {
				// The file is removed while the run is still locked, so it cannot belong to
				// another process.
				_ = os.Remove(d.file(LockFile))
				if err := claim.Close(); err != nil {
					return fmt.Errorf("unlock run directory: %w", err)
				}
				return nil
			}, nil
		}
		if try == lockTries {
			return nil, &LockedError{Dir: string(d), PID: d.signed()}
		}
		time.Sleep(lockPause)
	}
}

// tryLock locks the run, exclusively or with others that do not, until the claim is closed.
func (d Dir) tryLock(exclusive bool) (claim *os.File, held bool, err error) {
	if claim, err = d.openClaim(exclusive); err != nil {
		return nil, false, err
	}
	held, err = lockFile(claim, exclusive)
	if held && !sameFile(claim, claim.Name()) { // another directory has the name by now
		held = false
	}
	if !held {
		return nil, false, errors.Join(err, claim.Close())
	}
	return claim, true, nil
}

// signature is what a process writes into the lock file: its id, and what shows that it is one.
func signature(pid string) string { return pid + " " + llmclient.Hash([]byte(pid))[:8] + "\n" }

// signed reads the process id in the lock file; empty if it is unknown.
func (d Dir) signed() string {
	f, err := OpenRegular(d.file(LockFile))
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, 64))
	pid, _, _ := strings.Cut(string(text), " ")
	if _, err := strconv.Atoi(pid); err != nil || string(text) != signature(pid) {
		return ""
	}
	return pid
}

// sameFile reports whether path still leads to the open file f.
func sameFile(f interface{ Stat() (os.FileInfo, error) }, path string) bool {
	a, errA := f.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// Holder returns the id of the process that works on the run; "unknown" if it left no
// readable one, empty if no process works on it or this is unknown.
func (d Dir) Holder() string {
	claim, free, err := d.tryLock(false)
	if free {
		_ = claim.Close()
	}
	if free || err != nil {
		return ""
	}
	return cmp.Or(d.signed(), "unknown")
}
