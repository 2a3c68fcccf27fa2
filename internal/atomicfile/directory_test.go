package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestDirectory: a directory is made or replaced as a whole, and one that cannot be filled leaves what was there and
// nothing beside it.
func TestDirectory(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "data")
	with := func(name string) func(string) error {
		return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), nil, 0o600) }
	}
	broken := errors.New("no more")
	fails := func(dir string) error { return errors.Join(with("half")(dir), broken) }
	for _, c := range []struct {
		fill func(string) error
		err  error
		want string
	}{{fails, broken, ""}, {with("a"), nil, "data/a"}, {with("b"), nil, "data/b"}, {fails, broken, "data/b"}} {
		if err := Directory(path, c.fill); !errors.Is(err, c.err) {
			t.Fatal(err)
		}
		got := ""
		err := filepath.WalkDir(parent, func(at string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				name, _ := filepath.Rel(parent, at)
				got += filepath.ToSlash(name)
			}
			return err
		})
		entries, _ := os.ReadDir(parent)
		if err != nil || got != c.want || len(entries) > 1 {
			t.Errorf("there is %q beside %d entries, want %q, %v", got, len(entries), c.want, err)
		}
	}
}
