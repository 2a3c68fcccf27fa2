package folder

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
)

// temporary makes a file beside a name, to be renamed.
func temporary(root *os.Root, base string) (*os.File, string, error) {
	for {
		name := "." + base + "-" + strconv.FormatUint(rand.Uint64(), 36)
		f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f, name, err
		}
	}
}

// Replace replaces the content of a file atomically and durably: a reader, also one after a power
// failure, sees the old content or the new one. Nothing changes if fill fails. A file that exists
// keeps its permissions.
func (d Dir) Replace(name string, fill func(io.Writer) error) error {
	return d.within("write", name, func(root *os.Root, base string) error {
		if err := loneIn(root, base); err != nil {
			return err
		}
		f, partial, err := temporary(root, base)
		if err != nil {
			return err
		}
		err = fill(f)
		if named, statErr := root.Lstat(base); err == nil && statErr == nil {
			err = f.Chmod(named.Mode().Perm())
		}
		if err == nil {
			err = f.Sync()
		}
		err = errors.Join(err, f.Close())
		if err == nil {
			err = loneIn(root, base)
		}
		if err == nil {
			err = root.Rename(partial, base)
		}
		if err != nil {
			_ = root.Remove(partial)
			return err
		}
		return syncIn(root)
	})
}

// Once writes a file that is never replaced: of several writers one succeeds, the others get
// [fs.ErrExist]. It appears with all of its content, on disk, wherever the file system has hard
// links; elsewhere it appears first and is filled then.
func (d Dir) Once(name string, data []byte) error {
	return d.within("write", name, func(root *os.Root, base string) error {
		f, partial, err := temporary(root, base)
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		err = errors.Join(err, f.Sync(), f.Close())
		if err == nil {
			err = root.Link(partial, base)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) && linkless(err) {
			err = onceIn(root, base, data)
		}
		if err := errors.Join(err, root.Remove(partial)); err != nil {
			return err
		}
		return syncIn(root)
	})
}

// linkless says that a file system has no hard links.
func linkless(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EMLINK)
}

// onceIn is [Dir.Once] without hard links.
func onceIn(root *os.Root, base string, data []byte) error {
	f, err := root.OpenFile(base, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		_ = root.Remove(base) // nobody else writes a file that is there
	}
	return err
}

// Content fills a file with data, for [Dir.Replace].
func Content(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}
