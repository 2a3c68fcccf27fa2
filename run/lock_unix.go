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

// lockFile tries to lock an open file.
func lockFile(f *os.File, exclusive bool) (held bool, err error) {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
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

// sign writes into the lock file which process has the run. It removes an existing file
// first: that may be a link to another place.
func (d Dir) sign(*os.File) error {
	path := d.file(LockFile)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(signature(strconv.Itoa(os.Getpid())))
	return errors.Join(err, f.Close())
}
