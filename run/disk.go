package run

import (
	"io"
	"os"

	"example.com/agentworld/internal/atomicfile"
)

// disk is what runs are written through. Tests put one in its place that fills up, or loses
// power.
type disk interface {
	// Append opens a file for writing at its end, with further flags.
	Append(path string, flags int) (storage, error)
	// Replace replaces the content of a file atomically and durably: see
	// [atomicfile.WritePrivate].
	Replace(path string, fill func(io.Writer) error) error
	// Remove removes a file.
	Remove(path string) error
	// SyncDir makes the names of files in dir survive a power failure.
	SyncDir(dir string) error
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

func (systemDisk) Append(path string, flags int) (storage, error) {
	f, err := os.OpenFile(path, flags|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err // and not a nil file
	}
	return f, nil
}

func (systemDisk) Replace(path string, fill func(io.Writer) error) error {
	return atomicfile.WritePrivate(path, func(f *os.File) error { return fill(f) })
}

func (systemDisk) Remove(path string) error { return os.Remove(path) }

func (systemDisk) SyncDir(dir string) error { return atomicfile.SyncDir(dir) }

// content fills a file with data.
func content(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}
