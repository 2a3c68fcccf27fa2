// Package folder reads and writes below a directory that may come from a stranger, such as
// a run directory that was sent. The path of the directory itself may be a link. Nothing
// below it is followed:
//
//   - a link, pipe, socket or device in the place of a file or directory is refused, and
//     opening one never waits;
//   - a file with a second name (a hard link) is read, and never written or replaced.
//
// Names are relative to the directory and stay inside it. Directories are made with mode
// 0700, files with 0600.
package folder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Dir is the path of a directory whose content is not trusted.
type Dir string

// ErrIrregular marks what is no file of its own in a place where one is expected: a link, a
// pipe, a socket, a device, a directory or, for a writer, a file with a second name.
var ErrIrregular = errors.New("not a regular file")

// irregular says what is there instead.
type irregular string

func (i irregular) Error() string        { return ErrIrregular.Error() + ": it is " + string(i) }
func (i irregular) Is(target error) bool { return target == ErrIrregular }

// kind names a file type for people.
func kind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "a link, and nothing here is followed"
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode.IsRegular():
		return "a file, where a directory belongs"
	}
	return "of an unknown kind"
}

// Regular returns an error with [ErrIrregular] if an entry of a directory is no regular file.
func Regular(path string, mode fs.FileMode) error {
	if mode.IsRegular() {
		return nil
	}
	return &fs.PathError{Op: "open", Path: path, Err: irregular(kind(mode))}
}

// path is the full path of a name, for errors.
func (d Dir) path(name string) string { return filepath.Join(string(d), name) }

// failed is an error about a name, with its full path.
func (d Dir) failed(op, name string, err error) error {
	if err == nil {
		return nil
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		err = l.Err
	}
	return &fs.PathError{Op: op, Path: d.path(name), Err: err}
}

// OpenRoot is [os.OpenRoot] for a name that may be of a pipe, and never waits for one.
func OpenRoot(name string) (*os.Root, error) {
	return os.OpenRoot(filepath.Clean(name) + string(filepath.Separator) + ".")
}

// parent opens the directory that holds a name, and returns the name in it.
func (d Dir) parent(name string) (root *os.Root, base string, err error) {
	if !filepath.IsLocal(name) {
		return nil, "", errors.New("the name leads out of the directory")
	}
	root, err = OpenRoot(string(d))
	if err != nil {
		return nil, "", err
	}
	parts := strings.Split(filepath.ToSlash(filepath.Clean(name)), "/")
	for _, part := range parts[:len(parts)-1] {
		below, err := enter(root, part)
		_ = root.Close() // it was only read
		if err != nil {
			return nil, "", err
		}
		root = below
	}
	return root, parts[len(parts)-1], nil
}

// enter opens a directory in another one, without following a link. [os.Root] alone would follow
// one that stays inside, so what was opened is compared with what has the name.
func enter(root *os.Root, name string) (*os.Root, error) {
	named, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !named.IsDir() {
		return nil, irregular(kind(named.Mode()))
	}
	below, err := root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := below.Stat(".")
	if err == nil && !os.SameFile(named, opened) {
		err = irregular("a link, and nothing here is followed")
	}
	if err != nil {
		return nil, errors.Join(err, below.Close())
	}
	return below, nil
}

// within calls f with the directory that holds a name, and the name in it.
func (d Dir) within(op, name string, f func(root *os.Root, base string) error) error {
	root, base, err := d.parent(name)
	if err != nil {
		return d.failed(op, name, err)
	}
	err = f(root, base)
	return d.failed(op, name, errors.Join(err, root.Close()))
}

// openTries is how often a file is opened that others replace meanwhile, as who writes one whole does.
const openTries = 10

// errReplaced marks a file that was replaced while it was opened.
var errReplaced = errors.New("it was replaced while it was opened")

// openIn opens a file that exists.
func openIn(root *os.Root, base string, flags int) (f *os.File, err error) {
	for range openTries {
		f, err = openNamed(root, base, flags)
		if !errors.Is(err, errReplaced) {
			break
		}
	}
	return f, err
}

// openNamed opens what has a name. [os.Root] follows links that stay inside, and a pipe may take
// the place of the file at any time, so what was opened is compared with what has the name.
func openNamed(root *os.Root, base string, flags int) (*os.File, error) {
	named, err := root.Lstat(base)
	if err != nil {
		return nil, err
	}
	if !named.Mode().IsRegular() {
		return nil, irregular(kind(named.Mode()))
	}
	// Without O_NONBLOCK opening a pipe would wait for the other end.
	f, err := root.OpenFile(base, flags|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	opened, err := f.Stat()
	if err == nil {
		named, err = root.Lstat(base)
	}
	switch {
	case err != nil:
	case !named.Mode().IsRegular():
		err = irregular(kind(named.Mode()))
	case !os.SameFile(named, opened):
		err = errReplaced
	case flags&(os.O_WRONLY|os.O_RDWR) != 0:
		err = single(f, opened)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// single refuses a file with more than one name: a writer would change what has the others.
func single(f *os.File, info fs.FileInfo) error {
	if n := names(f, info); n > 1 {
		return irregular(fmt.Sprintf("one file with %d names, and writing it would change all of them", n))
	}
	return nil
}

// Open opens a regular file for reading.
func (d Dir) Open(name string) (f *os.File, err error) {
	err = d.within("open", name, func(root *os.Root, base string) (err error) {
		f, err = openIn(root, base, os.O_RDONLY)
		return err
	})
	if err != nil {
		return nil, err // and not a file without its directory
	}
	return f, nil
}

// Read reads a regular file of at most bytesMax bytes.
func (d Dir) Read(name string, bytesMax int64) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, d.failed("read", name, err)
	}
	var data bytes.Buffer
	data.Grow(int(min(info.Size(), bytesMax)) + bytes.MinRead) // a large file is in memory once
	_, err = data.ReadFrom(io.LimitReader(f, bytesMax+1))
	if err == nil && int64(data.Len()) > bytesMax {
		err = fmt.Errorf("it has more than %d bytes", bytesMax)
	}
	if err != nil {
		return nil, d.failed("read", name, err)
	}
	return data.Bytes(), nil
}

// OpenFile opens a regular file for writing, with one of the flags [os.O_WRONLY] or [os.O_RDWR]
// and any of [os.O_APPEND], [os.O_CREATE] and [os.O_EXCL]. [os.O_TRUNC] is not allowed: it would
// act before the file is known. A file with a second name is refused.
func (d Dir) OpenFile(name string, flags int) (f *os.File, err error) {
	if flags&os.O_TRUNC != 0 || flags&(os.O_WRONLY|os.O_RDWR) == 0 {
		panic("folder: flags that open no file for writing, or cut one off")
	}
	err = d.within("open", name, func(root *os.Root, base string) (err error) {
		exclusive := flags & os.O_EXCL
		plain := flags &^ (os.O_CREATE | os.O_EXCL)
		if exclusive == 0 {
			f, err = openIn(root, base, plain)
			if flags&os.O_CREATE == 0 || !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		// Nothing is followed by a call that has to make the file.
		f, err = root.OpenFile(base, plain|os.O_CREATE|os.O_EXCL, 0o600)
		if exclusive == 0 && errors.Is(err, fs.ErrExist) { // somebody else has made it meanwhile
			f, err = openIn(root, base, plain)
		}
		return err
	})
	if err != nil {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
		return nil, err
	}
	return f, nil
}

// Stat describes what has a name, which is not followed.
func (d Dir) Stat(name string) (info fs.FileInfo, err error) {
	err = d.within("stat", name, func(root *os.Root, base string) (err error) {
		info, err = root.Lstat(base)
		return err
	})
	return info, err
}

// StatEach calls f for each of n directories in a directory with what it is, and with what a file in it is; nil is
// nothing. of returns the names of both. Many are described in a fraction of the time that [Dir.Stat] takes.
func (d Dir) StatEach(name string, n int, of func(i int) (dir, file string),
	f func(i int, dir, file fs.FileInfo)) error {
	return d.within("list", filepath.Join(name, "each"), func(root *os.Root, _ string) error {
		for i := range n {
			dir, file := of(i)
			below, err := root.Lstat(dir)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			var in fs.FileInfo
			if err == nil && below.IsDir() {
				in, _ = root.Lstat(filepath.Join(dir, file)) // reading it reports what is wrong
			}
			f(i, below, in)
		}
		return nil
	})
}

// Exists reports whether something has a name, or this cannot be determined.
func (d Dir) Exists(name string) bool {
	_, err := d.Stat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// Lone refuses a name that a writer must not touch: anything but a regular file with one name.
// A name that nothing has is fine.
func (d Dir) Lone(name string) error {
	return d.within("write", name, loneIn)
}

func loneIn(root *os.Root, base string) error {
	named, err := root.Lstat(base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !named.Mode().IsRegular() {
		return irregular(kind(named.Mode()))
	}
	if countsNames {
		return single(nil, named)
	}
	f, err := openIn(root, base, os.O_RDONLY)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		err = single(f, info)
	}
	return errors.Join(err, f.Close())
}

// Sync makes the names in a directory survive a power failure; "." is the directory itself.
func (d Dir) Sync(name string) error {
	return d.within("sync", name, func(root *os.Root, base string) error {
		if base == "." {
			return syncIn(root)
		}
		below, err := enter(root, base)
		if err != nil {
			return err
		}
		return errors.Join(syncIn(below), below.Close())
	})
}

// syncIn makes the names in an open directory survive a power failure. Windows has no such call
// and keeps its directories in a journal.
func syncIn(root *os.Root) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Now returns the time by the clock of the file system, which may be another host's. A file is
// written to ask it, with a name made from the given one.
func (d Dir) Now(name string) (now time.Time, err error) {
	err = d.within("look at the clock beside", name, func(root *os.Root, base string) error {
		f, probe, err := temporary(root, base)
		if err != nil {
			return err
		}
		_, err = f.WriteString("\n")
		err = errors.Join(err, f.Close())
		if err == nil {
			var info fs.FileInfo
			info, err = root.Lstat(probe)
			if err == nil {
				now = info.ModTime()
			}
		}
		return errors.Join(err, root.Remove(probe))
	})
	return now, err
}

// Touch gives a file the present time by the clock of the file system: it writes the last byte again.
// What the file holds stays, so nobody who writes it meanwhile is disturbed.
func (d Dir) Touch(name string) error {
	f, err := d.OpenFile(name, os.O_RDWR)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > 0 {
		last := make([]byte, 1)
		_, err = f.ReadAt(last, info.Size()-1)
		if err == nil {
			_, err = f.WriteAt(last, info.Size()-1)
		}
	}
	return errors.Join(err, f.Close())
}

// NumberMax bounds the numbers of claims, which are in names of files: one that is larger is nobody's,
// and no later number would be left.
const NumberMax = 1 << 53
