package run

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/gofrs/flock"
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

// Lock claims the run for this process until unlock is called: by the operating system's
// lock on a file, which ends with the process however that ends. The error is a
// [*LockedError], or says why the lock file cannot be made.
func (d Dir) Lock() (unlock func() error, err error) {
	path := d.file(LockFile)
	for {
		lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR))
		held, err := lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock run directory: %w", err)
		}
		if !held {
			return nil, &LockedError{Dir: string(d), PID: holder(path)}
		}
		if !sameFile(lock, path) {
			// The holder before us removed the file while we waited for nothing: who
			// comes next would lock a new one.
			if err := lock.Close(); err != nil {
				return nil, fmt.Errorf("lock run directory: %w", err)
			}
			continue
		}
		// Nobody else writes the file: it is ours until unlock.
		if err := os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644); err != nil {
			return nil, errors.Join(fmt.Errorf("lock run directory: %w", err), lock.Close())
		}
		return func() error {
			// The file goes while it is still locked, so that nobody can have locked it meanwhile.
			removed := os.Remove(path)
			if errors.Is(removed, os.ErrNotExist) {
				removed = nil
			}
			if err := cmp.Or(removed, lock.Close()); err != nil {
				return fmt.Errorf("unlock run directory: %w", err)
			}
			return nil
		}, nil
	}
}

// holder reads who signed the lock file; empty when nobody can be made out.
func holder(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, 32))
	pid := strings.TrimSpace(string(text))
	if _, err := strconv.Atoi(pid); err != nil {
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

// Holder returns the id of the process that works on the run, as far as that
// can be told without disturbing it; empty when none seems to.
func (d Dir) Holder() string {
	pid := holder(d.file(LockFile))
	n, err := strconv.Atoi(pid)
	if err != nil {
		return ""
	}
	// The file stays behind when its process is killed. Taking the lock to find out
	// would be in the way of a process that wants it at this moment.
	p, err := os.FindProcess(n)
	if err != nil || errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) {
		return ""
	}
	return pid
}
