package cli

import (
	"errors"
	"io/fs"

	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/run"
)

// readPlaybook reads a file of lessons, with its bytes. One that may be new need not
// exist; it is empty then and has no bytes. Errors name the file, and the line when it
// cannot be understood, and are bad input.
func (fl *files) readPlaybook(name string, mayBeNew bool) (*playbook.Playbook, []byte, error) {
	data, err := readRaw(fl.path(name), playbook.BytesMax)
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
