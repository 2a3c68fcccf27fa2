package cli

import (
	"io"

	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// parentDeeds is what the parent of a fork did after the fork.
type parentDeeds struct {
	// reader is nil for a run that is no fork.
	reader *trace.Reader
	file   io.Closer
}

// openParent opens what a fork's directory keeps of its parent.
func (m *Main) openParent(runDir string) (parentDeeds, error) {
	f, err := run.Dir(m.path(runDir)).OpenParent()
	if err != nil {
		return parentDeeds{}, badInput("what %s keeps of the run it was forked from cannot be read: %v", shown(runDir), cause(err))
	}
	if f == nil {
		return parentDeeds{}, nil
	}
	return parentDeeds{trace.NewReader(f), f}, nil
}

func (p parentDeeds) close() {
	if p.file != nil {
		_ = p.file.Close()
	}
}

// parentDecision finds what an agent did in the parent in a tick after the fork; nil
// when the run is no fork, the tick is not its own, or the agent decided nothing.
func (m *Main) parentDecision(runDir string, tick int64, agent string) (*trace.Decision, error) {
	parent, err := m.openParent(runDir)
	if err != nil || parent.reader == nil {
		return nil, err
	}
	defer parent.close()
	for record, err := range parent.reader.All() {
		if err != nil {
			return nil, badInput("what %s keeps of the run it was forked from is damaged: %w", shown(runDir), err)
		}
		if d, ok := record.(trace.Decision); ok && d.Tick == tick && d.AgentID == agent {
			return &d, nil
		}
	}
	return nil, nil
}
