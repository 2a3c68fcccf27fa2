//go:build !windows

package run

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// openClaim opens what is locked: the run directory.
func (d Dir) openClaim(bool) (*os.File, error) { return os.Open(string(d)) }

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

// deviceOf identifies the file system of a file.
func deviceOf(info fs.FileInfo) string {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return strconv.FormatUint(uint64(s.Dev), 10)
}

// sign writes into the lock file which process has the run. It removes an existing file first: it
// may be that of a process which was killed.
func (d Dir) sign(*os.File) error {
	err := d.folder().Remove(LockFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := d.folder().OpenFile(LockFile, os.O_CREATE|os.O_EXCL|os.O_WRONLY)
	if err != nil {
		return err
	}
	_, err = f.WriteString(signature(strconv.Itoa(os.Getpid())))
	return errors.Join(err, f.Close())
}
