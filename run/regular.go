package run

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"example.com/agentworld/internal/folder"
)

// ErrIrregular marks what is no file of its own: a pipe, a device, a socket, a directory, a link
// below a run directory or, for a writer, a file with a second name. Reading one may never end.
var ErrIrregular = folder.ErrIrregular

// ReadRegular reads a file that a user names, of at most a number of bytes. It follows links, and
// refuses with [ErrIrregular] what may never end. The files of a run are read by [Dir].
func ReadRegular(path string, bytesMax int64) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, bytesMax+1))
	if err == nil && int64(len(data)) > bytesMax {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("more than the %d bytes that are allowed", bytesMax)}
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// OpenRegular opens a file that a user names for reading. It follows links, never waits for a writer, and refuses with
// [ErrIrregular] what may never end.
func OpenRegular(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil {
		if err := folder.Regular(path, info.Mode()); err != nil {
			return nil, err
		}
	}
	// A pipe may take the place of the file now; without this flag opening one waits for a writer.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = folder.Regular(path, info.Mode())
	}
	if err != nil {
		_ = f.Close() // it was not read
		return nil, err
	}
	return f, nil
}

// wholeBytesMax bounds the files of a run that are read as a whole: report, index, waits and
// questions.
const wholeBytesMax = 256 << 20

// folder is the run directory as what it is read and written through: nothing below it is followed.
func (d Dir) folder() folder.Dir { return folder.Dir(d) }

// files returns what is in the run directory. The error has [ErrIrregular] if a name of a run is
// something else than a run puts there.
func (d Dir) files() ([]fs.DirEntry, error) {
	entries, err := d.folder().List(".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		switch {
		case e.Name() == PlaybookDir:
			_, err = d.books()
		case isFileOfRun(e.Name()):
			err = folder.Regular(d.file(e.Name()), e.Type())
		}
		if errors.Is(err, ErrIrregular) {
			return nil, err
		}
	}
	return entries, nil
}

// books are the names of the playbooks of the run, below its directory. The error has [ErrIrregular]
// if something else has such a name.
func (d Dir) books() (names []string, err error) {
	entries, err := d.folder().List(PlaybookDir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := filepath.Join(PlaybookDir, e.Name())
		if filepath.Ext(name) != bookSuffix {
			continue
		}
		if err := folder.Regular(d.file(name), e.Type()); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// isFileOfRun says that a name in a run directory is one that runs write a file to.
func isFileOfRun(name string) bool {
	switch name {
	case TraceFile, ReportFile, IndexFile, CutFile, LockFile, ClaimFile, ControlFile, waitsFile, AsksFile, AheadFile:
		return true
	}
	return isSegment(name) || strings.HasPrefix(name, ticketPrefix)
}

// writable refuses a run directory in which a name of a run is something else than a run puts there,
// or has a second name: a writer would change what is elsewhere.
func (d Dir) writable() error {
	entries, err := d.files()
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		if isFileOfRun(e.Name()) {
			names = append(names, e.Name())
		}
		if e.Name() == PlaybookDir {
			books, err := d.books()
			if err != nil {
				return err
			}
			names = append(names, books...)
		}
	}
	for _, name := range names {
		if err := d.folder().Lone(name); err != nil {
			return err
		}
	}
	return nil
}
