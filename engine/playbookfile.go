package engine

import (
	"fmt"
	"os"
	"path/filepath"

	"example.com/agentworld/internal/atomicfile"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/run"
)

func playbookPath(runDir, agent string) string {
	return filepath.Join(runDir, run.PlaybookDir, filepath.Base(agent)+".toml")
}

// WritePlaybook replaces the file at path with p, at once, and makes its directory.
func WritePlaybook(path string, p *playbook.Playbook) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write playbook: %w", err)
	}
	return atomicfile.Write(path, p.Encode())
}

// ReplacePlaybook is [WritePlaybook] unless the file no longer holds the bytes seen; see
// [atomicfile.Swap].
func ReplacePlaybook(path string, seen []byte, p *playbook.Playbook) (replaced bool, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, fmt.Errorf("write playbook: %w", err)
	}
	return atomicfile.Swap(path, seen, p.Encode())
}
