package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"example.com/agentworld/engine"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
)

// readPlaybook reads a file of lessons, with its bytes. One that may be new need not
// exist; it is empty then and has no bytes. Errors name the file, and the line when it
// cannot be understood, and are bad input.
func (m *Main) readPlaybook(name string, mayBeNew bool) (*playbook.Playbook, []byte, error) {
	data, err := readRaw(m.path(name), playbook.BytesMax)
	switch {
	case errors.Is(err, fs.ErrNotExist) && mayBeNew:
		return playbook.New(), nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, badInput(
			"there is no playbook %s; allowed: an existing file; a run that learns makes a new one (--learn-every)", shown(name))
	case err != nil:
		return nil, nil, badInput("the playbook %s cannot be read: %w", shown(name), cause(err))
	}
	if err := run.CheckPlaybook(data); err != nil {
		return nil, nil, badInput("the playbook %s: %w", shown(name), err)
	}
	p, err := playbook.Parse(data)
	if syntax, ok := errors.AsType[*playbook.SyntaxError](err); ok {
		return nil, nil, badInput("%s:%d: %s", name, syntax.Line, syntax.Problem)
	}
	if err != nil {
		return nil, nil, badInput("the playbook %s: %w", shown(name), err)
	}
	return p, data, nil
}

// replacePlaybook writes the learned playbook into the file that the run began with, which
// held the bytes seen. If the file was changed meanwhile, it stays, and the result goes into
// the file other, which keep writes. It returns the name of the written file.
func (m *Main) replacePlaybook(
	name string, seen []byte, learned *playbook.Playbook, other string, keep func() error,
) (written string, err error) {
	replaced, err := engine.ReplacePlaybook(m.path(name), seen, learned)
	if replaced || err != nil {
		return name, err
	}
	plaintext.Fprintf(m.Stderr,
		"note: the playbook %s changed meanwhile and is left as it is; what was learned is in %s\n", name, other)
	return other, keep()
}

// keepLearned folds what a run learned into the file it began with.
func (m *Main) keepLearned(p plan, result engine.Result) error {
	if result.Learned == nil || p.playbookFile == "" {
		return nil
	}
	aside := filepath.Join(p.RunDir, run.PlaybookDir, learnedName)
	_, err := m.replacePlaybook(p.playbookFile, []byte(p.Playbook), result.Learned, aside, func() error {
		return run.Dir(m.path(p.RunDir)).KeepBook(learnedName, result.Learned.Encode())
	})
	if err != nil {
		return fmt.Errorf("keep what was learned: %w", err)
	}
	return nil
}

// learnedName is the file of what a run learned that could not go where it belongs.
const learnedName = "learned.toml"
