package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// Idle is a clause, or a part of one, that can never make a difference, so that it does not do
// what its author meant.
type Idle struct {
	// Clause is the number of the clause in the list, from 0.
	Clause int
	// Field is the part that is idle, by its name in a file; empty for the whole clause.
	Field string
	// Why is the reason, with figures and the number of the clause that causes it.
	Why string
}

// String is the finding on one line, with the clause as errors of scenarios name it.
func (i Idle) String() string {
	name := clauseName(i.Clause)
	if i.Field != "" {
		name += "." + i.Field
	}
	return name + ": " + i.Why
}

func clauseName(n int) string { return fmt.Sprintf("mandate[%d]", n) }

// FindIdle lists what is idle in the clauses of a scenario, in their order, whatever the world
// and the agents do. typed says that the scenario enables requests and offers. What it lists is
// certain, but not complete: it compares clauses two by two, and askers with one forbid each,
// so that it may miss a clause that several others make idle together.
func FindIdle(clauses []world.Clause, typed bool) []Idle {
	var all []clause
	for _, c := range clauses {
		all = append(all, newClause(c))
	}
	var found []Idle
	for i := range all {
		c := &all[i]
		why, unheard := c.untyped(typed), ""
		if len(c.AskedBy) > 0 && !typed && !c.ByMessage {
			unheard = "nobody can ask: without terms = true there are no requests and offers, and without by_message no message counts"
		}
		if c.toAsker() {
			why = cmp.Or(why, unheard)
		}
		if why = cmp.Or(why, c.underpaid(), idleWhole(all, i)); why != "" {
			found = append(found, Idle{i, "", why})
			continue
		}
		add := func(field string, value int64, why string) {
			if value != 0 && why != "" {
				found = append(found, Idle{i, field, why})
			}
		}
		beyond := func(value int64, name string, limit int64) string {
			if limit == 0 || value <= limit {
				return ""
			}
			return fmt.Sprintf("%d can never be reached, because %s, %d, is smaller", value, name, limit)
		}
		unbound := idleLimits(all, i)
		largest := c.largest()
		most := beyond(c.Most, "total", c.Total)
		if c.toAsker() {
			most = cmp.Or(most, beyond(c.Most, "total_each", c.TotalEach))
		}
		if most == "" && largest > 0 && c.Most >= largest {
			most = fmt.Sprintf("%d bounds nothing, because no %s is larger than %d", c.Most, c.Action, largest)
		}
		// An agent acts at most once a tick.
		if c.Most > 0 && (largest == 0 || c.Most < largest) {
			largest = c.Most
		}
		counts := largest
		if c.Action == (world.Transfer{}).ActionName() && len(c.AskedBy) > 0 {
			counts = max(largest, c.least())
		}
		often := func(total int64) string {
			if largest == 0 || c.Window == 0 || total < largest || (total-largest)/counts < c.Window-1 {
				return ""
			}
			return fmt.Sprintf("%d in %d ticks bounds nothing, because an agent acts once a tick, by %d at most", total, c.Window, largest)
		}
		add("most", c.Most, cmp.Or(most, unbound))
		add("total", c.Total, cmp.Or(often(c.Total), unbound))
		add("total_each", c.TotalEach, cmp.Or(beyond(c.TotalEach, "total", c.Total), often(c.TotalEach), unbound))
		add("get_at_least", c.GetAtLeast, unbound)
		if len(c.AskedBy) == 1 && c.AskedBy[0] == c.Agent && c.Agent != world.Anyone {
			unheard = fmt.Sprintf("only %s itself may ask, and nobody asks itself", c.Agent)
		}
		add("asked_by", 1, unheard)
		if c.Relayed && c.anybody {
			add("relayed", 1, "everybody may ask, so that nobody needs another to ask for it")
		}
	}
	return found
}

// largest is the largest amount of one action; 0 if it is unknown.
func (c *clause) largest() int64 {
	e := registry[c.Action]
	switch {
	case e == nil || c.Action == (world.AcceptOffer{}).ActionName() || c.Action == (world.BuyPower{}).ActionName():
		return 0 // a trade counts what is given for what it names
	case e.params[world.SlotAmount] == nil:
		return 1
	}
	return e.params[world.SlotAmount].Max
}

// untyped says why a rule about requests and offers is idle in a world without them.
func (c *clause) untyped(typed bool) string {
	if typed || !slices.Contains(world.TypedActions(), c.Action) {
		return ""
	}
	return fmt.Sprintf("there is no %s without terms = true in the scenario", c.Action)
}

// underpaid says why the market can never bring as much as a rule demands.
func (c *clause) underpaid() string {
	brings, gives := int64(world.PowerLot), int64(1)
	if c.Action == (world.SellPower{}).ActionName() {
		brings, gives = world.PowerPriceMax, world.PowerLot
	} else if c.Action != (world.BuyPower{}).ActionName() {
		return ""
	}
	if c.GetAtLeast*gives <= brings*max(1, c.Per) {
		return ""
	}
	return fmt.Sprintf("no trade brings as much: a price is 1 to %d data for %d electricity", world.PowerPriceMax, world.PowerLot)
}

// idleWhole says why a clause is idle as a whole; empty if it is not.
func idleWhole(all []clause, i int) string {
	c := &all[i]
	if c.Agent != world.Anyone && c.To == c.Agent {
		return fmt.Sprintf("it is about what %s does to itself, and no action is directed to its own agent", c.Agent)
	}
	for n := range all {
		f := &all[n]
		switch {
		case !f.forbids() || !f.covers(c):
		case !c.forbids() && !c.lifts(f):
			return fmt.Sprintf("it never allows anything: %s forbids all that it describes and has as many conditions; an allow needs more of agent, to, what and at than the forbid",
				clauseName(n))
		case c.forbids() && n != i && (n < i || !c.covers(f)):
			// Of two that are the same the first one counts. An allow may lift one of them only.
			needed := slices.ContainsFunc(all, func(a clause) bool { return a.allows() && a.meets(c) && a.lifts(f) && !a.lifts(c) })
			if !needed {
				return fmt.Sprintf("it forbids nothing that %s does not forbid as well, and no allow lifts that one but not this", clauseName(n))
			}
		}
	}
	if c.toAsker() && !c.anybody && c.Action != (world.Move{}).ActionName() {
		if beaten := beatenAskers(all, c); beaten != "" {
			return "it never allows anything: all that may ask are forbidden to have it, by as many conditions: " + beaten
		}
	}
	// An allow without limits may still let through what a forbid refuses, or what goes
	// beyond another allow's limit.
	opens := func(o clause) bool { return o.meets(c) && (o.forbids() && c.lifts(&o) || o.allows() && o.limited()) }
	if !c.forbids() && len(c.AskedBy) == 0 && !c.limited() && c.To == "" && c.What == "" && !slices.ContainsFunc(all, opens) {
		return "it changes nothing: it lifts no forbid, sets no limit, and nobody may ask for it; what no clause forbids may be done anyway"
	}
	return ""
}

// beatenAskers names, for a rule directed to the asker, the forbid that refuses each asker. It
// is empty if one of them has none.
func beatenAskers(all []clause, c *clause) string {
	var list []string
	for _, id := range c.AskedBy {
		if id == c.Agent {
			continue // nobody asks itself
		}
		to := *c
		to.To = id
		n := slices.IndexFunc(all, func(f clause) bool { return f.forbids() && f.covers(&to) && !c.lifts(&f) })
		if n < 0 {
			return ""
		}
		list = append(list, fmt.Sprintf("%s by %s", id, clauseName(n)))
	}
	return strings.Join(list, ", ")
}

// idleLimits says which clause without limits allows everything that clause i does, to every
// agent to which that does; empty if there is none.
func idleLimits(list []clause, i int) string {
	c := &list[i]
	for n := range list {
		o := &list[n]
		if n == i || !o.allows() || o.limited() || o.toAsker() || !o.covers(c) || slices.ContainsFunc(c.AskedBy, func(id string) bool { return !o.heeds(id) }) {
			continue
		}
		stopped := slices.ContainsFunc(list, func(f clause) bool { return f.forbids() && f.meets(c) && c.lifts(&f) && !o.lifts(&f) })
		if !stopped {
			return fmt.Sprintf("it bounds nothing, because %s allows the same without a limit", clauseName(n))
		}
	}
	return ""
}

// limited reports whether a clause has limits; what others may ask for always has.
func (c *clause) limited() bool { return c.Most > 0 || c.Total > 0 || c.GetAtLeast > 0 }

// covers reports whether a clause binds every agent that d binds, and describes every
// action that d describes.
func (c *clause) covers(d *clause) bool {
	return c.Binds(d.Agent) && c.coversAction(d) &&
		(c.To == "" || c.To == d.To) && (c.What == "" || c.What == d.What) && (c.At == "" || c.At == d.At) && (c.Get == "" || c.Get == d.Get)
}

// coversAction compares the actions. Only clauses that name execute_until describe one.
func (c *clause) coversAction(d *clause) bool {
	return c.Action == d.Action || c.Action == world.Anyone && d.Action != world.ExecuteUntil{}.ActionName()
}

// meets reports whether some action of some agent may be described by both.
func (c *clause) meets(d *clause) bool {
	either := func(a, b string) bool { return a == "" || b == "" || a == b }
	return (c.Binds(d.Agent) || d.Agent == world.Anyone) && (c.coversAction(d) || d.coversAction(c)) &&
		(c.toAsker() || d.toAsker() || either(c.To, d.To)) && either(c.What, d.What) && either(c.At, d.At) && either(c.Get, d.Get)
}
