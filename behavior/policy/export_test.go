package policy

import (
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// untrimmed evaluates an action as it is.
func (p Policy) untrimmed(a world.Action, e Evidence) (trace.Authority, *Violation) {
	q := p.evaluation(a, e)
	return q.authority()
}

// Trim is what evaluating makes of an action.
func (p Policy) Trim(a world.Action, e Evidence) (world.Action, []world.Adjustment) {
	r := p.Evaluate(a, e)
	return r.Action, r.Trimmed
}
