package session

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/run"
)

// TestAChangedPlaybookIsLeftAlone: the learned playbook does not replace what another
// program wrote into the file meanwhile.
func TestAChangedPlaybookIsLeftAlone(t *testing.T) {
	lessons := func(content string) *playbook.Playbook {
		p, err := playbook.Parse([]byte("format = 2\nversion = 1\n[[bullet]]\nid = 'nav-00001'\ncontent = '" + content + "'\n"))
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
			path := filepath.Join(dir, "book.toml")
			if tc.now != nil {
				if err := os.WriteFile(path, tc.now, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			learned := lessons("Learned in the run that is over.")
			s := &Session{config: Config{Dir: filepath.Join(dir, "run"), PlaybookFile: path}}
			s.config.Playbook = string(tc.seed)
			file, err := s.keepLearned(engine.Result{Learned: learned})
			if err != nil {
				t.Fatal(err)
			}
			got, _ := os.ReadFile(path)
			aside, _ := os.ReadFile(filepath.Join(dir, "run", run.PlaybookDir, learnedName))
			if want := learned.Encode(); !tc.kept && (!bytes.Equal(got, want) || aside != nil) {
				t.Errorf("the file has %q, the run directory %q", got, aside)
			}
			if tc.kept && (!bytes.Equal(got, tc.now) || !bytes.Equal(aside, learned.Encode()) || file == path) {
				t.Errorf("the file has %q, the run directory %q, it is said to be in %s", got, aside, file)
			}
		})
	}
}
