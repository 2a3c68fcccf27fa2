package policy

import (
	"slices"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// inquiry is one audit under way: the action and what is known about it. Texts are
// folded when first asked for, since most audits need none.
type inquiry struct {
	m *Policy
	e *Evidence
	// deed is the action, proposed the same before clamping.
	deed, proposed deed
	action         world.Action
	// order is the standing order around the action, nil for none.
	order *world.ExecuteUntil
	place string
	// read are the untrusted texts, folded; nil before they are.
	read []string
	// seen is the observation, nil before it is asked for.
	seen *world.Observation
}

// inquire takes an action apart. It is false for what cannot be audited.
func (m *Policy) inquire(a world.Action, e *Evidence) (*inquiry, bool) {
	q := &inquiry{m: m, e: e, action: a, place: e.View.Place()}
	if order, ok := a.(world.ExecuteUntil); ok {
		q.order, q.action = &order, order.Do
	}
	if !m.sound || e.View.AgentID() != m.agent {
		return q, false
	}
	known := false
	if q.deed, known = deedOf(q.action); !known {
		return q, false
	}
	raw := e.Proposed
	if order, ok := raw.(world.ExecuteUntil); ok {
		raw = order.Do
	}
	if q.proposed, known = deedOf(raw); !known || q.proposed.spec != q.deed.spec {
		q.proposed = q.deed
	}
	return q, true
}

// mentioners are the numbers of the untrusted sources in view that an argument may
// come from by its value: those that name it, and for a receiver those that it wrote
// itself ("give me"). Clamping hides no mention: the amount that was asked for
// counts as much as what became of it.
func (q *inquiry) mentioners(s world.Slot) []int {
	arg := &q.deed.args[s]
	values := patternsOf(arg, &q.proposed.args[s])
	if q.read == nil {
		for _, s := range q.e.Untrusted {
			q.read = append(q.read, fold(s.Text))
		}
	}
	list := make([]int, 0, len(q.e.Untrusted))
	for i, text := range q.read {
		own := arg.param.Kind == world.ParamAgent && q.e.Untrusted[i].OriginAgent == arg.text
		if own || slices.ContainsFunc(values, func(v string) bool { return mentions(text, v) }) {
			list = append(list, i)
		}
	}
	return list
}

// authors are the agents whose texts an argument may come from: those that mention
// its value, and everybody in view when nobody does, or when it is free text, since
// a text can ask for what it does not name.
func (q *inquiry) authors(s world.Slot) []string {
	list := make([]string, 0, len(q.e.Untrusted))
	if q.deed.args[s].param.Kind != world.ParamText {
		for _, i := range q.mentioners(s) {
			list = append(list, q.e.Untrusted[i].OriginAgent)
		}
	}
	if len(list) == 0 {
		return q.everyone()
	}
	return sorted(list)
}

// everyone are the authors of all untrusted sources in view.
func (q *inquiry) everyone() []string {
	list := make([]string, 0, len(q.e.Untrusted))
	for _, s := range q.e.Untrusted {
		list = append(list, s.OriginAgent)
	}
	return sorted(list)
}

func sorted(ids []string) []string {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// asking reports whether an agent that a clause heeds wrote something in view.
func (q *inquiry) asking(c *clause, id string) bool {
	return id != "" && c.heeds(id) && slices.ContainsFunc(q.e.Untrusted, func(s trace.Source) bool { return s.OriginAgent == id })
}

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
