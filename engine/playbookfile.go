package engine

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"agentworld/memory/playbook"
)

// PlaybookDir is the directory of a run's playbooks, one file AGENT.md for each
// agent, in the run directory.
const PlaybookDir = "playbooks"

func playbookPath(runDir, agent string) string {
	return filepath.Join(runDir, PlaybookDir, filepath.Base(agent)+".md")
}

// WritePlaybook replaces the file at path with p, at once: a reader sees the old
// lessons or the new ones, also after a crash. It makes the directory and follows a
// link to the file behind it.
func WritePlaybook(path string, p *playbook.Playbook) error {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write playbook: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("write playbook: %w", err)
	}
	_, err = f.Write(p.Encode())
	err = cmp.Or(err, f.Chmod(0o644), f.Sync())
	err = cmp.Or(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("write playbook: %w", err)
	}
	return nil
}
