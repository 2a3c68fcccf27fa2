//go:build !windows

package run

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openLock opens what is locked: the run directory.
func (d Dir) openLock(bool) (*os.File, error) { return os.Open(string(d)) }

// flock is the call of the system; tests replace it.
var flock = syscall.Flock

// lockFile tries to lock an open file.
func lockFile(f *os.File, exclusive bool) (held bool, err error) {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	for {
		err := flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, &fs.PathError{Op: "flock", Path: f.Name(), Err: err}
		}
	}
}

// lockless says that a file system has no locks, or none that can be had now.
func lockless(err error) bool {
	for _, none := range []error{syscall.ENOSYS, syscall.ENOLCK, syscall.EOPNOTSUPP, syscall.ENOTSUP} {
		if errors.Is(err, none) {
			return true
		}
	}
	return false
}
