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

	"example.com/agentworld/internal/owner"
	"example.com/agentworld/llmclient"
)

// LockedError says that another process is working on a run.
type LockedError struct {
	// Dir is the run directory, PID the process, empty when it could not be read.
	Dir, PID string
	// Other says that the process may be on another host, named Host: nothing is known of it but
	// that it was heard of Age ago, by the clock of the file system.
	Other bool
	Host  string
	Age   time.Duration
	// Unreadable says that [ClaimFile] does not say which process it is.
	Unreadable bool
}

// Error names the process that has the run and, for one of another host, when others are let in.
func (e *LockedError) Error() string {
	pid := cmp.Or(e.PID, "(unknown)")
	if !e.Other {
		return fmt.Sprintf("run directory %s is in use by process %s; wait for it or stop it", e.Dir, pid)
	}
	who := fmt.Sprintf("process %s of host %s", pid, strconv.QuoteToASCII(e.Host))
	if e.Unreadable {
		who = "a process that is unknown, since " + ClaimFile + " is damaged"
	}
	return fmt.Sprintf("run directory %s is in use by %s, which was heard of %s ago; wait for it or stop it: "+
		"once it has been silent for %s, in %s at the earliest, others are let in",
		e.Dir, who, seconds(e.Age), ClaimMax, seconds(ClaimMax-e.Age+time.Second))
}

// seconds is a duration for people.
func seconds(d time.Duration) string { return max(0, d).Truncate(time.Second).String() }

// NoLocksError says that a file system has no locks, so that nothing keeps two processes apart.
type NoLocksError struct {
	// Dir is the directory, Err what the system says.
	Dir string
	Err error
}

// Error says what to do.
func (e *NoLocksError) Error() string {
	return fmt.Sprintf("%s is on a file system without locks (%v), where two processes could mix their records; "+
		"choose a directory on another one, such as a local disk, or mount it with locks (flock)", e.Dir, e.Err)
}

// Unwrap returns what the system says.
func (e *NoLocksError) Unwrap() error { return e.Err }

// lockTries and lockPause bound how long a lock is tried for that a process has signed. A process that only
// checks whether a run is in use holds it for a moment without signing it, and so does a child of its last
// holder between its fork and its exec, which takes long on a machine that is busy.
const (
	lockTries         = 10
	lockTriesUnsigned = 500
	lockPause         = 10 * time.Millisecond
	// movedPause is how long a look at a claim waits that was written meanwhile: file systems
	// remember for a second or so what they were told.
	movedPause = 200 * time.Millisecond
)

// Lock is [Dir.Claim] for what is written only while this process is sure to be alive: unlock gives
// the directory back.
func (d Dir) Lock() (unlock func() error, err error) {
	c, err := d.Claim()
	if err != nil {
		return nil, err
	}
	return c.Unlock, nil
}

// Claim claims the run for this process. It uses the operating system's lock on the run directory
// itself, which ends with the process however that ends, so that removing, replacing or linking a
// file does not let anybody in; and [ClaimFile], for hosts whose locks do not know of each other.
// The error is a [*LockedError], a [*NoLocksError], has [ErrIrregular] for a directory that holds
// something else than a run puts there, or says why the directory cannot be claimed.
func (d Dir) Claim() (*Claim, error) { return d.claimLocked(false) }

// ClaimLeased is [Dir.Claim] for a caller that has the directory to itself by a lease: a file system
// without locks is then no reason to refuse.
func (d Dir) ClaimLeased() (*Claim, error) { return d.claimLocked(true) }

func (d Dir) claimLocked(leased bool) (*Claim, error) {
	for try := 1; ; try++ {
		lock, held, err := d.tryLock(true)
		if _, without := errors.AsType[*NoLocksError](err); without && leased {
			held, err = true, nil // the lease is enough
		}
		if err != nil {
			return nil, fmt.Errorf("lock run directory: %w", err)
		}
		pause := lockPause
		if held {
			c, err := d.claimSigned(lock)
			if !errors.Is(err, errMoved) {
				return c, err
			}
			pause = movedPause
		}
		if pid := d.signed(); try >= lockTriesUnsigned || try >= lockTries && pid != "" {
			return nil, &LockedError{Dir: string(d), PID: pid}
		}
		time.Sleep(pause)
	}
}

// claimSigned claims a run whose directory is locked, and signs the lock.
func (d Dir) claimSigned(lock *os.File) (*Claim, error) {
	c, err := d.claim(lock)
	if err != nil {
		if lock != nil {
			err = errors.Join(err, lock.Close())
		}
		if locked, ok := errors.AsType[*LockedError](err); ok {
			return nil, locked
		}
		return nil, fmt.Errorf("lock run directory: %w", err)
	}
	if err := d.sign(lock); err != nil {
		return nil, errors.Join(fmt.Errorf("lock run directory: %w", err), c.Unlock())
	}
	return c, nil
}

// tryLock locks the run, exclusively or with others that do not, until the claim is closed.
func (d Dir) tryLock(exclusive bool) (claim *os.File, held bool, err error) {
	claim, err = d.openClaim(exclusive)
	if err != nil {
		return nil, false, err
	}
	held, err = lockFile(claim, exclusive)
	if err != nil && lockless(err) {
		err = &NoLocksError{Dir: string(d), Err: err}
	}
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
	f, err := d.folder().Open(LockFile)
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

// names reports whether a name of the run is still that of an open file.
func (d Dir) names(name string, f interface{ Stat() (os.FileInfo, error) }) bool {
	opened, errOpen := f.Stat()
	named, err := d.folder().Stat(name)
	return errOpen == nil && err == nil && os.SameFile(opened, named)
}

// sameFile reports whether path still leads to the open file f.
func sameFile(f interface{ Stat() (os.FileInfo, error) }, path string) bool {
	a, errA := f.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// sameFiles reports whether two open files are one.
func sameFiles(a, b *os.File) bool {
	infoA, errA := a.Stat()
	infoB, errB := b.Stat()
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// Holder returns the id of the process that works on the run, with the host for one of another
// host; "unknown" if it left no readable one, empty if no process works on it or this is unknown.
// It writes nothing, so it takes the clock of this host for that of the file system.
func (d Dir) Holder() string {
	lock, free, err := d.tryLock(false)
	if free {
		_ = lock.Close()
	}
	if !free && err == nil {
		return cmp.Or(d.signed(), "unknown")
	}
	claim, changed, err := d.readClaim(ClaimFile)
	if err != nil || claim.Ended || claim.Number == 0 {
		return ""
	}
	device := ""
	if info, err := d.folder().Stat(ClaimFile); err == nil {
		device = deviceOf(info)
	}
	switch {
	case !claim.Owner.SameHost():
		if time.Since(changed).Abs() <= ClaimMax {
			return fmt.Sprintf("%d of host %s", claim.Owner.PID, strconv.QuoteToASCII(claim.Owner.Host))
		}
	case claim.Owner.State() == owner.Alive && (claim.Device == "" || claim.Device != device):
		return strconv.Itoa(claim.Owner.PID)
	}
	return ""
}
