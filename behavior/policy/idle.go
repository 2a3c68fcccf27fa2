package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// Idle is a rule, or a part of one, that can never make a difference, so that it does not do
// what its author meant.
type Idle struct {
	// Rule is the number of the rule in the list, from 0.
	Rule int
	// Field is the part that is idle, by its name in a file; empty for the whole rule.
	Field string
	// Why is the reason, with figures and the number of the rule that causes it.
	Why string
}

// String is the finding on one line, with the rule as errors of scenarios name it.
func (i Idle) String() string {
	name := ruleName(i.Rule)
	if i.Field != "" {
		name += "." + i.Field
	}
	return name + ": " + i.Why
}

func ruleName(n int) string { return fmt.Sprintf("policy[%d]", n) }

// FindIdle lists what is idle in the rules of a scenario, in their order, whatever the world
// and the agents do. typed says that the scenario enables requests and offers. What it lists is
// certain, but not complete: it compares rules two by two, and askers with one forbid each,
// so that it may miss a rule that several others make idle together.
func FindIdle(rules []world.PolicyRule, typed bool) []Idle {
	var all []rule
	for i, r := range rules {
		all = append(all, newRule(i+1, r))
	}
	var found []Idle
	for i := range all {
		r := &all[i]
		unheard := ""
		if len(r.AskedBy) > 0 {
			unheard = r.Unheard(typed)
		}
		why := r.untyped(typed)
		if r.toAsker() {
			why = cmp.Or(why, unheard)
		}
		why = cmp.Or(why, r.underpaid(), idleWhole(all, i))
		if why != "" {
			found = append(found, Idle{i, "", why})
			continue
		}
		add := func(field, why string) {
			if why != "" {
				found = append(found, Idle{i, field, why})
			}
		}
		idleLimits(all, r, add)
		if len(r.AskedBy) == 1 && r.AskedBy[0] == r.Agent && r.Agent != world.Anyone {
			unheard = fmt.Sprintf("only %s itself may ask, and nobody asks itself", r.Agent)
		}
		add("asked_by", unheard)
		if r.Relayed && r.anybodyMayAsk() {
			add("relayed", "everybody may ask, so that nobody needs another to ask for it")
		}
	}
	return found
}

// idleLimits adds the limits of a rule that bound nothing.
func idleLimits(all []rule, r *rule, add func(field, why string)) {
	limit := func(field string, value int64, reasons ...string) {
		if value > 0 {
			add(field, cmp.Or(reasons...))
		}
	}
	beyond := func(value int64, name string, limit int64) string {
		if limit == 0 || value <= limit {
			return ""
		}
		return fmt.Sprintf("%d can never be reached, because %s, %d, is smaller", value, name, limit)
	}
	largest := r.largest()
	each := ""
	loose := ""
	if r.toAsker() {
		each = beyond(r.Most, "total_each", r.TotalEach)
	}
	if largest > 0 && r.Most >= largest {
		loose = fmt.Sprintf("%d bounds nothing, because no %s is larger than %d", r.Most, r.Action, largest)
	}
	if r.Most > 0 && (largest == 0 || r.Most < largest) {
		largest = r.Most
	}
	counted := largest // what one action counts at most
	if r.Action == (world.Transfer{}).ActionName() && len(r.AskedBy) > 0 {
		counted = max(largest, r.giftMin())
	}
	// An agent acts at most once a tick.
	often := func(total int64) string {
		if largest == 0 || r.Window == 0 || total < largest || (total-largest)/counted < r.Window-1 {
			return ""
		}
		return fmt.Sprintf("%d in %d ticks bounds nothing, because an agent acts once a tick, by %d at most", total,
			r.Window, largest)
	}
	unbound := withoutLimit(all, r)
	limit("most", r.Most, beyond(r.Most, "total", r.Total), each, loose, unbound)
	limit("total", r.Total, often(r.Total), unbound)
	limit("total_each", r.TotalEach, beyond(r.TotalEach, "total", r.Total), often(r.TotalEach), unbound)
	limit("get_at_least", r.GetAtLeast, unbound)
}

// largest is the largest amount of one action; 0 if it is unknown.
func (r *rule) largest() int64 {
	e := registry[r.Action]
	switch {
	case e == nil || r.Action == (world.AcceptOffer{}).ActionName() || r.Action == (world.BuyPower{}).ActionName():
		return 0 // a trade counts what is given for what it names
	case e.params[world.SlotAmount] == nil:
		return 1
	}
	return e.params[world.SlotAmount].Max
}

// untyped says why a rule about requests and offers is idle in a world without them.
func (r *rule) untyped(typed bool) string {
	if typed || !slices.Contains(world.TypedActions(), r.Action) {
		return ""
	}
	return fmt.Sprintf("there is no %s without terms = true in the scenario", r.Action)
}

// underpaid says why the market can never bring as much as a rule demands.
func (r *rule) underpaid() string {
	brings, gives := int64(world.PowerLot), int64(1)
	if r.Action == (world.SellPower{}).ActionName() {
		brings, gives = world.PowerPriceMax, world.PowerLot
	} else if r.Action != (world.BuyPower{}).ActionName() {
		return ""
	}
	if r.GetAtLeast*gives <= brings*max(1, r.Per) {
		return ""
	}
	return fmt.Sprintf("no trade brings as much: a price is 1 to %d data for %d electricity", world.PowerPriceMax,
		world.PowerLot)
}

// idleWhole says why a rule is idle as a whole; empty if it is not.
func idleWhole(all []rule, i int) string {
	r := &all[i]
	if r.Agent != world.Anyone && r.To == r.Agent {
		return fmt.Sprintf("it is about what %s does to itself, and no action is directed to its own agent", r.Agent)
	}
	for n := range all {
		f := &all[n]
		switch {
		case !f.forbids() || !f.subsumes(r):
		case !r.forbids() && !r.lifts(f):
			return fmt.Sprintf("it never allows anything: %s forbids all that it describes and has as many conditions; an "+
				"allow needs more of agent, to, what and at than the forbid",
				ruleName(n))
		case r.forbids() && n != i && (n < i || !r.subsumes(f)):
			// Of two that are the same the first one counts. An allow may lift one of them only.
			needed := slices.ContainsFunc(all,
				func(a rule) bool { return a.allows() && a.overlaps(r) && a.lifts(f) && !a.lifts(r) })
			if !needed {
				return fmt.Sprintf("it forbids nothing that %s does not forbid as well, and no allow lifts that one but not this",
					ruleName(n))
			}
		}
	}
	if r.toAsker() && !r.anybodyMayAsk() && r.Action != (world.Move{}).ActionName() {
		if beaten := beatenAskers(all, r); beaten != "" {
			return "it never allows anything: all that may ask are forbidden to have it, by as many conditions: " + beaten
		}
	}
	// An allow without limits may still let through what a forbid refuses, or what goes
	// beyond another allow's limit.
	opens := func(o rule) bool { return o.overlaps(r) && (o.forbids() && r.lifts(&o) || o.allows() && o.limited()) }
	if !r.forbids() && len(r.AskedBy) == 0 && !r.limited() && r.To == "" && r.What == "" &&
		!slices.ContainsFunc(all, opens) {
		return "it changes nothing: it lifts no forbid, sets no limit, and nobody may ask for it; what no rule forbids " +
			"may be done anyway"
	}
	return ""
}

// beatenAskers names, for a rule directed to the asker, the forbid that refuses each asker. It
// is empty if one of them has none.
func beatenAskers(all []rule, r *rule) string {
	var list []string
	for _, id := range r.AskedBy {
		if id == r.Agent {
			continue // no agent asks itself
		}
		to := *r
		to.To = id
		n := slices.IndexFunc(all, func(f rule) bool { return f.forbids() && f.subsumes(&to) && !r.lifts(&f) })
		if n < 0 {
			return ""
		}
		list = append(list, fmt.Sprintf("%s by %s", id, ruleName(n)))
	}
	return strings.Join(list, ", ")
}

// withoutLimit says which rule without limits allows everything that r does, to every agent
// to which r does; empty if there is none.
func withoutLimit(all []rule, r *rule) string {
	for n := range all {
		o := &all[n]
		if o == r || !o.allows() || o.limited() || o.toAsker() || !o.subsumes(r) ||
			slices.ContainsFunc(r.AskedBy, func(id string) bool { return !o.mayAsk(id) }) {
			continue
		}
		if !o.stoppedWhere(all, r) {
			return fmt.Sprintf("it bounds nothing, because %s allows the same without a limit", ruleName(n))
		}
	}
	return ""
}

// stoppedWhere reports whether a forbid that r lifts stops o, so that o does not allow all that r does.
func (o *rule) stoppedWhere(all []rule, r *rule) bool {
	return slices.ContainsFunc(all,
		func(f rule) bool { return f.forbids() && f.overlaps(r) && r.lifts(&f) && !o.lifts(&f) })
}

// leavesPlansFree reports whether a rule without limits allows all that r does, asked for or not, so that r
// limits what others ask for alone.
func leavesPlansFree(all []rule, r *rule) bool {
	return slices.ContainsFunc(all, func(o rule) bool {
		return o.allows() && !o.limited() && len(o.AskedBy) == 0 && !o.toAsker() && o.subsumes(r) && !o.stoppedWhere(all, r)
	})
}

// limited reports whether a rule has limits; what others may ask for always has.
func (r *rule) limited() bool { return r.Most > 0 || r.Total > 0 || r.GetAtLeast > 0 }

// subsumes reports whether a rule binds every agent that d binds, and describes every
// action that d describes.
func (r *rule) subsumes(d *rule) bool {
	return r.Binds(d.Agent) && r.subsumesAction(d) &&
		(r.To == "" || r.To == d.To) && (r.What == "" || r.What == d.What) && (r.At == "" || r.At == d.At) &&
		(r.Get == "" || r.Get == d.Get)
}

// subsumesAction compares the actions. Only a rule that names execute_until describes an order.
func (r *rule) subsumesAction(d *rule) bool {
	return r.Action == d.Action || r.Action == world.Anyone && d.Action != world.ExecuteUntil{}.ActionName()
}

// overlaps reports whether some action of some agent may be described by both.
func (r *rule) overlaps(d *rule) bool {
	either := func(a, b string) bool { return a == "" || b == "" || a == b }
	return (r.Binds(d.Agent) || d.Agent == world.Anyone) && (r.subsumesAction(d) || d.subsumesAction(r)) &&
		(r.toAsker() || d.toAsker() || either(r.To, d.To)) && either(r.What, d.What) && either(r.At, d.At) &&
		either(r.Get, d.Get)
}
