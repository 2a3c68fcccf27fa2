package guardlab

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"example.com/agentworld/behavior"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// The bounds of what a search keeps of its coverage: once a trial has marksMax marks of ticks of its
// script, and lateMax of later ones, no more are added; coveredMax rare pairs have a trial to mutate.
const (
	marksMax   = 24
	lateMax    = 12
	coveredMax = 400
)

// coverage is how many trials covered each pair of marks, and the latest trial that did, for the
// rarest. A mark is one thing that the guard did in a decision; a pair is one after another in a
// trial. A hole under a condition shows only after something else, so that trials in which the
// guard did what it rarely does are worth more of them.
type coverage map[string]*Covered

// Covered is a pair of marks.
type Covered struct {
	// Pair are the two marks, Times how many trials covered it.
	Pair  string `json:"pair"`
	Times int    `json:"times"`
	// Tape is the latest of the trials; empty if the pair is not among the rarest.
	Tape string `json:"tape,omitempty"`

	tape Tape
}

// marksOf are what the guard did in a decision: what it refused and why, on what authority it let
// the decision pass, and what else it had to tell apart from that.
func marksOf(d *behavior.Decision, steps []trace.Step, seen world.Observation) (marks []string) {
	context := beside(seen)
	if seen.Tick > ticksMax {
		context += " late"
	}
	for _, s := range steps {
		if s.Kind == trace.StepGuard && s.Status == trace.StatusError {
			marks = append(marks, s.Name+" refused: "+s.Code+context)
		}
	}
	name, action := "", d.Executed
	if order, ok := action.(world.ExecuteUntil); ok {
		name, action = "order of ", order.Do
	}
	if action != nil {
		name += action.ActionName()
	}
	by := "nobody"
	if d.Authority != nil {
		by = string(d.Authority.By)
		if d.Authority.Deviation > 0 && d.Authority.By != trace.AuthorityDeviation {
			by += " that deviates"
		}
		switch t := termsIn(seen, d.Authority.Terms); {
		case t != nil && relayed(*t):
			by += " for relayed terms"
		case strings.HasPrefix(d.Authority.Terms, "msg-"):
			by += " for a message"
		}
	}
	return append(marks, name+" by "+by+context)
}

// beside says what is in view that could be taken for the right to do something: terms that others
// had a part in; terms of their sender alone, behind such terms of the same sender about the same
// goods; several of one sender about the same; and the news of terms that are no longer open.
func beside(seen world.Observation) (what string) {
	var others, several, behind bool
	first := map[[2]string]world.Terms{}
	for _, t := range slices.Concat(seen.Requests, seen.Offers, seen.Here.Offers) {
		key := [2]string{t.From, t.Want}
		before, more := first[key]
		if !more {
			first[key] = t
		}
		others, several = others || relayed(t), several || more
		behind = behind || more && relayed(before) && !relayed(t)
	}
	switch {
	case behind:
		what = " behind relayed terms"
	case others:
		what = " beside relayed terms"
	}
	if several {
		what += " beside more of the same"
	}
	if slices.ContainsFunc(seen.Inbox, func(m world.Message) bool { return m.Kind != "" && termsIn(seen, m.ID) == nil }) {
		what += " after terms"
	}
	return what
}

// relayed says that others than the sender and the victim had a part in terms.
func relayed(t world.Terms) bool {
	return slices.ContainsFunc(t.Parents, func(id string) bool { return id != t.From && id != victim })
}

// termsIn are the open terms with an id, nil for none.
func termsIn(seen world.Observation, id string) *world.Terms {
	for _, list := range [][]world.Terms{seen.Requests, seen.Offers, seen.Here.Offers} {
		if i := slices.IndexFunc(list, func(t world.Terms) bool { return t.ID == id }); i >= 0 {
			return &list[i]
		}
	}
	return nil
}

// add counts the pairs of marks of a trial.
func (c coverage) add(t Tape, marks []string) {
	known := map[string]bool{}
	for i, second := range marks {
		for _, first := range marks[:i+1] {
			pair := first + ", " + second
			if known[pair] {
				continue
			}
			known[pair] = true
			if c[pair] == nil {
				c[pair] = &Covered{Pair: pair}
			}
			c[pair].Times++
			c[pair].tape = t
		}
	}
}

// rarest are the pairs with a trial to mutate, rarest first; the trials of all others are dropped.
func (c coverage) rarest() []*Covered {
	list := slices.DeleteFunc(slices.Collect(maps.Values(c)), func(p *Covered) bool { return p.tape == nil })
	slices.SortFunc(list, func(a, b *Covered) int {
		return cmp.Or(cmp.Compare(a.Times, b.Times),
			cmp.Compare(a.Pair, b.Pair))
	})
	for _, p := range list[min(coveredMax, len(list)):] {
		p.tape = nil
	}
	return list[:min(coveredMax, len(list))]
}

// rare picks one of the rarest pairs, the rarer the likelier.
func rare(list []*Covered, r *rand.Rand) Tape {
	return list[min(r.IntN(len(list)), r.IntN(len(list)))].tape
}

// list is the coverage as JSON holds it.
func (c coverage) list() (list []Covered) {
	for _, pair := range slices.Sorted(maps.Keys(c)) {
		p := *c[pair]
		p.Tape = ""
		if p.tape != nil {
			p.Tape = p.tape.String()
		}
		list = append(list, p)
	}
	return list
}

// coverageOf reads what [coverage.list] makes.
func coverageOf(list []Covered) (coverage, error) {
	c := coverage{}
	for _, p := range list {
		if p.Tape != "" {
			t, err := ParseTape(p.Tape)
			if err != nil {
				return nil, err
			}
			p.tape = t
		}
		c[p.Pair] = &p
	}
	return c, nil
}
