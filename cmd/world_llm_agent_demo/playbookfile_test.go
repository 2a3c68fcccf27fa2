package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentworld/engine"
	"agentworld/memory/playbook"
)

// TestAChangedPlaybookIsLeftAlone: what a run learned does not replace what somebody
// else wrote into the file meanwhile.
func TestAChangedPlaybookIsLeftAlone(t *testing.T) {
	lessons := func(content string) *playbook.Playbook {
		p, err := playbook.Parse([]byte("# playbook 1\nversion=1 last=1\n\n## nav  Movement\n[nav-00001] :: " + content + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, tc := range map[string]struct {
		seed, now []byte // nil for no file
		kept      bool
	}{
		"as it was":     {[]byte("the seed"), []byte("the seed"), false},
		"not there yet": {nil, nil, false},
		"changed":       {[]byte("the seed"), []byte("somebody's work"), true},
		"appeared":      {nil, []byte("somebody's work"), true},
		"gone":          {[]byte("the seed"), nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var errs bytes.Buffer
			m := &Main{dir: dir, Stderr: &errs}
			path := filepath.Join(dir, "book.md")
			if tc.now != nil {
				if err := os.WriteFile(path, tc.now, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			learned := lessons("Learned in the run that is over.")
			p := plan{config: config{Playbook: "book.md"}, playbook: tc.seed, runDir: "run"}
			if err := m.keepLearned(p, engine.Result{Learned: learned}); err != nil {
				t.Fatal(err)
			}
			got, _ := os.ReadFile(path)
			aside, _ := os.ReadFile(filepath.Join(dir, "run", engine.PlaybookDir, learnedName))
			if want := learned.Encode(); !tc.kept && (!bytes.Equal(got, want) || aside != nil) {
				t.Errorf("the file has %q, the run directory %q", got, aside)
			}
			if tc.kept && (!bytes.Equal(got, tc.now) || !bytes.Equal(aside, learned.Encode()) || !strings.Contains(errs.String(), "changed during the run")) {
				t.Errorf("the file has %q, the run directory %q, stderr %q", got, aside, errs.String())
			}
		})
	}
}
