package main

import (
	"errors"
	"io/fs"
	"os"

	"agentworld/memory/playbook"
)

// playbookBytesMax bounds a playbook file. One at its limits, with a full history,
// stays far below.
const playbookBytesMax = 16 << 20

// loadPlaybook reads the file of lessons that a run starts with; it is empty when
// none is set. A file that a run learns into need not exist yet. Errors name the
// file, and the line when it cannot be understood, and are bad input.
func (m *Main) loadPlaybook(v value, learns bool) ([]byte, error) {
	if v.text == "" {
		return nil, nil
	}
	data, err := os.ReadFile(m.path(v.text))
	switch {
	case errors.Is(err, fs.ErrNotExist) && learns:
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, badInput("%s: there is no playbook %s; allowed: an existing file, or a new one in a run that learns (--learn-every)", v.where(), shown(v.text))
	case err != nil:
		return nil, badInput("%s: the playbook %s cannot be read: %w", v.where(), shown(v.text), cause(err))
	case len(data) > playbookBytesMax:
		return nil, badInput("%s: the playbook %s has %d bytes; allowed: at most %d", v.where(), shown(v.text), len(data), playbookBytesMax)
	}
	if _, err := playbook.Parse(data); err != nil {
		if syntax, ok := errors.AsType[*playbook.SyntaxError](err); ok {
			return nil, badInput("%s: %s:%d: %s", v.where(), oneLine(v.text), syntax.Line, syntax.Problem)
		}
		return nil, badInput("%s: the playbook %s: %w", v.where(), shown(v.text), err)
	}
	return data, nil
}
