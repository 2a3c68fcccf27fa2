// Package atomicfile replaces files at once: a reader, also one after a crash or a
// power failure, sees the old content or the new one.
package atomicfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/agentworld/internal/folder"
)

// Write replaces the content of the file at path with data. It follows a link to its
// file and keeps the permissions of a file that exists; the directory must exist.
func Write(path string, data []byte) error {
	return WriteWith(path, content(data))
}

// WriteWith is [Write] with the content coming from fill. Nothing changes if fill
// fails.
func WriteWith(path string, fill func(*os.File) error) error {
	_, err := replace(path, fill, func(string) bool { return true })
	return err
}

// Swap is [Write] unless the file no longer holds the bytes seen, nil for no file; then
// it changes nothing and swapped is false. It looks last of all, so that of two programs
// that end together the second one sees what the first one wrote.
func Swap(path string, seen, data []byte) (swapped bool, err error) {
	return replace(path, content(data), func(target string) bool {
		now, err := os.ReadFile(target)
		return (err == nil || errors.Is(err, fs.ErrNotExist)) && bytes.Equal(now, seen)
	})
}

func content(data []byte) func(*os.File) error {
	return func(f *os.File) error {
		_, err := f.Write(data)
		return cause(err)
	}
}

// replace fills a temporary file beside the target and renames it, if with everything
// else done it still may.
func replace(path string, fill func(*os.File) error, may func(target string) bool) (replaced bool,
	err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	target := path
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		// Renaming would replace a link instead of what it points to.
		target = resolved
	}
	mode := fs.FileMode(0o644) // of a new file
	if held, err := os.Stat(target); err == nil {
		mode = held.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+"-*")
	if err != nil {
		return false, cause(err)
	}
	err = cmp.Or(fill(f), cause(f.Chmod(mode)), cause(f.Sync()))
	err = cmp.Or(err, cause(f.Close()))
	if err == nil && may(target) {
		err = cause(os.Rename(f.Name(), target))
		replaced = err == nil
	}
	if !replaced {
		_ = os.Remove(f.Name())
		return false, err
	}
	return true, folder.Dir(filepath.Dir(target)).Sync(".")
}

// cause is an error without the name of the temporary file.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}
