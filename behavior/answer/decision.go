package answer

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/world"
)

// Decision is a decision that was read. Its action is not decoded, because it may be
// one of candidates that come with it.
type Decision struct {
	Lean
	object Value
	// loose says that the fields of the standing order were written next to the number.
	loose bool
}

// NoAction refuses an object that decides nothing.
var NoAction = &ArgumentError{Path: "action", Expected: say("an action object"), Got: say("none")}

// LeftOpen refuses to leave a slot of a planned action open.
func LeftOpen(s world.Slot) *ArgumentError {
	return &ArgumentError{Path: s.String(), Expected: say("a value: only how much you make may be left open"),
		Got: say("nothing")}
}

// ReadDecision reads a decision, or a lean turn. Besides a candidate's number it takes an
// action in full: the form of text answers, and of providers that do not hold a model to
// the schema. drafted says that there is a draft whose candidates the number is among.
func ReadDecision(c Call, drafted bool) (d Decision, used []Repair, e *ArgumentError) {
	o, used, e := c.arguments()
	if e != nil {
		return Decision{}, nil, e
	}
	o, named := chosen(o)
	used = append(used, named...)
	// Nothing may make the number of a candidate mean something else than what it says:
	// no candidates in the decision on a draft made before, and no second decision.
	numbered := o.gives("candidate")
	switch {
	case numbered && drafted && c.Tool == ToolDecision && o.gives("candidates"):
		e = &ArgumentError{Path: "candidates", Expected: say("none here: candidates are given in {tool}", ToolDraft),
			Got: say("{name}", o.Field("candidates").Kind)}
	case !numbered && !o.has("candidate") || o.gives("action") || namedIn(o, "decision") != "":
		// An action in full, or next to the number.
		shaped, more, ok := shapeDecision(o)
		switch {
		case ok:
			o, used = shaped, append(used, more...)
		case !numbered:
			e = &ArgumentError{Path: "candidate", Expected: say("the number of a candidate from 1, or 0 to wait"),
				Got: say("nothing")}
		}
	case o.has("until") || o.has("max_ticks"):
		d.loose = true
		standing, more := standingOf(o)
		o.set("execute_until", standing)
		used = append(used, more...)
	}
	if e != nil {
		return Decision{}, nil, e
	}
	d.object = o
	candidates, e := o.typed("candidates", Array)
	plan, wrong := sentenceIn(o)
	e = Faults(e, wrong)
	sources, wrong := o.typed("sources_used", Array)
	for _, id := range sources.Items {
		wrong, d.Sources = cmp.Or(wrong, id.must("sources_used", String)), append(d.Sources, id.Text)
	}
	e = Faults(e, wrong)
	why, wrong := o.typed("why", String)
	e = Faults(e, wrong)
	if e != nil {
		return Decision{}, nil, e
	}
	d.Plan = plan
	d.Candidates = candidatesIn(candidates)
	d.Why = why.Text
	return d, append(used, c.norm(o.absent("execute_until", "why", "sources_used"))...), nil
}

// sentenceIn is the plan of a lean turn: a sentence, or the goal of a plan in full.
func sentenceIn(o Value) (Sentence, *ArgumentError) {
	if plan := o.Field("plan"); plan.Kind == Object || plan.Kind == Null && o.has("plan") {
		goal, e := plan.typed("goal", String)
		if e != nil {
			e = &ArgumentError{Path: "plan", Expected: e.Expected, Got: say("{name}", string(Object))}
		}
		return Sentence{goal.Text, true}, e
	}
	plan, e := o.typed("plan", String)
	return Sentence{Goal: plan.Text}, e
}

// Action returns the action that a decision means, given the candidates by number from 1. Nil
// candidates could not be decoded. An action in full may have at most then further steps; an error with a Cut is
// about those alone, as that of [Candidate.Decode].
func (d Decision) Action(c Call, candidates []world.Action, names Names, then int) (world.Action, []Repair,
	*ArgumentError) {
	a, used, e := d.first(c, candidates, names)
	if list := d.object.Field(thenField); e == nil && !list.isNothing() && !d.IsZero() {
		chain, more, cut := decodeThen(list, a, names, then)
		return chain, append(used, c.norm(more)...), cut
	}
	return a, used, e
}

// first is Action without the steps that the decision itself adds.
func (d Decision) first(c Call, candidates []world.Action, names Names) (world.Action, []Repair, *ArgumentError) {
	standing := d.object.Field("execute_until")
	said := d.object.Field("action")
	number := d.object.Field("candidate")
	n, counted := numberOf(number)
	var do world.Action
	switch {
	case counted && n == 0:
		do = world.Wait{}
	case counted && n > 0 && n <= int64(len(candidates)):
		do = candidates[n-1]
	}
	var used []Repair
	if said.Kind != Null && do == nil {
		a, more, e := decodeWhole(said, standing, names, nil)
		if number.Kind != Null {
			// The number names nothing that could be read: the action is the decision.
			return a, c.norm(append([]Repair{ActionForCandidate}, more...)), e
		}
		fitting := func(a world.Action) bool { return fits(said, a, names) }
		i := slices.IndexFunc(candidates, fitting)
		if e == nil || i < 0 || slices.ContainsFunc(candidates[i+1:], fitting) {
			return a, c.norm(more), e
		}
		// What lacks values is the one candidate that it fits.
		do, used = candidates[i], []Repair{NameResolved}
	}
	var e *ArgumentError
	switch {
	case do == nil:
		var readable []string
		for i, a := range candidates {
			if a != nil {
				readable = append(readable, strconv.Itoa(i+1))
			}
		}
		do, e = world.Wait{}, &ArgumentError{Path: "candidate",
			Expected: say("the number of a candidate that could be read: {candidates}; or 0 to wait",
				strings.Join(readable, ", ")),
			Got: number.describe()}
		switch {
		case len(readable) == 0 && len(candidates) > 0 && c.Tool == ToolDecision:
			e.Expected = say("the number of a candidate, and none could be read: call {tool} again; or 0 to wait", ToolDraft)
		case len(candidates) == 0 && c.Tool == ToolDecision:
			e.Expected = say("the number of a candidate: call {tool} before; or 0 to wait", ToolDraft)
		case len(candidates) == 0:
			e.Path = "candidates"
			e.Expected = say("at least one candidate")
			e.Got = say("none")
		}
		if e.Path == "candidate" && !d.object.has("candidate") {
			e.Got = say("nothing")
		}
	case said.Kind != Null && !fits(said, do, names):
		e = &ArgumentError{Path: "action", Expected: say("a candidate's number or an action, not both"), Got: say("both")}
	}
	var then []world.ExecuteUntil
	if order, ordered := do.(world.ExecuteUntil); ordered {
		// A candidate may have brought an order, which one in the decision replaces.
		if standing.isNothing() {
			return order, c.norm(used), e
		}
		do = order.Do
		then = order.Then
	}
	a, more, wrong := decodeStanding(standing, do)
	if wrong != nil && !d.loose {
		wrong = wrong.Inside("execute_until")
	}
	if wrong == nil && len(then) > 0 {
		a = world.Chain(append(world.Steps(a), ignoring(a, then)...)...)
	}
	return a, c.norm(append(used, more...)), Faults(e, wrong)
}

// IsOpen reports whether a decision names neither a candidate nor an action.
func (d Decision) IsOpen() bool { return !d.object.gives("candidate") && !d.object.gives("action") }

// IsZero reports whether a decision is the number 0, which waits.
func (d Decision) IsZero() bool {
	n, ok := numberOf(d.object.Field("candidate"))
	return ok && n == 0 && !d.object.gives("action")
}
