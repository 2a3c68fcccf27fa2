package folder

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// outsideOf is a directory to work in, with a link named "way" to a directory of somebody else.
func outsideOf(t *testing.T) (d Dir, outside string) {
	t.Helper()
	d, outside = Dir(t.TempDir()), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(string(d), "way")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	if err := os.WriteFile(filepath.Join(outside, "file"), []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	return d, outside
}

// TestNothingIsFollowed goes through a link in the middle of a path, to a directory outside and to one
// inside: every call is refused, and nothing there changes.
func TestNothingIsFollowed(t *testing.T) {
	d, outside := outsideOf(t)
	if err := errors.Join(d.MkdirAll("a/b"), d.Replace("a/file", Content([]byte("kept"))), d.Replace("own", Content(nil))); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", filepath.Join(string(d), "inside")); err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{"way", "inside"} {
		name := filepath.Join(way, "file")
		_, open := d.Open(name)
		_, write := d.OpenFile(name, os.O_WRONLY)
		_, create := d.OpenFile(filepath.Join(way, "new"), os.O_WRONLY|os.O_CREATE)
		_, stat := d.Stat(name)
		_, list := d.List(way)
		_, now := d.Now(name)
		for what, err := range map[string]error{
			"open": open, "write": write, "create": create, "stat": stat, "list": list, "now": now,
			"replace": d.Replace(name, Content(nil)), "once": d.Once(filepath.Join(way, "new"), nil), "remove": d.Remove(name),
			"move from": d.Move(name, "moved"), "move to": d.Move("own", filepath.Join(way, "new")), "mkdir": d.Mkdir(filepath.Join(way, "new")),
			"mkdir all": d.MkdirAll(filepath.Join(way, "x", "y")), "directory": d.Directory(way), "sync": d.Sync(way),
			"copy": Copy(d, "a", d, filepath.Join(way, "copy"), func(string) bool { return false }),
		} {
			if !errors.Is(err, ErrIrregular) {
				t.Errorf("%s through a link that is called %s: %v", what, way, err)
			}
		}
	}
	for _, dir := range []string{outside, filepath.Join(string(d), "a")} {
		text, err := os.ReadFile(filepath.Join(dir, "file"))
		left, _ := os.ReadDir(dir)
		if want := map[bool]int{true: 1, false: 2}[dir == outside]; string(text) != "kept" || err != nil || len(left) != want {
			t.Errorf("%s holds %v, and the file %q, %v", dir, left, text, err)
		}
	}
	if _, err := d.Open(filepath.Join("..", filepath.Base(outside), "file")); err == nil {
		t.Error("a name leads out of the directory")
	}
}

// TestOnce: one writer succeeds, with hard links and without, and its file is whole.
func TestOnce(t *testing.T) {
	d := Dir(t.TempDir())
	root, err := os.OpenRoot(string(d))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, once := range map[string]func(name string, data []byte) error{
		"links":    d.Once,
		"no links": func(name string, data []byte) error { return onceIn(root, name, data) },
	} {
		first, second := once(name, []byte("first")), once(name, []byte("second"))
		text, err := d.Read(name, 100)
		if first != nil || !errors.Is(second, fs.ErrExist) || string(text) != "first" || err != nil {
			t.Errorf("%s: %v, %v, %q, %v", name, first, second, text, err)
		}
	}
	if left, err := d.List("."); len(left) != 2 || err != nil {
		t.Errorf("%v are left, %v", left, err)
	}
}

// TestFilesThatAreReplacedCanBeRead reads a file while somebody replaces it all the time: it is there, as one of those
// that it was.
func TestFilesThatAreReplacedCanBeRead(t *testing.T) {
	d := Dir(t.TempDir())
	replace := func(text string) {
		if err := d.Replace("own", Content([]byte(text))); err != nil {
			t.Error(err)
		}
	}
	replace("new")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 300 {
			replace("new")
		}
	}()
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		f, err := d.Open("own")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(f)
		if err != nil || string(text) != "new" {
			t.Fatalf("%q, %v", text, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
