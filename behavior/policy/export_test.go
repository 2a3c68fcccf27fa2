package policy

import (
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Evaluate judges an action as it is, without trimming it.
func (m Policy) Evaluate(a world.Action, e Evidence) (trace.Authority, *Violation) {
	q, ok := m.inquire(a, &e)
	return q.evaluate(a, ok)
}

// Trim is what judging makes of an action.
func (m Policy) Trim(a world.Action, e Evidence) (world.Action, []world.Adjustment) {
	j := m.Judge(a, e)
	return j.Action, j.Trimmed
}
