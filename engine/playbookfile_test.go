package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/memory/playbook"
)

// TestReplacePlaybook: a file that is not what it was stays, and no other file is
// left behind; one that is keeps who may read it.
func TestReplacePlaybook(t *testing.T) {
	book, err := playbook.Parse([]byte(seedBook))
	if err != nil {
		t.Fatal(err)
	}
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
			replaced, err := engine.ReplacePlaybook(path, []byte(tc.seen), book)
			if err != nil || replaced != tc.want {
				t.Fatalf("replaced %v, %v; want %v", replaced, err, tc.want)
			}
			want, mode, files := tc.now, os.FileMode(0o600), 1
			if tc.want {
				want = string(book.Encode())
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
