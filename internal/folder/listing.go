package folder

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// List returns what a directory holds, sorted by name; "." is the directory itself.
func (d Dir) List(name string) (entries []fs.DirEntry, err error) {
	err = d.within("list", name, func(root *os.Root, base string) (err error) {
		entries, err = listIn(root, base)
		return err
	})
	return entries, err
}

// listIn returns what a directory in an open one holds, or the open one for ".".
func listIn(root *os.Root, base string) ([]fs.DirEntry, error) {
	if base == "." {
		return fs.ReadDir(root.FS(), ".")
	}
	named, err := root.Lstat(base)
	if err != nil {
		return nil, err
	}
	if !named.IsDir() {
		return nil, irregular(kind(named.Mode()))
	}
	// Without O_NONBLOCK opening a pipe that takes its place meanwhile would wait for the other end.
	f, err := root.OpenFile(base, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	opened, err := f.Stat()
	if err == nil && !os.SameFile(named, opened) {
		err = irregular("a link, and nothing here is followed")
	}
	if err != nil {
		return nil, err
	}
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// ListEach calls f for each of n directories in a directory with what [Dir.List] returns of it. of returns their
// names. Many are listed in half of the time that List takes.
func (d Dir) ListEach(name string, n int, of func(i int) string,
	f func(i int, entries []fs.DirEntry, err error)) error {
	return d.within("list", filepath.Join(name, "each"), func(root *os.Root, _ string) error {
		for i := range n {
			entries, err := listIn(root, of(i))
			f(i, entries, d.failed("list", filepath.Join(name, of(i)), err))
		}
		return nil
	})
}

// Files calls see with the names of all regular files below a directory, in order. It skips links,
// pipes and all else.
func (d Dir) Files(name string, see func(name string) error) error {
	entries, err := d.List(name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		inside := filepath.Join(name, e.Name())
		switch {
		case e.IsDir():
			err = d.Files(inside, see)
		case e.Type().IsRegular():
			err = see(inside)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Numbered returns the numbers of the entries whose names are a prefix and a number from 1, rising.
func Numbered(entries []fs.DirEntry, prefix string) (numbers []int64) {
	for _, e := range entries {
		text, found := strings.CutPrefix(e.Name(), prefix)
		n, err := strconv.ParseInt(text, 10, 64)
		if found && err == nil && n > 0 && n < NumberMax && strconv.FormatInt(n, 10) == text {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers
}
