package cli

import (
	"io"
	"path/filepath"

	"example.com/agentworld/run"
)

// files are the files and directories that a user names, and the runs among them.
type files struct {
	// dir is where relative paths start.
	dir string
	// notes gets what is worth saying about a file.
	notes io.Writer
	// readings are how the runs among the arguments are read, by path.
	readings map[string]*run.Reading
}

// path returns name relative to the program's working directory.
func (fl *files) path(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(fl.dir, name)
}
