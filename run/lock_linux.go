package run

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// lockOpen tries to lock an open file for this open file description: unlike flock, a network
// file system passes such a lock on to its server. Where there is none, the file counts as locked.
func lockOpen(f *os.File) (held bool, err error) {
	lock := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	for {
		err := unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &lock)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EACCES):
			return false, nil
		case lockless(err), errors.Is(err, unix.EINVAL):
			return true, nil
		case !errors.Is(err, unix.EINTR):
			return false, &fs.PathError{Op: "fcntl", Path: f.Name(), Err: err}
		}
	}
}
