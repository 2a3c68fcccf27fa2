package policy

import (
	"slices"

	"example.com/agentworld/world"
)

// Policy is what one agent may do: the rules of the scenario that bind it. It is immutable;
// the zero value refuses everything but a wait.
//
// Rules are held against every action, whatever is in view:
//
//   - A forbid that describes the action refuses it, unless an allow that describes
//     it too is narrower than every such forbid. Narrower means more conditions,
//     of which there are four: a single agent, to, what, at. With as many conditions
//     the forbid holds, except that an allow of one action is narrower than a forbid
//     of all actions under the same conditions.
//   - Where allows describe the action (and lift the forbids, if any), it must be within the
//     limits of one of them. An allow to whoever asks bounds what its receiver asks for with
//     open terms, planned or not.
//   - Allows forbid nothing else: an action that no rule describes may be done.
//   - A standing order is held against the rules about what it repeats, and against
//     those that name execute_until.
type Policy struct {
	agent string
	rules []clause
	// sound says that the policy was compiled and everything in it is known.
	sound bool
}

// Compile makes the policy of an agent from the rules that bind it (see
// [world.World.Clauses]). The same input gives the same policy. Rules that name an
// effect or action that does not exist make a policy that refuses everything but a
// wait; scenarios that were read from a file have none.
func Compile(agent string, rules []world.Clause) Policy {
	m := Policy{agent: agent, sound: agent != ""}
	for _, c := range rules {
		c.AskedBy = slices.Clone(c.AskedBy)
		m.rules = append(m.rules, newClause(c))
		if c.Effect != world.EffectAllow && c.Effect != world.EffectForbid || c.Action != world.Anyone && registry[c.Action] == nil {
			m.sound = false
		}
	}
	return m
}

// Forbids reports whether the rules forbid an action whatever its arguments.
func (m Policy) Forbids(action string) bool {
	about := func(c clause) bool { return c.Action == action || c.Action == world.Anyone }
	return slices.ContainsFunc(m.rules, func(f clause) bool {
		return f.forbids() && about(f) && f.To == "" && f.What == "" && f.At == "" &&
			!slices.ContainsFunc(m.rules, func(c clause) bool { return c.allows() && about(c) && c.lifts(&f) })
	})
}

// Evidence is what an action is judged by: what the agent knows, whose texts it has read, and
// what it set out to do before.
type Evidence struct {
	// View is the agent's view of this tick, Seen its observation; nil makes one.
	View world.View
	Seen *world.Observation
	// Authors wrote the texts and terms in view that no rule vouches for, an empty id standing
	// for one that nobody knows. There are texts in view when there are any.
	Authors []string
	// Plan is what the agent set out to do before it was shown them, Shown are the terms of
	// others that it was shown even then.
	Plan  []PlannedAction
	Shown []world.Terms
	// Ledger is what the agent did before.
	Ledger Ledger
	// Off are the layers left out, for measuring only.
	Off []Layer
}

// InView are all whose texts or terms are in view, and those behind the terms.
func (e *Evidence) InView() []string {
	list := slices.Clone(e.Authors)
	for _, t := range e.Shown {
		list = append(append(list, t.From), t.Parents...)
	}
	return list
}

// off reports whether a layer is left out.
func (e *Evidence) off(l Layer) bool { return slices.Contains(e.Off, l) }

// inquiry is one check under way: the action and what is known about it.
type inquiry struct {
	m    *Policy
	e    *Evidence
	deed Deed
	// looked is the observation, open the triggers in it and possible the first planned
	// action that is possible; nil before they are asked for.
	looked   *world.Observation
	open     []trigger
	possible *int
}

// inquire takes an action apart. It is false for what cannot be checked.
func (m *Policy) inquire(a world.Action, e *Evidence) (*inquiry, bool) {
	q := &inquiry{m: m, e: e, looked: e.Seen}
	if !m.sound || e.View.AgentID() != m.agent {
		return q, false
	}
	d, ok := argued(a)
	if ok {
		var offers []world.Terms
		if _, accepts := d.do.(world.AcceptOffer); accepts {
			offers = slices.Concat(q.seen().Here.Offers, q.seen().Offers)
		}
		q.deed, ok = deedOf(a, e.View.Place(), offers)
	}
	return q, ok
}

// seen is the observation.
func (q *inquiry) seen() *world.Observation {
	if q.looked == nil {
		o := q.e.View.Observe()
		q.looked = &o
	}
	return q.looked
}
