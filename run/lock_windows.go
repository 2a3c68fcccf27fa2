package run

import (
	"errors"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/windows"
)

// openClaim opens what is locked, as directories cannot be: a byte of the lock file, which
// cannot be removed while it is open.
func (d Dir) openClaim(create bool) (*os.File, error) {
	flags := os.O_RDWR
	if create {
		flags |= os.O_CREATE
	}
	return d.folder().OpenFile(LockFile, flags)
}

// lockFile tries to lock an open file, at a byte far after its end: no other process can
// read a locked byte.
func lockFile(f *os.File, exclusive bool) (held bool, err error) {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err = windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// sign writes into the lock file which process has the run.
func (d Dir) sign(claim *os.File) error {
	if claim == nil { // it is claimed by a lease alone
		return nil
	}
	if err := claim.Truncate(0); err != nil {
		return err
	}
	_, err := claim.WriteAt([]byte(signature(strconv.Itoa(os.Getpid()))), 0)
	return err
}

// lockless says that a file system has no locks.
func lockless(err error) bool {
	return errors.Is(err, windows.ERROR_NOT_SUPPORTED) || errors.Is(err, windows.ERROR_INVALID_FUNCTION)
}

// deviceOf is empty: the volume of a file is not in what describes it.
func deviceOf(fs.FileInfo) string { return "" }
