package policy

import (
	"fmt"
	"slices"

	"example.com/agentworld/world"
)

// Idle is a clause, or a part of one, that can never make a difference. Whoever wrote it
// meant something by it, and has not got it.
type Idle struct {
	// Clause is the number of the clause in the list, from 0.
	Clause int
	// Field is the part that is idle, by its name in a file; empty for the whole clause.
	Field string
	// Why says what keeps it from making a difference, with the number of the clause that
	// does and with figures.
	Why string
}

// String is the finding on one line, with the clause as errors of scenarios name it.
func (i Idle) String() string { return i.What() + ": " + i.Why }

// What names the clause or its field.
func (i Idle) What() string {
	name := clauseName(i.Clause)
	if i.Field != "" {
		name += "." + i.Field
	}
	return name
}

func clauseName(n int) string { return fmt.Sprintf("mandate[%d]", n) }

// FindIdle lists what is idle in the clauses of a scenario, in their order, whatever the
// world and the agents do. It compares clauses two by two: one that several others make
// idle together goes unnoticed. What it lists is certain.
func FindIdle(clauses []world.Clause) []Idle {
	s := search{}
	for _, c := range clauses {
		s.all = append(s.all, newClause(c))
	}
	var found []Idle
	for i := range s.all {
		if why := s.whole(i); why != "" {
			found = append(found, Idle{i, "", why})
			continue
		}
		for _, part := range []struct {
			field string
			why   string
		}{{"most", s.most(i)}, {"total", s.total(i)}, {"asked_by", s.askedBy(i)}} {
			if part.why != "" {
				found = append(found, Idle{i, part.field, part.why})
			}
		}
	}
	return found
}

// search holds clauses against each other.
type search struct {
	all []clause
}

// whole says why a clause is idle as a whole, empty when it is not.
func (s search) whole(i int) string {
	c := &s.all[i]
	switch {
	case c.Agent != world.Anyone && c.To == c.Agent:
		return fmt.Sprintf("it is about what %s does to itself, and no action is directed to its own agent", c.Agent)
	case c.forbids():
		return s.forbidden(i)
	}
	for n := range s.all {
		if f := &s.all[n]; f.forbids() && f.covers(c) && !c.lifts(f) {
			return fmt.Sprintf("it never allows anything: %s forbids all that it describes and has as many conditions; an allow needs more of agent, to, what and at than the forbid",
				clauseName(n))
		}
	}
	if len(c.AskedBy) == 0 && !c.limited() && c.To == "" && c.What == "" && !s.opens(c) {
		return "it changes nothing: it lifts no forbid, sets no limit, and nobody may ask for it; what no clause forbids may be done anyway"
	}
	return ""
}

// forbidden says which other clause forbids everything that a forbid does, also where an
// allow lifts one of them.
func (s search) forbidden(i int) string {
	c := &s.all[i]
	for n := range s.all {
		f := &s.all[n]
		// Of two that are the same the first one counts.
		if n == i || !f.forbids() || !f.covers(c) || c.covers(f) && n > i {
			continue
		}
		needed := slices.ContainsFunc(s.all, func(a clause) bool { return a.allows() && a.meets(c) && a.lifts(f) && !a.lifts(c) })
		if !needed {
			return fmt.Sprintf("it forbids nothing that %s does not forbid as well, and no allow lifts that one but not this", clauseName(n))
		}
	}
	return ""
}

// opens reports whether an allow without limits lets through what otherwise would not be:
// what a forbid refuses, or what goes beyond another allow's limit.
func (s search) opens(c *clause) bool {
	return slices.ContainsFunc(s.all, func(o clause) bool {
		return o.meets(c) && (o.forbids() && c.lifts(&o) || o.allows() && o.limited())
	})
}

// most says why the highest amount of one action can never be reached.
func (s search) most(i int) string {
	c := &s.all[i]
	switch max := amountMax(c.Action); {
	case c.Most == 0:
		return ""
	case c.Total > 0 && c.Most > c.Total:
		return fmt.Sprintf("%d can never be reached, because total, %d, is smaller", c.Most, c.Total)
	case c.Most >= max && max > 0:
		return fmt.Sprintf("%d bounds nothing, because no %s is larger than %d", c.Most, c.Action, max)
	}
	return s.unbound(i)
}

// total says why the highest sum can never be reached.
func (s search) total(i int) string {
	if s.all[i].Total == 0 {
		return ""
	}
	return s.unbound(i)
}

// unbound says which other clause allows everything that a clause with limits does, to
// whoever that does, and has none.
func (s search) unbound(i int) string {
	c := &s.all[i]
	for n := range s.all {
		o := &s.all[n]
		if n == i || !o.allows() || o.limited() || o.toAsker() || !o.covers(c) || !o.heedsAll(c) {
			continue
		}
		stopped := slices.ContainsFunc(s.all, func(f clause) bool { return f.forbids() && f.meets(c) && c.lifts(&f) && !o.lifts(&f) })
		if !stopped {
			return fmt.Sprintf("it bounds nothing, because %s allows the same without a limit", clauseName(n))
		}
	}
	return ""
}

// askedBy says why nobody can ask.
func (s search) askedBy(i int) string {
	if c := &s.all[i]; len(c.AskedBy) == 1 && c.AskedBy[0] == c.Agent && c.Agent != world.Anyone {
		return fmt.Sprintf("only %s itself may ask, and its own texts are those of nobody else", c.Agent)
	}
	return ""
}

// limited reports whether a clause has limits.
func (c *clause) limited() bool { return c.Most > 0 || c.Total > 0 }

// heedsAll reports whether c lets everybody ask whom d lets.
func (c *clause) heedsAll(d *clause) bool {
	return !slices.ContainsFunc(d.AskedBy, func(id string) bool { return !c.heeds(id) })
}

// covers reports whether a clause binds every agent that d binds, and describes every
// action that d describes.
func (c *clause) covers(d *clause) bool {
	return (c.Agent == world.Anyone || c.Agent == d.Agent) && c.coversAction(d) &&
		(c.To == "" || c.To == d.To) && (c.What == "" || c.What == d.What) && (c.At == "" || c.At == d.At)
}

// coversAction: a standing order is held only against the clauses that name it.
func (c *clause) coversAction(d *clause) bool {
	return c.Action == d.Action || c.Action == world.Anyone && d.Action != world.ExecuteUntil{}.ActionName()
}

// meets reports whether some action of some agent may be described by both.
func (c *clause) meets(d *clause) bool {
	either := func(a, b string) bool { return a == "" || b == "" || a == b }
	return (c.Agent == world.Anyone || d.Agent == world.Anyone || c.Agent == d.Agent) && (c.coversAction(d) || d.coversAction(c)) &&
		(c.toAsker() || d.toAsker() || either(c.To, d.To)) && either(c.What, d.What) && either(c.At, d.At)
}

// amountMax is the largest amount that an action can have by rule, 0 for none known.
func amountMax(action string) int64 {
	spec := registry[action]
	if spec == nil {
		return 0
	}
	if p := spec.params[world.SlotAmount]; p != nil {
		return p.Max
	}
	return 0
}
