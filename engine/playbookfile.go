package engine

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/agentworld/memory/playbook"
)

// PlaybookDir is the directory of a run's playbooks, one file AGENT.md for each
// agent, in the run directory.
const PlaybookDir = "playbooks"

func playbookPath(runDir, agent string) string {
	return filepath.Join(runDir, PlaybookDir, filepath.Base(agent)+".md")
}

// WritePlaybook replaces the file at path with p, at once: a reader sees the old
// lessons or the new ones, also after a crash. It makes the directory, follows a
// link to the file behind it, and keeps who may read the file.
func WritePlaybook(path string, p *playbook.Playbook) error {
	_, err := replacePlaybook(path, p, func(string) bool { return true })
	return err
}

// ReplacePlaybook is [WritePlaybook] unless the file no longer holds the bytes seen,
// nil for no file; then it changes nothing and replaced is false. It looks last of
// all, so that of two programs that end together the second one sees what the first
// one wrote.
func ReplacePlaybook(path string, seen []byte, p *playbook.Playbook) (replaced bool, err error) {
	return replacePlaybook(path, p, func(path string) bool {
		now, err := os.ReadFile(path)
		return (err == nil || errors.Is(err, fs.ErrNotExist)) && bytes.Equal(now, seen)
	})
}

// replacePlaybook replaces the file when, with everything else done, it still may.
func replacePlaybook(path string, p *playbook.Playbook, may func(path string) bool) (replaced bool, err error) {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, fmt.Errorf("write playbook: %w", err)
	}
	mode := fs.FileMode(0o644)
	if held, err := os.Stat(path); err == nil {
		mode = held.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return false, fmt.Errorf("write playbook: %w", err)
	}
	_, err = f.Write(p.Encode())
	err = cmp.Or(err, f.Chmod(mode), f.Sync())
	err = cmp.Or(err, f.Close())
	if err == nil && may(path) {
		err = os.Rename(f.Name(), path)
		replaced = err == nil
	}
	if !replaced {
		_ = os.Remove(f.Name())
	}
	if err != nil {
		return false, fmt.Errorf("write playbook: %w", err)
	}
	return replaced, nil
}
