package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/agentworld/internal/folder"
)

// Directory makes path a directory with what fill puts into the one that it is given. A directory that was there is
// replaced as a whole. Its parent must exist. Nothing changes if fill fails, whose error is returned. A crash between
// the two renames leaves the old directory under a name that begins with a dot.
func Directory(path string, fill func(dir string) error) error {
	parent := filepath.Dir(path)
	staged, err := os.MkdirTemp(parent, "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, cause(err))
	}
	if err := fill(staged); err != nil {
		_ = os.RemoveAll(staged)
		return err
	}
	err = cause(os.Chmod(staged, 0o755))
	if err == nil {
		err = move(staged, path)
	}
	if err != nil {
		_ = os.RemoveAll(staged)
		return fmt.Errorf("write %s: %w", path, err)
	}
	return folder.Dir(parent).Sync(".")
}

// move puts a directory in its place. What was there moves aside first, and back if that fails.
func move(staged, path string) error {
	old := staged + "-old"
	err := os.Rename(path, old)
	if errors.Is(err, fs.ErrNotExist) {
		return cause(os.Rename(staged, path))
	}
	if err != nil {
		return cause(err)
	}
	if err := os.Rename(staged, path); err != nil {
		return errors.Join(cause(err), cause(os.Rename(old, path)))
	}
	return os.RemoveAll(old)
}
