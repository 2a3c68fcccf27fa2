package folder

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Remove removes a file or an empty directory. A link is removed itself.
func (d Dir) Remove(name string) error {
	return d.within("remove", name, (*os.Root).Remove)
}

// RemoveAll removes a file, or a directory with all that it holds. Links are removed themselves.
func (d Dir) RemoveAll(name string) error {
	err := d.within("remove", name, (*os.Root).RemoveAll)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Move gives a file or directory another name, maybe in another directory, durably.
func (d Dir) Move(from, to string) error {
	return d.within("move", from, func(source *os.Root, _ string) error {
		return d.within("move to", to, func(target *os.Root, _ string) error {
			// Both paths were walked just now. A link that takes the place of a part of one
			// meanwhile can at worst lead to another place in this directory.
			root, err := OpenRoot(string(d))
			if err != nil {
				return err
			}
			err = errors.Join(root.Rename(from, to), root.Close())
			if err != nil {
				return err
			}
			return errors.Join(syncIn(source), syncIn(target))
		})
	})
}

// Mkdir makes a directory. The error is [fs.ErrExist] if something has the name.
func (d Dir) Mkdir(name string) error {
	return d.within("mkdir", name, func(root *os.Root, base string) error { return root.Mkdir(base, 0o700) })
}

// MkdirAll makes a directory with its parents, as far as they are missing.
func (d Dir) MkdirAll(name string) error {
	made := ""
	for part := range strings.SplitSeq(filepath.ToSlash(filepath.Clean(name)), "/") {
		made = filepath.Join(made, part)
		if err := d.Mkdir(made); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return d.Directory(name)
}

// Directory refuses a name that is no directory. It and the names above it are not followed.
func (d Dir) Directory(name string) error {
	return d.within("open", name, func(root *os.Root, base string) error {
		if base == "." {
			return nil
		}
		below, err := enter(root, base)
		if err != nil {
			return err
		}
		return below.Close()
	})
}

// Copy copies a directory, which may be written meanwhile, into one that is made. It takes only
// regular files whose base names skip does not name, and syncs each.
func Copy(from Dir, name string, to Dir, into string, skip func(base string) bool) error {
	if err := to.MkdirAll(into); err != nil {
		return err
	}
	return from.Files(name, func(file string) error {
		if skip(filepath.Base(file)) {
			return nil
		}
		inside, err := filepath.Rel(name, file)
		if err != nil {
			return err
		}
		target := filepath.Join(into, inside)
		if err := to.MkdirAll(filepath.Dir(target)); err != nil {
			return err
		}
		in, err := from.Open(file)
		if err != nil {
			return err
		}
		defer in.Close()
		out, err := to.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, in)
		return errors.Join(err, out.Sync(), out.Close())
	})
}
