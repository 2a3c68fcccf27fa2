package policy

import (
	"slices"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Arguments tells the trust of each argument of an action, in the order of slots, of
// the inner action for a standing order. What a planned action of the same name gives is
// the agent's own, since it was there before the texts. It is empty for an action
// without arguments and for one that cannot be audited.
func (m Policy) Arguments(a world.Action, e Evidence) []trace.ArgumentTrust {
	q, ok := m.inquire(a, &e)
	if !ok {
		return nil
	}
	var list []trace.ArgumentTrust
	for s := range world.SlotCount {
		if q.deed.args[s].param == nil {
			continue
		}
		level := q.origin(s)
		for i := range e.Plan {
			if p := &e.Plan[i]; p.Action == q.deed.spec.Name {
				if _, equal := q.gives(p, s); equal {
					level = max(level, trace.TrustSelfObservation)
				}
			}
		}
		list = append(list, trace.ArgumentTrust{Argument: s.String(), Trust: q.lowered(level)})
	}
	return list
}

// trust is the trust of an argument's value by where it stands. What the
// model cited can only lower it.
func (q *inquiry) trust(s world.Slot) trace.Trust {
	return q.lowered(q.origin(s))
}

// lowered is a trust no higher than that of any cited source.
func (q *inquiry) lowered(level trace.Trust) trace.Trust {
	for _, cited := range q.e.Declared {
		level = min(level, cited.Trust)
	}
	return level
}

// origin is the trust of an argument's value by where it stands.
func (q *inquiry) origin(s world.Slot) trace.Trust {
	arg := &q.deed.args[s]
	switch {
	case arg.param.Kind == world.ParamText:
		return q.least()
	case q.ruled(s):
		return trace.TrustRules
	case len(q.e.Untrusted) == 0:
		return trace.TrustSelfObservation
	case q.typed(s) && len(q.mentioners(s)) == 0:
		return trace.TrustSelfObservation
	}
	return q.least()
}

// least is the least trust of all that is in view.
func (q *inquiry) least() trace.Trust {
	level := trace.TrustSelfObservation
	for _, s := range q.e.Untrusted {
		level = min(level, s.Trust)
	}
	return level
}

// ruled reports whether a value stands in the agent's goals, or in a clause that
// allows the action.
func (q *inquiry) ruled(s world.Slot) bool {
	arg := &q.deed.args[s]
	if arg.param.Kind == world.ParamText {
		return false
	}
	own := func(pattern string) bool { return mentions(q.m.own, pattern) }
	// What is executed must stand there, not what was proposed.
	if slices.ContainsFunc(patternsOf(arg, arg), own) {
		return true
	}
	for i := range q.m.clauses {
		if c := &q.m.clauses[i]; c.allows() && c.describes(&q.deed, q.place) && c.names(s, arg) {
			return true
		}
	}
	return false
}

// names reports whether a clause that describes an action gives the argument's value.
func (c *clause) names(s world.Slot, arg *argument) bool {
	switch s {
	case world.SlotTo:
		return c.To != "" && c.To == arg.text
	case world.SlotWhat:
		return c.What != "" && c.What == arg.text
	case world.SlotAmount:
		return c.Most > 0 && c.Most == arg.number || c.Total > 0 && c.Total == arg.number
	}
	return false
}

// open reports whether an argument that a plan leaves open may have its value.
// The agent's own state is enough for amounts of what it makes; see the doc of the
// package for why it is not for the others.
func (q *inquiry) open(s world.Slot) bool {
	if q.trust(s) < trace.TrustSelfObservation {
		return false
	}
	return q.ruled(s) || q.makes(s)
}

// Closed lists what an action of a plan leaves open and no text of others may fill in: all
// but how much the agent makes, unless a clause lets others ask for such an action.
func (m Policy) Closed(a world.Action, open []world.Slot) (closed []world.Slot) {
	if order, ok := a.(world.ExecuteUntil); ok {
		a = order.Do
	}
	d, _ := deedOf(a)
	fits := func(s world.Slot, only string) bool {
		return only == "" || only == d.args[s].text || slices.Contains(open, s)
	}
	asked := func(c clause) bool {
		return c.allows() && len(c.AskedBy) > 0 && (c.Action == d.spec.Name || c.Action == world.Anyone) &&
			(c.toAsker() || fits(world.SlotTo, c.To)) && fits(world.SlotWhat, c.What)
	}
	if slices.ContainsFunc(m.clauses, asked) {
		return nil
	}
	q := inquiry{deed: d}
	for s := range world.SlotCount {
		if slices.Contains(open, s) && d.args[s].param != nil && !q.makes(s) {
			closed = append(closed, s)
		}
	}
	return closed
}

// makes reports whether an argument is how much the agent makes: no gift, no price and no
// sleep.
func (q *inquiry) makes(s world.Slot) bool {
	arg := &q.deed.args[s]
	return arg.isNumber() && !arg.param.Give && arg.param.Unit != world.Ticks
}

// typed reports whether a value stands in the agent's own typed state: its own
// numbers, those of its place and the bounds of the action for an amount, what it can
// see for an id. Offers of others are no own state.
func (q *inquiry) typed(s world.Slot) bool {
	arg := &q.deed.args[s]
	if arg.param.Kind == world.ParamChoice {
		return true // every choice stands in the action's description
	}
	if q.seen == nil {
		o := q.e.View.Observe()
		q.seen = &o
	}
	o := q.seen
	switch id := arg.text; arg.param.Kind {
	case world.ParamPlace:
		return id == o.Here.ID || slices.ContainsFunc(o.Places, func(p world.Sight) bool { return p.ID == id })
	case world.ParamAgent:
		return slices.ContainsFunc(o.Agents, func(a world.Contact) bool { return a.ID == id })
	case world.ParamFactory:
		return slices.ContainsFunc(o.Factories, func(f world.Factory) bool { return f.ID == id })
	case world.ParamOrder:
		return o.Market != nil && slices.ContainsFunc(o.Market.Orders, func(p world.PowerOrder) bool { return p.ID == id })
	case world.ParamAmount:
		n := arg.number
		return slices.Contains([]int64{
			o.Self.Electricity, o.Self.Heat, o.Self.CompoundG, o.Self.Hardware, o.Self.Data,
			o.Self.PowerCapacity - o.Self.Electricity, o.Self.HeatCapacity - o.Self.Heat, o.Here.Radiation, o.Here.CompoundG,
			arg.param.Min,
		}, n) || slices.ContainsFunc(o.Can, func(can world.Affordance) bool {
			return can.Action == q.deed.spec.Name &&
				(n == can.Min || n == can.Max || slices.ContainsFunc(can.Options, func(o world.Option) bool { return n == o.Max }))
		})
	}
	return false
}
