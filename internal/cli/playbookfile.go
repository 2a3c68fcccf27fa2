package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/agentworld/engine"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/run"
)

// playbookBytesMax bounds a playbook file. One at its limits, with a full history,
// stays far below.
const playbookBytesMax = 16 << 20

// readPlaybookBytes reads the file at path, and never more than a playbook may have:
// a device has no end.
func readPlaybookBytes(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, playbookBytesMax+1))
	if err == nil && len(data) > playbookBytesMax {
		return nil, fmt.Errorf("it has more than %d bytes", playbookBytesMax)
	}
	return data, err
}

// loadPlaybook reads the file of lessons that a run starts with; it is empty when
// none is set. A file that a run learns into need not exist yet. Errors name the
// file, and the line when it cannot be understood, and are bad input.
func (m *Main) loadPlaybook(v value, learns bool) ([]byte, error) {
	if v.text == "" {
		return nil, nil
	}
	data, err := readPlaybookBytes(m.path(v.text))
	switch {
	case errors.Is(err, fs.ErrNotExist) && learns:
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, badInput("%s: there is no playbook %s; allowed: an existing file, or a new one in a run that learns (--learn-every)", v.where(), shown(v.text))
	case err != nil:
		return nil, badInput("%s: the playbook %s cannot be read: %w", v.where(), shown(v.text), cause(err))
	}
	if _, err := playbook.Parse(data); err != nil {
		if syntax, ok := errors.AsType[*playbook.SyntaxError](err); ok {
			return nil, badInput("%s: %s:%d: %s", v.where(), oneLine(v.text), syntax.Line, syntax.Problem)
		}
		return nil, badInput("%s: the playbook %s: %w", v.where(), shown(v.text), err)
	}
	return data, nil
}

// keepLearned folds what a run learned into the file it began with. When somebody
// else changed the file meanwhile, it is left alone and the result is kept in the
// run directory.
func (m *Main) keepLearned(p plan, result engine.Result) error {
	if result.Learned == nil || p.playbookFile == "" {
		return nil
	}
	replaced, err := engine.ReplacePlaybook(m.path(p.playbookFile), []byte(p.Playbook), result.Learned)
	if err == nil && !replaced {
		kept := filepath.Join(p.RunDir, run.PlaybookDir, learnedName)
		fmt.Fprintf(m.Stderr, "note: the playbook %s changed during the run and is left as it is; what was learned is in %s\n", oneLine(p.playbookFile), oneLine(kept))
		err = engine.WritePlaybook(m.path(kept), result.Learned)
	}
	if err != nil {
		return fmt.Errorf("keep what was learned: %w", err)
	}
	return nil
}

// learnedName is the file of what a run learned that could not go where it belongs.
const learnedName = "learned.toml"
