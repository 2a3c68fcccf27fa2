package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestSwap: a file that changed meanwhile stays, and no other file is left
// over. A file that did not change is replaced and keeps its permissions.
func TestSwap(t *testing.T) {
	for name, tc := range map[string]struct {
		seen, now string // empty for no file
		want      bool
	}{
		"as it was":     {"the seed", "the seed", true},
		"not there yet": {"", "", true},
		"changed":       {"the seed", "other work", false},
		"appeared":      {"", "other work", false},
		"gone":          {"the seed", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "book.md")
			if tc.now != "" {
				if err := os.WriteFile(path, []byte(tc.now), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			replaced, err := Swap(path, []byte(tc.seen), []byte("new"))
			if err != nil || replaced != tc.want {
				t.Fatalf("replaced %v, %v; want %v", replaced, err, tc.want)
			}
			want, mode, files := tc.now, os.FileMode(0o600), 1
			if tc.want {
				want = "new"
			}
			if tc.now == "" {
				mode = 0o644
			}
			if want == "" {
				files = 0
			}
			got, _ := os.ReadFile(path)
			if string(got) != want {
				t.Errorf("the file has %q, want %q", got, want)
			}
			if info, err := os.Stat(path); err == nil && info.Mode().Perm() != mode {
				t.Errorf("the file has the mode %v, want %v", info.Mode().Perm(), mode)
			}
			if list, err := os.ReadDir(dir); err != nil || len(list) != files {
				t.Errorf("the directory holds %v, %v; want %d files", list, err, files)
			}
		})
	}
}

func TestFailedWriteKeepsTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	if err := Write(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("disk full")
	err := WriteWith(path, func(f *os.File) error {
		_, _ = f.WriteString("half")
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	if data, _ := os.ReadFile(path); string(data) != "old" {
		t.Errorf("content %q, want the old one", data)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("left behind: %v, %v", list, err)
	}
}

func TestWriteFollowsALink(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "real.json"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink("real.json", link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := Write(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v (%v)", info.Mode(), err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "real.json")); string(data) != "new" {
		t.Errorf("the target holds %q", data)
	}
}
