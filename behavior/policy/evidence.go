package policy

import (
	"slices"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Evidence is what an audit judges by: what the agent knows, what it has read, and
// what it set out to do before.
type Evidence struct {
	// View is the agent's view of this tick.
	View world.View
	// Untrusted are the sources in view with less trust than an own observation.
	// The view is untrusted when there are any.
	Untrusted []trace.Source
	// Declared are the sources that the model cited for this action, as far as they
	// were in view. They can only lower trust.
	Declared []trace.Source
	// Plan is what the agent set out to do.
	Plan []PlannedAction
	// Proposed is the action before its amounts were clamped; nil when that is the
	// action itself. A clamped amount is as little trusted as the one it came from.
	Proposed world.Action
	// Spent is what clauses with a total have used up.
	Spent Spending
	// Off are the layers left out, for measuring only.
	Off []Layer
}

// off reports whether a layer is left out.
func (e *Evidence) off(l Layer) bool { return slices.Contains(e.Off, l) }

// untrusted reports whether the view holds words that must not decide.
func (e *Evidence) untrusted() bool { return len(e.Untrusted) > 0 }
