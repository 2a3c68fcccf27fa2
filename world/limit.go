package world

// limit is the largest feasible amount of an action and which bound sets it.
type limit struct {
	max   int64
	bound string
}

// The bounds an adjustment names: a constant of the rules, the agent's own stock,
// what its place holds, the room in its battery, its heat, a factory's queue or wear.
const (
	boundRule     = "rule"
	boundStock    = "stock"
	boundPlace    = "place"
	boundCapacity = "capacity"
	boundHeat     = "heat"
	boundQueue    = "queue"
	boundWear     = "wear"
)

// BoundMultiple is the bound of an amount that only counts in whole lots or kilograms.
const BoundMultiple = "multiple"

// tighten lowers the limit to n if that is less.
func (l limit) tighten(n int64, bound string) limit {
	if n < l.max {
		return limit{n, bound}
	}
	return l
}

// affordable is how many times cost the amount pays for; a cost of nothing is
// paid any number of times.
func affordable(amount, cost, most int64) int64 {
	if cost <= 0 {
		return most
	}
	return min(most, amount/cost)
}

// Clamp moves the amounts of a to the nearest feasible ones and reports what it
// changed. It never changes a type, target, id, choice or condition, and never
// makes a gift of nothing into a gift of something. Where no amount is feasible
// it leaves one that the rules allow, so that Check can say what is short.
func (v View) Clamp(a Action) (Action, []Adjustment) {
	if c, ok := a.(clamper); ok {
		return c.clamp(v.known())
	}
	return a, nil
}

// clampTo brings the amount n of an action from its least to l.max, or into the rule's
// own range when the limit leaves nothing.
// The second case is for an agent that can do nothing at all of this action now:
// an amount it may ask for some other time is kept, so that the refusal that
// follows is about the agent's state and not about its request.
func clampTo(a Action, n int64, l limit) (int64, []Adjustment) {
	spec, _ := specNamed(a.ActionName())
	p := spec.amount()
	if l.max < p.Min {
		l = limit{p.Max, boundRule}
	}
	to, bound := n, boundRule
	if n < p.Min {
		to = p.Min
	}
	if n > l.max {
		to, bound = l.max, l.bound
	}
	if to == n {
		return n, nil
	}
	return to, []Adjustment{{spec.Name, p.Name, n, to, bound}}
}

// affordances lists what the agent may do now, in the order of the actions; an
// execute_until is open to every action that is.
// An affordance is a promise: what it offers is accepted if the agent acts alone.
// Each is made from the same rulings and limits that Check and Clamp use, never
// from a second copy of a rule. The list has the same length in every state, so that
// a reader finds each action in its place; those that the scenario does not enable are in
// none.
func (v *knowledge) affordances() []Affordance {
	var helpless *Rejection
	if v.facts.shut || v.facts.travelling {
		helpless = v.facts.rule(Wait{}, v).rejection
	}
	list := make([]Affordance, 0, len(actions))
	for _, action := range actions {
		var can Affordance
		switch {
		case !v.facts.typed && isTyped(action):
			continue
		case helpless != nil:
			can.Why = helpless.Code
		default:
			can = action.afford(v)
		}
		can.Action = action.ActionName()
		list = append(list, can)
	}
	return list
}

// bounded is an action with one amount; least asks for the least of it. If that is
// refused, so is every other, and its reason is the one to give.
func (v *knowledge) bounded(least Action, l limit) Affordance {
	if r := least.rule(&v.facts, v); !r.accepted() {
		return refused(r)
	}
	spec, _ := specNamed(least.ActionName())
	p := spec.amount()
	return Affordance{OK: true, Field: p.Name, Min: p.Min, Max: l.max}
}

// refused explains an action that is not possible; what is short is the
// difference of the rejection's numbers.
// Other refusals are not cured by gathering something, so they name no need.
func refused(r ruling) Affordance {
	a := Affordance{Why: r.rejection.Code}
	if r.rejection.Code == RejectInsufficient {
		short := *r.rejection.Requested - *r.rejection.Available
		a.Need = []Amount{{r.rejection.Resource, short}}
	}
	return a
}

// choices offers the targets of which the rule accepts an action. If there is none, it says
// what stands against the first that is refused for more than not being there.
func choices[T any](v *knowledge, none RejectionCode, list []T, target func(T) string,
	do func(string) Action) Affordance {
	why := Affordance{Why: none}
	var options []Option
	for _, t := range list {
		id := target(t)
		if r := do(id).rule(&v.facts, v); r.accepted() {
			options = append(options, Option{Target: id})
		} else if why.Why == none {
			why = refused(r)
		}
	}
	return why.or(options)
}

// or is what can be chosen if there is any, else why there is nothing.
func (a Affordance) or(options []Option) Affordance {
	if len(options) == 0 {
		return a
	}
	return Affordance{OK: true, Options: options}
}
