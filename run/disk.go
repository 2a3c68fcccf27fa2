package run

import (
	"io"
	"os"

	"example.com/agentworld/internal/folder"
)

// disk is what runs are written through. Tests put one in its place that fills up, or loses
// power. Names are those of files below a run directory, of which nothing is followed.
type disk interface {
	// Append opens a file for writing at its end, with further flags.
	Append(dir folder.Dir, name string, flags int) (storage, error)
	// Replace replaces the content of a file atomically and durably: see [folder.Dir.Replace].
	Replace(dir folder.Dir, name string, fill func(io.Writer) error) error
	// Remove removes a file.
	Remove(dir folder.Dir, name string) error
	// SyncDir makes the names of files in dir survive a power failure.
	SyncDir(dir folder.Dir) error
}

// storage is a file that is open for writing. What was written survives a power failure
// after Sync.
type storage interface {
	io.WriteCloser
	Sync() error
	Stat() (os.FileInfo, error)
}

// onDisk is the disk; tests replace it.
var onDisk disk = systemDisk{}

// systemDisk is the disk of the operating system.
type systemDisk struct{}

func (systemDisk) Append(dir folder.Dir, name string, flags int) (storage, error) {
	f, err := dir.OpenFile(name, flags|os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return nil, err // and not a nil file
	}
	return f, nil
}

func (systemDisk) Replace(dir folder.Dir, name string, fill func(io.Writer) error) error {
	return dir.Replace(name, fill)
}

func (systemDisk) Remove(dir folder.Dir, name string) error { return dir.Remove(name) }

func (systemDisk) SyncDir(dir folder.Dir) error { return dir.Sync(".") }
